#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compile time of a translation unit with xarray, view and math, as stock xtensor and through xlazy-c++.

Both with the same -std and the same flags, in turn; the ratio is taken inside each round and its median printed.
usage: compile_time.py XLAZY_CXX [rounds]
"""
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HEAD = """#include <xtensor/xarray.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xview.hpp>
"""


UNARY = ["xt::sin", "xt::cos", "xt::exp", "xt::sqrt", "xt::abs", "xt::tanh", "-"]
BINARY = ["+", "-", "*", "/"]
LEAVES = ["a", "b", "2.5", "xt::view(a, xt::range(0, 4), xt::all())", "xt::view(b, 1, xt::all())"]


def expression(random, depth):
    """A random tree that names an array at least once, so that it is an expression and not a number."""
    if depth == 0:
        return random.choice(LEAVES[:2] + LEAVES[3:])
    if random.random() < 0.3:
        return f"{random.choice(UNARY)}({expression(random, depth - 1)})"
    right = expression(random, depth - 1) if random.random() < 0.7 else random.choice(LEAVES)
    return f"({expression(random, depth - 1)} {random.choice(BINARY)} {right})"


def source(statements):
    """A unit whose statements nearly all differ in type, as those of a real program do."""
    random_numbers = random.Random(1)
    targets = ["c =", "c +=", "xt::view(c, xt::range(1, 5), xt::all()) ="]
    body = "\n".join(
        f"void f{k}(xt::xarray<double>& a, xt::xarray<double>& b, xt::xarray<double>& c) "
        f"{{ {targets[k % 3]} {expression(random_numbers, 1 + k % 3)}; }}"
        for k in range(statements)
    )
    return HEAD + body + "\n"


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - start


def main():
    xlazy_cxx = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    environment = dict(os.environ, CCACHE_DISABLE="1")
    os.environ.update(environment)
    with tempfile.TemporaryDirectory() as folder:
        for statements in (1, 100):
            path = os.path.join(folder, "unit.cpp")
            with open(path, "w", encoding="utf-8") as unit:
                unit.write(source(statements))
            for level in ("-O0", "-O2"):
                flags = ["-std=c++20", level, "-c", path, "-o", os.path.join(folder, "unit.o")]
                ratios, stock_cpu = [], []
                for _ in range(rounds):
                    stock, _ = seconds(["g++", *flags])
                    lazy, _ = seconds([xlazy_cxx, *flags])
                    stock_cpu.append(stock)
                    ratios.append(lazy / stock)
                print(
                    f"{statements:4d} statement(s) {level}: stock {statistics.median(stock_cpu):6.2f} s CPU, "
                    f"xlazy over stock {statistics.median(ratios):5.2f}x", flush=True
                )


if __name__ == "__main__":
    main()
