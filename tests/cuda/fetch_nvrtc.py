#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fetches the CUDA compiler library from PyPI for tests, where no toolkit is installed.

usage: fetch_nvrtc.py FOLDER

Puts the libraries into FOLDER, once. Exit status: 0; 1: they could not be had, which is said on stderr.
"""
import pathlib
import subprocess
import sys
import tempfile
import zipfile

PACKAGE = "nvidia-cuda-nvrtc-cu12==12.9.86"


def main(folder: pathlib.Path) -> int:
    mark = folder / PACKAGE
    if mark.exists():
        return 0
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
                   "--dest", place, PACKAGE]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"fetch_nvrtc: {PACKAGE} could not be fetched: {done.stderr.strip()[-300:]}", file=sys.stderr)
            return 1
        folder.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(next(pathlib.Path(place).glob("*.whl"))) as wheel:
            for name in wheel.namelist():
                if "/lib/libnvrtc" in name and ".alt." not in name:
                    (folder / pathlib.PurePath(name).name).write_bytes(wheel.read(name))
    mark.touch()
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1])))
