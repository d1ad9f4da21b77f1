#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the object files of one instruction set define no function that the linker may share with other files.

usage: isa_symbols.py ARCHIVE
"""
import re
import subprocess
import sys

MEMBERS = {"avx2.cpp.o": "xlazy::be::avx2::", "avx512.cpp.o": "xlazy::be::avx512::"}


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    listing = subprocess.run(["nm", "--demangle", arguments[0]], check=True, capture_output=True, text=True).stdout
    shared, seen, member = [], set(), ""
    for line in listing.splitlines():
        if re.fullmatch(r"\S+\.o:", line):
            member = line[:-1]
            seen.add(member)
        match = re.match(r"[0-9a-f]* *([Ww]) (.*)", line)
        if match and member in MEMBERS and MEMBERS[member] not in match.group(2):
            shared.append(f"{member}: {match.group(2)}")
    missing = sorted(set(MEMBERS) - seen)
    for text in shared + [f"no member {name}" for name in missing]:
        print(text)
    return 1 if shared or missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
