#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
send.py - the sender of the agent, against receivers that are away, slow, busy and broken; prints TAP

usage: tests/agent/send.py [WORDS]	(only tests with WORDS in their title)

The profiles are made here, and what arrives is decoded here: by nothing of the tool.
"""

import base64
import collections
import gzip
import http.server
import json
import os
import shutil
import signal
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KFLAME = os.environ.get("KFLAME_TOOL", os.path.join(ROOT, "build/user/kflame"))
PERIOD = 52631579
LONG = "a" * 300  # the name of a label
TESTS = []
SCRATCH = tempfile.mkdtemp(prefix="kflame-send.")


class Failed(Exception):
    """A check that did not hold."""


def test(title):
    def mark(function):
        TESTS.append((title, function))
        return function
    return mark


def check(condition, *seen):
    if not condition:
        raise Failed(" ".join(str(part) for part in seen))


# ------------------------------------------------------------------- profiles


def record(kind, body):
    body += b"\0" * (-len(body) % 8)
    return struct.pack("<II", kind, 8 + len(body)) + body


def make_profile(ident, samples, host, start_ns):
    """A profile of one thread with one kernel stack, as include/uapi/kflame.h describes it."""
    session = struct.pack("<IIQQQQQQIIIIII72s16s32s", 1, 2, 0, PERIOD, PERIOD, 1, 10**9, start_ns, 64, 127, 512, 0, 1, 4096,
                          b"6.1.0", b"x86_64", b"1")
    stack = struct.pack("<QIIIIQQ", 1 << 32 | 1, 1, 0, 0xFFFFFFFF, 2, 0xFFFFFFFF81000010, 0xFFFFFFFF81000120)
    count = struct.pack("<QQQQQQIIII16s", 0, 1 << 32 | 1, 0, samples, samples * PERIOD, 0, 0, 0, 7, 0, b"shop")
    symbols = [struct.pack("<QQII", start, start + 0x100, len(name), 0) + name + b"\0"
               for start, name in ((0xFFFFFFFF81000000, b"inner"), (0xFFFFFFFF81000100, b"outer"))]
    stats = struct.pack("<Q32Q", 61 * 10**9, *([0] * 32))
    text = b"".join(part.encode() + b"\0" for part in (
        "host=" + host, "tool=test", "cut=" + ident, "label.service=shop", "label.zone=eu-1", "label.%s=x" % LONG))
    # struct kflame_rec_host: text_len, pad, text
    records = [record(1, session), record(5, stack), record(6, count), record(10, stats)]
    records += [record(11, symbol) for symbol in symbols]
    records += [record(0x100, struct.pack("<II", len(text), 0) + text)]
    records += [record(0x1FF, struct.pack("<Q", len(records)))]
    return b"KFLAME\r\n" + struct.pack("<IIIIQ", 1, 0x01020304, 32, 0, 0) + b"".join(records)


def fill(spool, count, host="web-1"):
    """Profiles 1 to @count, with as many samples as their number.  Returns the ids in order."""
    ids = []
    os.makedirs(spool, exist_ok=True)
    os.chmod(spool, 0o755)
    for number in range(1, count + 1):
        start = 1793000000 + 60 * number
        ident = "%s-%s-%012x" % (time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(start)), host, number)
        with open(os.path.join(spool, ident + ".kflame"), "wb") as file:
            file.write(make_profile(ident, number, host, start * 10**9))
        ids.append(ident)
    return ids


# ------------------------------------------------------------------- protobuf


def fields(data):
    """The fields of a message: number to values, which are numbers or bytes."""
    found, at = collections.defaultdict(list), 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            found[tag >> 3].append(varint())
        elif tag & 7 == 1:
            found[tag >> 3].append(struct.unpack_from("<Q", data, at)[0])
            at += 8
        elif tag & 7 == 2:
            size = varint()
            check(at + size <= len(data), "a field is longer than its message")
            found[tag >> 3].append(data[at:at + size])
            at += size
        else:
            raise Failed("wire type %d" % (tag & 7))
    return found


def packed(data):
    values, at = [], 0
    while at < len(data):
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
        values.append(value)
    return values


def pprof_samples(data):
    """The sum of the sample counts of a pprof profile, and the names of its functions."""
    profile = fields(gzip.decompress(data))
    names = [text.decode() for text in profile[6]]
    functions = {names[fields(one)[2][0]] for one in profile[5]}
    return sum(packed(fields(sample)[2][0])[0] for sample in profile[2]), functions


class Otlp:
    """A request of opentelemetry-proto 1.11.0, checked by its rules."""

    def __init__(self, data):
        request = fields(data)
        check(len(request[2]) == 1, "one dictionary is wanted:", len(request[2]))
        tables = fields(request[2][0])
        for number in range(1, 8):
            check(tables[number] and tables[number][0] == b"", "entry 0 of table", number, "is not empty")
        self.strings = [text.decode() for text in tables[5]]
        check(len(set(self.strings)) == len(self.strings), "a string is there twice")
        self.functions = [fields(one) for one in tables[3]]
        self.locations = [fields(one) for one in tables[2]]
        self.stacks = [packed(fields(one)[1][0]) if fields(one)[1] else [] for one in tables[7]]
        resource = fields(request[1][0])
        self.resource = {}
        for one in fields(resource[1][0])[1]:
            pair = fields(one)
            self.resource[pair[1][0].decode()] = fields(pair[2][0])[1][0].decode()
        profile = fields(fields(resource[2][0])[2][0])
        kind = fields(profile[1][0])
        check((self.strings[kind[1][0]], self.strings[kind[2][0]]) == ("cpu", "nanoseconds"), "another type")
        self.time, self.id = profile[3][0], profile[7][0]
        check(len(self.id) == 16, "the profile's id has", len(self.id), "bytes")
        self.ns, self.seen = 0, set()
        for one in profile[2]:
            sample = fields(one)
            self.ns += sum(packed(sample[4][0]))
            names = []
            for location in self.stacks[sample[1][0]]:
                line = fields(self.locations[location][3][0])
                names.append(self.strings[self.functions[line[1][0]][1][0]])
            self.seen.add(tuple(names))
            for attribute in packed(sample[2][0]) if sample[2] else []:
                check(attribute < len(tables[6]), "an attribute that is not there")


# ------------------------------------------------------------------- receiver


class Receiver:
    """A server that does what its script says, a word for each request, and then all is well."""

    def __init__(self, script=(), port=0, tls=None):
        self.script, self.taken, self.requests, self.times = list(script), [], [], []
        self.lock, self.headers = threading.Lock(), []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.answer(self, body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        self.url = "http%s://127.0.0.1:%d" % ("s" if tls else "", self.port)
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, handler, body):
        ident = handler.headers["X-Kflame-Profile"]
        with self.lock:
            word = self.script.pop(0) if self.script else "ok"
            self.requests.append((word, ident))
            self.times.append(time.monotonic())
            self.headers.append(dict(handler.headers))
        if word == "drop":
            handler.connection.close()
            return
        if word == "slow":
            time.sleep(3)  # longer than the sender waits: it gets no answer
        if word in ("ok", "slow"):
            with self.lock:
                self.taken.append((handler.path, ident, body))
            self.reply(handler, 200)
        else:
            self.reply(handler, int(word))

    @staticmethod
    def reply(handler, code):
        try:
            handler.send_response(code)
            if code == 429:
                handler.send_header("Retry-After", "1")
            handler.send_header("Content-Length", "0")
            handler.end_headers()
        except OSError:
            pass

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def command(spool, *settings, once=True):
    argv = [KFLAME, "agent", "-c", "/dev/null", "--send"] + (["--once"] if once else [])
    for setting in ("spool=" + spool, "retry-most=1s", "timeout=2s", *settings):
        argv += ["-o", setting]
    return argv


def send(spool, *settings, status=0):
    done = subprocess.run(command(spool, *settings), stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    check(done.returncode == status, "exit status", done.returncode, done.stderr)
    return done.stderr


def judged(receiver, ids):
    """Nothing lost, nothing twice, by id; returns the bodies in the order of the ids."""
    seen = {}
    for _, ident, body in receiver.taken:
        check(ident not in seen or seen[ident] == body, "one id, two contents:", ident)
        seen[ident] = body
    check(sorted(seen) == sorted(ids), "lost:", sorted(set(ids) - set(seen)), "unknown:", sorted(set(seen) - set(ids)))
    return [seen[ident] for ident in ids]


@test("Pyroscope: JSON with pprof in it; labels, tenant and token; the sums are those of the profiles")
def pyroscope():
    spool = os.path.join(SCRATCH, "pyroscope")
    ids = fill(spool, 5)
    token = os.path.join(SCRATCH, "token")
    with open(token, "w", encoding="ascii") as file:
        file.write("sesame\n")
    receiver = Receiver()
    send(spool, "send=pyroscope " + receiver.url + "/", "tenant=blue", "bearer-file=" + token)
    total, uuids = 0, set()
    for body in judged(receiver, ids):
        series, = json.loads(body)["series"]
        labels = {label["name"]: label["value"] for label in series["labels"]}
        check(labels == {"__name__": "process_cpu", "service_name": "shop", "host": "web-1", "zone": "eu-1", LONG: "x"}, labels)
        sample, = series["samples"]
        uuids.add(sample["ID"])
        samples, functions = pprof_samples(base64.b64decode(sample["rawProfile"]))
        check({"inner", "outer"} <= functions, functions)
        total += samples
    check(total == 15 and len(uuids) == 5, total, uuids)
    check({path for path, _, _ in receiver.taken} == {"/push.v1.PusherService/Push"}, receiver.taken[0][0])
    check(receiver.headers[0]["X-Scope-OrgID"] == "blue", receiver.headers[0])
    check(receiver.headers[0]["Authorization"] == "Bearer sesame", receiver.headers[0])
    receiver.close()


@test("OTLP 1.11.0: one dictionary, empty first entries, the weights are those of the profiles")
def otlp():
    spool = os.path.join(SCRATCH, "otlp")
    ids = fill(spool, 4)
    receiver = Receiver()
    send(spool, "send=otlp " + receiver.url)
    total = 0
    for body in judged(receiver, ids):
        request = Otlp(gzip.decompress(body))
        check(request.resource == {"service.name": "shop", "host.name": "web-1", "zone": "eu-1", LONG: "x"},
              request.resource)
        check(request.seen == {("inner", "outer")}, request.seen)
        total += request.ns
    check(total == 10 * PERIOD, total)
    check({path for path, _, _ in receiver.taken} == {"/v1development/profiles"}, receiver.taken[0][0])
    receiver.close()


@test("a receiver that is away, then slow, busy, full and broken, then well: nothing lost, nothing twice")
def trouble():
    spool = os.path.join(SCRATCH, "trouble")
    ids = fill(spool, 12)
    port = Receiver()
    number = port.port
    port.close()
    sender = subprocess.Popen(command(spool, "send=pyroscope http://127.0.0.1:%d" % number), stderr=subprocess.PIPE, text=True)
    # it says so when it has found nobody
    said = sender.stderr.readline()
    check("does not take" in said, said)
    receiver = Receiver(["429", "429", "413", "500", "503", "slow", "drop", "502", "413", "400", "429"], port=number)
    _, rest = sender.communicate(timeout=300)
    check(sender.returncode == 0, sender.returncode, said, rest)
    judged(receiver, ids)
    accepted = [ident for word, ident in receiver.requests if word == "ok"]
    check(len(accepted) == len(set(accepted)), "sent again after it was taken:", accepted)
    check("takes profiles again" in rest, rest)
    receiver.close()


@test("a pause after each failure, which doubles and has a ceiling")
def pauses():
    spool = os.path.join(SCRATCH, "pauses")
    fill(spool, 1)
    receiver = Receiver(["500"] * 4)
    send(spool, "send=pyroscope " + receiver.url, "retry-most=2s")
    waits = [after - before for before, after in zip(receiver.times, receiver.times[1:])]
    # 1 s, 2 s, 2 s, 2 s, less an eighth
    check(len(waits) == 4 and waits[0] >= 0.8 and min(waits[1:]) >= 1.7, waits)
    receiver.close()


@test("a profile that the receiver never takes is given up, and the others arrive")
def refused():
    spool = os.path.join(SCRATCH, "refused")
    ids = fill(spool, 3)
    receiver = Receiver()
    answer = receiver.answer

    def refuse(handler, body):
        if handler.headers["X-Kflame-Profile"] == ids[1]:
            receiver.script.insert(0, "413")
        answer(handler, body)

    receiver.answer = refuse
    said = send(spool, "send=pyroscope " + receiver.url)
    judged(receiver, [ids[0], ids[2]])
    check("given up" in said, said)
    # not after a restart, either
    before = len(receiver.requests)
    send(spool, "send=pyroscope " + receiver.url)
    check(len(receiver.requests) == before, "sent again:", receiver.requests[before:])
    receiver.close()


@test("kill -9 and a restart: nothing is lost, and at most the profile on its way comes again, with the same id")
def killed():
    spool = os.path.join(SCRATCH, "killed")
    ids = fill(spool, 40)
    receiver = Receiver()
    for round_ in range(1, 4):
        sender = subprocess.Popen(command(spool, "send=otlp " + receiver.url), stderr=subprocess.DEVNULL)
        while len(receiver.taken) < 8 * round_ and sender.poll() is None:
            time.sleep(0.001)
        sender.send_signal(signal.SIGKILL)
        sender.wait()
    send(spool, "send=otlp " + receiver.url)
    judged(receiver, ids)
    check(len(receiver.taken) <= len(ids) + 3, "more than one for each kill:", len(receiver.taken))
    receiver.close()


@test("a directory: the same bytes, once; and two targets have what each of them lacks")
def directory():
    spool, to = os.path.join(SCRATCH, "directory"), os.path.join(SCRATCH, "to")
    ids = fill(spool, 3)
    os.mkdir(to)
    receiver = Receiver(["500"])
    send(spool, "send=directory " + to, "send=pyroscope " + receiver.url)
    judged(receiver, ids)
    check(sorted(os.listdir(to)) == [ident + ".kflame" for ident in ids], os.listdir(to))
    for name in os.listdir(to):
        with open(os.path.join(to, name), "rb") as copy, open(os.path.join(spool, name), "rb") as original:
            check(copy.read() == original.read(), name)
    receiver.close()


def certificate(name, ca=None):
    """A key and a certificate for 127.0.0.1, signed by @ca or by itself.  Returns their paths."""
    key, pem = os.path.join(SCRATCH, name + ".key"), os.path.join(SCRATCH, name + ".pem")
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=" + name,
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", pem]
    if ca:
        argv += ["-CA", ca[1], "-CAkey", ca[0], "-addext", "basicConstraints=critical,CA:FALSE"]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    check(done.returncode == 0, done.stdout)
    return key, pem


@test("TLS: an unknown server gets nothing; with ca-file it does; mTLS with a certificate of this machine")
def encrypted():
    spool = os.path.join(SCRATCH, "tls")
    ids = fill(spool, 2)
    ca = certificate("ca")
    server, client = certificate("server", ca), certificate("client", ca)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server[1], server[0])
    context.load_verify_locations(ca[1])
    context.verify_mode = ssl.CERT_REQUIRED
    receiver = Receiver(tls=context)
    for settings in ((), ("ca-file=" + ca[1],)):
        sender = subprocess.Popen(command(spool, "send=otlp " + receiver.url, *settings), stderr=subprocess.PIPE, text=True)
        said = sender.stderr.readline()
        sender.kill()
        sender.communicate()
        check("does not take" in said and not receiver.taken, said)
    send(spool, "send=otlp " + receiver.url, "ca-file=" + ca[1], "cert-file=" + client[1], "key-file=" + client[0])
    judged(receiver, ids)
    receiver.close()


@test("the sender has no rights, if a user is named")
def rights():
    if os.geteuid():
        return
    spool = os.path.join(SCRATCH, "rights")
    os.chmod(SCRATCH, 0o755)
    fill(spool, 1)
    receiver = Receiver(["429"] * 8)
    sender = subprocess.Popen(command(spool, "send=pyroscope " + receiver.url, "user=nobody"), stderr=subprocess.PIPE, text=True)
    sender.stderr.readline()
    with open("/proc/%d/status" % sender.pid, encoding="ascii") as file:
        status = dict(line.split(":", 1) for line in file)
    sender.kill()
    sender.communicate()
    check(status["Uid"].split() == ["65534"] * 4 and int(status["CapEff"], 16) == 0, status["Uid"], status["CapEff"])
    check(status["NoNewPrivs"].strip() == "1", status["NoNewPrivs"])
    receiver.close()


def main():
    tests = [one for one in TESTS if len(sys.argv) < 2 or sys.argv[1] in one[0]]
    failed = 0
    print("1..%d" % len(tests), flush=True)
    try:
        for number, (title, function) in enumerate(tests, 1):
            try:
                function()
                print("ok %d - %s" % (number, title), flush=True)
            except (Failed, subprocess.SubprocessError, OSError, KeyError, IndexError, ValueError) as why:
                failed += 1
                print("# %s" % str(why).replace("\n", "\n# "))
                print("not ok %d - %s" % (number, title), flush=True)
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
