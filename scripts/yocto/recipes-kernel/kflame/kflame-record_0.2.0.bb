SUMMARY = "Sampling profiler for kernels without perf events and BPF: the static recorder"
DESCRIPTION = "Records with the module kflame on a target that has nothing but busybox. Another machine names and draws the profiles."
SECTION = "devel"
LICENSE = "GPL-2.0-or-later"
LIC_FILES_CHKSUM = "file://LICENSE;md5=2830a18c9578db6e154ea47c044affd1"

inherit externalsrc

EXTERNALSRC = "${KFLAME_SOURCE}"

COMPATIBLE_HOST = "(aarch64|x86_64).*-linux"
RRECOMMENDS:${PN} = "kernel-module-kflame"

# It is static whatever the distribution chooses
EXTRA_OEMAKE = "-C ${S}/user/static/recorder O=${B} VERSION=${PV} prefix=${prefix}"

do_compile() {
    oe_runmake
}

do_install() {
    oe_runmake DESTDIR=${D} install
}
