# SPDX-License-Identifier: BSD-3-Clause
"""Results as xlazy-bench --json writes them, made up: every section of the page has something to show."""
import json
import math
import random
import sys

PASSES = ["algebra", "copies", "values", "dce", "version", "fuse", "recompute", "contract", "regions", "cse", "donate"]
# id, title, operations, bytes an element fused and operation by operation, sizes, seconds by hand with one thread
PROGRAMS = [
    ("b01", "polynomial, every operation a statement", 20, 8, 216, [20000000], 0.0098),
    ("b02", "equation of state of sea water", 257, 24, 5240, [204, 204, 26], 0.021),
    ("b03", "isoneutral mixing in an ocean", 427, 472, 7432, [204, 204, 26], 0.055),
    ("b05.f32", "Black-Scholes, all prices", 54, 8, 488, [5000000], 0.019),
    ("b05.f64", "Black-Scholes, all prices", 54, 16, 976, [5000000], 0.048),
    ("b06", "heat equation, one step and its change", 9, 16, 176, [2000, 2000], 0.0031),
    ("b08.scaled", "2 a + 3 b", 3, 24, 56, [20000000], 0.024),
    ("b09", "gates of an LSTM cell", 20, 28, 176, [64, 512], 0.00009),
    ("b11.dot", "sum(a * b)", 2, 8, 16, [33000000], 0.0094),
    ("b11.softmax", "softmax of rows", 5, 8, 32, [4096, 8192], 0.05),
    ("b11.sum.square.axis0", "sum over axis 0", 1, 8, 8, [4000, 4000], 0.0045),
]
EXAMPLES = ("b01", "b02", "b06")
# time over the hand-written loop, peak memory in arrays, kernels
VARIANTS = {
    "op-by-op": ("op_by_op", 12, 6, None), "xtensor": ("idiomatic", 9, 4, None), "xtensor-xsimd": ("idiomatic", 5, 4, None),
    "xlazy-eager": ("xlazy", 7, 5, 20), "xlazy-no-passes": ("xlazy", 11, 8, 22), "xlazy-lazy": ("xlazy", 1.08, 1, 1),
    "xlazy-captured": ("xlazy", 1.03, 1, 1), "eigen": ("eigen", 1.8, 1, None), "hand": ("hand", 1, 1, None),
}


class Maker:
    def __init__(self, seed=7):
        self.random = random.Random(seed)

    def summary(self, seconds):
        rounds = [seconds * (1 + 0.06 * self.random.random()) for _ in range(5)]
        ordered = sorted(rounds)
        return {"min": ordered[0], "median": ordered[2], "mad": ordered[3] - ordered[2], "rounds": rounds}

    def measurement(self, variant, group, threads, seconds, elements, fused, memory, kernels):
        made = {"variant": variant, "group": group, "threads": threads, "seconds": self.summary(seconds),
                "over_hand": None, "over_op_by_op": None, "over_idiomatic": None,
                "bytes_per_second": fused * elements / seconds, "of_limit": fused * elements / seconds / (2e10 * threads),
                "peak_bytes_beside_inputs": memory, "compared": True, "max_ulp": 1.0, "wrong": False}
        if kernels is not None:
            made["kernels"] = kernels
        return made

    def program(self, row):
        name, title, operations, fused, plain, sizes, hand = row
        elements = math.prod(sizes)
        case = {"id": name, "title": title, "dtype": "f64", "sizes": sizes, "kind": "bandwidth", "operations": operations,
                "example": name in EXAMPLES, "max_ulp_allowed": 8, "ulp_floor": 1, "bytes_fused": fused * elements,
                "bytes_op_by_op": plain * elements, "limit": "triad", "predicted_speed_up": plain / fused,
                "bandwidth": [{"threads": t, "triad_before": 2e10 * t, "triad_after": 1.95e10 * t, "read_before": 2.4e10 * t,
                               "read_after": 2.4e10 * t, "void": name == "b09" and t == 2} for t in (1, 2)],
                "measurements": []}
        for variant, (group, factor, arrays, kernels) in VARIANTS.items():
            for threads in (1, 2):
                if threads == 2 and variant in ("xtensor", "xtensor-xsimd", "eigen"):
                    continue
                spread = factor if factor < 2 else 1 + (factor - 1) * min(1, plain / fused / 16) * (0.6 + 0.6 * self.random.random())
                if name == "b08.scaled" and variant == "xlazy-no-passes":
                    spread = 0.97
                case["measurements"].append(self.measurement(
                    variant, group, threads, hand * spread / (1 + 0.85 * (threads - 1)), elements, fused, arrays * 8 * elements,
                    kernels and (kernels if variant == "xlazy-lazy" else max(1, operations))))
        if name in EXAMPLES:
            for number, name_of_pass in enumerate(PASSES):
                factor = 1 + (number * 7 % 5) ** 2 * 0.3 * self.random.random()
                case["measurements"].append(self.measurement("xlazy-without-" + name_of_pass, "ablation", 1, hand * factor, elements,
                                                             fused, factor * 8 * elements, math.ceil(factor)))
        return case

    def small(self, name, title, kind, sizes, factors, base):
        case = {"id": name, "title": title, "dtype": "f64", "sizes": sizes, "kind": kind, "operations": 10, "example": False,
                "max_ulp_allowed": 8, "ulp_floor": 1, "measurements": []}
        for variant, factor in factors.items():
            for threads in (1, 2):
                made = self.measurement(variant, VARIANTS[variant][0], threads, base * factor, 1, 1, 0, None)
                del made["bytes_per_second"], made["of_limit"]
                case["measurements"].append(made)
        return case

    def results(self):
        cases = [self.program(row) for row in PROGRAMS]
        for family, title in (("size.b01", "polynomial"), ("b10.ten-statements", "ten operations as ten-statements")):
            for size in (10, 100, 1000, 10000, 100000, 1000000):
                base = 1e-6 + size * 5e-10
                factors = {"xlazy-lazy": 1, "xlazy-eager": 1.5, "xtensor": size * 4e-9 / base + 0.05, "op-by-op": size * 6e-9 / base + 0.07, "hand": (1e-8 + size * 4.8e-10) / base}
                kind = "size" if family.startswith("size") else "overhead"
                cases.append(self.small(f"{family}.{size}", title, kind, [size], factors, base))
        for name, factor in (("heat_2d", 4.1), ("nbody", 2.2), ("lu", 0.6), ("mandelbrot", 6.3)):
            cases.append(self.small("program." + name, name, "overhead", [1000, 20], {"xlazy-lazy": 1, "xlazy-eager": 3, "xtensor": factor}, 0.1))
        for size in (10, 1000, 100000):
            cases.append(self.small(f"b13.heat.{size}", "iteration: heat equation", "overhead", [size],
                                    {"xlazy-lazy": 1, "xlazy-captured": 1 - 1 / (1 + size), "xtensor": 2}, 1e-6 + 1e-9 * size))
        cases.append(self.small("b10.read-at-once", "a statement whose result is read at once", "overhead", [10, 1], {"xlazy-lazy": 30, "xtensor": 1}, 2e-8))
        early = []
        for case in PROGRAMS[:3]:
            for how, first, last in (("eager", 8, 7), ("interpreted", 3, 2), ("empty cache", 3, 1), ("full cache", 2.5, 1), ("waits for the compiler", 60, 1)):
                seconds = [[i, case[6] * (first if i < 8 else last)] for i in [*range(1, 11), 14, 20, 40, 80, 160, 320]]
                early.append({"case": case[0], "title": case[1], "how": how, "seconds": seconds, "compiled": 2, "loaded": 0})
        costs = [{"what": what, "threads": t, "seconds": s, "budget": b} for t in (1, 2) for what, s, b in
                 (("record a statement", 46e-9, 1e-7), ("an operation", 25e-9, 3e-8), ("an array operand", 71e-9, 6e-8), ("a kernel", 119e-9, 2e-7), ("a number operand", 19e-9, 0))]
        others = [{"case": name, "library": library, "seconds": self.summary(s)} for name in ("b01", "b05.f64")
                  for library, s in (("xlazy", 0.01), ("numpy", 0.2), ("numexpr", 0.03), ("numba", 0.012))]
        anchors = [{"bench": "b01", "claim": "graph rewriting on against off, the same polynomial, 5e8 elements", "ratio": 4.88, "hardware": "CPU, not named",
                    "source": "https://gist.github.com/yaroslavvb/53052184e50cdfec35f0a127dd6df843"}]
        context = {"cores": 2, "hertz": 2.6e9, "load": [0.1, 0.2, 0.3], "rounds": 5, "threads": [1, 2], "quick": False, "compiler": "12.2.0",
                   "cpu": "made up, no machine", "date": "2000-01-01", "caches": [{"type": "Data", "level": 1, "bytes": 49152, "shared_by": 1}]}
        return {"xlazy_bench": 1, "context": context, "cases": cases, "costs": costs, "early": early, "others": others,
                "passes": ["xlazy-without-" + name for name in PASSES], "anchors": anchors}


if __name__ == "__main__":
    json.dump(Maker().results(), sys.stdout, indent=1)
