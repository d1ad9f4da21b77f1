// SPDX-License-Identifier: BSD-3-Clause
// noalias: the promise buys nothing here, since overlap is found out; but the buffer stays if a pointer to it is out.
#pragma once

#include "xlazy/detail/wrappers.hpp"

namespace xlazy::detail {

/// The left side of `noalias(d) = e`; D is a reference for an lvalue.
template <class D>
class unaliased {
    using target = std::remove_reference_t<D>;

public:
    explicit unaliased(D&& d) noexcept : target_(std::forward<D>(d)) {}

    target& operator=(rhs<target, assignment::in_place> e) { return e.run(target_); }
    target& operator+=(rhs<target, assignment::add> e) { return e.run(target_); }
    target& operator-=(rhs<target, assignment::subtract> e) { return e.run(target_); }
    target& operator*=(rhs<target, assignment::multiply> e) { return e.run(target_); }
    target& operator/=(rhs<target, assignment::divide> e) { return e.run(target_); }
    target& operator%=(rhs<target, assignment::modulo> e) { return e.run(target_); }
    target& operator&=(rhs<target, assignment::bit_and> e) { return e.run(target_); }
    target& operator|=(rhs<target, assignment::bit_or> e) { return e.run(target_); }
    target& operator^=(rhs<target, assignment::bit_xor> e) { return e.run(target_); }

private:
    D target_;
};

template <class D>
inline constexpr bool is_lazy_view = false;
template <class B>
inline constexpr bool is_lazy_view<lazy_view<B>> = true;

namespace overloads {

template <class A>
    requires(is_array<std::remove_reference_t<A>> || is_lazy_view<std::remove_reference_t<A>>)
inline unaliased<A> noalias(A&& a) noexcept {
    return unaliased<A>(std::forward<A>(a));
}

}  // namespace overloads
}  // namespace xlazy::detail

namespace xt {
using xlazy::detail::overloads::noalias;
}
