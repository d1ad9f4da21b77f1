#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Manual pages and completions say what --help says.

usage: manual_pages_test.py DOCS PROGRAM...
"""
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

DOCS, PROGRAMS = Path(sys.argv[1]), [Path(program) for program in sys.argv[2:]]
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def help_of(program):
    option = "--xlazy-help" if program.name == "xlazy-c++" else "--help"
    text = subprocess.run([program, option], capture_output=True, text=True, check=True).stdout
    return text if option in text else f"{text}\n  {option}\n"


class ManualPages(unittest.TestCase):
    def test_options(self):
        for program in PROGRAMS:
            with self.subTest(program=program.name):
                page = (DOCS / f"man/{program.name}.1").read_text(encoding="utf-8")
                options = page[page.index(".SH OPTIONS"):page.index(".SH EXIT STATUS")].replace("\\-", "-")
                told = set(re.findall(r"^(?:\.B |\\fB)(--[a-z-]+)", options, re.MULTILINE))
                self.assertEqual(set(OPTION.findall(help_of(program))), told)

    def test_commands_of_the_cache(self):
        program = next(program for program in PROGRAMS if program.name == "xlazy-cache")
        page = (DOCS / "man/xlazy-cache.1").read_text(encoding="utf-8")
        section = page[page.index(".SH COMMANDS"):page.index(".SH OPTIONS")]
        told = re.findall(r"^(?:\.B |\\fB)(\w+)", section, re.MULTILINE)
        self.assertEqual(sorted(set(re.findall(r"^  (\w+) ", help_of(program), re.MULTILINE))), sorted(told))

    def test_formatted_without_a_warning(self):
        man = shutil.which("man")
        for page in sorted((DOCS / "man").glob("*.1")) if man else []:
            done = subprocess.run([man, "--warnings", "-E", "UTF-8", "-l", "-Tutf8", page], capture_output=True, text=True)
            self.assertEqual((0, ""), (done.returncode, done.stderr), page.name)

    def bash(self, program, *words):
        """What bash offers for the last word."""
        line = " ".join(words)
        script = (f"source '{DOCS}/completion/xlazy.bash'; COMP_WORDS=({program} {line}); "
                  f"COMP_CWORD={len(words)}; _xlazy '{program}' '{words[-1]}' ''; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
        return set(done.stdout.split())

    def test_bash(self):
        for program in PROGRAMS:
            with self.subTest(program=program.name):
                expected = {option for option in re.findall(r"^  (--[a-z-]+)", help_of(program), re.MULTILINE)}
                self.assertEqual(expected - {"--help"}, self.bash(program, "--") - {"--help"})
                self.assertEqual(self.bash(program, "--"), self.bash(program, "-"))
        cache = next(program for program in PROGRAMS if program.name == "xlazy-cache")
        self.assertEqual({"prune"}, self.bash(cache, "pr"))

    def test_zsh(self):
        zsh = shutil.which("zsh")
        if zsh:
            done = subprocess.run([zsh, "-n", DOCS / "completion/xlazy.zsh"], capture_output=True, text=True)
            self.assertEqual((0, ""), (done.returncode, done.stderr))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
