#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Installs the Debian packages in a bare Debian and uses them there, as somebody does who has nothing else.

usage: clean_root.py PACKAGES WORK [BARE]
  PACKAGES  a folder with the .deb files
  WORK      the root is made there, and removed afterwards
  BARE      a bare Debian to copy, if not one that debootstrap fetches by the settings of this machine's apt
Needs root and a mirror of Debian. Exit status 77 where debootstrap or root is missing.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CONSUMER = Path(__file__).resolve().parent / "consumer"
SUITE = "bookworm"

# What a newcomer types. Statistics go to a file, so that what is printed is the program's.
SCRIPT = r"""
set -eu
cd /root/try
export DEBIAN_FRONTEND=noninteractive HOME=/root
echo 'Dpkg::Use-Pty "0";' >/etc/apt/apt.conf.d/95quiet
apt-get update -qq
compilers() { ls /usr/bin/*g++* /usr/bin/*clang* 2>/dev/null | wc -l; }
before=$(compilers)
apt-get install -y -qq --no-install-recommends ./libxlazy[0-9]*.deb >/dev/null
ldconfig -p | grep -q libxlazy.so
echo "runtime: installed"
[ "$(compilers)" = "$before" ] || { echo "a compiler came along"; exit 1; }
apt-get install -y -qq --no-install-recommends ./*.deb g++ cmake make pkg-config \
    libfmt-dev libxxhash-dev libdw-dev >/dev/null
xlazy-c++ -O1 unmodified.cpp -o unmodified
[ "$(XLAZY_STATS=/root/try/stats ./unmodified)" = 1e+06 ]
grep -q '"statements_recorded": *[1-9]' stats
echo "xlazy-c++: works"
cmake -S . -B build >/dev/null && cmake --build build >/dev/null
[ "$(build/unmodified)" = 1e+06 ] && [ "$(build/unmodified_static)" = 1e+06 ] && [ "$(build/beside_stock)" = 12 ]
echo "find_package: works"
g++ beside_stock.cpp -o by_pkg_config $(pkg-config --cflags --libs xlazy) && [ "$(./by_pkg_config)" = 12 ]
echo "pkg-config: works"
xlazy-info | grep -q 'compiled a small kernel'
xlazy-cache info >/dev/null
echo "tools: work"
apt-get remove -y -qq 'libxlazy*' xlazy-tools >/dev/null
if ldconfig -p | grep libxlazy || ls /usr/bin/xlazy* 2>/dev/null; then echo "left behind"; exit 1; fi
echo "removed: nothing is left"
"""


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def use(packages, root):
    place = root / "root/try"
    place.mkdir(parents=True)
    for file in [*packages, *CONSUMER.iterdir()]:
        shutil.copy(file, place)
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    mounts = [("proc", root / "proc"), ("sysfs", root / "sys")]
    try:
        for kind, target in mounts:
            run("mount", "-t", kind, kind, target)
        run("mount", "--bind", "/dev", root / "dev")
        run("chroot", root, "/bin/sh", "-c", SCRIPT)
    finally:
        for target in (root / "dev", root / "sys", root / "proc"):
            subprocess.run(["umount", "-l", str(target)], stderr=subprocess.DEVNULL)


def main(arguments):
    if len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    if os.geteuid() != 0 or (len(arguments) == 2 and shutil.which("debootstrap") is None):
        print("skipped: needs root and debootstrap")
        return 77
    packages = sorted(Path(arguments[0]).glob("*.deb"))
    if len(packages) != 3:
        sys.exit(f"{arguments[0]}: {len(packages)} packages, not 3")
    work = Path(arguments[1])
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=work) as name:
        root = Path(name) / "root"
        if len(arguments) == 3:
            run("cp", "-ax", arguments[2], root)
        else:
            run("debootstrap", "--variant=minbase", SUITE, root, stdout=subprocess.DEVNULL)
            # What is between this machine and the mirror is between the new root and the mirror, too.
            shutil.rmtree(root / "etc/apt")
            shutil.copytree("/etc/apt", root / "etc/apt")
        use(packages, root)
    print("1 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
