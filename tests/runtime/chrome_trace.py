#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""XLAZY_TRACE=chrome:FILE writes Chrome's trace event format, with all that there is to see.

usage: chrome_trace.py RUNTIME_PROGRAM EXPLAINED_PROGRAM
"""
import json
import os
import subprocess
import sys
import tempfile

RUNTIME, EXPLAINED = sys.argv[1:3]


def require(condition, message):
    if not condition:
        sys.exit(f"chrome_trace: {message}")


def run(program, name, folder, status=0, **variables):
    """The events, and what the program said on both outputs."""
    file = os.path.join(folder, "trace.json")
    environment = {**os.environ, "XLAZY_TRACE": f"chrome:{file}", "XLAZY_JIT": "off", **variables}
    done = subprocess.run([program, name], env=environment, capture_output=True, text=True, check=False, timeout=120)
    require(done.returncode == status, f"{name}: exit status {done.returncode}: {done.stderr}")
    require("xlazy: " not in done.stderr, f"{name}: {done.stderr}")
    with open(file, encoding="utf-8") as stream:
        return json.load(stream), done.stdout


def check_number(event, key):
    require(isinstance(event.get(key), (int, float)) and event[key] >= 0, f"{key} of {event}")


def check_format(events):
    """What the format demands of the kinds of events that are used."""
    require(isinstance(events, list) and events, "no events")
    named, used = set(), set()
    for event in events:
        require(isinstance(event.get("name"), str) and event["name"], f"no name: {event}")
        require(isinstance(event.get("pid"), int) and isinstance(event.get("tid"), int), f"no thread: {event}")
        kind = event.get("ph")
        require(kind in ("X", "M", "C"), f"kind of {event}")
        if kind == "M":
            require(event["name"] in ("process_name", "thread_name") and event["args"]["name"], f"metadata: {event}")
            if event["name"] == "thread_name":
                named.add(event["tid"])
            continue
        check_number(event, "ts")
        used.add(event["tid"])
        if kind == "X":
            check_number(event, "dur")
            require(isinstance(event["cat"], str), f"no category: {event}")
        else:
            for series in event["args"]:
                check_number(event["args"], series)
    require(used == named, f"threads without a name, or names without a thread: {used ^ named}")


def check_nesting(events):
    """Spans of one thread lie inside each other or apart; a viewer cannot draw anything else."""
    rounding = 0.002  # microseconds
    threads = {}
    for event in events:
        if event["ph"] == "X":
            threads.setdefault(event["tid"], []).append((event["ts"], event["ts"] + event["dur"], event))
    for spans in threads.values():
        open_spans = []
        for begin, end, event in sorted(spans, key=lambda span: (span[0], -span[1])):
            while open_spans and open_spans[-1] <= begin + rounding:
                open_spans.pop()
            require(not open_spans or end <= open_spans[-1] + rounding, f"spans cross at {event}")
            open_spans.append(end)


def of(events, category):
    return [event for event in events if event.get("cat") == category]


def check_contents(folder):
    events, said = run(EXPLAINED, "several_kernels", folder, XLAZY_NUM_THREADS="2", OMP_NUM_THREADS="2")
    check_format(events)
    check_nesting(events)
    lines = dict(line.split() for line in said.splitlines())
    recorded = {event["name"] for event in of(events, "record")}
    for name in ("square", "sum", "subtract", "shift", "unread"):
        require(f"explained.cpp:{lines[name]}" in recorded, f"{name} is not recorded: {recorded}")
    flushes = of(events, "flush")
    require(len(flushes) == 1 and flushes[0]["name"] == "flush: element", f"flushes: {flushes}")
    require(flushes[0]["args"]["line"].endswith(f"explained.cpp:{lines['read']}"), f"line of {flushes[0]}")
    require(flushes[0]["args"]["statements"] == 5 and flushes[0]["args"]["reason"], f"facts of {flushes[0]}")
    require([event["name"] for event in of(events, "plan")] == ["plan"], "plan")
    kernels = of(events, "kernel")
    require(sum(event["args"]["kernels"] for event in kernels) == flushes[0]["args"]["kernels"], f"kernels: {kernels}")
    require(all(event["args"]["elements"] > 0 for event in kernels), f"elements: {kernels}")
    told = " ".join(event["name"] for event in kernels)
    require(f"explained.cpp:{lines['square']}" in told and lines["shift"] in told, f"lines of kernels: {told}")
    parts = of(events, "part")
    require(len({event["tid"] for event in parts}) == 2, f"one thread alone: {parts}")
    require({event["name"] for event in parts} <= {event["name"] for event in kernels}, f"parts of nothing: {parts}")
    titles = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    require(titles == {"main", "worker"}, f"threads: {titles}")
    memory = [event["args"]["bytes"] for event in events if event["ph"] == "C"]
    require(len(memory) == 1 and memory[0] >= 2 * 500 * 400 * 8, f"memory: {memory}")


def check_known_plans_and_compilers(folder):
    events, _ = run(EXPLAINED, "reads_1000_times", folder)
    check_format(events)
    check_nesting(events)
    require(len(of(events, "flush")) == 1000, "flushes")
    plans = [event["name"] for event in of(events, "plan")]
    require(plans[0] == "plan" and plans[-1] == "plan, known", f"plans: {plans[:3]}")
    events, _ = run(EXPLAINED, "several_kernels", folder, XLAZY_JIT="block",
                    XLAZY_CACHE_DIR=os.path.join(folder, "cache"))
    check_format(events)
    check_nesting(events)
    require(of(events, "compile"), "nothing is compiled")


def check_ends(folder):
    """Wherever the process ends, the file is whole; a child after fork() leaves it alone."""
    for name, status in (("forks", 0), ("exits_in_a_thread", 7), ("leaves_work", 0), ("adds_and_reads", 0)):
        events, _ = run(RUNTIME, name, folder, status)
        check_format(events)
        require(len({event["pid"] for event in events}) == 1, f"{name}: two processes")
    environment = {**os.environ, "XLAZY_TRACE": "chrome:/no/such/folder/trace.json"}
    done = subprocess.run([RUNTIME, "adds_and_reads"], env=environment, capture_output=True, text=True, check=False)
    require(done.returncode == 0 and "XLAZY_TRACE: cannot write to" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_contents(folder)
        check_known_plans_and_compilers(folder)
        check_ends(folder)


if __name__ == "__main__":
    main()
