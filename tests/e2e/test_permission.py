# SPDX-License-Identifier: GPL-2.0-or-later
"""Which users may record, which may not, and the messages they get."""

import os
import subprocess

from harness import (check, load, matches, run, scratch, test, unload, workload, DEVICE, KFLAME,
                     MODULE, Skipped)

NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
TRY = "import os; os.open('%s', os.O_RDWR)" % DEVICE


def opens(*privileges):
    done = subprocess.run([*privileges, "python3", "-c", TRY], check=False, text=True,
                          stderr=subprocess.PIPE)
    return done.returncode == 0, done.stderr


@test("without a capability nobody opens the device, whatever its mode says")
def capability():
    load()
    mode = os.stat(DEVICE).st_mode & 0o777
    check(mode == 0o600, "the device's mode is %o" % mode)
    os.chmod(DEVICE, 0o666)
    try:
        ok, said = opens(*NOBODY)
        check(not ok and "PermissionError" in said, "nobody opened it:", said)
        ok, said = opens("setpriv", "--bounding-set", "-sys_admin,-perfmon", "--inh-caps", "-all")
        check(not ok and "PermissionError" in said, "root without capabilities opened it:", said)
        check(opens("setpriv", "--bounding-set", "-sys_admin")[0], "CAP_PERFMON is not enough")
        check(opens("setpriv", "--bounding-set", "-perfmon")[0], "CAP_SYS_ADMIN is not enough")
    finally:
        os.chmod(DEVICE, mode)


@test("parameters and messages of the module show no address")
def no_addresses():
    load()
    for root, _, files in os.walk("/sys/module/kflame/parameters"):
        for name in files:
            if not os.stat(os.path.join(root, name)).st_mode & 0o400:
                continue
            with open(os.path.join(root, name), encoding="ascii") as file:
                text = file.read()
            check(not matches(r"ffff[0-9a-f]{12}", text), name, text)
    said = run(["dmesg"]).stdout
    ours = [line for line in said.split("\n") if "kflame" in line]
    check(not any(matches(r"ffff[0-9a-f]{12}", line) for line in ours), ours)


@test("where only signed modules may be loaded, insmod fails and record names the cause")
def signatures():
    enforce = "/sys/module/module/parameters/sig_enforce"
    unload()
    if not os.path.exists(enforce):
        raise Skipped("this kernel does not check signatures")
    with open(enforce, "w", encoding="ascii") as file:
        file.write("Y")  # for good: this must be the last test of a guest
    done = subprocess.run(["insmod", MODULE], check=False, text=True, stderr=subprocess.PIPE)
    check(done.returncode != 0, "an unsigned module was loaded")
    done = run([KFLAME, "record", "-a", "-o", scratch("x.data"), "--", workload("busy"), "0"],
               status=None)
    check(done.returncode != 0 and matches("sign", done.stderr), done.stderr)
