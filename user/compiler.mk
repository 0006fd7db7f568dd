# SPDX-License-Identifier: GPL-2.0-or-later
#
# The compiler and its tools, for this machine or for another one. The names are those of kbuild, Buildroot and Yocto:
#
#	ARCH		arm64 or x86_64: the target's architecture
#	CROSS_COMPILE	prefix of the tools; ARCH alone means the prefix that Debian's have
#	CC, STRIP	each tool by itself
#	PKG_CONFIG	asked for the libraries, if it is given (libs.mk)
#	prefix		as PREFIX
machine	:= $(patsubst aarch64,arm64,$(shell uname -m))
target	:= $(patsubst aarch64,arm64,$(patsubst x86,x86_64,$(or $(ARCH),$(machine))))

ifneq ($(target),$(machine))
CROSS_COMPILE ?= $(patsubst arm64,aarch64,$(target))-linux-gnu-
endif
ifeq ($(origin CC),default)
CC	:= $(CROSS_COMPILE)gcc
endif
STRIP	?= $(CROSS_COMPILE)strip
PREFIX	?= $(or $(prefix),/usr/local)
