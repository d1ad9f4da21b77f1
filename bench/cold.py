#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The first runs of a program: a fresh process with an empty cache of compiled kernels, against XLAZY_MODE=eager; then
one whose cache is warm.

Every round starts each variant once, in turn; printed are the medians of the rounds' ratios to eager in the same round,
for the first run and for the first ten together, and how many kernels were compiled and loaded.
usage: cold.py WORKER [FILTER [ROUNDS]]      WORKER: xlazy-bench-xlazy
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

CASES = {
    "b01": [20000000],
    "b02": [204, 204, 26],
    "b03": [204, 204, 26],
    "b04": [204, 204, 26],
    "b05.f64": [4000000],
    "b06": [2000, 2000],
    "b07": [1000, 1000],
    "b08.waves": [4000000],
    "b09": [64, 512],
    "b11.sum.all": [4000, 4000],
    "b11.sum.axis0": [4000, 4000],
    "b11.sum.axis1": [4000, 4000],
    "b11.var.axis1": [4000, 4000],
    "b11.dot": [33000000],
    "b11.softmax": [4096, 8192],
    "b11.argmin": [33000000],
}
RUNS = 10
VARIANTS = {
    "eager": {"XLAZY_MODE": "eager", "XLAZY_JIT": "off"},
    "interpreted": {"XLAZY_JIT": "off"},
    "cold": {"XLAZY_JIT": "background"},
    "warm": {"XLAZY_JIT": "background"},
}


class Missing(Exception):
    """The worker does not know the case."""


def run(worker, job, sizes, folder, variables):
    """@return seconds of the first run, seconds of the first RUNS, statistics"""
    stats = os.path.join(folder, "stats.json")
    environment = {**os.environ, **variables, "XLAZY_STATS": stats}
    process = subprocess.Popen([worker], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(command):
        process.stdin.write(command + "\n")
        process.stdin.flush()
        return process.stdout.readline().split()

    answer = ask(f"open {job} {' '.join(map(str, sizes))}")
    if answer[0] == "missing":
        process.stdin.close()
        process.wait()
        raise Missing(job)
    first = float(answer[1])
    start = time.perf_counter()
    ask(f"turn 1000 {RUNS - 1}")
    ten = first + time.perf_counter() - start
    process.stdin.close()
    process.wait()
    with open(stats, encoding="utf-8") as file:
        return first, ten, json.load(file)


def measure(worker, job, sizes, rounds):
    first, ten, counts = {}, {}, {}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            for name, variables in VARIANTS.items():
                cache = os.path.join(folder, "cache")
                a, b, stats = run(worker, job, sizes, folder, {**variables, "XLAZY_CACHE_DIR": cache})
                first.setdefault(name, []).append(a)
                ten.setdefault(name, []).append(b)
                counts[name] = (stats["kernels_compiled"], stats["kernels_loaded"])

    def ratio(times, name):
        return statistics.median(x / y for x, y in zip(times[name], times["eager"]))

    row = [f"{job:<16}", f"{1e3 * min(first['eager']):9.2f}"]
    for times in (first, ten):
        row += [f"{ratio(times, name):11.2f}" for name in VARIANTS if name != "eager"]
    row.append(f"   {counts['cold'][0]} compiled; warm: {counts['warm'][0]} compiled, {counts['warm'][1]} loaded")
    print(" ".join(row), flush=True)


def main(worker, pattern="", rounds="5"):
    names = [name for name in VARIANTS if name != "eager"]
    print(f"{'':<16} {'eager ms':>9} {'first run / eager: ':>11}" + " ".join(f"{name:>11}" for name in names))
    print(f"{'':<26} then the same for the first {RUNS} runs")
    for job, sizes in CASES.items():
        if re.search(pattern, job):
            try:
                measure(worker, job, sizes, int(rounds))
            except Missing:
                print(f"{job}: the worker lacks it", file=sys.stderr)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
