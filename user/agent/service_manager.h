/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service_manager.h - tells systemd that the agent runs: sd_notify(3) without its library
 */
#ifndef KFLAME_AGENT_SERVICE_MANAGER_H
#define KFLAME_AGENT_SERVICE_MANAGER_H

#include <stdint.h>

/** service_tell() - sends "READY=1" or another state; does nothing without a service manager */
void service_tell(const char *state);

/** service_watchdog_ns() - Return: how often "WATCHDOG=1" must be sent; UINT64_MAX: never */
uint64_t service_watchdog_ns(void);

#endif
