#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
layers.py - folders depend one way only

usage: tests/layers.py TREE OBJECTS [FILE...]

TREE has the sources and LAYERS. OBJECTS has an .o file for each .c file, except for the FILEs, which are not
compiled for every kernel.

Each line of TREE/LAYERS is "FOLDER: FOLDERS THAT IT MAY USE".  An error is
  - a folder that is not listed, or that may use one which comes later in the list,
  - an #include of, or a symbol that is defined in, a folder that may not be used,
  - an #include that begins with ../,
  - a folder without a README.md of at most 15 lines,
  - a private header (the first line of its comment says "private to") that is used outside of its folder.
"""

import os
import re
import subprocess
import sys


def read_layers(path):
    """The folders that each folder may use; errors in the list itself."""
    layers, wrong = {}, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            folder, _, uses = line.partition(":")
            for used in uses.split():
                if used not in layers:
                    wrong.append("LAYERS: %s uses %s, which is not above it in the list" % (folder, used))
            layers[folder] = uses.split()
    return layers, wrong


def sources(tree):
    """All sources, by path in the tree. static/ has programs of their own, which may use all."""
    for folder, folders, names in os.walk(tree):
        if folder == tree and "static" in folders:
            folders.remove("static")
        for name in sorted(names):
            if name.endswith((".c", ".h")) and not name.endswith(".mod.c") and name != "features.h" \
                    and os.path.basename(folder) != "probes" and "compat/older" not in folder:
                yield os.path.relpath(os.path.join(folder, name), tree)


def is_private(path):
    with open(path, encoding="utf-8") as file:
        return any("private to" in line for line in file.readlines()[:6])


def check_includes(tree, files, may_use):
    """Errors in #include lines."""
    private = {name for name in files if name.endswith(".h") and is_private(os.path.join(tree, name))}
    for name in files:
        with open(os.path.join(tree, name), encoding="utf-8") as file:
            for included in re.findall(r'^#include "([^"]+)"', file.read(), re.MULTILINE):
                if included.startswith("../"):
                    yield '%s: #include "%s": name the folder instead' % (name, included)
                elif included in files and not may_use(name, included):
                    yield '%s may not include "%s"' % (name, included)
                elif included in private and os.path.dirname(name) != os.path.dirname(included):
                    yield '%s: "%s" is private to its folder' % (name, included)


def check_symbols(objects, files, may_use, optional):
    """Errors in what object files call; optional: sources that may have no object file."""
    defined, used = {}, []
    for name in files:
        object_file = os.path.join(objects, name[:-2] + ".o")
        if not name.endswith(".c") or (name in optional and not os.path.exists(object_file)):
            continue
        out = subprocess.run(["nm", "-g", object_file], check=True, text=True, stdout=subprocess.PIPE).stdout
        for kind, symbol in re.findall(r"([A-Za-z]) (\S+)$", out, re.MULTILINE):
            if kind == "U":
                used.append((name, symbol))
            else:
                defined[symbol] = name
    for name, symbol in used:
        if symbol in defined and not may_use(name, defined[symbol]):
            yield "%s may not use %s() of %s" % (name, symbol, defined[symbol])


def main():
    tree, objects, *optional = sys.argv[1:]
    layers, wrong = read_layers(os.path.join(tree, "LAYERS"))
    files = set(sources(tree))

    def may_use(user, used):
        user, used = os.path.dirname(user), os.path.dirname(used)
        return not user or user == used or used in layers.get(user, ())

    for folder in sorted({os.path.dirname(name) for name in files} - set(layers) - {""}):
        wrong.append("%s/ is not in LAYERS" % folder)
    for folder in layers:
        readme = os.path.join(tree, folder, "README.md")
        if not os.path.exists(readme) or len(open(readme, encoding="utf-8").readlines()) > 15:
            wrong.append("%s/ has no README.md of at most 15 lines" % folder)
    wrong += check_includes(tree, files, may_use)
    wrong += check_symbols(objects, files, may_use, optional)
    print("\n".join(sorted(set(wrong))))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
