################################################################################
#
# kflame
#
################################################################################

# The clone that this directory is part of
KFLAME_SITE = $(BR2_EXTERNAL_KFLAME_PATH)/../..
KFLAME_SITE_METHOD = local
KFLAME_VERSION = $(shell $(KFLAME_SITE)/scripts/version.sh)
KFLAME_OVERRIDE_SRCDIR_RSYNC_EXCLUSIONS = --exclude /build --exclude /out --exclude '*.o' --exclude '*.ko'
KFLAME_LICENSE = GPL-2.0 (module), GPL-2.0 WITH Linux-syscall-note (ABI), GPL-2.0+ (the rest)
KFLAME_LICENSE_FILES = LICENSE LICENSES/GPL-2.0.txt
KFLAME_MODULE_SUBDIRS = kmod

KFLAME_RECORDER_OPTS = \
	$(TARGET_CONFIGURE_OPTS) \
	ARCH=$(KERNEL_ARCH) \
	O=$(@D)/recorder \
	VERSION=$(KFLAME_VERSION) \
	prefix=/usr

# arm64 needs STACKTRACE for kernel stacks
define KFLAME_LINUX_CONFIG_FIXUPS
	$(call KCONFIG_ENABLE_OPT,CONFIG_MODULE_UNLOAD)
	$(call KCONFIG_ENABLE_OPT,CONFIG_KALLSYMS)
	$(call KCONFIG_ENABLE_OPT,CONFIG_STACKTRACE)
	$(call KCONFIG_ENABLE_OPT,CONFIG_HIGH_RES_TIMERS)
endef

define KFLAME_BUILD_CMDS
	$(TARGET_MAKE_ENV) $(MAKE) -C $(@D)/user/static/recorder $(KFLAME_RECORDER_OPTS)
endef

define KFLAME_INSTALL_TARGET_CMDS
	$(TARGET_MAKE_ENV) $(MAKE) -C $(@D)/user/static/recorder $(KFLAME_RECORDER_OPTS) \
		DESTDIR=$(TARGET_DIR) install
endef

$(eval $(kernel-module))
$(eval $(generic-package))
