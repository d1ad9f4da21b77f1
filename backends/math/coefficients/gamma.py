# SPDX-License-Identifier: BSD-3-Clause
# The constants of gamma.inc: Stirling's series, log gamma around 2, and around the zeros of log gamma. Needs mpmath.
from mpmath import *
mp.prec = 500


def double(x): return mpf(float(x))
def shown(coefficients): return ", ".join(float(c).hex() for c in coefficients)


def log_gamma(x):  # of |gamma|
    return log(abs(gamma(x)))


# log gamma(x) = (x - 1/2) log x - x + log(2 pi) / 2 + w(1 / x^2) / x, x >= 10.
def w(z):
    z = max(z, mpf(10)**-12)
    x = 1 / sqrt(z)
    return (loggamma(x) - (x - 0.5) * log(x) + x - log(2 * pi) / 2) * x


p, error = chebyfit(w, [0, mpf(1) / 100], 8, error=True)
print("Stirling, error", nstr(error, 4))
print(shown(reversed(p)))
half = log(2 * pi) / 2
print("log(2 pi) / 2", shown([half, half - double(half)]), "log pi", shown([log(pi), log(pi) - double(log(pi))]))

# log gamma(2 + t) = c t + t^2 r(t), |t| <= 1/4.
c = 1 - euler


def r(t):
    if abs(t) < mpf(10)**-30: t = mpf(10)**-30
    return (loggamma(2 + t) - c * t) / t**2


p, error = chebyfit(r, [-0.25, 0.25], 15, error=True)
print("around 2, error", nstr(error, 4), "c", shown([c, c - double(c)]))
print(shown(reversed(p)))

# The zeros between the poles -k, k = 2 to 17, below and above each: z + k in two numbers, and s(u) of
# log |gamma(z + u)| = u s(u), |u| <= |z + k| / 8, its first coefficient in two numbers.
for k in range(2, 18):
    for side in (-1, 1):
        if k == 2 and side == 1:
            print("{" + ", ".join(["0"] * 18) + "},")
            continue
        f = lambda d: log_gamma(d - k)
        guess = side / factorial(k)
        d = findroot(f, [guess * mpf("0.6"), guess * mpf("1.8")], solver="illinois", maxsteps=200)
        assert abs(f(d)) < mpf(10)**-100 and d * side > 0
        u0 = d * mpf(10)**-45
        s = lambda u: f(d + (u if abs(u) > abs(u0) else u0)) / (u if abs(u) > abs(u0) else u0)
        p, error = chebyfit(lambda v: s(v * d), [mpf(-1) / 8, mpf(1) / 8], 15, error=True)
        p = [q / d**i for i, q in enumerate(reversed(p))]
        assert error < abs(p[0]) * mpf(2)**-58, (k, side, nstr(error / p[0], 4))
        print("{" + shown([d, d - double(d), p[0] - double(p[0])] + p) + "},")
