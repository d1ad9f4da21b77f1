#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The checker itself: what it must catch, and what it must let pass."""
import tempfile
import unittest
from pathlib import Path

import house_rules

BYTECODE_HEADER = "bytecode/include/xlazy/bytecode/op.hpp"


class HouseRules(unittest.TestCase):
    def found(self, files):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            for path, text in {BYTECODE_HEADER: "#pragma once\n", **files}.items():
                file = root / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            return list(house_rules.violations(root))

    def assert_caught(self, path, include, reason):
        found = self.found({path: f"#pragma once\n#include {include}\n"})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"{path}:2: {reason}"), found[0])

    def test_downward_includes_pass(self):
        self.assertEqual([], self.found({
            "optimizer/src/fuse.cpp": '#include "xlazy/bytecode/op.hpp"\n#include <vector>\n',
            "backends/src/run.cpp": '#include <xlazy/jit-cache/store.hpp>\n#include "local.hpp"\n',
            "frontend/src/flush.cpp": '#include "xlazy/optimizer/fuse.hpp"\n#include <xtensor/xview.hpp>\n',
            "bytecode/src/op.cpp": '#include "xlazy/bytecode/op.hpp"\n',
        }))

    def test_upward_include_is_caught(self):
        self.assert_caught("bytecode/src/op.cpp", '"xlazy/optimizer/fuse.hpp"',
                           "bytecode must not include optimizer")
        self.assert_caught("optimizer/include/xlazy/optimizer/pass.hpp", "<xlazy/xlazy.hpp>",
                           "optimizer must not include frontend")

    def test_sideways_include_is_caught(self):
        self.assert_caught("backends/src/run.cpp", "<xlazy/optimizer/fuse.hpp>",
                           "backends must not include optimizer")
        self.assert_caught("jit-cache/src/store.cpp", '"xlazy/bytecode/op.hpp"',
                           "jit-cache must not include bytecode")

    def test_relative_path_into_another_folder_is_caught(self):
        self.assert_caught("jit-cache/src/store.cpp", f'"../../{BYTECODE_HEADER}"',
                           "jit-cache must not include bytecode")

    def test_spaced_directive_is_caught(self):
        found = self.found({"bytecode/src/op.cpp": '#  include "xlazy/backends/run.hpp"\n'})
        self.assertEqual(len(found), 1, found)

    def test_xtensor_below_the_frontend_is_caught(self):
        self.assert_caught("backends/src/run.cpp", "<xtensor/xarray.hpp>",
                           "backends must not include xtensor")

    def test_long_file_is_caught(self):
        most = house_rules.MAX_LINES
        self.assertEqual([], self.found({"tests/fuzz/a.cpp": "\n" * most}))
        self.assertEqual([f"tests/fuzz/a.cpp: {most + 1} lines, more than {most}"],
                         self.found({"tests/fuzz/a.cpp": "\n" * (most + 1)}))


if __name__ == "__main__":
    unittest.main()
