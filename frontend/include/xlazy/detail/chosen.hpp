// SPDX-License-Identifier: BSD-3-Clause
// Left sides that change the elements where a condition holds: one recorded statement with a `where`.
#pragma once

#include "xlazy/detail/assign.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xoperation.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

template <assignment O, class A, class V>
decltype(auto) updated_value(const A& old, const V& value) {
    if constexpr (O == assignment::add)
        return old + value;
    else if constexpr (O == assignment::subtract)
        return old - value;
    else if constexpr (O == assignment::multiply)
        return old * value;
    else if constexpr (O == assignment::divide)
        return old / value;
    else if constexpr (O == assignment::modulo)
        return old % value;
    else if constexpr (O == assignment::bit_and)
        return old & value;
    else if constexpr (O == assignment::bit_or)
        return old | value;
    else if constexpr (O == assignment::bit_xor)
        return old ^ value;
    else
        return (value);
}

/// target = condition ? target op value : target
template <assignment O, class T, class C, class V>
void update_chosen(T& target, const C& condition, const V& value) {
    update<assignment::set>(target, xt::where(condition, updated_value<O>(target, value), target));
}

/// The left side of `filtration(a, condition) op= value`. T is the array or view as an expression holds it, C the
/// condition.
template <class T, class C>
class chosen_elements {
public:
    static constexpr bool takes_value = true;

    template <class E, class D>
    chosen_elements(E&& target, D&& condition)
        : target(std::forward<E>(target)), condition(std::forward<D>(condition)) {}

    chosen_elements& operator=(rhs<chosen_elements, assignment::set> e) { return e.run(*this); }
    chosen_elements& operator+=(rhs<chosen_elements, assignment::add> e) { return e.run(*this); }
    chosen_elements& operator-=(rhs<chosen_elements, assignment::subtract> e) { return e.run(*this); }
    chosen_elements& operator*=(rhs<chosen_elements, assignment::multiply> e) { return e.run(*this); }
    chosen_elements& operator/=(rhs<chosen_elements, assignment::divide> e) { return e.run(*this); }
    chosen_elements& operator%=(rhs<chosen_elements, assignment::modulo> e) { return e.run(*this); }

    T target;
    C condition;
};

template <class T, class C>
struct chosen_part<chosen_elements<T, C>> {
    static constexpr bool ok = true;
    template <assignment O, class V>
    static void run(chosen_elements<T, C>& d, const V& value) {
        update_chosen<O>(d.target, d.condition, value);
    }
};

}  // namespace xlazy::detail
