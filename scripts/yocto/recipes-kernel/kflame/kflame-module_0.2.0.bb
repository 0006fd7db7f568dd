SUMMARY = "Sampling profiler for kernels without perf events and BPF: the module"
DESCRIPTION = "Samples every CPU, and counts stacks in the kernel. Reading /dev/kflame returns a profile."
SECTION = "kernel"
LICENSE = "GPL-2.0-only"
LIC_FILES_CHKSUM = "file://main.c;beginline=1;endline=1;md5=fcab174c20ea2e2bc0be64b493708266"

inherit module externalsrc

EXTERNALSRC = "${KFLAME_SOURCE}/kmod"
EXTERNALSRC_BUILD = "${EXTERNALSRC}"

COMPATIBLE_HOST = "(aarch64|x86_64).*-linux"
MODULES_INSTALL_TARGET = "modules_install"
