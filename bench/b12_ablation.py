#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What each optimizer pass buys: the batches of real programs run with every pass left out in turn.

usage: b12_ablation.py RUN_BYTECODE FOLDER [--rounds N] [--threads N] [--only NAME,...]

RUN_BYTECODE  the program xlazy-run-bytecode
FOLDER        batches in text form, *.txt

Prints a table: time, bytes moved and peak memory without a pass over those with all of them. Times are taken in turns;
a ratio is the median over the rounds of the ratios inside each round. No number: within 3 % for times, equal otherwise.
The last row has the largest ratio of each column: a pass with no number there would buy nothing.
"""
import argparse
import re
import statistics
import subprocess
import sys
from pathlib import Path

UNITS = {"byte": 1, "bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
NOISE = 0.03


def call(arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def amount(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


class Runner:
    def __init__(self, program, threads):
        self.program = program
        self.threads = threads

    def passes(self):
        text = call([self.program, "--help"]).split("Passes that --passes switches:\n")[1]
        return [line.split()[0] for line in text.splitlines() if line.strip()]

    def seconds(self, batch, passes):
        out = call([self.program, str(batch), "--passes", passes, "--threads", str(self.threads), "--time", "--rounds", "3"])
        return float(re.search(r"least ([\d.]+) us", out)[1]) * 1e-6

    def cost(self, batch, passes):
        """Bytes moved, peak bytes."""
        out = call([self.program, str(batch), "--passes", passes, "--explain"])
        found = re.search(r"  after:  \d+ kernels?, (.+?) moved .*, peak (.+)", out)
        return amount(found[1]), amount(found[2])


def ratio(value, tolerance):
    return "" if abs(value - 1) <= tolerance else f"{value:.2f}"


def measured(runner, batch, sets, rounds):
    """Median seconds with all passes, and for each other set (time, bytes, peak) over those with all."""
    times = {passes: [] for passes in sets}
    for _ in range(rounds):
        for passes in sets:
            times[passes].append(runner.seconds(batch, passes))
    base = runner.cost(batch, "all")
    ratios = []
    for passes in sets[1:]:
        relative = statistics.median(t / with_all for t, with_all in zip(times[passes], times["all"]))
        moved, peak = (cost / of_all if of_all else 1.0 for cost, of_all in zip(runner.cost(batch, passes), base))
        ratios.append((relative, moved, peak))
    return statistics.median(times["all"]), ratios


def cell(ratios):
    parts = [ratio(value, tolerance) for value, tolerance in zip(ratios, (NOISE, 0.002, 0.002))]
    return " / ".join(part or "-" for part in parts) if any(parts) else ""


def row(name, first, ratios):
    return f"| {name} | {first} | " + " | ".join(cell(each) for each in ratios) + " |"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args(arguments)
    runner = Runner(options.program, options.threads)
    sets = ["all", *(f"all,-{name}" for name in runner.passes()), "none"]
    print("time / bytes moved / peak memory, over those with all passes; 1 thread" if options.threads == 1 else
          f"time / bytes moved / peak memory, over those with all passes; {options.threads} threads")
    print("\n| program | all | " + " | ".join(f"`{name.replace('all,', '')}`" for name in sets[1:]) + " |")
    print("|---|---:|" + "---:|" * (len(sets) - 1))
    wanted = options.only.split(",") if options.only else None
    most = [(1.0, 1.0, 1.0)] * (len(sets) - 1)
    for batch in sorted(options.folder.glob("*.txt")):
        if wanted is None or batch.stem in wanted:
            seconds, ratios = measured(runner, batch, sets, options.rounds)
            most = [tuple(map(max, known, new)) for known, new in zip(most, ratios)]
            print(row(batch.stem, f"{seconds * 1e3:.2f} ms", ratios), flush=True)
    print(row("most", "", most))


if __name__ == "__main__":
    main(sys.argv[1:])
