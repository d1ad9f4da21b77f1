#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs what pages show.

usage: pages_test.py DOCS BUILD

The quick start is done block by block. A block whose first line is a comment with a file's name is that file. A block of
`sh` is run; the block of `text` after it is what it prints, where `...` stands for anything. `./run install` installs the
build under test.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCS, BUILD = (Path(word).resolve() for word in sys.argv[1:3])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^(?://|#) ([\w.+-]+\.\w+)\n")
HABITS = """statements: 0
elements written in a loop of 5: 5
through a view: 5
sort: 6
after the iterators: 6
data(): 7
while the pointer may be used: 8
assigned as a whole: 9
auto: 9
28 2
caught in the block
"""
RUN = """#!/bin/sh
[ "$1" = install ] && [ $# = 2 ] && exec cmake --install '{build}' --prefix "$2" >/dev/null
exit 2
"""


def pattern(text):
    return re.compile(".*".join(re.escape(part) for part in text.split("...")) + r"\Z", re.DOTALL)


class QuickStart(unittest.TestCase):
    def test_every_block(self):
        blocks = BLOCK.findall((DOCS / "quickstart.md").read_text(encoding="utf-8"))
        self.assertGreater(len(blocks), 10)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "run").write_text(RUN.format(build=BUILD))
            (folder / "run").chmod(0o755)
            environment = {**os.environ, "HOME": str(folder), "XLAZY_JIT": "off"}
            printed = None
            for language, text in blocks:
                printed = self.do_block(folder, environment, language, text, printed)

    def do_block(self, folder, environment, language, text, printed):
        """@return what the block has printed, if it is a command"""
        if language == "sh":
            # The next block's shell begins with the variables that this one left.
            script = f"set -e\n{text}\nenv -0 >{folder}/environment\n"
            done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
            self.assertEqual(0, done.returncode, text + done.stdout + done.stderr)
            saved = (folder / "environment").read_text().split("\0")
            environment.clear()
            environment.update(entry.split("=", 1) for entry in saved if entry)
            return done.stdout
        if language == "text":
            self.assertIsNotNone(printed, "no command before this output")
            self.assertRegex(printed.strip(), pattern(text.strip()))
            return None
        name = FILE.match(text)
        self.assertIsNotNone(name, f"a block of {language} without a file's name")
        # A comment that only names the file is a line of it, so that lines in messages are those of the page.
        (folder / name.group(1)).write_text(text)
        return None


class Migrating(unittest.TestCase):
    def test_flushes(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "migrating"
            subprocess.run([BUILD / "bin/xlazy-c++", "-O0", HERE / "migrating.cpp", "-o", program], check=True)
            done = subprocess.run([program], capture_output=True, text=True, env={**os.environ, "XLAZY_JIT": "off"})
        self.assertEqual(HABITS, done.stdout + done.stderr)


class Bytecode(unittest.TestCase):
    def test_every_batch(self):
        page = (DOCS / "bytecode.md").read_text(encoding="utf-8")
        batches = [text for _, text in BLOCK.findall(page) if text.startswith("xlazy-bytecode")]
        self.assertGreater(len(batches), 1)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "batch.txt"
            for batch in batches:
                file.write_text(batch)
                done = subprocess.run([BUILD / "bin/xlazy-run-bytecode", file], capture_output=True, text=True)
                self.assertEqual((0, ""), (done.returncode, done.stderr))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
