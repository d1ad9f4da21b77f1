#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The picture of docs/tiers.md: how long each run of a program takes, from its first in a fresh process on.

usage: cold_picture.py measure WORKER DATA.json [ROUNDS]    WORKER: xlazy-bench-xlazy
       cold_picture.py draw DATA.json PICTURE.svg

Every round starts each variant once, in turn; kept are the best times of each run over the rounds.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

JOB, SIZES, TITLE = "b05.f64", [1000000], "Black-Scholes, a million prices in f64"
RUNS = 80
VARIANTS = {
    "every statement at once": {"XLAZY_MODE": "eager", "XLAZY_JIT": "off"},
    "always interpreted": {"XLAZY_JIT": "off"},
    "empty cache": {"XLAZY_JIT": "background"},
    "warm cache": {"XLAZY_JIT": "background"},
}
COLOURS = ["#8a8a8a", "#b06000", "#1a66b0", "#20803c"]


def times_of(worker, variables):
    """Milliseconds of each run."""
    process = subprocess.Popen([worker], env={**os.environ, **variables}, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)

    def ask(command):
        process.stdin.write(command + "\n")
        process.stdin.flush()
        return process.stdout.readline().split()

    times = [1e3 * float(ask(f"open {JOB} {' '.join(map(str, SIZES))}")[1])]
    for _ in range(RUNS - 1):
        start = time.perf_counter()
        ask("turn 1000 1")
        times.append(1e3 * (time.perf_counter() - start))
    process.stdin.close()
    process.wait()
    return times


def measure(worker, data, rounds="7"):
    best = {}
    for _ in range(int(rounds)):
        with tempfile.TemporaryDirectory() as folder:
            for name, variables in VARIANTS.items():
                times = times_of(worker, {**variables, "XLAZY_CACHE_DIR": os.path.join(folder, "cache")})
                best[name] = [min(pair) for pair in zip(times, best.get(name, times))]
    with open(data, "w", encoding="utf-8") as file:
        json.dump({"title": TITLE, "milliseconds": {name: [round(t, 3) for t in best[name]] for name in best}}, file,
                  indent=1)
        file.write("\n")


def draw(data, picture):
    with open(data, encoding="utf-8") as file:
        content = json.load(file)
    series = content["milliseconds"]
    width, height, left, top, right, bottom = 720, 360, 56, 44, 176, 44
    runs = max(len(times) for times in series.values())
    most = max(max(times) for times in series.values())
    step = next(s for s in (0.5, 1, 2, 5, 10, 20, 50, 100, 1000) if most / s <= 8)
    most = step * (int(most / step) + 1)

    def x(run):
        return left + (width - left - right) * (run - 1) / (runs - 1)

    def y(value):
        return height - bottom - (height - top - bottom) * value / most

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="22" font-size="14">{content["title"]}: milliseconds by number of the run</text>',
    ]
    for k in range(int(most / step) + 1):
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y(k * step):.1f}" y2="{y(k * step):.1f}" '
                     'stroke="#dddddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y(k * step) + 4:.1f}" text-anchor="end">{k * step:g}</text>')
    for run in [1] + list(range(10, runs + 1, 10)):
        parts.append(f'<text x="{x(run):.1f}" y="{height - bottom + 18}" text-anchor="middle">{run}</text>')
    labels = []
    for colour, (name, times) in zip(COLOURS, series.items()):
        points = " ".join(f"{x(i + 1):.1f},{y(t):.1f}" for i, t in enumerate(times))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        labels.append([y(times[-1]) + 4, name, colour])
    labels.sort()
    for before, label in zip(labels, labels[1:]):
        label[0] = max(label[0], before[0] + 15)
    for place, name, colour in labels:
        parts.append(f'<text x="{width - right + 8}" y="{place:.1f}" fill="{colour}">{name}</text>')
    parts.append("</svg>")
    with open(picture, "w", encoding="utf-8") as file:
        file.write("\n".join(parts) + "\n")


if __name__ == "__main__":
    if len(sys.argv) >= 4 and sys.argv[1] == "measure":
        measure(*sys.argv[2:])
    elif len(sys.argv) == 4 and sys.argv[1] == "draw":
        draw(*sys.argv[2:])
    else:
        sys.exit(__doc__)
