#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs every program of bench/programs lazily, eagerly, by the reference and without passes, and compares.

All of xlazy's runs must print the same bytes; stock xtensor's numbers are near them.
usage: programs_test.py XLAZY_PROGRAM STOCK_PROGRAM
"""
import math
import os
import subprocess
import sys

RUNS = [{}, {"XLAZY_MODE": "eager"}, {"XLAZY_BACKEND": "interp"}, {"XLAZY_PASSES": "none"},
        {"XLAZY_NUM_THREADS": "2"}]
SIZES = [(12, 3), (65, 7)]
# Random numbers differ between the libraries: nine standard errors of the mean of 65 * 7 points.
LOOSE = {"montecarlo_pi": 0.7}


def run(program, name, size, steps, environment):
    done = subprocess.run([program, name, str(size), str(steps)], env={**os.environ, **environment},
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{name} {size} {steps} {environment}: {done.returncode}\n{done.stderr}")
    return done.stdout


def near(a, b, tolerance):
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance) or (math.isnan(a) and math.isnan(b))


def main():
    xlazy, stock = sys.argv[1:]
    names = subprocess.run([xlazy], capture_output=True, text=True, check=True).stdout.split()
    faults = []
    for name in names:
        for size, steps in SIZES:
            expected = run(xlazy, name, size, steps, RUNS[0])
            for environment in RUNS[1:]:
                if run(xlazy, name, size, steps, environment) != expected:
                    faults.append(f"{name} {size} {steps}: other values with {environment}")
            ours = [float(x) for x in expected.split()]
            theirs = [float(x) for x in run(stock, name, size, steps, {}).split()]
            tolerance = LOOSE.get(name, 1e-9)
            if len(ours) != len(theirs) or not all(near(a, b, tolerance) for a, b in zip(ours, theirs)):
                faults.append(f"{name} {size} {steps}: {ours}, by xtensor alone {theirs}")
    print(f"{len(names)} programs, {len(faults)} faults")
    sys.exit("\n".join(faults) if faults or len(names) < 15 else 0)


if __name__ == "__main__":
    main()
