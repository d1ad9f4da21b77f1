// SPDX-License-Identifier: BSD-3-Clause
// any, all: one recorded reduction. For expressions they know the user's line; being more special than xtensor's `E&&`,
// these overloads may have a further parameter.
#pragma once

#include "xlazy/detail/wrappers.hpp"

namespace xlazy::detail {

/// Is any element true, or (of Op::amin) is each? Read at once.
template <Op Code, class E>
bool reduced_truth(const E& e, here line) {
    rt::LineScope scope(line);
    return located([&] {
        if (xt::compute_size(e.shape()) == 0) return Code == Op::amin;
        leaves evaluated;
        prepare_as<bool>(e, evaluated);
        xtensor<bool, 0> result;
        {
            rt::Statement statement(rt::LineScope::current());
            recording r{statement, evaluated};
            Value value = lower_as<bool>(e, r);
            const std::size_t rank = statement.rank_of(value);
            value = statement.reduce(Code, value, (1u << rank) - 1, false);
            renew_for(result, statement, value);
            store(statement, result, value);
        }
        evaluated.end_statement();
        return result(rt::LineScope::current());
    });
}

/// Can the elements be recorded as bool?
template <class E>
concept lazy_truth = lazy<E> && lowerable_as<E, bool>;

namespace overloads {

#define XLAZY_TRUTH(name, op, wrapper)                            \
    template <class B>                                            \
        requires lazy_truth<B>                                    \
    bool name(wrapper<B>& e, here line = here::current()) {       \
        return reduced_truth<Op::op>(e, line);                    \
    }                                                             \
    template <class B>                                            \
        requires lazy_truth<B>                                    \
    bool name(const wrapper<B>& e, here line = here::current()) { \
        return reduced_truth<Op::op>(e, line);                    \
    }                                                             \
    template <class B>                                            \
        requires lazy_truth<B>                                    \
    bool name(wrapper<B>&& e, here line = here::current()) {      \
        return reduced_truth<Op::op>(e, line);                    \
    }
#define XLAZY_TRUTHS(name, op)                   \
    template <class E>                           \
        requires lazy_truth<std::decay_t<E>>     \
    inline bool name(E&& e) {                    \
        return reduced_truth<Op::op>(e, here{}); \
    }                                            \
    XLAZY_TRUTH(name, op, lazy_function)         \
    XLAZY_TRUTH(name, op, lazy_reducer)          \
    XLAZY_TRUTH(name, op, lazy_view)
XLAZY_TRUTHS(any, amax)
XLAZY_TRUTHS(all, amin)
#undef XLAZY_TRUTHS
#undef XLAZY_TRUTH

}  // namespace overloads
}  // namespace xlazy::detail

namespace xt {
using xlazy::detail::overloads::all;
using xlazy::detail::overloads::any;
}  // namespace xt
