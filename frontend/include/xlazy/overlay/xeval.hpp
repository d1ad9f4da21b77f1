// SPDX-License-Identifier: BSD-3-Clause
// eval with the user's line; as_strided; share, which needs no memory of its own. Our wrappers are more special than
// xtensor's `T&&`, so a further parameter does no harm.
#pragma once

#include "xlazy/detail/wrappers.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xeval.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// A shared function B: the function itself, since that shares its arrays already.
template <class B>
class lazy_shared : public lazy_function<B> {
public:
    explicit lazy_shared(lazy_function<B> function) : lazy_function<B>(std::move(function)) {}
    long use_count() const noexcept { return owners_.use_count(); }

private:
    std::shared_ptr<char> owners_ = std::make_shared<char>();
};
template <class B>
struct holder<lazy_shared<B>> : known_holder<lazy_shared<B>> {};
template <class B>
struct lowering<lazy_shared<B>> : lowering<B> {};

}  // namespace xlazy::detail

namespace xlazy::detail::overloads {

#define XLAZY_EVAL(wrapper)                                       \
    template <class B>                                            \
    auto eval(wrapper<B>& e, here line = here::current()) {       \
        return evaluated_copy(e, line);                           \
    }                                                             \
    template <class B>                                            \
    auto eval(const wrapper<B>& e, here line = here::current()) { \
        return evaluated_copy(e, line);                           \
    }                                                             \
    template <class B>                                            \
    auto eval(wrapper<B>&& e, here line = here::current()) {      \
        return evaluated_copy(e, line);                           \
    }
XLAZY_EVAL(lazy_function)
XLAZY_EVAL(lazy_reducer)
XLAZY_EVAL(lazy_view)
#undef XLAZY_EVAL

template <class B>
auto share(lazy_function<B>& e) {
    return lazy_shared<B>(e);
}
template <class B>
auto share(lazy_function<B>&& e) {
    return lazy_shared<B>(std::move(e));
}

/// An array of the values, by rows unless L is column_major.
template <xt::layout_type L = xt::layout_type::any, class B>
auto as_strided(lazy_function<B>& e) {
    using of_shape = xt::detail::xlazy_for_shape<typename B::shape_type>;
    using array = typename of_shape::template type<typename B::value_type, xt::layout_remove_any(L)>;
    return array(e, rt::LineScope::current());
}
template <xt::layout_type L = xt::layout_type::any, class B>
auto as_strided(lazy_function<B>&& e) {
    return overloads::as_strided<L>(e);
}

}  // namespace xlazy::detail::overloads

namespace xt {
template <class B>
struct xcontainer_inner_types<xlazy::detail::lazy_shared<B>> : xcontainer_inner_types<B> {};
template <class B>
struct xiterable_inner_types<xlazy::detail::lazy_shared<B>> : xiterable_inner_types<B> {};

using xlazy::detail::overloads::as_strided;
using xlazy::detail::overloads::eval;
using xlazy::detail::overloads::share;
}  // namespace xt
