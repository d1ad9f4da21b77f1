// SPDX-License-Identifier: BSD-3-Clause
// Calls of xtensor's public functions, one form of a function each. They are compiled twice: against xtensor alone, and
// with the wrapper headers.
#pragma once

#include "frontend/programs/program.hpp"
#include "registry.hpp"

#include <complex>
#include <limits>

#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>

namespace coverage {

/// What the calls work on. Where xlazy records, the statements that make these arrays are still pending at the call, so
/// that a function which reads elements cannot do it unseen.
struct Arrays {
    Arrays() {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        x = xt::fmod(xt::arange<double>(12) * 5. + 3., 12.) - 4.5;
        s = xt::arange<double>(12) * 0.75 - 3.;
        a = (xt::fmod(xt::arange<double>(12) * 7. + 5., 12.) - 5.) / 4.;
        a.reshape({3, 4});
        b = xt::fmod(xt::arange<double>(12) * 5., 7.) / 2. + 0.5;
        b.reshape({3, 4});
        p = xt::arange<double>(12) / 8. + 0.25;
        p.reshape({3, 4});
        u = (xt::fmod(xt::arange<double>(12) * 5., 12.) - 5.5) / 6.;
        u.reshape({3, 4});
        n = xt::where(xt::greater(a, 0.9), nan, a);
        four = xt::arange<double>(4) - 1.5;
        cube = xt::fmod(xt::arange<double>(24) * 11., 24.) / 2. - 5.;
        cube.reshape({2, 3, 4});
        i = xt::arange<int>(12) * 5 % 12 - 4;
        i.reshape({3, 4});
        j = xt::arange<int>(12) * 7 % 5 + 1;
        j.reshape({3, 4});
        m = xt::greater(a, 0.);
        k = xt::not_equal(xt::arange<int>(12) % 3, 1);
        k.reshape({3, 4});
        c = a + std::complex<double>(0, 1) * b;
        d = p - std::complex<double>(0, 1) * a;
        t = a + b;
    }

    xt::xarray<double> a, b;  ///< 3 x 4: no two of `a` are equal and none is 0; `b` positive, with equal ones
    xt::xarray<double> p, u;  ///< 3 x 4: positive and ascending; between -1 and 1
    xt::xarray<double> n;     ///< 3 x 4: with NaNs
    xt::xarray<double> x, s;  ///< 12: each another; ascending
    xt::xarray<double> four;  ///< 4
    xt::xarray<double> cube;  ///< 2 x 3 x 4
    xt::xarray<int> i, j;     ///< 3 x 4: `j` positive
    xt::xarray<bool> m, k;    ///< 3 x 4
    xt::xarray<std::complex<double>> c, d;  ///< 3 x 4
    xt::xtensor<double, 2> t;               ///< 3 x 4
};

/// Takes what a call gives.
class Taken {
public:
    template <class E>
    void operator()(const E& value) {
        out_("value", value);
    }
    /// For functions that are not exact.
    template <class E>
    void ulps(const E& value, double most = 4) {
        out_.ulps("value", value, most);
    }
    template <class E>
    void within(const E& value, double most) {
        out_.within("value", value, most);
    }
    void text(std::string value) { out_.text("text", std::move(value)); }
    std::vector<programs::Result> finish() { return out_.finish(); }

private:
    programs::Out out_{programs::Reading::AtEnd};
};

template <void (*Body)(Taken&, Arrays&)>
std::vector<programs::Result> run(Watch& watch) {
    Arrays in;
    Taken out;
    watch.start();
    Body(out, in);
    watch.stop();
    return out.finish();
}

}  // namespace coverage

/// CALL(header, form, "function") { out(...); }: `in` has the arrays.
#define CALL(header, form, function)                                         \
    static void call_##header##_##form(coverage::Taken&, coverage::Arrays&); \
    static const coverage::Registration registered_##header##_##form(        \
        {#header, function, #form, coverage::run<call_##header##_##form>});  \
    static void call_##header##_##form([[maybe_unused]] coverage::Taken& out, [[maybe_unused]] coverage::Arrays& in)
