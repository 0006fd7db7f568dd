# SPDX-License-Identifier: GPL-2.0-or-later
"""Files by descriptor: what was mapped is named wherever it is, and is let go in time."""

import ctypes
import errno
import fcntl
import mmap
import os
import shutil
import signal
import struct

import kfl
from harness import (balanced, check, folded, load, note, record, run, scratch, start, test,
                     wait_until, workload, KFLAME)
from session import FILE, FILE_ID, NUMBER, Session
from mounts import as_soon_as_walked, filesystem, umount

HOLD = 1 << 9
NUMBER_OF = "<2I2Q"
TAKEN, EXPIRED = 15, 16  # of struct kflame_stats.count


def file_id(number, flags=0, fd=0, pad=0):
    return struct.pack(FILE_ID, struct.calcsize(FILE_ID), flags, number, fd, pad)


class Stream:
    """What a running session has reported so far."""

    def __init__(self, session):
        self.session, self.data, self.at, self.files = session, b"", 32, {}

    def read(self):
        try:
            self.data += os.read(self.session.fd, 1 << 18)
        except BlockingIOError:
            pass
        while self.at + 8 <= len(self.data):
            kind, size = struct.unpack_from("<II", self.data, self.at)
            check(size, "a record without a size at", self.at)
            record = self.data[self.at:self.at + size]
            if len(record) < size:
                break
            if kind == kfl.FILE:
                length, = struct.unpack_from("<I", record, 76)
                path = record[80:80 + length].decode().replace(" (deleted)", "")
                self.files[path] = struct.unpack_from("<Q", record, 8)[0]
            self.at += size

    def number_of(self, path):
        """The number of a file that was sampled."""
        def reported():
            self.read()
            return path in self.files

        wait_until(reported, "%s to be reported" % path)
        return self.files[path]


def sampling(**fields):
    session = Session(os.O_RDWR | os.O_NONBLOCK)
    session.configure(period_ns=200000, budget_permille=0, **fields)
    session.start()
    return session


@test("KFLAME_IOC_NUMBER gives the number of a mapped file before any sample is in it")
def numbered():
    load()
    program = scratch("numbered")
    shutil.copy(workload("short"), program)
    size = struct.calcsize(NUMBER_OF)

    def ask(session, address, id_=0, pad=0):
        return session.ioctl(NUMBER, struct.pack(NUMBER_OF, size, pad, address, id_))

    with open(program, "rb") as file, sampling(flags=0) as session:
        memory = mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
        there = ctypes.c_char.from_buffer(memory)
        address = ctypes.addressof(there)
        number = struct.unpack(NUMBER_OF, ask(session, address))[3]
        check(number and Stream(session).number_of(program) == number, "reported as", number)
        check(struct.unpack(NUMBER_OF, ask(session, address))[3] == number, "another one")
        for wanted, arguments in (("EFAULT", (8,)), ("EINVAL", (address, 1)), ("EINVAL", (address, 0, 1))):
            try:
                ask(session, *arguments)
                got = ""
            except OSError as error:
                got = errno.errorcode[error.errno]
            check(got == wanted, arguments, "wanted", wanted, "got", got)
        session.stop()
        check(session.errno(NUMBER, struct.pack(NUMBER_OF, size, 0, address, 0)) == "EINVAL", "stopped")
        del there
        memory.close()


@test("a file that was mapped is handed out, once, read-only; also when it was deleted")
def handed_out():
    load()
    with sampling(flags=HOLD) as session:
        stream = Stream(session)
        for deleted in (False, True):
            program = scratch("handed-out-%d" % deleted)
            shutil.copy(workload("short"), program)
            inode = os.stat(program).st_ino
            for _ in range(3):
                run([program, "500"])
            if deleted:
                os.unlink(program)
            number = stream.number_of(program)
            check(session.errno(FILE, file_id(number, flags=1)) == "EINVAL", "a flag")
            check(session.errno(FILE, file_id(number, pad=1)) == "EINVAL", "padding")
            check(session.errno(FILE, file_id(1 << 40)) == "ENOENT", "an unknown number")
            fd = struct.unpack(FILE_ID, session.ioctl(FILE, file_id(number)))[3]
            check(os.fstat(fd).st_ino == inode, "another file", os.fstat(fd), inode)
            with open(workload("short"), "rb") as file:
                check(os.pread(fd, 1 << 24, 0) == file.read(), "another content")
            check(fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY, "not read-only")
            check(fcntl.fcntl(fd, fcntl.F_GETFD) & fcntl.FD_CLOEXEC, "not closed on exec")
            os.close(fd)
            check(session.errno(FILE, file_id(number)) == "ENOENT", "handed out twice")
        check(session.count(TAKEN) == 2, "taken:", session.count(TAKEN))


@test("nothing is held unless it was asked for, and nothing without CAP_SYS_ADMIN")
def not_asked():
    load()
    with sampling() as session:
        program = scratch("not-asked")
        shutil.copy(workload("short"), program)
        for _ in range(3):
            run([program, "500"])
        number = Stream(session).number_of(program)
        check(session.errno(FILE, file_id(number)) == "ENOENT", "held unasked")
        session.stop()
    privileges = ["setpriv", "--bounding-set", "-sys_admin"]
    code = ("import sys; sys.path[:0] = %r; from session import *;"
            "print(Session().errno(CONFIGURE, config(flags=%d)), Session().errno(FILE, %r))"
            % ([os.path.dirname(__file__)], HOLD, file_id(1)))
    said = run([*privileges, "python3", "-c", code]).stdout
    check(said == "EPERM EPERM\n", "without CAP_SYS_ADMIN:", said)
    path = scratch("perfmon.data")
    run([*privileges, KFLAME, "record", "-a", "-o", path, "--", workload("busy"), "1"])
    balanced(path)


@test("a reader that does not come for its files keeps no file system busy for long")
def expired():
    load()
    with sampling(flags=HOLD) as session:
        where, program = filesystem()
        for _ in range(3):
            run([program, "500"])
        wait = as_soon_as_walked("unmounted", lambda: umount(where), errno.EBUSY)
        note("unmounted after %.1f s" % wait)
        check(session.count(EXPIRED) > 0, "none expired")
        # the same after STOP, when no sample is taken any more
        where, program = filesystem()
        for _ in range(3):
            run([program, "500"])
        session.stop()
        wait = as_soon_as_walked("unmounted", lambda: umount(where), errno.EBUSY)
        note("unmounted after %.1f s, the session having been stopped" % wait)
    where, program = filesystem()
    with sampling(flags=HOLD) as session:
        for _ in range(3):
            run([program, "500"])
    wait = as_soon_as_walked("unmounted", lambda: umount(where), errno.EBUSY)
    note("unmounted after %.1f s, the session having been closed" % wait)


@test("a recording keeps no file system busy whose programs have ended, and names them")
def unmounted_meanwhile():
    load()
    path = scratch("unmounted.data")
    recorder = start([KFLAME, "record", "-a", "-F", "4999", "--budget", "0", "-o", path])
    wait_until(lambda: os.path.exists(path) and os.path.getsize(path), "the recording to begin")
    where, program = filesystem()
    for _ in range(5):
        run([program, "5000"])
    wait = as_soon_as_walked("unmounted", lambda: umount(where), errno.EBUSY)
    note("unmounted after %.3f s" % wait)
    recorder.send_signal(signal.SIGINT)
    check(recorder.wait() == 0, "the recorder's status:", recorder.returncode)
    balanced(path)
    seen = {frames: n for frames, n in folded(path).items() if frames[0] == "short"}
    ours = sum(n for frames, n in seen.items() if "main" in frames)
    bad = [frames for frames in seen if any("short+" in frame for frame in frames)]
    note("%d samples of it, %d of them in main" % (sum(seen.values()), ours))
    check(ours > 0 and not bad, "not named:", bad[:3], list(seen)[:5])


def named(path, name):
    """All samples in the program's own code lead from main to its functions."""
    balanced(path)
    seen = {frames: n for frames, n in folded(path).items() if frames[0] == name}
    chains = sum(n for frames, n in seen.items() if "main" in frames)
    bad = [frames for frames in seen if any(name + "+" in frame for frame in frames)]
    note("%d samples, %d of them below main" % (sum(seen.values()), chains))
    check(chains > 0, "samples below main:", chains, list(seen)[:5])
    check(not bad, "frames without a name:", bad[:5])


@test("a program that was deleted while it ran is named")
def deleted():
    load()
    program = scratch("deleted-busy")
    shutil.copy(workload("busy"), program)
    # it says a word as soon as it runs
    shell = "%s 2 | { read ready; rm %s; cat; }" % (program, program)
    named(record("deleted", command=("/bin/sh", "-c", shell)), "deleted-busy")
    check(not os.path.exists(program), "it is still there")


@test("a program that an upgrade replaced while it ran is named by what ran")
def replaced():
    load()
    program = scratch("upgraded")
    shutil.copy(workload("busy"), program)
    # as dpkg does: written beside it, then renamed over it
    shell = ("%s 2 | { read ready; cp %s %s.dpkg-new; mv %s.dpkg-new %s; cat; }"
             % (program, workload("readloop"), program, program, program))
    named(record("replaced", command=("/bin/sh", "-c", shell)), "upgraded")


@test("a program in a mount namespace that is gone when the recording ends is named")
def other_namespace():
    load()
    where = scratch("inside")
    os.mkdir(where)
    program = os.path.join(where, "elsewhere")
    inside = ("mount -t tmpfs tmpfs %s && cp %s %s && exec %s 2"
              % (where, workload("busy"), program, program))
    path = record("namespace", command=("/bin/sh", "-c",
                                        "unshare --mount /bin/sh -c '%s' && true" % inside))
    named(path, "elsewhere")
    check(not os.path.exists(program), "it is in this mount namespace")
