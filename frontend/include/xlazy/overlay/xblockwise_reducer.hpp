// SPDX-License-Identifier: BSD-3-Clause
// Reductions chunk by chunk: of an array in memory they are the reduction itself, recorded.
#pragma once

#include "xlazy/overlay/xnorm.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xblockwise_reducer.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// The reduction B with the interface of xt::xblockwise_reducer.
template <class B>
class whole_reduction {
public:
    using value_type = typename B::value_type;

    explicit whole_reduction(B reduction) : reduction_(std::move(reduction)) {}
    const auto& shape() const { return reduction_.shape(); }
    std::size_t dimension() const { return reduction_.dimension(); }
    template <class R>
    void assign_to(R& result) const {
        result = reduction_;
    }

private:
    B reduction_;
};

}  // namespace xlazy::detail

#define XLAZY_BLOCKWISE_FORM(name, head, types, condition, parameters, call) \
    template <XLAZY_UNPACK head class E, class BS XLAZY_UNPACK types,        \
              class O = DEFAULT_STRATEGY_REDUCERS XLAZY_UNPACK condition>    \
        requires lazy<std::decay_t<E>>                                       \
    auto name(E&& e, BS&& XLAZY_UNPACK parameters, O options = O()) {        \
        return whole_reduction(XLAZY_UNPACK call);                           \
    }
#define XLAZY_BLOCKWISE(name, head, power, all, some, one)                                                          \
    XLAZY_BLOCKWISE_FORM(                                                                                           \
        name, head, (, class X),                                                                                    \
        (, XTL_REQUIRES(xtl::negation<is_reducer_options<X>>, xtl::negation<xtl::is_integral<std::decay_t<X>>>)),   \
        (XLAZY_UNPACK power, X && axes), some)                                                                      \
    XLAZY_BLOCKWISE_FORM(name, head, (, class X), (, XTL_REQUIRES(xtl::is_integral<std::decay_t<X>>)),              \
                         (XLAZY_UNPACK power, X axis), one)                                                         \
    XLAZY_BLOCKWISE_FORM(name, head, (, class I, std::size_t N), (), (XLAZY_UNPACK power, const I(&axes)[N]), some) \
    XLAZY_BLOCKWISE_FORM(name, head, (),                                                                            \
                         (, XTL_REQUIRES(is_reducer_options<O>, xtl::negation<xtl::is_integral<std::decay_t<O>>>)), \
                         power, all)
#define XLAZY_BLOCKWISE_REDUCTION(name)                                                                       \
    XLAZY_BLOCKWISE(name, (class T = void, ), (), (xt::name<T>(e, options)), (xt::name<T>(e, axes, options)), \
                    (xt::name<T>(e, std::array<X, 1>{axis}, options)))
#define XLAZY_BLOCKWISE_NORM(name)                                                      \
    XLAZY_BLOCKWISE(name, (), (), (xt::name(e, options)), (xt::name(e, axes, options)), \
                    (xt::name(e, std::array<X, 1>{axis}, options)))
#define XLAZY_BLOCKWISE_POWER_NORM(name)                                                                \
    XLAZY_BLOCKWISE(name, (), (, double p), (xt::name(e, p, options)), (xt::name(e, p, axes, options)), \
                    (xt::name(e, p, std::array<X, 1>{axis}, options)))

namespace xlazy::detail::overloads::blockwise {
using namespace xt;

XLAZY_BLOCKWISE_REDUCTION(sum)
XLAZY_BLOCKWISE_REDUCTION(prod)
XLAZY_BLOCKWISE_REDUCTION(amin)
XLAZY_BLOCKWISE_REDUCTION(amax)
XLAZY_BLOCKWISE_REDUCTION(mean)
XLAZY_BLOCKWISE_REDUCTION(variance)
XLAZY_BLOCKWISE_REDUCTION(stddev)
XLAZY_BLOCKWISE_NORM(norm_l0)
XLAZY_BLOCKWISE_NORM(norm_l1)
XLAZY_BLOCKWISE_NORM(norm_l2)
XLAZY_BLOCKWISE_NORM(norm_sq)
XLAZY_BLOCKWISE_NORM(norm_linf)
XLAZY_BLOCKWISE_POWER_NORM(norm_lp_to_p)
XLAZY_BLOCKWISE_POWER_NORM(norm_lp)

}  // namespace xlazy::detail::overloads::blockwise

#undef XLAZY_BLOCKWISE_POWER_NORM
#undef XLAZY_BLOCKWISE_NORM
#undef XLAZY_BLOCKWISE_REDUCTION
#undef XLAZY_BLOCKWISE
#undef XLAZY_BLOCKWISE_FORM

namespace xt::blockwise {
using xlazy::detail::overloads::blockwise::amax;
using xlazy::detail::overloads::blockwise::amin;
using xlazy::detail::overloads::blockwise::mean;
using xlazy::detail::overloads::blockwise::norm_l0;
using xlazy::detail::overloads::blockwise::norm_l1;
using xlazy::detail::overloads::blockwise::norm_l2;
using xlazy::detail::overloads::blockwise::norm_linf;
using xlazy::detail::overloads::blockwise::norm_lp;
using xlazy::detail::overloads::blockwise::norm_lp_to_p;
using xlazy::detail::overloads::blockwise::norm_sq;
using xlazy::detail::overloads::blockwise::prod;
using xlazy::detail::overloads::blockwise::stddev;
using xlazy::detail::overloads::blockwise::sum;
using xlazy::detail::overloads::blockwise::variance;
}  // namespace xt::blockwise
