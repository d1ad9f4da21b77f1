#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Installs a build into an empty prefix and uses it from there: by CMake, pkg-config, xlazy-c++; and as a folder of another
project.

usage: package_test.py BUILD COMPILER LIBDIR      LIBDIR: the libraries' folder below a prefix
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
CONSUMER = HERE / "consumer"
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
        cls.program = cls.root / "unmodified"
        output(cls.prefix / "bin" / "xlazy-c++", "-O1", CONSUMER / "unmodified.cpp", "-o", cls.program)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def assert_lazy(self, program, **environment):
        """The unmodified program gives the right number, and by way of the queue."""
        stats = self.root / "stats.json"
        stats.unlink(missing_ok=True)
        self.assertEqual("1e+06\n", output(program, XLAZY_STATS=str(stats), **environment))
        self.assertGreater(json.loads(stats.read_text())["instructions_recorded"], 0)

    def test_cmake_package(self):
        build = self.root / "consumer"
        output("cmake", "-G", "Ninja", "-S", CONSUMER, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
               f"-DCMAKE_CXX_COMPILER={COMPILER}")
        output("cmake", "--build", build)
        self.assert_lazy(build / "unmodified")
        self.assertEqual("12\n", output(build / "beside_stock"))
        self.assertIn("libxlazy.so", output("readelf", "-d", build / "unmodified"))
        self.assert_lazy(build / "unmodified_static")
        self.assertNotIn("libxlazy", output("readelf", "-d", build / "unmodified_static"))

    def test_another_version_is_refused(self):
        build = self.root / "newer"
        build.mkdir()
        (build / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\n"
                                              "find_package(xlazy 0.2 REQUIRED)\n")
        with self.assertRaisesRegex(AssertionError, r"compatible\s+with requested version"):
            output("cmake", "-S", build, "-B", build / "b", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                   f"-DCMAKE_CXX_COMPILER={COMPILER}")

    def test_subdirectory(self):
        """Another project's folder: nothing of ours but the library is added to it, and a program of it compiles. It is
        linked with the library of the build under test, which is the same."""
        build = self.root / "subdirectory"
        output("cmake", "-G", "Ninja", "-S", HERE / "subdirectory", "-B", build, f"-DXLAZY_FOLDER={HERE.parents[1]}",
               f"-DCMAKE_CXX_COMPILER={COMPILER}")
        targets = output("ninja", "-C", build, "-t", "targets", "all")
        for foreign in ("xlazy_test_", "xlazy-bench", "libxlazy.a"):
            self.assertNotIn(foreign, targets)
        self.assertIn("libxlazy.so", targets)
        compiled = "CMakeFiles/unmodified.dir" + str(CONSUMER / "unmodified.cpp") + ".o"
        if compiled not in targets:  # the name that CMake gives to a file beside the project
            compiled = re.search(r"(CMakeFiles/unmodified\.dir/\S+\.o):", targets).group(1)
        output("ninja", "-C", build, compiled)
        program, libraries = build / "unmodified", self.prefix / LIBDIR
        output(COMPILER, build / compiled, "-o", program, f"-L{libraries}", "-lxlazy", f"-Wl,-rpath,{libraries}")
        self.assert_lazy(program)

    def test_pkg_config(self):
        libraries = self.prefix / LIBDIR
        path = {"PKG_CONFIG_PATH": str(libraries / "pkgconfig")}
        flags = output("pkg-config", "--cflags", "--libs", "xlazy", **path).split()
        program = self.root / "beside_stock"
        output(COMPILER, CONSUMER / "beside_stock.cpp", "-o", program, *flags, f"-Wl,-rpath,{libraries}")
        self.assertEqual("12\n", output(program))

    def test_wrapper(self):
        self.assert_lazy(self.program)

    def test_library(self):
        """A program finds the library by its binary interface, and only that of namespace xlazy."""
        version = re.search(r"PACKAGE_VERSION \"([\d.]+)\"",
                            (self.prefix / LIBDIR / "cmake/xlazy/xlazy-config-version.cmake").read_text()).group(1)
        major, minor, _ = version.split(".")
        soname = f"libxlazy.so.{major}.{minor}" if major == "0" else f"libxlazy.so.{major}"
        library = self.prefix / LIBDIR / f"libxlazy.so.{version}"
        self.assertIn(f"[{soname}]", output("readelf", "-d", library))
        self.assertTrue((self.prefix / LIBDIR / soname).is_symlink())
        exported = [line.split()[-1] for line in output("nm", "-D", "--defined-only", library).splitlines()]
        self.assertGreater(len(exported), 100)
        foreign = [name for name in exported if not re.match(r"_Z\w*N\w*5xlazy|xlazy_\w+$", name)]
        self.assertEqual([], foreign)
        of_others = [name for name in exported if re.match(r"_ZN?K?St|_ZN2xt|_ZN3fmt|_ZSt", name)]
        self.assertEqual([], of_others)

    def test_files(self):
        for file in ("share/man/man1/xlazy-c++.1", "share/man/man1/xlazy-cache.1", "share/xlazy/xlazy-gdb.py",
                     "share/bash-completion/completions/xlazy-info", "share/doc/xlazy/LICENSE", "include/xlazy/xlazy.hpp", "include/xlazy/wrappers/xtensor/xarray.hpp"):
            self.assertTrue((self.prefix / file).is_file(), file)
        self.assertEqual(1, len(list((self.prefix / "share/zsh").rglob("_xlazy-info"))))

    def test_debian_packages(self):
        """What is in which package; a program that was compiled elsewhere runs with the first one alone. (clean_root.py
        installs them.)"""
        if shutil.which("dpkg-shlibdeps") is None:
            self.skipTest("no dpkg-dev")
        folder = self.root / "packages"
        output("cpack", "--config", Path(BUILD) / "CPackConfig.cmake", "-B", folder)
        packages = {file.name.split("_")[0]: file for file in folder.glob("*.deb")}
        runtime = next(name for name in packages if name.startswith("libxlazy0") or name.startswith("libxlazy1"))
        self.assertEqual({runtime, "libxlazy-dev", "xlazy-tools"}, set(packages))
        fields = {name: output("dpkg-deb", "--field", file) for name, file in packages.items()}
        self.assertRegex(fields[runtime], r"Depends: .*libc6 .*libgomp1")
        self.assertRegex(fields[runtime], r"Version: [\d.]+\n")
        for name in ("libxlazy-dev", "xlazy-tools"):
            self.assertRegex(fields[name], rf"Depends: .*{re.escape(runtime)} \(= [\d.]+\)")
        contents = {name: output("dpkg-deb", "--contents", file) for name, file in packages.items()}
        self.assertRegex(contents[runtime], r"libxlazy\.so\.[\d.]+\n")
        self.assertNotRegex(contents[runtime], r"/bin/|/include/|libxlazy\.so\n|\.a\n")
        self.assertRegex(contents["libxlazy-dev"], r"(?s)bin/xlazy-c\+\+.*libxlazy\.a.*libxlazy\.so ->")
        self.assertRegex(contents["xlazy-tools"], r"bin/xlazy-run-bytecode")
        for name in packages:
            self.assertRegex(contents[name], rf"share/doc/{re.escape(name)}/copyright")
        self.assertNotIn("xlazy-bench", "".join(contents.values()))
        root = self.root / "unpacked"
        output("dpkg-deb", "--extract", packages[runtime], root)
        libraries = next(root.rglob("libxlazy.so.*")).parent
        self.assertNotIn(".symtab", output("readelf", "-S", next(libraries.glob("libxlazy.so.*.*.*"))))
        self.prefix.rename(self.root / "away")
        try:
            self.assert_lazy(self.program, LD_LIBRARY_PATH=str(libraries))
        finally:
            (self.root / "away").rename(self.prefix)

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
