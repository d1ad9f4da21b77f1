#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Installs a build into an empty prefix and uses it from there: by CMake, pkg-config, xlazy-c++.

usage: package_test.py BUILD COMPILER LIBDIR      LIBDIR: the libraries' folder below a prefix
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CONSUMER = Path(__file__).resolve().parent / "consumer"
BUILD, COMPILER, LIBDIR = sys.argv[1:4]


def output(*command, **environment):
    done = subprocess.run([str(part) for part in command], env={**os.environ, **environment},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{done.stdout}")
    return done.stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name)
        cls.prefix = cls.root / "prefix"
        output("cmake", "--install", BUILD, "--prefix", cls.prefix)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def assert_lazy(self, program):
        """The unmodified program gives the right number, and by way of the queue."""
        stats = self.root / "stats.json"
        stats.unlink(missing_ok=True)
        self.assertEqual("1e+06\n", output(program, XLAZY_STATS=str(stats)))
        self.assertGreater(json.loads(stats.read_text())["instructions_recorded"], 0)

    def test_cmake_package(self):
        build = self.root / "consumer"
        output("cmake", "-G", "Ninja", "-S", CONSUMER, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
               f"-DCMAKE_CXX_COMPILER={COMPILER}")
        output("cmake", "--build", build)
        self.assert_lazy(build / "unmodified")
        self.assertEqual("12\n", output(build / "beside_stock"))

    def test_pkg_config(self):
        libraries = self.prefix / LIBDIR
        path = {"PKG_CONFIG_PATH": str(libraries / "pkgconfig")}
        flags = output("pkg-config", "--cflags", "--libs", "xlazy", **path).split()
        program = self.root / "beside_stock"
        output(COMPILER, CONSUMER / "beside_stock.cpp", "-o", program, *flags, f"-Wl,-rpath,{libraries}")
        self.assertEqual("12\n", output(program))

    def test_wrapper(self):
        program = self.root / "unmodified"
        output(self.prefix / "bin" / "xlazy-c++", "-O1", CONSUMER / "unmodified.cpp", "-o", program)
        self.assert_lazy(program)

    def test_moved(self):
        """An installation works wherever it is put: nothing looks for files in the place where it was built."""
        moved = self.root / "moved to another \u00e4 place"
        self.prefix.rename(moved)
        try:
            program = self.root / "moved"
            output(moved / "bin" / "xlazy-c++", "-O1", CONSUMER / "unmodified.cpp", "-o", program)
            self.assert_lazy(program)
            cache = {"XLAZY_CACHE_DIR": str(self.root / "cache")}
            self.assertIn("compiled a small kernel", output(moved / "bin" / "xlazy-info", **cache))
            self.assertIn("not there yet", output(moved / "bin" / "xlazy-cache", "info", **cache))
        finally:
            moved.rename(self.prefix)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
