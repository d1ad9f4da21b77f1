// SPDX-License-Identifier: BSD-3-Clause
// Norms, and reductions of arrays in chunks.
#include "../call.hpp"

#include <xtensor/xblockwise_reducer.hpp>
#include <xtensor/xnorm.hpp>

namespace {
using Axes = std::vector<std::size_t>;
}

#define NORM(name)                                                    \
    CALL(xnorm, name, #name) { out.within(xt::name(in.a)(), 1e-13); } \
    CALL(xnorm, name##_axis, #name) { out.within(xt::name(in.a, {1}), 1e-13); }
#define NORM_OF_POWER(name)                                               \
    CALL(xnorm, name, #name) { out.within(xt::name(in.a, 3.)(), 1e-12); } \
    CALL(xnorm, name##_axis, #name) { out.within(xt::name(in.a, 3., {1}), 1e-12); }
NORM(norm_l0)
NORM(norm_l1)
NORM(norm_sq)
NORM(norm_l2)
NORM(norm_linf)
NORM_OF_POWER(norm_lp_to_p)
NORM_OF_POWER(norm_lp)
CALL(xnorm, norm_induced_l1, "norm_induced_l1") { out.within(xt::norm_induced_l1(in.a), 1e-13); }
CALL(xnorm, norm_induced_linf, "norm_induced_linf") { out.within(xt::norm_induced_linf(in.a), 1e-13); }

// Of positive numbers: xtensor forgets the absolute values in the powers.
#define BLOCKWISE(name, ...)                                                  \
    CALL(xblockwise_reducer, name, "blockwise::" #name) {                     \
        xt::xarray<double> result = xt::zeros<double>({3});                   \
        xt::blockwise::name(in.p, Axes{2, 2}, __VA_ARGS__).assign_to(result); \
        out.within(result, 1e-12);                                            \
    }
BLOCKWISE(sum, Axes{1})
BLOCKWISE(prod, Axes{1})
BLOCKWISE(amin, Axes{1})
BLOCKWISE(amax, Axes{1})
BLOCKWISE(mean, Axes{1})
BLOCKWISE(variance, Axes{1})
BLOCKWISE(stddev, Axes{1})
BLOCKWISE(norm_l0, Axes{1})
BLOCKWISE(norm_l1, Axes{1})
BLOCKWISE(norm_l2, Axes{1})
BLOCKWISE(norm_sq, Axes{1})
BLOCKWISE(norm_linf, Axes{1})
BLOCKWISE(norm_lp_to_p, 3., Axes{1})
BLOCKWISE(norm_lp, 3., Axes{1})
