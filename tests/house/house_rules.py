#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the rules of the house: one-way includes between folders, and the length of files.

usage: house_rules.py ROOT      prints one line a violation; exit status 1 if there is any
"""
import re
import sys
from pathlib import Path

# Folder -> the other folders whose headers it may include. Everything not named is forbidden.
MAY_INCLUDE = {
    "bytecode": set(),
    "jit-cache": set(),
    "optimizer": {"bytecode"},
    "backends": {"bytecode", "jit-cache"},
    "frontend": {"bytecode", "jit-cache", "optimizer", "backends"},
}
# xtensor may change its headers' paths: only the frontend is to know them.
XTENSOR_FOLDERS = {"frontend"}
SOURCE_SUFFIXES = {".hpp", ".cpp", ".h", ".cc", ".def", ".in", ".cu", ".cuh"}
LENGTH_SUFFIXES = SOURCE_SUFFIXES | {".py", ".cmake", ".sh"}
LENGTH_FOLDERS = [*MAY_INCLUDE, "tests", "bench", "cmake", "docs"]
MAX_LINES = 600

INCLUDE = re.compile(r'^\s*#\s*include(?:_next)?\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def layer_of(root, file, quote, target):
    """The folder that an include of `target` in `file` reaches, or None for foreign headers."""
    if quote == '"':
        resolved = (file.parent / target).resolve()
        if resolved.is_relative_to(root) and resolved.exists():
            return resolved.relative_to(root).parts[0]
    parts = Path(target).parts
    if parts[0] == "xlazy":
        # Headers of a lower layer are xlazy/<layer>/...; all others below xlazy/ are the frontend's.
        return parts[1] if len(parts) > 2 and parts[1] in MAY_INCLUDE else "frontend"
    return None


def include_violations(root, folder, file):
    text = file.read_text(encoding="utf-8", errors="replace")
    for match in INCLUDE.finditer(text):
        quote, target = match.groups()
        line = text.count("\n", 0, match.start(2)) + 1
        place = f"{file.relative_to(root)}:{line}"
        layer = layer_of(root, file, quote, target)
        if layer not in (None, folder) and layer not in MAY_INCLUDE[folder]:
            yield f"{place}: {folder} must not include {layer} ({target})"
        if target.startswith(("xtensor/", "xtensor-blas/")) and folder not in XTENSOR_FOLDERS:
            yield f"{place}: {folder} must not include xtensor ({target})"


def sources(folder, suffixes):
    return sorted(f for f in folder.rglob("*") if f.is_file() and f.suffix in suffixes)


def violations(root):
    root = root.resolve()
    for folder in MAY_INCLUDE:
        for file in sources(root / folder, SOURCE_SUFFIXES):
            yield from include_violations(root, folder, file)
    for folder in LENGTH_FOLDERS:
        for file in sources(root / folder, LENGTH_SUFFIXES):
            lines = len(file.read_bytes().splitlines())
            if lines > MAX_LINES:
                yield f"{file.relative_to(root)}: {lines} lines, more than {MAX_LINES}"


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    found = list(violations(Path(arguments[0])))
    for line in found:
        print(line)
    print(f"{len(found)} violations of the house rules")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
