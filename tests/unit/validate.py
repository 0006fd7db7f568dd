#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
validate.py - is a JSON document what its published schema says?

usage: validate.py SCHEMA FILE

Exits with 1 and the reason if not, with 77 if the validator is not installed.
"""

import json
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("python3-jsonschema is not installed, or older than draft 2020-12")
    sys.exit(77)

with open(sys.argv[1], encoding="utf-8") as file:
    SCHEMA = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    DOCUMENT = json.load(file)

Draft202012Validator.check_schema(SCHEMA)
WRONG = [f"{error.json_path}: {error.message}" for error in Draft202012Validator(SCHEMA).iter_errors(DOCUMENT)]
print("\n".join(WRONG))
sys.exit(bool(WRONG))
