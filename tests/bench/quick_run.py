#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One quick run of xlazy-bench: it ends well, and its JSON is complete. No time is judged.

usage: quick_run.py XLAZY_BENCH
"""
import json
import math
import os
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


def require(condition, message):
    if not condition:
        sys.exit(f"quick_run: {message}")


def check_measurement(case, measurement):
    where = f"{case['id']}/{measurement['variant']}"
    require("error" not in measurement, f"{where}: {measurement.get('error')}")
    seconds = measurement["seconds"]
    require(len(seconds["rounds"]) == 2, f"{where}: {len(seconds['rounds'])} rounds")
    require(0 < seconds["min"] <= seconds["median"] and seconds["mad"] >= 0, f"{where}: {seconds}")
    require(measurement["compared"] and measurement["max_ulp"] is not None, f"{where}: not compared")
    require(not measurement["wrong"], f"{where}: wrong")
    for key in ("bytes_per_second", "of_limit", "peak_bytes_beside_inputs"):
        require(math.isfinite(measurement[key]) and measurement[key] >= 0, f"{where}: {key}")
    require(measurement["over_hand"]["median"] > 0, f"{where}: no ratio to the hand-written loop")


def check_json(report):
    require(report["xlazy_bench"] == 1, "version")
    require(report["context"]["rounds"] == 2 and report["context"]["quick"], "context")
    require([case["id"] for case in report["cases"]] == ["b01"], "cases")
    case = report["cases"][0]
    variants = {measurement["variant"] for measurement in case["measurements"]}
    for name in ("op-by-op", "xtensor", "xlazy-eager", "xlazy-no-passes", "xlazy-lazy", "hand", "hand-stream"):
        require(name in variants, f"{name} is missing")
    for measurement in case["measurements"]:
        check_measurement(case, measurement)
    require(case["predicted_speed_up"] == 27, "traffic")
    kernels = {measurement["variant"]: measurement.get("kernels") for measurement in case["measurements"]}
    require(kernels["xlazy-lazy"] == 1 and kernels["xlazy-no-passes"] == 20, f"kernels: {kernels}")
    require(kernels["hand"] is None, "kernels of a loop written by hand")
    require(set(case["bandwidth"][0]) >= {"triad_before", "triad_after", "void"}, "bandwidth")
    require(any(anchor["bench"] == "b01" and anchor["source"] for anchor in report["anchors"]), "anchors")


def check_files(folder):
    """Files that cannot be used are found before anything is measured."""
    nothing = os.path.join(folder, "nothing.json")
    with open(nothing, "w", encoding="utf-8") as stream:
        stream.write("{}")
    missing = os.path.join(folder, "missing", "file")
    wrong = [(option, nothing) for option in ("--baseline", "--others", "--from")]
    for option, file in wrong + [("--baseline", missing), ("--json", missing), ("--report", missing)]:
        done = run("--quick", "--filter", "^b01/", option, file)
        require(done.returncode == 2 and not done.stdout, f"{option} {file}: {done.returncode} {done.stdout}")
        require(len(done.stderr.splitlines()) == 1 and option in done.stderr and file in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "report.json")
        done = run("--quick", "--filter", "^b01/", "--rounds", "2", "--threads", "1", "--json", file)
        require(done.returncode == 0, f"exit status {done.returncode}: {done.stdout}{done.stderr}")
        require("xlazy-lazy" in done.stdout and "traffic:" in done.stdout, done.stdout)
        with open(file, encoding="utf-8") as report:
            check_json(json.load(report))
        again = run("--from", file, "--baseline", file)
        require(again.returncode == 0 and "0 worse" in again.stdout, f"against itself: {again.stdout}{again.stderr}")
        check_files(folder)
    listed = run("--list")
    require(listed.returncode == 0 and "b11.var.column.axis1" in listed.stdout, "--list")
    require(run("--filter", "no such case").returncode == 2, "a filter without a match")
    require(run("--what").returncode == 2, "an unknown option")


if __name__ == "__main__":
    main()
