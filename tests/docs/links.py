#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the links of the documentation, without a network: files and headings in Markdown, ids in the built site.

usage: links.py ROOT             the Markdown pages of a checkout, and the paths that they name
       links.py --site FOLDER    the HTML pages of a built site
Prints one line a broken link; exit status 1 if there is any.
"""
import html.parser
import re
import sys
from pathlib import Path
from urllib.parse import unquote, urldefrag

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)<>\s]+)>?(?:\s+\"[^\"]*\")?\s*\)")
FENCE = re.compile(r"^(\s*)(```|~~~|:::)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
# A path in backticks that begins with a folder of the repository.
PATH = re.compile(r"`((?:backends|bench|bytecode|cmake|docs|frontend|jit-cache|optimizer|tests)/[\w./*-]+)`")
EXTERNAL = ("http://", "https://", "mailto:")


def outside_code(text):
    """The lines with fenced and indented code left out, their numbers kept."""
    fenced = None
    before_blank = True
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if fenced is None and fence:
            # MyST's directives are no code; their text is checked by Sphinx.
            fenced = fence.group(2)
        elif fenced is not None:
            if line.strip() == fenced:
                fenced = None
        elif not (before_blank and line.startswith("    ")):
            yield number, line
        before_blank = not line.strip() or (before_blank and line.startswith("    "))


def slugs(text):
    """Anchors of the headings, as GitHub and MyST make them."""
    seen, found = {}, set()
    for _, line in outside_code(text):
        match = HEADING.match(line)
        if not match:
            continue
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match.group(1)).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found


def pages(root):
    skipped = {"build", ".git", "shared"}
    return sorted(path for path in root.rglob("*.md") if not skipped & set(path.relative_to(root).parts))


def broken_in_page(root, page):
    text = page.read_text(encoding="utf-8")
    for number, line in outside_code(text):
        place = f"{page.relative_to(root)}:{number}"
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            if target.startswith(EXTERNAL):
                continue
            path, anchor = urldefrag(unquote(target))
            file = (page.parent / path) if path else page
            if not file.exists():
                yield f"{place}: no such file: {target}"
            elif anchor and file.suffix == ".md" and anchor not in slugs(file.read_text(encoding="utf-8")):
                yield f"{place}: no such heading: {target}"
        for path in PATH.findall(line):
            found = any(root.glob(path)) if "*" in path else (root / path).exists()
            if not found and not re.search(r"[A-Z]{3}", path):  # NAME stands for something
                yield f"{place}: no such path in the repository: {path}"


class Page(html.parser.HTMLParser):
    def __init__(self, file):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if values.get("id"):
            self.ids.add(values["id"])
        for name in ("href", "src"):
            if values.get(name) and tag in ("a", "img", "link", "script"):
                self.links.append((values[name], self.getpos()[0]))


def broken_in_site(folder):
    read = {file: Page(file) for file in sorted(folder.rglob("*.html"))}
    if not read:
        yield f"{folder}: no page"
    for file, page in read.items():
        for target, line in page.links:
            if target.startswith((*EXTERNAL, "data:", "javascript:")):
                continue
            path, anchor = urldefrag(unquote(target))
            goal = (file.parent / path.split("?")[0]).resolve() if path else file
            if not goal.exists():
                yield f"{file.name}:{line}: no such file: {target}"
            elif anchor and goal in read and anchor not in read[goal].ids:
                yield f"{file.name}:{line}: no such id: {target}"


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--site":
        broken = list(broken_in_site(Path(arguments[1]).resolve()))
    elif len(arguments) == 1 and not arguments[0].startswith("-"):
        root = Path(arguments[0]).resolve()
        broken = [line for page in pages(root) for line in broken_in_page(root, page)]
    else:
        print(__doc__, file=sys.stderr)
        return 2
    for line in broken:
        print(line)
    print(f"{len(broken)} broken links")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
