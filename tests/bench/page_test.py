#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of xlazy-bench --report in headless Chromium, as wide as a phone and as a desktop, light and dark: nothing on
the console, every chart drawn, nothing wider than the window. With results that are made up, and with those of a run.

usage: page_test.py XLAZY_BENCH [FOLDER]     FOLDER: screenshots go there
Exit status 77: there is no Chromium (Debian: chromium-headless-shell).
"""
import json
import os
import subprocess
import sys
import tempfile

from browser import Browser, find
from sample import Maker

SKIPPED = 77
WIDTHS = (390, 1280)
SECTIONS = ("answer", "rewriting", "everybody", "sizes", "roofline", "ablation", "captured", "early", "overhead", "scaling",
            "programs", "others", "published", "everything")

# Charts, each with the share of its pixels that differ from the first one; and what sticks out of the window.
LOOK = """(() => {
  const charts = [...document.querySelectorAll("canvas")].filter(c => !c.closest("details:not([open])")).map(canvas => {
    const {width, height} = canvas;
    if (width < 50 || height < 50) return [canvas.id, 0];
    const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, width, height).data.buffer);
    return [canvas.id, pixels.reduce((sum, pixel) => sum + (pixel !== pixels[0]), 0) / pixels.length];
  });
  const wide = [...document.querySelectorAll("body *")].filter(e => !e.closest(".scroll, details:not([open]), svg"))
    .filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => `${e.tagName} ${e.id} ${e.className}`);
  return {charts, wide, scroll: document.documentElement.scrollWidth, inner: innerWidth,
          sections: [...document.querySelectorAll("section")].map(s => s.id),
          empty: [...document.querySelectorAll("section.part")].filter(s => s.children.length < 3).map(s => s.id),
          tables: document.querySelectorAll("table").length, verdict: document.getElementById("verdict").textContent,
          outside: performance.getEntriesByType("resource").map(e => e.name).filter(name => !name.startsWith("data:"))};
})()"""


def require(condition, message):
    if not condition:
        sys.exit(f"page_test: {message}")


def check(browser, page, name, least, screenshots):
    for width in WIDTHS:
        for theme in ("light", "dark"):
            where = f"{name}, {width} wide, {theme}"
            browser.open(f"file://{page}?theme={theme}", width, 900)
            seen = browser.value(LOOK)
            require(not browser.complaints(), f"{where}: {browser.complaints()}")
            require(len(seen["charts"]) >= least, f"{where}: charts {seen['charts']}")
            for chart, drawn in seen["charts"]:
                require(drawn > 0.002, f"{where}: {chart} is empty ({drawn})")
            require(seen["scroll"] <= seen["inner"] and not seen["wide"], f"{where}: wider than the window: {seen['wide']}")
            require(tuple(seen["sections"]) == SECTIONS and not seen["empty"], f"{where}: sections {seen}")
            require(seen["tables"] >= 10 or least < 10, f"{where}: {seen['tables']} tables")
            require(not seen["outside"], f"{where}: needs {seen['outside']}")
            if screenshots:
                browser.screenshot(os.path.join(screenshots, f"{name}-{width}-{theme}.png"))
    return seen["verdict"]


def check_switches(browser, page):
    """Other threads, another theme, another width: drawn anew, without complaints."""
    browser.open(f"file://{page}", 1280, 900)
    browser.value("""document.querySelector("#threads button").click(), document.getElementById("theme").click(), 0""")
    seen = browser.value(LOOK)
    require(all(drawn > 0.002 for _, drawn in seen["charts"]), f"after switching: {seen['charts']}")
    require(browser.value("""document.querySelector("#threads button").getAttribute("aria-pressed")""") == "true", "threads")
    require(not browser.complaints(), f"after switching: {browser.complaints()}")


def run(bench, *arguments):
    done = subprocess.run([bench, *arguments], capture_output=True, text=True, check=False)
    require(done.returncode == 0, f"{arguments}: exit status {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")


def main(bench, screenshots=""):
    program = find()
    if program is None:
        print("skipped: there is no Chromium; Debian has it in chromium-headless-shell")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder, Browser(program) as browser:
        results, page = os.path.join(folder, "results.json"), os.path.join(folder, "page.html")
        with open(results, "w", encoding="utf-8") as stream:
            json.dump(Maker().results(), stream)
        run(bench, "--from", results, "--report", page)
        verdict = check(browser, page, "sample", 15, screenshots)
        require(verdict.startswith("Yes: the same programs run "), verdict)
        check_switches(browser, page)
        # Sections without data say so.
        run(bench, "--quick", "--filter", "^b01/", "--rounds", "2", "--json", results, "--report", page)
        check(browser, page, "quick", 6, screenshots)
        with open(results, "w", encoding="utf-8") as stream:
            json.dump({"cases": [], "context": {}}, stream)
        run(bench, "--from", results, "--report", page)
        require(check(browser, page, "nothing", 0, screenshots) == "This run does not say.", "an answer without data")


if __name__ == "__main__":
    main(*sys.argv[1:])
