# SPDX-License-Identifier: GPL-2.0-or-later
"""
Functions of Perl programs: the installed Perl, and each program that KFLAME_PERLS names, separated by colons. A name
with "//" is a program in another root file system: ROOT//PROGRAM.

The programs measure their own subs by their own clock, or report in a second run which stacks are possible.
"""

import collections
import functools
import math
import os
import re

from harness import (Skipped, balanced, check, enough, folded, kflame, late_part, load, note, record,
                     right_unless_late, run, scaled, scratch, start, test, torture)
from session import INTERPRETER, Session, interpreter as description

PERL = "/usr/bin/perl"
AUTO = 1
# a sub, or another frame of the program, as the tool names it
FUNCTION = re.compile(r"(\S*::.*|\((?:main|sort|eval|require)\)) \(([^()]*|\(eval\))(?::(\d+))?\)$")
LOOP = "Perl_runops_standard"


def needs_perl():
    if not os.path.exists(PERL):
        raise Skipped("there is no %s" % PERL)
    if os.uname().machine != "x86_64":
        raise Skipped("only Perl on x86-64 is known")


class Perl:
    """A program of Perl, and files that it can read and write."""

    def __init__(self, path):
        self.root, slashes, self.program = path.rpartition("//")
        if slashes:
            self.program = "/" + self.program
        self.name = path

    def command(self, file, *arguments):
        words = ("chroot", self.root) if self.root else ()
        return words + (self.program, "/tmp/" + file if self.root else scratch(file)) + arguments

    def path(self, file):
        return os.path.join(self.root, "tmp", file) if self.root else scratch(file)

    def argument(self, file):
        return "/tmp/" + file if self.root else scratch(file)

    def script(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as out:
            out.write(text)
        return name


def perls():
    return [Perl(path) for path in [PERL] + [path for path in os.environ.get("KFLAME_PERLS", "").split(":") if path]]


def functions(frames):
    """The functions of the program in a stack, outermost first."""
    return tuple(match.group(1) for match in map(FUNCTION.match, frames) if match)


def functions_of(stacks, comm="perl"):
    """Samples by the functions in their stack, of one program."""
    sums = collections.Counter()
    for frames, samples in stacks.items():
        if frames[0] == comm:
            sums[functions(frames)] += samples
    return sums


# Without modules, so that it runs where there is nothing but the program: system call 228 is clock_gettime()
SHARES = """
sub now {
    my $time = "\\0" x 16;
    syscall(228, $_[0], $time);
    my ($seconds, $ns) = unpack("qq", $time);
    return $seconds * 1e9 + $ns;
}

sub spin {
    my $total = 0;
    for my $i (1 .. $_[0]) {
        $total += $i * $i;
    }
    return $total;
}

sub Some::heavy { return ::spin(30000) }
sub light { return spin(10000) }

my %used = (heavy => 0, light => 0);
my $until = now(1) + $ARGV[0] * 1e9;
while (now(1) < $until) {
    for my $sub ("heavy", "light", "light") {
        my $begin = now(2);
        $sub eq "heavy" ? Some::heavy() : light();
        $used{$sub} += now(2) - $begin;
    }
}
open(my $out, ">", $ARGV[1]) or die;
print $out "$used{heavy} $used{light}\\n";
"""


def shares_of(perl):
    """Return: what is wrong, "" for nothing; the part of the program's time that came late."""
    perl.script("shares.pl", SHARES)
    seen = {}

    def take(seconds):
        profile = record("shares", command=perl.command("shares.pl", str(seconds), perl.argument("shares.txt")))
        # the program itself is another one where its name has a version
        comm = os.path.basename(perl.program)
        seen["late"] = late_part(balanced(profile), comm)
        stacks = folded(profile)
        seen["stacks"] = functions_of(stacks, comm)
        seen["frames"] = collections.Counter(
            frame for frames in stacks for frame in frames if FUNCTION.match(frame))
        return sum(seen["stacks"].values())

    enough(take, 1000, 4)
    with open(perl.path("shares.txt"), encoding="ascii") as file:
        heavy, light = map(int, map(float, file.read().split()))
    by = collections.Counter()
    for stack, samples in seen["stacks"].items():
        if stack[:1] == ("(main)",) and stack[1:3] in (("Some::heavy", "main::spin"), ("main::light", "main::spin")):
            by[stack[1]] += samples
    share, nr = heavy / (heavy + light), sum(by.values())
    sigma = math.sqrt(nr * share * (1 - share)) or 1
    note("%s: heavy %.2f %% by the clock, %.2f %% of %d samples, %.1f sigma"
         % (perl.name, 100 * share, 100 * by["Some::heavy"] / max(nr, 1), nr, (by["Some::heavy"] - nr * share) / sigma))
    check(nr >= 0.9 * (sum(seen["stacks"].values()) - seen["stacks"][()]), by, seen["stacks"].most_common(8))
    # The first statement's line: of spin() it is the fourth one after now()'s
    check(seen["frames"]["main::spin (shares.pl:10)"], seen["frames"])
    check(seen["frames"]["Some::heavy (shares.pl:17)"], seen["frames"])
    wrong = "" if abs(by["Some::heavy"] - nr * share) <= 3 * sigma else "%s are not %.4f" % (dict(by), share)
    return wrong, seen["late"]


@test("Perl: the shares of two subs are those of the program's own clock")
def shares():
    needs_perl()
    load()
    for perl in perls():
        right_unless_late(functools.partial(shares_of, perl))


# Each way in which C code calls Perl. seen() reports in a second run who called.
WAYS = """
use strict;
our $truth;
(my $seconds, $truth) = @ARGV;
unshift @INC, $0 =~ m{(.*)/};
my %chains;

sub chain {
    my @chain;
    for (my $i = 1; my @frame = caller($i); $i++) {
        next if $frame[3] eq "(eval)" && !defined $frame[6] && !$frame[7];
        unshift @chain, $frame[7] ? "(require)" : $frame[3];
    }
    $chains{join " ", @chain} = 1;
}

sub now {
    my $time = "\\0" x 16;
    syscall(228, 1, $time);
    my ($s, $ns) = unpack("qq", $time);
    return $s + $ns / 1e9;
}

sub work { chain() if $truth; my $n = 0; $n += $_ for 1 .. $_[0] || 600; return $n }

sub by_size { chain() if $truth; work(60); return $a <=> $b }
sub sorts { chain() if $truth; my @sorted = sort by_size map { $_ * 7 % 11 } 1 .. 11; return work() }
sub blocks { chain() if $truth; my @sorted = sort { work(60); $a <=> $b } map { $_ * 7 % 11 } 1 .. 11; return 1 }
sub stacked($$) { chain() if $truth; eval { work(60) }; work(60); return $_[0] <=> $_[1] }
sub evals { chain() if $truth; my @sorted = sort stacked map { $_ * 7 % 11 } 1 .. 11; return 1 }
sub dies { chain() if $truth; eval { work(); die { code => 1 } }; work(); return eval { work(); 1 } }
sub texts { chain() if $truth; return eval 'work(); my $x = 1; work($x * 600)' }
sub recurses { chain() if $truth; return $_[0] ? recurses($_[0] - 1) : work() }
sub jumps { chain() if $truth; @_ = (600); goto &work }
sub closes { chain() if $truth; my $n = 600; my $sub = sub { chain() if $truth; work($n) }; return $sub->() }
sub matches { chain() if $truth; my $n = 0; "aaaa" =~ /(?:a(?{ $n++ }))*/; return work() }
sub replaces { chain() if $truth; my $text = "abc" x 5; $text =~ s/(.)/work(60)/ge; return $text }

package Thing;
sub new { main::chain() if $truth; return bless { }, shift }
sub DESTROY { main::chain() if $truth; main::work(); }
sub AUTOLOAD { main::chain() if $truth; main::work(); }
package Number;
use overload "+" => \\&add, '""' => sub { main::chain() if $truth; main::work(60); "number" };
sub add { main::chain() if $truth; main::work(60); return $_[0] }
package Tied;
sub TIESCALAR { main::chain() if $truth; return bless { }, shift }
sub FETCH { main::chain() if $truth; return main::work(60) }
sub STORE { main::chain() if $truth; eval { main::work(60) }; return main::work(60) }
package main;

sub destroys { chain() if $truth; my $thing = Thing->new; undef $thing; return Thing->other }
sub overloads { chain() if $truth; my $n = bless { }, "Number"; my $m = $n + 1; return "$m" }
sub ties { chain() if $truth; tie my $x, "Tied"; $x = 1; return $x + 1 }
sub signals { chain() if $truth; local $SIG{USR1} = \\&handler; kill USR1 => $$; return work() }
sub handler { chain() if $truth; eval { work() }; work() }
sub warns { chain() if $truth; local $SIG{__WARN__} = sub { chain() if $truth; work() }; warn "x"; return 1 }
sub requires {
    chain() if $truth;
    delete $INC{"kf_ways.pm"};
    require kf_ways;
    return 1;
}
my $has_lists = eval { require List::Util; 1 };
sub lists {
    chain() if $truth;
    return 1 if !$has_lists;
    my $first = List::Util::first(sub { chain() if $truth; work(60); $_ > 8 }, 1 .. 11);
    return List::Util::reduce(sub { chain() if $truth; eval { work(60) }; $a + $b }, 1 .. 11);
}

my @ways = (\\&sorts, \\&blocks, \\&evals, \\&dies, \\&texts, sub { chain() if $truth; recurses(5) }, \\&jumps,
            \\&closes,
            \\&matches, \\&replaces, \\&destroys, \\&overloads, \\&ties, \\&signals, \\&warns, \\&requires, \\&lists);
my $until = now() + $seconds;
do {
    $_->() for @ways;
} while (!$truth && now() < $until);
END {
    if ($truth) {
        open(my $out, ">", $truth) or die;
        print $out map { "$_\\n" } sort keys %chains;
    }
}
"""


# A file that is compiled again and again, with a block that runs meanwhile
MODULE = """
package kf_ways;
BEGIN { main::chain() if $main::truth; main::work() }
main::work();
1;
"""


def possible_stacks(perl):
    """What caller() says in a second run: each possible chain of subs, and its begins."""
    run(list(perl.command("ways.pl", "1", perl.argument("ways.txt"))))
    with open(perl.path("ways.txt"), encoding="utf-8") as file:
        chains = {tuple(line.split()) for line in file}
    return {chain[:nr] for chain in chains for nr in range(len(chain) + 1)}


def ways_of(perl):
    perl.script("ways.pl", WAYS)
    perl.script("kf_ways.pm", MODULE)
    possible = possible_stacks(perl)
    seen = {}

    def take(seconds):
        seen["profile"] = record("ways", "-F", "1999", command=perl.command("ways.pl", str(seconds), ""))
        seen["stacks"] = {frames: samples for frames, samples in folded(seen["profile"]).items()
                          if frames[0] == os.path.basename(perl.program)}
        seen["chains"] = functions_of(seen["stacks"], os.path.basename(perl.program))
        return sum(seen["chains"].values())

    enough(take, scaled(4000), 8)
    balanced(seen["profile"])
    wrong, right = collections.Counter(), collections.Counter()
    for chain, samples in seen["chains"].items():
        # What is compiled before the program runs does not report its callers
        if any(name.endswith("::BEGIN") for name in chain[:1]) or chain[:2] == ("(main)", "(require)"):
            continue
        # The code outside of subs has no chain, as caller() says it; nor has the block of a sort.
        subs = tuple(name for name in chain if name not in ("(main)", "(sort)", "main::now"))
        # Code in a pattern, (?{ }), has a context of its sub, which caller() leaves out
        if subs[:2] == ("main::matches", "main::matches"):
            subs = subs[1:]
        (right if subs in possible else wrong)[chain] += samples
    note("%s: %d samples with possible stacks, %d possible ones seen of %d; others: %s"
         % (perl.name, sum(right.values()), len(right), len(possible), wrong.most_common(5)))
    check(not wrong, wrong)
    check(len(right) > len(possible) / 3, right)
    native_frames_are_in_order(seen["stacks"])


# By caller and callee, a C function that is between them
BETWEEN = {
    ("main::sorts", "main::by_size"): "Perl_pp_sort", ("main::evals", "main::stacked"): "Perl_pp_sort",
    ("main::blocks", "(sort)"): "Perl_pp_sort", ("main::destroys", "Thing::DESTROY"): "Perl_sv_clear",
    ("main::overloads", "Number::add"): "Perl_amagic_call", ("main::ties", "Tied::STORE"): "Perl_call_sv",
    ("main::signals", "main::handler"): "Perl_call_sv",
    # A call from sub to sub needs no C function, and eval { } in a callback none that is seen
    ("main::sorts", "main::work"): None, ("main::stacked", "main::work"): None,
    ("main::recurses", "main::recurses"): None,
    ("Tied::STORE", "main::work"): None, ("(sort)", "main::work"): None, ("main::handler", "main::work"): None,
}


def native_frames_are_in_order(stacks):
    seen = collections.Counter()
    for frames, samples in stacks.items():
        ours = [(i, match.group(1)) for i, match in enumerate(map(FUNCTION.match, frames)) if match]
        for (outer, caller), (inner, callee) in zip(ours, ours[1:]):
            if (caller, callee) not in BETWEEN:
                continue
            function = BETWEEN[caller, callee]
            check(function in frames[outer + 1:inner] if function else inner == outer + 1, caller, callee, frames)
            check(LOOP not in frames[outer:inner], frames)
            seen[caller, callee] += samples
    note("\n".join("%6d %s calls %s" % (samples, *pair) for pair, samples in seen.most_common()))
    check(len(seen) > len(BETWEEN) / 2, seen)


@test("Perl: every stack is one that caller() reports, and native frames between subs stay in their places")
def ways():
    needs_perl()
    load()
    for perl in perls():
        ways_of(perl)


THREADS = """
use threads;
sub spin { my $n = 0; for (1 .. 20000) { $n += $_ } return $n }
sub one { spin() while time < $_[0] }
sub two { spin() while time < $_[0] }
my $until = time + 1 + $ARGV[0];
my @threads = (threads->create(\\&one, $until), threads->create(\\&two, $until));
$_->join for @threads;
"""


@test("Perl: each thread has its own stack")
def has_threads():
    needs_perl()
    if run([PERL, "-e", "use threads"], check=False).returncode:
        raise Skipped("%s has no threads" % PERL)
    load()
    perl, seen = Perl(PERL), {}
    perl.script("threads.pl", THREADS)

    def take(seconds):
        profile = record("threads", command=perl.command("threads.pl", str(seconds)))
        balanced(profile)
        seen["chains"] = functions_of(folded(profile))
        return min(seen["chains"]["main::one", "main::spin"], seen["chains"]["main::two", "main::spin"])

    enough(take, 100, 4, "samples of each thread")
    note(seen["chains"].most_common(8))
    for chain in seen["chains"]:
        check(not ({"main::one", "main::two"} <= set(chain)), chain)
        check(not ("main::spin" in chain and "(main)" in chain), chain)


SHORT = """
sub work { my $total = 0; for my $i (1 .. 40000) { $total += $i * $i } return $total }
sub main { return work() }
main();
"""


@test("Perl: of 200 short scripts, 99 % of the interpreter's samples have subs with names, also after exit")
def short():
    needs_perl()
    load()
    perl = Perl(PERL)
    perl.script("short.pl", SHORT)
    profile = record("short", "-F", "997", command=(
        "sh", "-c", "i=0; while [ $i -lt %d ]; do %s; i=$((i+1)); done"
        % (scaled(200), " ".join(perl.command("short.pl")))), timeout=1200)
    balanced(profile)
    named = unnamed = works = 0
    left = collections.Counter()
    for frames, samples in folded(profile).items():
        if any("interpreted function" in frame or frame == LOOP for frame in frames):
            unnamed += samples
            left[frames[-8:]] += samples
        elif functions(frames):
            named += samples
            works += samples if functions(frames) == ("(main)", "main::main", "main::work") else 0
    note("%d samples with names, %d without; %d in work(): %s" % (named, unnamed, works, left.most_common(3)))
    check(named > scaled(600) and works > scaled(300), named, works)
    check(named >= 0.99 * (named + unnamed), named, unnamed, left.most_common(5))


def places(program):
    """File offset of the interpreter's loop, and how far the key of its data is behind file offset 0."""
    segments = [line.split() for line in run(["readelf", "-lW", program]).stdout.splitlines() if " LOAD " in line]
    code = next(words for words in segments if "E" in words[6:-1])
    shift = int(code[2], 16) - int(code[1], 16)
    lines = map(str.split, run(["readelf", "-W", "--dyn-syms", program]).stdout.splitlines())
    symbols = {words[7]: int(words[1], 16) for words in lines if words[7:] and words[7] != "Name"}
    return symbols[LOOP] - shift, symbols["PL_thr_key"] - shift


@test("a program that lies about its own Perl: nothing but its own names is wrong")
def liar():
    needs_perl()
    load()
    loop, state = places(PERL)
    seen = collections.Counter()
    perl = Perl(PERL)
    perl.script("honest.pl", SHARES)

    def take(seconds):
        seen.clear()
        # The tool has to find the interpreter first
        honest = start(perl.command("honest.pl", str(seconds + 2), scratch("honest.txt")))
        profile = record("liar", "-a", "-F", "1999", timeout=600,
                         command=(torture("liar"), str(1000 * seconds), PERL, hex(loop), str(state), "perl"))
        honest.wait()
        read = balanced(profile)
        for count in read.counts:
            if not count.ustack or count.comm not in ("liar", "perl"):
                continue
            for function, _ in read.functions_in(read.stacks[count.ustack]):
                seen[count.comm, "named" if function and function.name else "not named"] += 1
                check(count.comm != "perl" or not function or function.file.endswith("honest.pl"), function)
        for view in ("report", "fold"):
            kflame(view, "-i", profile)
        note("seen %s" % dict(seen))
        return min(seen["perl", "named"], seen["liar", "named"] + seen["liar", "not named"])

    # The module has walked what the program made up
    enough(take, 20, 6, "frames")


@test("a description of Perl is checked whole")
def checked():
    load()
    number, kind = 33, 2
    wrong = {
        "too few offsets": description(kind=kind, nr_at=number - 1, at=(8,) * (number - 1)),
        "too many offsets": description(kind=kind, nr_at=number + 1, at=(8,) * (number + 1)),
        "a large offset": description(kind=kind, nr_at=number, at=(8,) * (number - 1) + (1 << 20 | 1,)),
        "an offset beyond the others": description(kind=kind, nr_at=number, at=(8,) * (number + 1)),
        "a context without a size": description(kind=kind, nr_at=number, at=(8,) * 12 + (0,) + (8,) * (number - 13)),
        "neither with threads nor without": description(kind=kind, nr_at=number, at=(2,) + (8,) * (number - 1)),
    }
    with Session() as session:
        session.configure(uway=AUTO)
        session.start()
        for what, raw in wrong.items():
            check(session.errno(INTERPRETER, raw) == "EINVAL", what)
        right = description(kind=kind, nr_at=number, at=(1,) + (8,) * (number - 1))
        check(session.errno(INTERPRETER, right) == "", "right")
        session.stop()
        session.read_all()
