#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds the documentation site: Doxygen over the public headers, then Sphinx over docs/. Warnings are errors.

usage: build.py OUTPUT       OUTPUT/html/index.html is the site; OUTPUT/doxygen, OUTPUT/doctrees: what lies between
"""
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ["frontend", "bytecode", "optimizer", "backends", "jit-cache"]


def public_headers():
    """Headers of the layers; of the frontend those that a program includes by name."""
    frontend = sorted((ROOT / "frontend/include/xlazy").glob("*.hpp"))
    # A list of xtensor's names without a sentence of its own, and a header that includes others.
    own = [header for header in frontend if header.name not in ("names.hpp", "dropin.hpp", "xlazy.hpp", "linalg.hpp")]
    return own + [ROOT / layer / "include" for layer in LAYERS[1:]]


def run(command, **environment):
    done = subprocess.run([str(word) for word in command], env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}")


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    output = Path(arguments[0]).resolve()
    doxygen = output / "doxygen"
    doxygen.mkdir(parents=True, exist_ok=True)
    settings = (ROOT / "docs/site/Doxyfile.in").read_text(encoding="utf-8")
    values = {"OUTPUT": doxygen, "INPUT": " ".join(map(str, public_headers())),
              "STRIP": " ".join(str(ROOT / layer / "include") for layer in LAYERS)}
    for name, value in values.items():
        settings = settings.replace(f"@{name}@", str(value))
    (doxygen / "Doxyfile").write_text(settings, encoding="utf-8")
    run(["doxygen", doxygen / "Doxyfile"])
    run(["sphinx-build", "-b", "html", "-W", "--keep-going", "-q", "-d", output / "doctrees", ROOT / "docs",
         output / "html"], XLAZY_DOXYGEN_XML=str(doxygen / "xml"))
    print(f"{output}/html/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
