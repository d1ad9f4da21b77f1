#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What each optimizer pass buys: the batches of real programs run with every pass left out in turn.

usage: b12_ablation.py RUN_BYTECODE FOLDER [--rounds N] [--threads N] [--only NAME,...]

RUN_BYTECODE  the program xlazy-run-bytecode
FOLDER        batches in text form, *.txt

Prints a table: time, bytes moved and peak memory without a pass over those with all of them. Times are taken in turns;
a ratio is the median over the rounds of the ratios inside each round. No number: within 3 % for times, equal otherwise.
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


def ratio(value, base, tolerance):
    quotient = value / base if base else 1.0
    return "" if abs(quotient - 1) <= tolerance else f"{quotient:.2f}"


def row(runner, batch, sets, rounds):
    times = {passes: [] for passes in sets}
    for _ in range(rounds):
        for passes in sets:
            times[passes].append(runner.seconds(batch, passes))
    base_moved, base_peak = runner.cost(batch, "all")
    cells = [f"{statistics.median(times['all']) * 1e3:.2f} ms"]
    for passes in sets[1:]:
        relative = statistics.median(t / base for t, base in zip(times[passes], times["all"]))
        moved, peak = runner.cost(batch, passes)
        parts = [ratio(relative, 1.0, NOISE), ratio(moved, base_moved, 0.002), ratio(peak, base_peak, 0.002)]
        cells.append(" / ".join(part or "-" for part in parts) if any(parts) else "")
    return f"| {batch.stem} | " + " | ".join(cells) + " |"


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
    for batch in sorted(options.folder.glob("*.txt")):
        if wanted is None or batch.stem in wanted:
            print(row(runner, batch, sets, options.rounds), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
