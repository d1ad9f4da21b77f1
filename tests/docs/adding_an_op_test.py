#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Adds the row of docs/adding-an-op.md to a copy of the op table, builds bytecode, reference interpreter and the manual's
table from it, and runs the page's batch.

usage: adding_an_op_test.py ROOT COMPILER
"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT, COMPILER = Path(sys.argv[1]), sys.argv[2]
LAYERS = ["bytecode", "backends", "jit-cache"]


def output(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{done.stdout}")
    return done.stdout


class AddingAnOp(unittest.TestCase):
    def test_page(self):
        page = (ROOT / "docs/adding-an-op.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        row = next(block for block in blocks if block.startswith("XLAZY_OP("))
        batch = next(block for block in blocks if block.startswith("xlazy-bytecode"))
        name = re.match(r"XLAZY_OP\((\w+)", row).group(1)
        table = (ROOT / "bytecode/include/xlazy/bytecode/ops.def").read_text(encoding="utf-8")
        self.assertNotIn(f"({name},", table, "the page's op is in the table already")
        group = table.index("// elements by their numbers")  # the group before ends here
        with tempfile.TemporaryDirectory() as folder_name:
            folder = Path(folder_name)
            (folder / "xlazy/bytecode").mkdir(parents=True)
            (folder / "xlazy/bytecode/ops.def").write_text(table[:group] + row + table[group:], encoding="utf-8")
            (folder / "batch.txt").write_text(batch)
            program, manual = folder / "run_op", folder / "ops_doc"
            bytecode = sorted((ROOT / "bytecode/src").glob("*.cpp"))
            self.build(folder, program, *bytecode, ROOT / "tests/docs/run_op.cpp",
                       ROOT / "backends/src/interp/interpreter.cpp")
            values = output(program, folder / "batch.txt", 1, 5, -2, 0.5, 4, 2, 3, 0.5).splitlines()
            self.assertEqual("3 3 5 0", values[0].strip())
            self.assertIn(f"{name}.f64 v2 d0 v0 v1", values[1])
            self.build(folder, manual, ROOT / "bytecode/tools/ops_doc.cpp")  # prints the constant tables
            self.assertRegex(output(manual), rf"\| `{name}` \| 2 \| f32 f64 \| same \| exact \|")

    def build(self, overlay, program, *sources):
        """Unoptimised: the table is what is tested."""
        includes = [overlay, *(ROOT / layer / "include" for layer in LAYERS), ROOT / "bytecode/src", ROOT / "backends/src",
                    ROOT / "backends"]
        flags = output("pkg-config", "--cflags", "--libs", "fmt", "libxxhash").split()
        output(COMPILER, "-std=c++20", "-O0", "-ffp-contract=off", *(f"-I{folder}" for folder in includes), *sources,
               "-o", program, *flags)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
