#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the terrain program as stock xtensor and as xlazy, compares results and cost, and shows a
late error.

usage: demo.py PROGRAMS RESULTS [ROUNDS]
  PROGRAMS  folder of the executables terrain-stock, terrain-xsimd, terrain-xlazy, divide-xlazy
  RESULTS   folder for what they write; gets hillshade.png
  ROUNDS    how often each variant runs, interleaved with the others (default 3)
"""
import json
import os
import re
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ELEVATION = HERE / "data" / "jacksboro_dem.npy"
MIB = 1 << 20

# Stock programs spend much of their time on fresh pages; this lets glibc keep what was freed.
POOLED_MALLOC = {"GLIBC_TUNABLES": "glibc.malloc.mmap_max=0:glibc.malloc.mmap_threshold=4294967296:"
                                   "glibc.malloc.trim_threshold=17179869184"}
BOUND_THREADS = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}

# Both programs round alike up to 4 ULP of a transcendental function; then the picture may differ
# by one unit in the last place of a float32 below 256.
PICTURE_TOLERANCE = 2.0**-16
EXTREME_TOLERANCE = 1e-14
# A plain sum of n numbers is allowed an error of n eps.
SUM_TOLERANCE = 3430 * 4020 * 2.0**-53


@dataclass
class Variant:
    name: str
    program: str
    threads: int
    environment: dict
    key: str
    seconds: list = field(default_factory=list)
    peak_bytes: list = field(default_factory=list)
    output: str = ""
    stats: dict = field(default_factory=dict)

    def file(self, results, suffix):
        return results / f"{self.key}{suffix}"


class Failure(Exception):
    pass


def variants(threads):
    yield Variant("stock xtensor", "terrain-stock", 1, {}, "stock")
    yield Variant("stock, xsimd, pooled malloc", "terrain-xsimd", 1, POOLED_MALLOC, "xsimd")
    for mode in ("eager", "lazy"):
        for count in sorted({1, threads}):
            yield Variant(f"xlazy {mode}", "terrain-xlazy", count,
                          {"XLAZY_MODE": mode, "XLAZY_NUM_THREADS": str(count)}, f"{mode}-{count}")


def run(variant, programs, results):
    """One run: remembers seconds and peak memory, and that the output is the same every time."""
    seconds, stats = variant.file(results, ".seconds"), variant.file(results, ".json")
    command = [programs / variant.program, ELEVATION, variant.file(results, ".npy"), seconds]
    environment = {**os.environ, **BOUND_THREADS, **variant.environment}
    if variant.program == "terrain-xlazy":
        environment["XLAZY_STATS"] = str(stats)
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failure(f"{variant.name} ended with status {process.returncode}")
    if variant.output not in ("", output):
        raise Failure(f"{variant.name} printed something else in another run:\n{output}")
    variant.output = output
    variant.seconds.append(float(seconds.read_text()))
    variant.peak_bytes.append(usage.ru_maxrss * 1024)
    if "XLAZY_STATS" in environment:
        variant.stats = json.loads(stats.read_text())


def print_table(measured):
    stock = statistics.median(measured[0].seconds)
    heads = ("variant", "threads", "seconds", "speed-up", "peak MiB", "allocated MiB", "kernels")
    rows = [heads]
    for v in measured:
        seconds = statistics.median(v.seconds)
        allocated = v.stats.get("bytes_allocated")
        rows.append((v.name, str(v.threads), f"{seconds:.2f}", f"{stock / seconds:.2f}x",
                     f"{max(v.peak_bytes) / MIB:.0f}",
                     "-" if allocated is None else f"{allocated / MIB:.0f}",
                     str(v.stats.get("kernels_run", "-"))))
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    rows.insert(1, tuple("-" * width for width in widths))
    for row in rows:
        print("  ".join([row[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(row[1:], widths[1:])]))


def printed_statistics(output):
    """{(field, statistic): value} of what the program printed, and the fields' shapes."""
    values, shapes, name = {}, [], None
    for line in output.splitlines():
        statistic = re.fullmatch(r"  (\w+) +\S+ \((\S+)\)", line)
        if statistic:
            values[name, statistic[1]] = float.fromhex(statistic[2])
        else:
            name = line.split(",")[0]
            shapes.append(line)
    return values, shapes


def check_modes_agree(lazy_variants, results):
    first = lazy_variants[0]
    picture = first.file(results, ".npy").read_bytes()
    for other in lazy_variants[1:]:
        if other.output != first.output:
            raise Failure(f"{other.key} and {first.key} print different numbers")
        if other.file(results, ".npy").read_bytes() != picture:
            raise Failure(f"{other.key} and {first.key} write different pictures")
    print(f"xlazy, {len(lazy_variants)} variants: same bytes printed and written")


def check_statistics(stock, lazy):
    ours, our_shapes = printed_statistics(lazy.output)
    theirs, their_shapes = printed_statistics(stock.output)
    if our_shapes != their_shapes or ours.keys() != theirs.keys() or len(ours) != 16:
        raise Failure("xlazy and stock xtensor print different fields")
    for (name, statistic), value in ours.items():
        if statistic not in ("min", "max"):
            tolerance = SUM_TOLERANCE
        elif name.startswith("elevation"):
            tolerance = 0.0  # made by exact operations only
        else:
            tolerance = EXTREME_TOLERANCE
        other = theirs[name, statistic]
        if not abs(value - other) <= tolerance * abs(other):
            raise Failure(f"{name}, {statistic}: xlazy {value.hex()}, stock xtensor {other.hex()}")
    print(f"against stock xtensor: {len(ours)} statistics agree (extremes of exact results to the bit)")


def check_picture(stock, lazy, results):
    """Also makes the PNG. The libraries are loaded late: a child starts as large as its parent."""
    import numpy
    from PIL import Image

    ours = numpy.load(lazy.file(results, ".npy"))
    theirs = numpy.load(stock.file(results, ".npy"))
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        raise Failure("xlazy and stock xtensor write different kinds of picture")
    difference = float(numpy.abs(ours - theirs).max())
    if not difference <= PICTURE_TOLERANCE:
        raise Failure(f"the picture differs from stock xtensor's by {difference}")
    print(f"against stock xtensor: picture of {ours.shape[0]} x {ours.shape[1]} agrees, "
          f"largest difference {difference:.3g} of 255")
    target = results / "hillshade.png"
    Image.fromarray(numpy.rint(ours).astype(numpy.uint8)).save(target)
    print(f"picture: {target}")


def show_late_error(programs):
    source = HERE / "divide.cpp"
    environment = {**os.environ, "XLAZY_MODE": "lazy"}
    done = subprocess.run([programs / "divide-xlazy"], env=environment, stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="")
    if done.returncode != 1:
        raise Failure(f"divide ended with status {done.returncode} instead of an error")
    for number, line in enumerate(source.read_text().splitlines(), 1):
        mark = re.search(r"// \[(\w+)\]$", line)
        if mark and f"divide.cpp:{number}" not in done.stdout:
            raise Failure(f"the message does not name the line of the {mark[1]}, divide.cpp:{number}")
    print("the message names the lines of the division, of its operands and of the read")


def main(arguments):
    if len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    programs, results = Path(arguments[0]).resolve(), Path(arguments[1]).resolve()
    rounds = int(arguments[2]) if len(arguments) == 3 else 3
    results.mkdir(parents=True, exist_ok=True)
    measured = list(variants(len(os.sched_getaffinity(0))))
    try:
        for _ in range(rounds):
            for variant in measured:
                run(variant, programs, results)
        print(measured[-1].output)
        print_table(measured)
        print(f"(median of {rounds} interleaved runs; all built with -O3 -march=native)\n")
        stock, lazy = measured[0], measured[-1]
        check_modes_agree([v for v in measured if v.program == "terrain-xlazy"], results)
        check_statistics(stock, lazy)
        check_picture(stock, lazy, results)
        print("\nA mistake found late (docs/examples/terrain/divide.cpp):")
        show_late_error(programs)
    except Failure as failure:
        print(f"demo failed: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
