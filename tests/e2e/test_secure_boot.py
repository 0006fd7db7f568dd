# SPDX-License-Identifier: GPL-2.0-or-later
"""
docs/signing.md, in a guest that firmware started with Secure Boot (tests/secure-boot.sh).

KFLAME_KEYS is a directory with two signed modules, of which the firmware knows the key of one.
"""

import os
import re
import subprocess

from harness import (balanced, check, folded, kflame, loaded, matches, record, run, scratch, test,
                     unload, workload, DEVICE, MODULE)

KEYS = os.environ["KFLAME_KEYS"]
LOCKDOWN = "/sys/kernel/security/lockdown"
UNKNOWN, ENROLLED = (os.path.join(KEYS, name + ".ko") for name in ("unknown", "enrolled"))


def mount(kind, path):
    if not os.path.ismount(path):
        run(["mount", "-t", kind, kind, path])


def insmod(module):
    """Try to; what it says where it fails."""
    done = subprocess.run(["insmod", module], check=False, text=True, stderr=subprocess.PIPE)
    check((done.returncode == 0) == loaded(), "insmod:", done.returncode, done.stderr)
    return done.stderr


def doctor(topic, status):
    """What it says of this, with the fix."""
    done = kflame("doctor", status=status)
    found = re.search(r"^(?:works|limit|fails|\?) +%s .*\n(?: .*\n)*" % topic, done.stdout,
                      re.MULTILINE)
    check(found, "nothing about", topic, done.stdout)
    return found[0]


@test("this is a machine with Secure Boot, and its kernel is locked down")
def premise():
    mount("securityfs", "/sys/kernel/security")
    run(["modprobe", "efivarfs"])
    mount("efivarfs", "/sys/firmware/efi/efivars")
    check("SecureBoot enabled" in run(["mokutil", "--sb-state"]).stdout)
    with open(LOCKDOWN, encoding="ascii") as file:
        check("[integrity]" in file.read())


@test("a module that is not signed is refused, and doctor and record say why")
def not_signed():
    check(matches("rejected", insmod(MODULE)))
    said = doctor("signature", status=1)
    check(said.startswith("fails") and "make sign" in said, said)
    done = kflame("record", "-a", "-d", "0.1", "-o", scratch("x.data"), status=None)
    check(done.returncode != 0 and matches("sign", done.stderr), done.stderr)


@test("nor is one that is signed by a key that the firmware does not know")
def unknown_key():
    check(matches("rejected", insmod(UNKNOWN)))


@test("signed by a machine owner's key it loads, records and leaves")
def enrolled():
    key = os.path.join(KEYS, "enrolled/kflame/mok.der")
    check("already enrolled" in run(["mokutil", "--test-key", key], status=None).stdout)
    said = insmod(ENROLLED)
    check(loaded(), said)
    check(doctor("signature", status=0).startswith("works"))
    path = record("signed", "-F", "997", command=[workload("busy"), "1"])
    balanced(path)
    check(any("main" in frames for frames in folded(path)), "the program is not there")
    unload()


@test("a kernel that keeps all to itself (confidentiality) lets nobody open the device")
def confidentiality():
    unload()
    insmod(ENROLLED)
    with open(LOCKDOWN, "w", encoding="ascii") as file:
        file.write("confidentiality")  # for good
    check(os.path.exists(DEVICE))
    done = kflame("record", "-a", "-d", "0.1", "-o", scratch("x.data"), status=None)
    check(done.returncode != 0 and matches("lockdown|locked down", done.stderr), done.stderr)
    said = doctor("lockdown", status=1)
    check(said.startswith("fails"), said)
