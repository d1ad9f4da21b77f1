# SPDX-License-Identifier: BSD-3-Clause
# The polynomials of pow for floats (pow.inc), in double: log2(1 + f) / f for m = 1 + f in [sqrt(1/2), sqrt(2)), and
# 2^r for |r| <= 1/2. Needs mpmath.
from mpmath import *

mp.prec = 150
def show(name, f, lo, hi, n):
    p, e = chebyfit(f, [mpf(lo), mpf(hi)], n, error=True)
    print(name, n, nstr(e, 5))
    for c in reversed(p): print(float(c).hex())


show('log2', lambda x: log(1 + x, 2) / x if abs(x) > mpf(10)**-20 else 1 / log(2), '-0.2930', '0.4143', 14)
show('exp2', lambda x: mpf(2)**x, '-0.5001', '0.5001', 8)
