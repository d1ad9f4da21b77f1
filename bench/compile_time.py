#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time and memory that compiling a translation unit with xarray, view and math takes, as stock xtensor and through
xlazy-c++.

Both with the same -std and the same flags, in turn; the ratio is taken inside each round and its median printed.
usage: compile_time.py XLAZY_CXX [rounds]
"""
import os
import random
import statistics
import subprocess
import sys
import tempfile

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


def usage_of(command):
    """CPU seconds of a command and all that it starts, and the peak of resident bytes of the largest of these."""
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def compare(name, flags, compilers, rounds):
    """Prints stock's median and the ratios of xlazy to it."""
    usages = [[usage_of([compiler, *flags]) for compiler in compilers] for _ in range(rounds)]
    stock_cpu, stock_memory = (statistics.median(stock[i] for stock, _ in usages) for i in (0, 1))
    cpu, memory = (statistics.median(lazy[i] / stock[i] for stock, lazy in usages) for i in (0, 1))
    print(
        f"{name}: stock {stock_cpu:6.2f} s CPU, {stock_memory / 1e6:5.0f} MB; "
        f"xlazy over stock {cpu:5.2f}x CPU, {memory:5.2f}x memory",
        flush=True,
    )


def main():
    compilers = ["g++", sys.argv[1]]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    os.environ["CCACHE_DISABLE"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        for statements in (1, 100):
            path = os.path.join(folder, "unit.cpp")
            with open(path, "w", encoding="utf-8") as unit:
                unit.write(source(statements))
            for level in ("-O0", "-O2"):
                flags = ["-std=c++20", level, "-c", path, "-o", os.path.join(folder, "unit.o")]
                compare(f"{statements:4d} statement(s) {level}", flags, compilers, rounds)


if __name__ == "__main__":
    main()
