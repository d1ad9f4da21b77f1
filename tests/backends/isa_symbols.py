#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the object files of one instruction set define no function that the linker may share with other files,
and that no product of complex numbers was contracted to fused operations.

usage: isa_symbols.py ARCHIVE
"""
import re
import subprocess
import sys

ISAS = ("avx2", "avx512")
GROUPS = ("", "_bytes", "_short", "_int", "_long", "_float", "_double", "_complex")
MEMBERS = {f"{isa}{group}.cpp.o": f"xlazy::be::{isa}::" for isa in ISAS for group in GROUPS}


def fused(archive):
    """Complex members with fused multiply-add instructions."""
    code = subprocess.run(["objdump", "--disassemble", archive], check=True, capture_output=True, text=True).stdout
    found, member = set(), ""
    for line in code.splitlines():
        if match := re.match(r"(\S+\.o):\s+file format", line):
            member = match.group(1)
        elif member.endswith("_complex.cpp.o") and re.search(r"\tvfn?m(add|sub)", line):
            found.add(member)
    return sorted(found)


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
    faults = shared + [f"no member {name}" for name in missing]
    faults += [f"{name}: fused multiply-add" for name in fused(arguments[0])]
    for text in faults:
        print(text)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
