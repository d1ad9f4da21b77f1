#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds the site, where Doxygen and Sphinx are installed: no warning, no broken link, no public name without a docstring.

usage: site_test.py ROOT OUTPUT
"""
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

SKIPPED = 77


def described(element):
    return any("".join(node.itertext()).strip()
               for kind in ("briefdescription", "detaileddescription") for node in element.findall(kind))


def undocumented(xml):
    """Classes, functions, enums and aliases of the public headers without a sentence."""
    for file in sorted(xml.glob("*.xml")):
        for compound in ET.parse(file).getroot().findall("compounddef"):
            if compound.get("kind") not in ("class", "struct", "namespace"):
                continue
            name = compound.findtext("compoundname")
            if "detail" in name.split("::"):
                continue
            if compound.get("kind") != "namespace" and compound.get("prot") != "private" and not described(compound):
                yield name
            for member in compound.iter("memberdef"):
                own = member.findtext("name")
                special = own.startswith(("operator", "~")) or own == name.split("::")[-1]
                if member.get("prot") != "private" and member.get("kind") in ("function", "enum", "typedef"):
                    if not special and not described(member):
                        yield f"{name}::{own}"


def missing_tools():
    missing = [tool for tool in ("doxygen", "sphinx-build") if shutil.which(tool) is None]
    if not missing:
        # Sphinx's own interpreter need not be the one that runs this.
        first = Path(shutil.which("sphinx-build")).read_bytes().split(b"\n")[0].decode()
        for module in ("breathe", "myst_parser", "furo"):
            if subprocess.run([*first.removeprefix("#!").split(), "-c", f"import {module}"]).returncode != 0:
                missing.append(module)
    return missing


def main(root, output):
    missing = missing_tools()
    if missing:
        print(f"skipped: not installed: {', '.join(missing)} (./run test installs them)")
        return SKIPPED
    shutil.rmtree(output, ignore_errors=True)
    if subprocess.run([sys.executable, root / "docs/site/build.py", output]).returncode != 0:
        return 1
    links = subprocess.run([sys.executable, root / "tests/docs/links.py", "--site", output / "html"]).returncode
    names = list(undocumented(output / "doxygen/xml"))
    for name in names:
        print(f"no docstring: {name}")
    described_names = len((output / "html/api-layers.html").read_text(encoding="utf-8").split("sig-object")) - 1
    if described_names < 500:
        print(f"the reference has {described_names} entries only")
    return 1 if links or names or described_names < 500 else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
