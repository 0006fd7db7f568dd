# SPDX-License-Identifier: GPL-2.0-or-later
#
# kflame: every entry point.  `make help` lists them.

KDIR	?= $(or $(KERNEL_SRC),$(KERNELDIR),/lib/modules/$(shell uname -r)/build)
DESTDIR	?=
# A package for DKMS has the module only
-include user/compiler.mk
# One of them may follow from the other, for the module as well
ifneq ($(CROSS_COMPILE),)
export CROSS_COMPILE
endif
# kernel the guests of demo and bench run, a name of scripts/kernels/list
GUEST_KERNEL ?= debian-6.1
K	?= $(GUEST_KERNEL)
# a directory with ready kernels, NAME-kernel/, for those that are built from source
export KFLAME_KERNELS
TIMES	?= 10
SECONDS	?= 600
# the release that modules built against KDIR load into (Debian's kernelrelease
# is another)
kernel_release = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' "$(KDIR)/include/generated/utsrelease.h" 2>/dev/null)

all: user modules

# Packages of this machine say nothing about another one
user: $(if $(CROSS_COMPILE)$(PKG_CONFIG),,needs-build)
	@$(MAKE) --no-print-directory -C user

# kbuild cannot tell that the kernel under it was exchanged: start afresh then
modules: kdir
	@mkdir -p build
	@if [ "$$(cat build/kdir 2>/dev/null)" != "$(KDIR)" ]; then \
		$(MAKE) --no-print-directory -C kmod KDIR="$(KDIR)" clean >/dev/null; \
		echo "$(KDIR)" >build/kdir; \
	fi
	@$(MAKE) --no-print-directory -C kmod KDIR="$(KDIR)"

# For a target with busybox only: out/cross-ARCH/ has the module and a static recorder. SYSROOT= is for a compiler
# without a C library of its own.
cross: modules
	@$(MAKE) --no-print-directory -C user/static/recorder ARCH=$(target) SYSROOT="$(SYSROOT)"
	@mkdir -p out/cross-$(target)
	@$(STRIP) --strip-debug -o out/cross-$(target)/kflame.ko kmod/kflame.ko
	@cp build/recorder/$(target)/kflame-record out/cross-$(target)/
	@ls -s --block-size=1K out/cross-$(target)

kdir:
	@if ! [ -e "$(KDIR)/Makefile" ]; then \
		echo "make: no kernel headers at $(KDIR)" >&2; \
		echo "Install them: sudo apt-get install linux-headers-$$(uname -r)" >&2; \
		echo "or name another kernel's: make modules KDIR=/usr/src/linux-headers-..." >&2; \
		echo "(the tool alone: make user)" >&2; \
		exit 1; \
	fi

# setup installs what a build needs; setup-unit and setup-guest what make unit, make guest and make shell do
setup: setup-build
	@[ -e "$(KDIR)/Makefile" ] || scripts/setup.sh headers || \
		echo 'setup: without headers of the running kernel there is no "make modules"; "make user" needs none'

setup-%:
	@scripts/setup.sh $*

needs-%:
	@scripts/setup.sh --check $*

demo:
	@scripts/demo.sh $(if $(filter 1,$(NATIVE)),--native,--kernel $(GUEST_KERNEL))

workloads: setup-build
	@$(MAKE) --no-print-directory -C tests/workload

check: setup-matrix
	@tests/run

# Everything that CI runs: make check, and then the rest
check-all: setup-matrix
	@tests/run --all

# T=test_NAME[:CASE]: one unit test, or one case of it
unit: needs-unit
	@$(MAKE) --no-print-directory -C tests/unit test O="$(CURDIR)/build/user" T="$(T)"

# T="NAME NAME...": end-to-end tests in a guest; T="NAME:WORDS": those of one file with WORDS in
# their title; K=KERNEL
guest: needs-guest
	@tests/guest --kernel $(K) -- $(if $(findstring :,$(T)),"$(T)",$(T))

# A guest with the module loaded and the tool in PATH; LOG=FILE keeps what the terminal showed
shell: needs-guest
	@tests/guest --kernel $(K) --shell $(if $(LOG),--log "$(abspath $(LOG))")

# N=3 [DIR=...]: a lab of docs/labs, and its points
lab:
	@scripts/lab.sh $(if $(N),$(N) $(if $(DIR),"$(DIR)"),--list)

lab-grade:
	@scripts/lab.sh --grade $(N) $(if $(DIR),"$(DIR)")

# KERNELS="name name...": these of scripts/kernels/list instead of all
check-matrix: setup-matrix
	@tests/matrix $(KERNELS)

# SOURCE=DIR [CONFIG=FRAGMENT]: on the kernel of a source tree
check-kernel: setup-matrix setup-kernel
	@[ -n "$(SOURCE)" ] || { echo "make: name the kernel's source tree: sudo make check-kernel SOURCE=DIR" >&2; exit 1; }
	@tests/matrix --source "$(SOURCE)" $(if $(CONFIG),--config "$(CONFIG)")

# What make check runs a moment of, for long: TIMES as many random calls as the matrix makes
# of the debug kernel, then each fuzzer of files for SECONDS
fuzz: setup-matrix setup-fuzz
	@tests/run --kernel debug --scale $(TIMES) calls
	@$(MAKE) --no-print-directory -C tests/fuzz fuzz SECONDS=$(SECONDS)

bench: setup-bench
	@tests/bench/run
	@tests/bench/events/run --kernel $(GUEST_KERNEL) switches
	@tests/bench/events/run --kernel $(GUEST_KERNEL) hits
	@tests/bench/cpus/run --kernel $(GUEST_KERNEL)
	@tests/bench/pipeline/run
	@tests/bench/unwind/run --kernel $(GUEST_KERNEL)
	@tests/bench/whole/run --kernel $(GUEST_KERNEL)
	@tests/bench/tables/run
	@tests/bench/names/run
	@tests/bench/draw/run
	@tests/bench/view/run

install: all
	$(MAKE) --no-print-directory -C user install DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)"
	install -d "$(DESTDIR)/lib/modules/$(kernel_release)/extra"
	install -m 644 kmod/kflame.ko "$(DESTDIR)/lib/modules/$(kernel_release)/extra/kflame.ko"
	@# a signed one is stripped already, and would lose its signature
	tail -c 28 kmod/kflame.ko | grep -q '^~Module signature appended~' || \
		$(STRIP) --strip-debug "$(DESTDIR)/lib/modules/$(kernel_release)/extra/kflame.ko"
	$(if $(DESTDIR),@echo "Run depmod $(kernel_release) on the machine this goes to.",depmod $(kernel_release))

# Without headers of a kernel, the modules of all kernels; dkms keeps its own elsewhere
uninstall:
	$(MAKE) --no-print-directory -C user uninstall DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)"
	@scripts/uninstall-module.sh "$(DESTDIR)" $(kernel_release)

# for Secure Boot, see docs/signing.md; KEY= and CERT= name another pair
sign: modules
	@KDIR="$(KDIR)" scripts/sign.sh
	@scripts/give-back.sh

sign-key:
	@scripts/sign.sh --new-key

# KERNELS="release release...": for these instead of the running one
dkms-install: setup-dkms
	@scripts/dkms-install.sh $(KERNELS)

dkms-uninstall:
	@scripts/dkms-install.sh --uninstall

deb: setup-deb
	@scripts/make-deb.sh
	@scripts/give-back.sh

check-packaging: setup-packaging
	@tests/packaging/run.sh

clean:
	@if [ -e "$$(cat build/kdir 2>/dev/null)/Makefile" ]; then \
		$(MAKE) --no-print-directory -C kmod KDIR="$$(cat build/kdir)" clean >/dev/null; \
	fi
	rm -rf build

help:
	@echo 'make              the tool and the module for the running kernel'
	@echo 'sudo make setup   install what a build needs (Debian)'
	@echo 'make user         the tool alone: build/user/kflame'
	@echo 'make cross ARCH=arm64 KDIR=... [SYSROOT=...]   module and static recorder, in out/cross-arm64'
	@echo 'For another machine: ARCH=, CROSS_COMPILE=, CC=, STRIP=, PKG_CONFIG=, DESTDIR= (docs/cross.md)'
	@echo 'make modules [KDIR=...]   the module: kmod/kflame.ko'
	@echo 'sudo make demo    record a workload in a guest; the pictures are in out/demo'
	@echo 'sudo make demo NATIVE=1   the same on this machine'
	@echo 'make unit T=test_tree[:CASE]      one unit test, or one case of it'
	@echo 'make guest T=met[:WORDS] [K=debian-6.1]   an end-to-end test in a guest'
	@echo 'make shell [K=debian-6.1] [LOG=FILE]      a guest with the module loaded and kflame in PATH'
	@echo 'make lab [N=3] [DIR=...]          begin a lab of docs/labs, or list them; make lab-grade N=3: its points'
	@echo 'sudo make check   tests on the host and in guests; ends with "N passed, N failed"'
	@echo 'sudo make check-all   the same, and everything else that CI runs'
	@echo 'sudo make check-matrix [KERNELS=...]   guest tests on every kernel; writes docs/kernels.md'
	@echo 'sudo make check-kernel SOURCE=DIR [CONFIG=FILE]   the same on a kernel that is built from your source tree'
	@echo 'sudo make fuzz [TIMES=10] [SECONDS=600]   random calls and random files, for long'
	@echo 'sudo make bench   what a sample costs, beside perf and bpftrace; and names'
	@echo 'sudo make install [PREFIX=/usr/local] [DESTDIR=]   and uninstall'
	@echo 'sudo make dkms-install [KERNELS=...]   dkms builds it for every kernel; and dkms-uninstall'
	@echo 'make sign [KEY=... CERT=...]   sign the module for Secure Boot; make sign-key: a key'
	@echo 'make deb          Debian packages kflame and kflame-dkms, in out/deb'
	@echo 'sudo make check-packaging   install, upgrade and remove them in a chroot'
	@echo 'make clean'
	@echo 'Downloads are kept in KFLAME_CACHE (default ~/.cache/kflame). KFLAME_KERNELS names a directory with'
	@echo 'ready kernels, NAME-kernel/, for those that are built from source.'

.PHONY: all user modules cross kdir setup unit guest shell lab lab-grade demo workloads check check-all check-matrix check-kernel fuzz bench install uninstall \
	sign sign-key dkms-install dkms-uninstall deb check-packaging clean help
