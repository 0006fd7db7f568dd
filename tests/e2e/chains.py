# SPDX-License-Identifier: GPL-2.0-or-later
"""
Can a stack be one of the program's?  Which calls it makes, its source says in comments:

	//> CALLER -> CALLEE		calls it
	//> CALLER ->silent CALLEE	calls it, but the record of its calls does not have that call
	//> CALLER ->library CALLEE	has a library call it
	//> CALLER ->trap HANDLER	its own instruction raises the signal of this handler
	//> CALLER ->raise HANDLER	a library that it calls raises it
	//> * ->tick HANDLER		the handler of a signal that comes at any place
	//> @ -> FUNCTION		begins a process or a thread
	//> FUNCTION uses [NAME...]	calls functions of libraries: only these, where names are given
	//> depth FIRST N LAST		if both are there, N of its frames are between them

A caller is who returns to: a function that another one jumped to has that one's caller.
What the program did, it says itself when it is built with RECORD (tests/workload/unwind).

A stack is judged frame by frame, whether complete or not: of two functions of the program that
follow each other one must call the other; between them may be frames of libraries where that
is how it is called; frames of libraries are above those only that use them; a signal's frame is
below its handler only.  No function may call another that it also reaches through a third
(shortcuts()), so a stack with a frame too few has a pair that is no call.
"""

import collections
import re
import struct

# The programs, and the sources that say which calls they make
PROGRAMS = {
    "chains": ("chains.c", "chains_frames.c", "chains_calls.c", "chains_signals.c", "chains_library.c", "chains_plugin.c"),
    "deep": ("deep.c",),
    "forks": ("forks.c",),
    "chains_cc": ("chains_cc.cc",),
    "deep_rs": ("deep_rs.rs",),
}
LINE = re.compile(r"^\s*//> (.*?)\s*$", re.MULTILINE)
HOW = {"->": "call", "->silent": "silent", "->library": "library", "->trap": "trap",
       "->raise": "raise", "->tick": "tick"}
# Frames that are neither a function nor code of a library
NO_FRAME = ("[unmapped]", "[anonymous memory]", "[not named", "[gone", "[changed", "[damaged")
# A library's code; other words in brackets at the outer end say why a stack is not complete
LIBRARY = re.compile(r"^\[(stripped: (?P<file>.*)\+(?P<offset>0x[0-9a-f]+)|vdso|plt)\]$")
SIGNAL_FRAMES = {"__restore_rt", "__kernel_rt_sigreturn"}
HAND_OVER = {"_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_Resume_or_Rethrow",
             "_Unwind_ForcedUnwind"}
CHECKING = re.compile(r"^(__asan_|kasan_|__kasan_)")  # with CONFIG_KASAN
# Where the kernel may have inlined what writes a handler's first registers
DELIVERING = {"do_notify_resume", "do_signal", "arch_do_signal_or_restart", "handle_signal",
              "__setup_rt_frame", "x64_setup_rt_frame", "setup_return"}
V0 = re.compile(r"Cs[0-9A-Za-z]+_")
COLD = re.compile(r"\.cold(\.\d+)?$")  # a part of a function that the compiler put elsewhere
BASE = re.compile(r"^(_ZN.*[CD])2(E.*)$")  # constructor or destructor of a part of an object
HASH = re.compile(r"17h[0-9a-f]{16}E")

Judged = collections.namedtuple("Judged", "root wrong")
Survey = collections.namedtuple("Survey", "samples nothing complete cut impossible handed_over"
                                " moving delivering cut_stacks examples")


class Wrong(Exception):
    """What a source says of its calls cannot be used."""


def plain(name):
    """A function's name as sources here say it: of Rust's the first two parts of its path."""
    name = COLD.sub("", name)
    # of the same code as for a whole object, and at the same place
    name = BASE.sub(r"\g<1>1\g<2>", name)
    if not name.startswith("_R") and not HASH.search(name):
        return name
    closure = name.startswith("_RNC") or "$u7b$$u7b$closure" in name
    text, parts = V0.sub("C", HASH.sub("", name)), []
    at = 0
    while len(parts) < 2:
        number = re.compile(r"[0-9]+").search(text, at)
        if not number:
            return name
        begin = number.end() + (text[number.end():number.end() + 1] == "_")
        part = text[begin:begin + int(number[0])]
        if number[0] != "0" and "$" not in part:
            parts.append(part)
        at = begin + int(number[0])
    return "::".join(parts) + ("::{closure}" if closure else "")


class Calls:
    """The calls of a program."""

    def __init__(self):
        self.pairs = collections.defaultdict(set)  # how: {(caller, callee)}
        self.uses, self.depths = {}, []
        self.signal_frames = set(SIGNAL_FRAMES)

    @classmethod
    def declared(cls, *paths):
        """What its sources say."""
        calls = cls()
        for path in paths:
            with open(path, encoding="ascii") as file:
                for line in LINE.findall(file.read()):
                    calls._declare(path, line.split())
        return calls

    def _declare(self, path, words):
        if len(words) == 3 and words[1] in HOW:
            self.pairs[HOW[words[1]]].add((words[0], words[2]))
        elif len(words) > 1 and words[1] == "uses":
            self.uses.setdefault(words[0], set()).update(words[2:])
        elif len(words) == 4 and words[0] == "depth":
            self.depths.append((words[1], int(words[2]), words[3]))
        else:
            raise Wrong("%s: what is this: //> %s" % (path, " ".join(words)))

    @property
    def functions(self):
        return {name for pairs in self.pairs.values() for pair in pairs
                for name in pair} - {"@", "*"}

    @property
    def handlers(self):
        return {callee for how in ("trap", "raise", "tick") for _, callee in self.pairs[how]}

    def any_call(self):
        """Pairs of caller and callee, however called; not of those that come at any place."""
        return {pair for how, pairs in self.pairs.items() for pair in pairs if how != "tick"}

    def differences(self, record):
        """What a record of the program's run says other than this, as lines of text."""
        wrong, seen = [], collections.defaultdict(set)
        ticks = {callee for _, callee in self.pairs["tick"]}
        for line in record.split("\n"):
            words = line.split()
            if len(words) == 3 and words[0] == "signal-frame":
                # its unwind information begins a byte before, for unwinders that take a
                # return address for one in the call
                self.signal_frames.update({"[vdso]"} if words[1] == "[vdso]" else {
                    "[stripped: %s+%#x]" % (words[1], int(words[2], 0) - at) for at in (0, 1)})
            elif len(words) == 4 and words[0] == "edge":
                caller, how, callee = plain(words[1]), words[2], plain(words[3])
                if how == "signal":
                    how = [h for h in ("trap", "raise") if (caller, callee) in self.pairs[h]]
                    how = "tick" if callee in ticks else how[0] if how else "signal"
                seen[how].add(("*" if how == "tick" else caller, callee))
            elif words:
                wrong.append("what is this: " + line)
        for how in sorted(set(seen) | set(self.pairs) - {"silent"}):
            for pair in sorted(seen[how] - self.pairs[how]):
                wrong.append("not in the source: %s %s %s" % (pair[0], how, pair[1]))
            for pair in sorted(self.pairs[how] - seen[how]):
                wrong.append("did not happen: %s %s %s" % (pair[0], how, pair[1]))
        return wrong

    def shortcuts(self):
        """Calls that a stack with frames too few could show as well, as lines of text."""
        called = collections.defaultdict(set)
        for caller, callee in self.any_call():
            called[caller].add(callee)
        wrong = []

        def walk(path):
            for callee in called[path[-1]]:
                if callee in path:
                    continue
                if len(path) > 1 and callee in called[path[0]]:
                    wrong.append(" > ".join((*path, callee)))
                walk((*path, callee))

        for caller in sorted(called):
            if caller != "@":
                walk((caller,))
        return wrong

    # ------------------------------------------------------------------ one stack

    def is_function(self, frame):
        return plain(frame) in self.functions

    def judge(self, frames, shapes=None, files=()):
        """
        One stack, outermost first, without the thread's name and the kernel's frames.

        root: the frames below the function that begins the process or the thread, with
        that; () where the stack does not get there.  wrong: why no stack of
        the program can be like this, or None.  shapes: see survey().
        """
        own = [at for at, frame in enumerate(frames) if self.is_function(frame)]
        first = own[0] if own else len(frames)
        root = ()
        if own and ("@", plain(frames[first])) in self.pairs["call"] and first:
            root = tuple(frames[: first + 1])
        wrong = self._wrong(frames, own, files)
        begins = {shape[0] for shape in (shapes or {}).values() if len(shape) > 2} | {"_start"}
        if not wrong and first and own and frames[0] in begins:
            if not root and plain(frames[first]) not in self.handlers:
                wrong = "%s begins no thread" % frames[first]
            elif root and shapes and root != shapes.get(root[-1]):
                wrong = "other frames below %s than usual" % root[-1]
        return Judged(root, wrong)

    def _wrong(self, frames, own, files):
        for at, frame in enumerate(frames):
            library = LIBRARY.match(frame)
            if frame.startswith(NO_FRAME) or library and library["file"] in files:
                return "no function: " + frame
            if at and frame.startswith("[") and not library:
                return "no frame: " + frame
        caller, after = None, 0
        for at in own:
            callee = plain(frames[at])
            wrong = self._wrong_call(caller, frames[after:at], callee, after > 0)
            if wrong:
                return wrong
            caller, after = callee, at + 1
        return (self._wrong_end(caller, frames[after:], caller is not None)
                or self._wrong_depth([plain(frames[at]) for at in own]))

    def _wrong_call(self, caller, between, callee, known):
        """known: the caller is, it is not that the stack begins here."""
        shown = " > ".join((caller or "...", *between, callee))
        if callee in self.handlers:
            if not between:
                return None if not known else "a handler without a signal's frame: " + shown
            if between[-1] not in self.signal_frames:
                return "a handler without a signal's frame: " + shown
            inside = between[:-1]
            if ("*", callee) in self.pairs["tick"]:
                return self._wrong_end(caller, inside, known)
            if (caller, callee) in self.pairs["trap"] and not inside:
                return None
            if (caller, callee) in self.pairs["raise"] and inside:
                return self._wrong_end(caller, inside, known)
            return None if not known else "no signal comes there: " + shown
        if any(frame in self.signal_frames and frame != "[vdso]" for frame in between):
            return "a signal's frame without its handler: " + shown
        if not known:
            return None
        if any(is_stub(frame) for frame in between):
            return "a stub that calls: " + shown
        if (caller, callee) in self.pairs["library"] if between else (
                (caller, callee) in self.pairs["call"] | self.pairs["silent"]):
            return None
        return "no such call: " + shown

    def _wrong_end(self, caller, inside, known):
        """What is innermost, or was when a signal came."""
        shown = " > ".join((caller or "...", *inside))
        # Where a handler returns to, the next signal may come
        while inside and inside[-1] in self.signal_frames:
            inside = inside[:-1]
        if any(frame in self.signal_frames and frame != "[vdso]" for frame in inside):
            return "a signal's frame without its handler: " + shown
        if any(is_stub(frame) for frame in inside[:-1]):
            return "a stub that calls: " + shown
        if inside and known and not self._may_use(caller, inside[0]):
            return "it does not use that of a library: " + shown
        return None

    def _may_use(self, caller, frame):
        """What has no name, and the dynamic linker, which finds what is called, may be any."""
        names, name = self.uses.get(caller), frame.split("@")[0]
        return names is not None and (not names or LIBRARY.match(frame) or name.startswith("_dl_")
                                      # strtod() jumps to __GI_____strtod_l_internal()
                                      or any(used in name for used in names))

    def _wrong_depth(self, own):
        for first, number, last in self.depths:
            if first in own and last in own:
                between = own.index(last) - own.index(first) - 1
                if between != number:
                    return "%d frames between %s and %s, not %d" % (between, first, last, number)
        return None


def is_stub(frame):
    return frame.endswith("@plt") or frame == "[plt]"


# ----------------------------------------------------------------- many stacks


def entry_of(path):
    """Name of an ELF file, and the file offset of its first instruction."""
    with open(path, "rb") as file:
        data = file.read(4096)
    entry, headers = struct.unpack_from("<2Q", data, 24)
    size, number = struct.unpack_from("<2H", data, 54)
    for at in range(headers, headers + size * number, size):
        kind, _, offset, start, _, length = struct.unpack_from("<2I4Q", data, at)
        if kind == 1 and start <= entry < start + length:
            return path.rsplit("/", 1)[1], entry - start + offset
    raise Wrong("%s: no entry" % path)


def begins_in_linker(frame, entry):
    """Is it the dynamic linker's own first function?  It calls all that runs before _start."""
    match = LIBRARY.match(frame)
    if frame == "_dl_start_user":
        return True
    return (entry is not None and match is not None and match["file"] == entry[0]
            and 0 <= int(match["offset"], 16) - entry[1] < 0x80)


def user_frames(frames, suffix="_[k]"):
    """Of a folded stack: without the thread's name, the kernel's frames, what is late."""
    return tuple(frame for frame in frames[1:]
                 if not frame.endswith(suffix) and not frame.startswith(("[kernel ", "[late")))


def kernel_frames(frames, suffix="_[k]"):
    """Of a folded stack: the kernel's, but for those of KASAN, whose checks come before each access."""
    names = [frame[:-len(suffix)] for frame in frames if frame.endswith(suffix)]
    return [name for name in names if not CHECKING.match(name)]


def is_note(frame):
    return frame.startswith("[") and not LIBRARY.match(frame) and not frame.startswith(NO_FRAME)


def usual_shapes(calls, stacks):
    """Of each function that begins a process or thread: the frames below it that are most seen."""
    seen = collections.defaultdict(collections.Counter)
    for frames, samples in stacks:
        if not is_note(frames[0]):
            root = calls.judge(frames).root
            if root:
                seen[root[-1]][root] += samples
    return {function: shapes.most_common(1)[0][0] for function, shapes in seen.items()}


def survey(calls, folded, comm, files=(), linker=None):
    """
    All stacks of a program.  folded: {frames: samples} as `kflame fold --kernel --no-inline
    --no-demangle` prints them.  files: its own, of which every function has a name.
    linker: entry_of() the dynamic linker.

    A stack is complete that begins with _start, the program's or the linker's own, or with the two
    frames of libc that thread functions here most often have below them.
    """
    stacks, at_signal, nothing, moving = collections.Counter(), collections.Counter(), 0, 0
    inside = collections.defaultdict(set)  # what of the kernel was innermost
    for frames, samples in folded.items():
        if frames[0] != comm or not samples:
            continue
        user = user_frames(frames)
        inside[user].update(kernel_frames(frames)[-1:])
        if not user or user[0] in ("[exec]", "[exiting]"):
            nothing += samples  # it had no user stack then
        elif is_moving(frames, user):
            moving += samples
        else:
            (at_signal if is_delivering(frames) else stacks)[user] += samples
    shapes = usual_shapes(calls, stacks.items())
    threads = {shape[0] for shape in shapes.values() if shape[0] != "_start" and len(shape) > 2}
    complete = impossible = handed_over = delivering = 0
    cut, cut_stacks = collections.Counter(), collections.Counter()
    examples = []
    for frames, samples, delivered in [
            *((*item, False) for item in stacks.most_common()),
            *((*item, True) for item in at_signal.most_common())]:
        note = frames[0] if is_note(frames[0]) else ""
        judged = calls.judge(frames[1:] if note else frames, shapes, files)
        good = not judged.wrong and not note
        if good and is_complete(judged, frames, shapes, threads, linker):
            complete += samples
        elif delivered:
            delivering += samples
        elif hands_over(frames):
            handed_over += samples
        elif judged.wrong:
            impossible += samples
            examples.append("%d: %s: %s (%s)" % (samples, judged.wrong, ";".join(frames),
                                                 ", ".join(sorted(inside[frames])) or "user mode"))
        else:
            cut[note or "at " + frames[0]] += samples
            cut_stacks[frames] += samples
    whole = sum(stacks.values()) + sum(at_signal.values()) + moving
    return Survey(whole, nothing, complete, cut, impossible, handed_over, moving, delivering,
                  cut_stacks, examples)


def is_moving(frames, user):
    """
    A write to the stack after fork(): the kernel copies its page, which is mapped nowhere between
    the old one and the new one, and is interrupted there.
    """
    return user[0] == "[truncated: page absent]" and any(
        frame in ("do_wp_page_[k]", "wp_page_copy_[k]") for frame in frames)


def is_delivering(frames):
    """
    Does the kernel write the registers that a handler begins with, or those that it returns to?
    Between the first of them and the last they are of no place. On arm64 that is long under
    emulation, where it switches vectors (setup_return(), restore_sigframe()).
    """
    kernel = kernel_frames(frames)
    return bool(kernel) and (kernel[-1] in DELIVERING or "rt_sigreturn" in kernel[-1])


def hands_over(frames):
    """
    Is this at the end of finding an exception's handler?  There libgcc (uw_install_context_1)
    writes the handler's registers over those that it had saved, and goes there: what
    the unwind information leads to is the handler's frame pointer with the thrower's stack.
    """
    # by memcpy() libgcc copies them; what the C library has for that on a CPU may have no name
    if frames[-1].split("@")[0] == "memcpy" or (
            frames[-1].startswith("[stripped: libc.so") and "libgcc_s" in frames[-2:][0]):
        frames = frames[:-1]
    return any(frame in HAND_OVER for frame in frames[-2:]) and (
        frames[-1] in HAND_OVER or "libgcc_s" in frames[-1] or frames[-1].startswith("uw_"))


def is_complete(judged, frames, shapes, threads, linker):
    if judged.root:
        return judged.root[0] == "_start" or (
            len(judged.root) > 2 and judged.root == shapes[judged.root[-1]])
    # in libraries only, before main() and after it, or before the thread's function
    return (frames[0] == "_start" or frames[0] in threads or begins_in_linker(frames[0], linker)
            or len(frames) == 1 and any(is_newborn(frames[0], begin) for begin in threads))


def is_newborn(frame, begin):
    """Is it in clone(), where a thread comes into being, a few instructions before it calls?"""
    if frame in ("__clone", "clone"):  # it has that name on arm64, and nothing calls it there
        return True
    here, call = LIBRARY.match(frame), LIBRARY.match(begin)
    return (here is not None and call is not None and here["file"] == call["file"] is not None
            and 0 <= int(call["offset"], 16) - int(here["offset"], 16) < 0x28)


def share(found):
    return found.complete / found.samples if found.samples else 0.0


def describe(name, found, most=3):
    """Lines of text."""
    lines = ["%s: %d samples, complete %.2f%%, cut %d, impossible %d, on the way to a catch %d,"
             " page being copied %d, at a signal %d (%d without a user stack)"
             % (name, found.samples, 100 * share(found), sum(found.cut.values()),
                found.impossible, found.handed_over, found.moving, found.delivering,
                found.nothing)]
    lines += ["  cut: %d %s" % (samples, why) for why, samples in found.cut.most_common(most)]
    lines += ["  impossible: " + example for example in found.examples[:most]]
    return lines


# ------------------------------------------------------------ one sample, two ways

EQUAL, FIRST_CUT, SECOND_CUT, DIFFERENT = ("equal", "first is cut", "second is cut", "different")


def compare(first, second):
    """
    Two stacks of one sample, innermost frame first: how they differ, and how many frames are
    the same before they do.  Cut is what ends where the other goes on.
    """
    same = 0
    for one, other in zip(first, second):
        if one != other:
            return DIFFERENT, same
        same += 1
    if len(first) == len(second):
        return EQUAL, same
    return (FIRST_CUT if len(first) < len(second) else SECOND_CUT), same
