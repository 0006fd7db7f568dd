# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tool's objects are linked with, here and in what tests and measures them. With PKG_CONFIG=, that program
# knows where the libraries are. Only libiberty has no file for it.
packages := libdw libelf zlib liblzma json-c ncursesw libseccomp
static	:= $(findstring -static,$(CC) $(CFLAGS) $(LDFLAGS))

ifneq ($(PKG_CONFIG),)
CPPFLAGS += $(shell $(PKG_CONFIG) --cflags $(packages))
libs	:= $(shell $(PKG_CONFIG) $(if $(static),--static) --libs $(packages))
ifneq ($(.SHELLSTATUS),0)
$(error $(PKG_CONFIG) does not find all of $(packages): see above. Set PKG_CONFIG_PATH or PKG_CONFIG_LIBDIR for the target)
endif
libs	+= -liberty -lm -pthread
else
libs	:= -ldw -lelf -lz -llzma -liberty -ljson-c -lncursesw -ltinfo -lseccomp -lm -pthread
# A static libdw needs libbz2, and libelf since 0.189 libzstd
ifneq ($(static),)
libs	+= -lbz2 $(if $(findstring /,$(shell $(CC) -print-file-name=libzstd.a)),-lzstd)
endif
endif
