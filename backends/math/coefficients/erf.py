# SPDX-License-Identifier: BSD-3-Clause
# The polynomials of erfc and, below 5/4, erf in erf.inc: (1 + 2 a) e^(a^2) erfc a in t = (a - 3) / (a + 3), by Chebyshev points. Needs mpmath.
from mpmath import *
import sys, struct
mp.prec = 200
K = mpf(sys.argv[3]) if len(sys.argv) > 3 else mpf(2)
def g(t):
    a = K * (1 + t) / (1 - t)
    return (1 + 2 * a) * exp(a * a) * erfc(a)
def f32(x): return struct.unpack('f', struct.pack('f', float(x)))[0]
def fit(lo, hi, n, name, single):
    d = [(lo - K) / (lo + K), (hi - K) / (hi + K)]
    p, e = chebyfit(g, d, n, error=True)
    print(name, n, nstr(e, 5))
    for c in reversed(p): print((f32(c) if single else float(c)).hex() + ('f' if single else ''))
    first = p[-1] - (f32(p[-1]) if single else float(p[-1]))
    print('low' + name)
    print((f32(first) if single else float(first)).hex())
for n in (eval(sys.argv[1]) if len(sys.argv) > 1 else (20, )): fit(mpf('0.45'), mpf('27.3'), n, 'erfc', False)
for n in (eval(sys.argv[2]) if len(sys.argv) > 2 else (9, )): fit(mpf('0.45'), mpf('10.1'), n, 'erfcf', True)



def small(n, name, single, top):
    # erf(x) / x - 1 in x^2.
    p, e = chebyfit(lambda z: (erf(sqrt(z)) / sqrt(z) - 1) if z > 0 else 2 / sqrt(pi) - 1, [mpf(10)**-30, mpf(top)**2], n, error=True)
    print(name, n, nstr(e, 5))
    for c in reversed(p): print((f32(c) if single else float(c)).hex() + ('f' if single else ''))
small(12, 'small', False, mpf('0.86'))
small(7, 'smallf', True, mpf('0.86'))
