#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The link checker finds each kind of broken link, and nothing else."""
import tempfile
import unittest
from pathlib import Path

import links


class Links(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def broken(self, text, **others):
        (self.root / "page.md").write_text(text, encoding="utf-8")
        for name, content in others.items():
            (self.root / f"{name}.md").write_text(content, encoding="utf-8")
        return [line.split(": ", 1)[1] for page in links.pages(self.root)
                for line in links.broken_in_page(self.root, page)]

    def test_good(self):
        self.assertEqual([], self.broken(
            "# A page, `code` and (more)\n## Twice\n## Twice\n[a](other.md) [b](other.md#what-1-is) ![c](other.md)\n"
            "[d](#a-page-code-and-more) [e](#twice-1) [f](https://nowhere.example/x#y)\n",
            other="## What 1 is\n"))

    def test_code_is_no_link(self):
        self.assertEqual([], self.broken("```cpp\na[i](j);\n```\n\n    b[i](k)\n\n`c[i](l)`\n"))

    def test_missing(self):
        self.assertEqual(["no such file: nothing.md"], self.broken("[a](nothing.md)\n"))
        self.assertEqual(["no such heading: #b"], self.broken("# A\n[a](#b)\n"))
        self.assertEqual(["no such heading: other.md#c"], self.broken("[a](other.md#c)\n", other="# B\n"))
        self.assertEqual(["no such path in the repository: tests/none.cpp"], self.broken("see `tests/none.cpp`\n"))

    def test_site(self):
        (self.root / "a.html").write_text('<a href="b.html#x">1</a><a href="b.html#y">2</a><a href="c.html">3</a>')
        (self.root / "b.html").write_text('<p id="x"></p>')
        self.assertEqual(["no such id: b.html#y", "no such file: c.html"],
                         [line.split(": ", 1)[1] for line in links.broken_in_site(self.root)])


if __name__ == "__main__":
    unittest.main()
