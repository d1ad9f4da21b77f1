// SPDX-License-Identifier: BSD-3-Clause
// Reductions and scans.
#include "../call.hpp"

#include <xtensor/xaccumulator.hpp>
#include <xtensor/xreducer.hpp>

namespace {

using Axes = std::vector<std::size_t>;
/// A user's own accumulation.
struct Weighted {
    double operator()(double u, double v) const { return u + 2. * v; }
};
struct Unchanged {
    using value_type = double;
    double operator()(double u) const { return u; }
};

}  // namespace

#define REDUCTION(name, operand)                                                   \
    CALL(xmath, name, #name) { out.within(xt::name(operand), 1e-13); }             \
    CALL(xmath, name##_axis, #name) { out.within(xt::name(operand, {1}), 1e-13); } \
    CALL(xmath, name##_kept, #name) { out.within(xt::name(operand, Axes{0}, xt::keep_dims) * 2., 1e-13); }
#define REDUCTION_LAST(name, operand) \
    CALL(xmath, name##_last, #name) { out.within(xt::name(operand, {-1}), 1e-13); }
#define REDUCTION_AT_ONCE(name, operand)                                               \
    CALL(xmath, name##_immediate, #name) {                                             \
        out.within(xt::name(operand, {0}, xt::evaluation_strategy::immediate), 1e-13); \
    }

REDUCTION(sum, in.a)
REDUCTION_AT_ONCE(sum, in.a)
REDUCTION_LAST(sum, in.a)
REDUCTION_LAST(amin, in.a)
REDUCTION_LAST(nansum, in.n)
REDUCTION(prod, in.p)
REDUCTION_AT_ONCE(prod, in.p)
REDUCTION(amin, in.a)
REDUCTION(amax, in.a)
REDUCTION_AT_ONCE(amax, in.a)
REDUCTION(mean, in.a)
REDUCTION_AT_ONCE(mean, in.a)
REDUCTION(variance, in.a)
REDUCTION(stddev, in.a)
REDUCTION(nansum, in.n)
REDUCTION(nanprod, in.n)
REDUCTION(nanmin, in.n)
REDUCTION(nanmax, in.n)
REDUCTION(nanmean, in.n)
REDUCTION(count_nonzero, in.a)
REDUCTION(count_nonnan, in.n)
CALL(xmath, nanvar, "nanvar") { out.within(xt::nanvar(in.n), 1e-13); }
CALL(xmath, nanvar_axis, "nanvar") { out.within(xt::nanvar(in.n, {1}), 1e-13); }
CALL(xmath, nanstd, "nanstd") { out.within(xt::nanstd(in.n), 1e-13); }
CALL(xmath, nanstd_axis, "nanstd") { out.within(xt::nanstd(in.n, {1}), 1e-13); }
CALL(xmath, sum_value, "sum") { out.within(xt::sum(in.a)(), 1e-13); }
CALL(xmath, sum_wide, "sum") { out(xt::sum<long>(in.i, {0})); }
CALL(xmath, sum_initial, "sum") { out.within(xt::sum(in.a, {1}, xt::initial(5.)), 1e-13); }
CALL(xmath, variance_ddof, "variance") { out.within(xt::variance(in.a, {0}, 1u), 1e-13); }
CALL(xmath, average, "average") { out.within(xt::average(in.a, in.b), 1e-13); }
CALL(xmath, average_axis, "average") { out.within(xt::average(in.a, in.four, {1}), 1e-13); }
CALL(xmath, average_plain, "average") { out.within(xt::average(in.a), 1e-13); }
CALL(xmath, minmax, "minmax") {
    const auto both = xt::minmax(in.a)();
    out(both[0]);
    out(both[1]);
}

#define SCAN(name, operand)                                            \
    CALL(xmath, name, #name) { out.within(xt::name(operand), 1e-13); } \
    CALL(xmath, name##_axis, #name) { out.within(xt::name(operand, 0), 1e-13); }
SCAN(cumsum, in.a)
SCAN(cumprod, in.p)
SCAN(nancumsum, in.n)
SCAN(nancumprod, in.n)
CALL(xmath, diff, "diff") { out(xt::diff(in.a)); }
CALL(xmath, diff_twice, "diff") { out(xt::diff(in.a, 2, 0)); }
CALL(xmath, trapz, "trapz") { out.within(xt::trapz(in.a, 0.5, 0), 1e-13); }
CALL(xmath, trapz_positions, "trapz") { out.within(xt::trapz(in.a, in.p, 1), 1e-13); }
CALL(xmath, interp, "interp") { out.within(xt::interp(in.s * 0.8, in.s, in.x), 1e-13); }
CALL(xmath, convolve_full, "convolve") { out.within(xt::convolve(in.x, in.four, xt::convolve_mode::full()), 1e-13); }
// Of vectors of one length: xtensor reads beyond the end of a shorter one.
CALL(xmath, convolve_valid, "convolve") { out.within(xt::convolve(in.x, in.s, xt::convolve_mode::valid()), 1e-13); }
CALL(xmath, nanmean_expression, "nanmean") { out.within(xt::nanmean(in.n * 2., {1}), 1e-13); }
CALL(xmath, cov, "cov") { out.within(xt::cov(in.x, in.s), 1e-12); }

CALL(xreducer, reduce, "reduce") {
    out.within(xt::reduce([](double u, double v) { return u * v + u + v; }, in.p, {1}), 1e-12);
}
CALL(xreducer, reduce_known, "reduce") { out.within(xt::reduce(xt::detail::plus(), in.a, {1}), 1e-13); }
CALL(xreducer, reduce_immediate, "reduce_immediate") {
    out.within(xt::reduce_immediate(xt::make_xreducer_functor(xt::detail::plus()), in.a, std::array<std::size_t, 1>{1},
                                    xt::evaluation_strategy::immediate),
               1e-13);
}
CALL(xreducer, initial, "initial") { out.within(xt::prod(in.p, {0}, xt::initial(2.)), 1e-12); }
CALL(xreducer, combined_options, "operator|") {
    out.within(xt::sum(in.a, {0}, xt::keep_dims | xt::evaluation_strategy::immediate), 1e-13);
}
CALL(xaccumulator, accumulate, "accumulate") {
    out.within(xt::accumulate(xt::make_xaccumulator_functor(Weighted(), Unchanged()), in.a, 1), 1e-12);
}
CALL(xaccumulator, accumulate_flat, "accumulate") {
    out.within(xt::accumulate(xt::make_xaccumulator_functor(Weighted(), Unchanged()), in.a), 1e-11);
}
