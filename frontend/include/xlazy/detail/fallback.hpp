// SPDX-License-Identifier: BSD-3-Clause
// Functions that xtensor computes at once, on synchronised data. Each gets an overload that says so in the statistics,
// and calls xtensor's by a forwarder that was bound before the overload existed.
#pragma once

#include "xlazy/detail/wrappers.hpp"

namespace xlazy::detail {

/// While xtensor computes `function` for us. What that calls in turn is not counted.
class fallback_scope {
public:
    explicit fallback_scope(const char* function) {
        if (!outer_) rt::fall_back(function, rt::LineScope::current());
    }

private:
    bool outer_ = rt::InsideXtensor::active();
    rt::InsideXtensor inside_;
};

template <class F>
auto fall_back_to(const char* function, F&& compute) {
    fallback_scope scope(function);
    return located([&] {
        auto result = compute();
        rt::throw_held();
        return result;
    });
}

}  // namespace xlazy::detail

// Needs a `template <...>` head in `head`, its constraint, the parameters, and the call with the same arguments.
#define XLAZY_FALLBACK(name, head, constraint, parameters, call)              \
    namespace xlazy::detail::stock {                                          \
    using namespace xt;                                                       \
    head auto name##_stock parameters { return xt::name call; }               \
    }                                                                         \
    namespace xlazy::detail::overloads {                                      \
    using namespace xt;                                                       \
    head                                                                      \
        requires constraint                                                   \
    inline auto name parameters {                                             \
        return fall_back_to(#name, [&] { return stock::name##_stock call; }); \
    }                                                                         \
    }
