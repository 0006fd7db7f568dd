include $(sort $(wildcard $(BR2_EXTERNAL_KFLAME_PATH)/package/*/*.mk))
