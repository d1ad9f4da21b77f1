// SPDX-License-Identifier: BSD-3-Clause
// Statements that no compiler should take, one a case; case 0 has those that come near and are right.
#include <xtensor/xarray.hpp>
#include <xtensor/xmath.hpp>

#include <complex>
#include <string>

struct Money {
    long cents;
};
inline Money operator+(int a, Money b) { return {a + b.cents}; }
enum Kind { first = 1, second };
struct Nothing {};

int main() {
    xt::xarray<int> a = {1, 2, 3};
    xt::xarray<double> d = {1, 2, 3};
#if CASE == 0
    const xt::xarray<bool> t = {true, false, true};
    const bool one = true;
    a = xt::where(one, 0, a);
    d = xt::where(t, d, 0);
    d = d * t + (d < 3);
    auto sum = a + Money{3};
    static_cast<void>(sum);
    a += first;
    a = second;
    a %= 2;
    const xt::xarray<std::complex<float>> z = {1, 2, 3};
    const xt::xarray<std::complex<double>> y = 2.0 * z + a - t;
    const xt::xarray<std::string> s = {"a", "b"}, u = "y" + s + "x";
#elif CASE == 1
    const xt::xarray<int> b = a + std::string("x");
#elif CASE == 2
    d = d % a;
#elif CASE == 3
    a += Nothing();
#elif CASE == 4
    d = xt::where(d > 1, std::string("a"), d);
#endif
}
