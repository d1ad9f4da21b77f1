#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The same work in Python's array libraries, beside xlazy: NumPy, numexpr, numba, JAX, Dr.Jit and MLX, those of them that
can be imported. All take turns, round after round, on the same cores; their first runs, which compile, are not counted.

usage: others.py [--worker PROGRAM] [--threads N] [--rounds N] [--scale X] [--only LIBRARY,...] [--json FILE]

The worker is xlazy-bench-xlazy of a build (default: that of build/release). What --json writes is for
xlazy-bench --others FILE --report PAGE. A result that differs from NumPy's by more than 1e-5 (sums of floats: 2 %) is an error, and the exit status 1; 77 without
NumPy.
"""
import argparse
import importlib
import importlib.util
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

SECONDS = 0.1  # a turn
NEAR, ONE_BY_ONE = 1e-5, 0.02  # relative differences; some libraries add one float after the other
REWARMED = 0.05  # seconds; longer runs do not gain by a warm cache
WORKER = Path(__file__).resolve().parent.parent / "build/release/libexec/xlazy/xlazy-bench-xlazy"


# ---- the work, in terms of a library's namespace; x, y are arrays of one type

def polynomial(xp, x, _):
    del xp
    return 0.1 * x * x * x * x * x - 0.5 * x * x * x * x + 0.25 * x * x * x + 0.75 * x * x - 1.5 * x - 2.0


def normal_distribution(xp, x):
    a = xp.abs(x)
    k = 1.0 / (1.0 + 0.2316419 * a)
    tail = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    w = 1.0 - 0.3989422804014327 * xp.exp(-a * a / 2.0) * tail
    return xp.where(x < 0.0, 1.0 - w, w)


YEARS = 50.0 / 365.0
SPREAD = 0.3 * math.sqrt(YEARS)
DISCOUNTED = 65.0 * math.exp(-0.08 * YEARS)


def black_scholes(xp, s, _):
    d1 = (xp.log(s / 65.0) + (0.08 + 0.045) * YEARS) / SPREAD
    d2 = d1 - SPREAD
    return s * normal_distribution(xp, d1) - DISCOUNTED * normal_distribution(xp, d2)


def scaled(_, a, b):
    return 2.0 * a + 3.0 * b


def waves(xp, a, b):
    return xp.sin(a) + xp.sinh(a / b)


def dot(xp, a, b):
    return xp.sum(a * b)


NORMAL = ("(1.0 - 0.3989422804014327 * exp(-({0}) * ({0}) / 2.0) * (1.0 / (1.0 + 0.2316419 * abs({0}))) * (0.31938153 + "
          "(1.0 / (1.0 + 0.2316419 * abs({0}))) * (-0.356563782 + (1.0 / (1.0 + 0.2316419 * abs({0}))) * (1.781477937 + "
          "(1.0 / (1.0 + 0.2316419 * abs({0}))) * (-1.821255978 + (1.0 / (1.0 + 0.2316419 * abs({0}))) * 1.330274429)))))")
D1 = f"(log(x / 65.0) + {0.125 * YEARS!r}) / {SPREAD!r}"
D2 = f"({D1} - {SPREAD!r})"


def either(d):
    return f"where(({d}) < 0.0, 1.0 - {NORMAL.format(d)}, {NORMAL.format(d)})"


# case of xlazy-bench: the work, the same for numexpr, type, elements, ranges of the inputs
CASES = {
    "b01": (polynomial, "0.1*x*x*x*x*x - 0.5*x*x*x*x + 0.25*x*x*x + 0.75*x*x - 1.5*x - 2.0", "float32", 20_000_000, [(0.5, 2)]),
    "b05.f64": (black_scholes, f"x * {either(D1)} - {DISCOUNTED!r} * {either(D2)}", "float64", 5_000_000, [(58, 62)]),
    "b08.scaled": (scaled, "2.0 * x + 3.0 * y", "float64", 20_000_000, [(0.5, 1.5), (0.5, 1.5)]),
    "b08.waves": (waves, "sin(x) + sinh(x / y)", "float64", 20_000_000, [(0.5, 1.5), (0.5, 1.5)]),
    "b11.dot": (dot, "sum(x * y)", "float32", 33_000_000, [(0, 1), (0, 1)]),
}


# ---- the libraries: each makes, of a case and NumPy's arrays, a function that computes all of the result

def numpy_runner(np, _threads):
    return lambda case, arrays: lambda: case[0](np, *arrays)


def numexpr_runner(numexpr, threads):
    numexpr.set_num_threads(threads)

    def make(case, arrays):
        names = dict(zip("xy", arrays))

        # A number in the text would be double, and make the whole expression double.
        def named(number):
            name = "k" + re.sub(r"\W", "_", number[0])
            names[name] = arrays[0].dtype.type(number[0])
            return name
        text = case[1]
        if arrays[0].dtype == "float32":
            text = re.sub(r"\b\d+\.\d+", named, text)
        problem = numexpr.validate(text, local_dict=names)
        if problem is not None:
            raise problem
        return lambda: numexpr.re_evaluate(local_dict=names)
    return make


def numba_runner(numba, threads):
    import numpy as np
    numba.set_num_threads(threads)
    # Numba compiles one element's function, in the type of the array.
    sources = {
        "b01": "0.1*x*x*x*x*x - 0.5*x*x*x*x + 0.25*x*x*x + 0.75*x*x - 1.5*x - 2.0",
        "b08.scaled": "2.0*x + 3.0*y", "b08.waves": "np.sin(x) + np.sinh(x / y)"}

    def make(case, arrays):
        name = next(name for name, each in CASES.items() if each is case)
        if name == "b11.dot":
            text = "def f(a, b):\n s = 0.0\n for i in numba.prange(a.size):\n  s += a[i] * b[i]\n return s"
        elif name == "b05.f64":
            text = ("def n(x):\n a = abs(x)\n k = 1.0 / (1.0 + 0.2316419 * a)\n t = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * "
                    "(-1.821255978 + k * 1.330274429))))\n w = 1.0 - 0.3989422804014327 * np.exp(-a * a / 2.0) * t\n return 1.0 - w if x < 0.0 else w\n"
                    "n = numba.njit(n)\ndef f(s, _):\n r = np.empty_like(s)\n for i in numba.prange(s.size):\n"
                    f"  d = (np.log(s[i] / 65.0) + {0.125 * YEARS!r}) / {SPREAD!r}\n  r[i] = s[i] * n(d) - {DISCOUNTED!r} * n(d - {SPREAD!r})\n return r")
        else:
            text = ("def f(a, b):\n r = np.empty_like(a)\n for i in numba.prange(a.size):\n  x = a[i]\n  y = b[i]\n"
                    f"  r[i] = {sources[name]}\n return r")
        space = {"np": np, "numba": numba}
        exec(text, space)  # pylint: disable=exec-used
        compiled = numba.njit(parallel=True)(space["f"])
        return lambda: compiled(arrays[0], arrays[-1])
    return make


def jax_runner(jax, _threads):
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cpu")

    def make(case, arrays):
        there = [jax.numpy.asarray(array) for array in arrays]
        compiled = jax.jit(lambda x, y: case[0](jax.numpy, x, y))
        return lambda: compiled(*there).block_until_ready()
    return make


def drjit_runner(dr, threads):
    from drjit.llvm import Float, Float64
    dr.set_thread_count(threads)

    class Namespace:
        """Dr.Jit's names where they differ from NumPy's."""
        abs, exp, log, sin, sinh, sum = dr.abs, dr.exp, dr.log, dr.sin, dr.sinh, dr.sum
        where = staticmethod(dr.select)

    def make(case, arrays):
        kind = Float if arrays[0].dtype == "float32" else Float64
        there = [kind(array) for array in arrays]

        def run():
            result = case[0](Namespace, *there)
            dr.eval(result)
            dr.sync_thread()
            return result
        return run
    return make


def mlx_runner(mx, _threads):
    def make(case, arrays):
        if arrays[0].dtype != "float32" and mx.default_device() != mx.cpu:
            raise ValueError("its GPU has no double")
        there = [mx.array(array) for array in arrays]
        compiled = mx.compile(lambda x, y: case[0](mx, x, y))

        def run():
            result = compiled(*there)
            mx.eval(result)
            return result
        return run
    return make


LIBRARIES = {"numpy": ("numpy", numpy_runner), "numexpr": ("numexpr", numexpr_runner), "numba": ("numba", numba_runner),
             "jax": ("jax", jax_runner), "drjit": ("drjit", drjit_runner), "mlx": ("mlx.core", mlx_runner)}


class Worker:
    """xlazy, as a contestant."""

    def __init__(self, program, threads, job, elements):
        environment = {**os.environ, "XLAZY_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads), "XLAZY_JIT": "block"}
        self.process = subprocess.Popen([program], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ask(f"open {job} {elements}")

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if not answer or answer[0] in ("error", "missing"):
            raise RuntimeError(" ".join(answer) or "the worker has ended")
        return answer

    def turn(self):
        return min(map(float, self.ask(f"turn {SECONDS} 20")[1:]))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Function:
    """A library's function as a contestant."""

    def __init__(self, run):
        self.run = run
        self.last = math.inf

    def turn(self):
        if self.last < REWARMED:
            self.run()
        best, begin = math.inf, time.perf_counter()
        for count in range(20):
            if count and time.perf_counter() - begin > SECONDS:
                break
            start = time.perf_counter()
            self.run()
            best = min(best, time.perf_counter() - start)
        self.last = best
        return best

    def close(self):
        pass


def contestants(name, libraries, options):
    import numpy as np
    case = CASES[name]
    elements = max(1000, int(case[3] * options.scale))
    random = np.random.default_rng(1)
    arrays = [random.uniform(low, high, elements).astype(case[2]) for low, high in case[4]]
    arrays = (arrays * 2)[:2]
    right = case[0](np, *(array.astype("float64") for array in arrays))
    running, failed = {}, {}
    for library, make in libraries.items():
        try:
            run = make(case, arrays)
            difference = float(np.max(np.abs(np.asarray(run(), dtype="float64") - right) / np.maximum(1.0, np.abs(right))))
            if not difference < (ONE_BY_ONE if name == "b11.dot" else NEAR):
                raise ValueError(f"differs from the right result by {difference:.2g}")
            running[library] = Function(run)
        except Exception as error:  # whatever a library throws is told, and the others go on
            failed[library] = f"{type(error).__name__}: {error}"
    running["xlazy"] = Worker(options.worker, options.threads, name, elements)
    return running, failed, elements


def measure(name, libraries, options):
    running, failed, elements = contestants(name, libraries, options)
    rounds = {library: [] for library in running}
    for _ in range(options.rounds):
        for library, contestant in running.items():
            rounds[library].append(contestant.turn())
    for contestant in running.values():
        contestant.close()
    rows = [{"case": name, "library": library, "elements": elements, "threads": options.threads, "seconds": {
        "min": min(times), "median": statistics.median(times),
        "mad": statistics.median(abs(t - statistics.median(times)) for t in times), "rounds": times}} for library, times in rounds.items()]
    return rows, failed


def importable(options):
    found = {}
    for name, (module, runner) in LIBRARIES.items():
        if options.only and name not in options.only.split(","):
            continue
        try:
            loaded = importlib.import_module(module)
            found[name] = runner(loaded, options.threads)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
    return found


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worker", default=str(WORKER))
    parser.add_argument("--threads", type=int, default=min(2, len(os.sched_getaffinity(0))))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", default="")
    options = parser.parse_args(arguments)
    # Before anything is imported that makes threads: all share the same cores.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:options.threads])
    for variable in ("OMP_NUM_THREADS", "NUMEXPR_MAX_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(options.threads)
    if importlib.util.find_spec("numpy") is None:
        print("skipped: others.py needs NumPy")
        sys.exit(77)
    libraries = importable(options)
    rows, faults = [], 0
    for name in CASES:
        measured, failed = measure(name, libraries, options)
        rows += measured
        xlazy = next(row for row in measured if row["library"] == "xlazy")["seconds"]["rounds"]
        for row in measured:
            ratio = statistics.median(a / b for a, b in zip(row["seconds"]["rounds"], xlazy))
            print(f"{name:<12}{row['library']:<10}{1e3 * row['seconds']['median']:10.3f} ms{ratio:9.2f} x xlazy", flush=True)
        faults += len(failed)
        for library, why in failed.items():
            print(f"{name:<12}{library:<10}failed: {why}", flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"others": rows}, file, indent=1)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
