// SPDX-License-Identifier: BSD-3-Clause
// xtensor's expression classes with the entry points that need the user's line or may throw.
#pragma once

#include "xlazy/detail/assign.hpp"
#include "xlazy/detail/iterate.hpp"
#include "xlazy/detail/plumbing.hpp"

namespace xlazy::detail {

/// The value of an expression of rank 0, by one recorded statement.
template <class E>
typename E::value_type scalar_of(const E& e) {
    xtensor<typename E::value_type, 0> result;
    assign_to<assignment::set>(result, e);
    return std::as_const(result)(rt::LineScope::current());
}

/// Elements of the expression B: a value of rank 0 is recorded, others are evaluated by xtensor.
template <class B>
class recorded_values : public B {
public:
    using const_reference = typename B::const_reference;

    recorded_values(const B& b) : B(b) {}
    recorded_values(B&& b) : B(std::move(b)) {}

    XLAZY_INDEXED(const_reference, operator(), const, value_at)
    XLAZY_INDEXED(const_reference, at, const, checked_value_at)
    const_reference operator[](index_here i) const { return value_at(i.line, i.value); }
    template <class S>
    xt::disable_integral_t<S, const_reference> operator[](const S& index) const {
        return B::element(index.cbegin(), index.cend());
    }
    template <class I>
    const_reference operator[](std::initializer_list<I> index) const {
        return B::element(index.begin(), index.end());
    }

    XLAZY_CONST_PINNED_ITERATORS

protected:
    const B& base_cast() const noexcept { return *this; }

private:
    template <class... I>
    const_reference value_at(here line, I... i) const {
        rt::LineScope scope(line);
        if constexpr (is_recorded_tree<B>) {
            if (this->dimension() == 0) return scalar_of(base_cast());
        }
        return B::operator()(i...);
    }
    template <class... I>
    const_reference checked_value_at(here line, I... i) const {
        xt::check_access(this->shape(), i...);
        return value_at(line, i...);
    }
};

template <class B>
class lazy_function : public recorded_values<B> {
public:
    template <class F, class... A>
    requires(!std::is_base_of_v<B, std::decay_t<F>>) lazy_function(F&& f, A&&... arguments)
    noexcept : recorded_values<B>(B(std::forward<F>(f), std::forward<A>(arguments)...)) {}
};

template <class B>
class lazy_reducer : public recorded_values<B> {
public:
    using recorded_values<B>::recorded_values;
};

/// A view with assignments that know the user's line.
template <class B>
class lazy_view : public B, public compound_assignment<lazy_view<B>> {
public:
    static constexpr bool takes_value = true;
    using reference = typename B::reference;
    using const_reference = typename B::const_reference;

    lazy_view(const B& b) : B(b) {}
    lazy_view(B&& b) : B(std::move(b)) {}
    lazy_view(const lazy_view&) = default;
    lazy_view(lazy_view&&) = default;

    // Never viable, so that `view = view` goes through rhs too.
    lazy_view& operator=(const lazy_view&) requires never<B>;
    lazy_view& operator=(rhs<lazy_view, assignment::set> e) { return e.run(*this); }
    using compound_assignment<lazy_view>::operator+=;
    using compound_assignment<lazy_view>::operator-=;
    using compound_assignment<lazy_view>::operator*=;
    using compound_assignment<lazy_view>::operator/=;
    using compound_assignment<lazy_view>::operator%=;
    using compound_assignment<lazy_view>::operator&=;
    using compound_assignment<lazy_view>::operator|=;
    using compound_assignment<lazy_view>::operator^=;

    template <class V>
    void fill(const V& value, here line = here::current()) {
        rt::LineScope scope(line);
        assign_to<assignment::set>(*this, value);
    }

    XLAZY_PINNED_ITERATORS(begin, , !B::is_const)
    XLAZY_PINNED_ITERATORS(end, , !B::is_const)
    XLAZY_PINNED_ITERATORS(rbegin, , !B::is_const)
    XLAZY_PINNED_ITERATORS(rend, , !B::is_const)
    XLAZY_CONST_PINNED_ITERATORS

private:
    const B& base_cast() const noexcept { return *this; }
};

template <class B>
auto make_lazy_view(B&& b) {
    using view = std::decay_t<B>;
    if constexpr (holder<view>::known)
        return view(std::forward<B>(b));  // xtensor's functions call our overloads
    else
        return lazy_view<view>(std::forward<B>(b));
}

template <class E1, class E2>
bool equal_values(const E1& a, const E2& b) {
    const auto& shape = a.shape();
    if (a.dimension() != b.dimension() || !std::equal(shape.begin(), shape.end(), b.shape().begin())) return false;
    rt::flush(rt::Reason::compare, rt::LineScope::current());
    rt::InsideXtensor inside;
    const bool same =
        std::equal(a.template begin<xt::layout_type::row_major>(), a.template end<xt::layout_type::row_major>(),
                   b.template begin<xt::layout_type::row_major>());
    rt::throw_held();
    return same;
}

template <class E1, class E2>
requires(lazy<E1> || lazy<E2>) bool operator==(const xt::xexpression<E1>& a, const xt::xexpression<E2>& b) {
    return equal_values(a.derived_cast(), b.derived_cast());
}

}  // namespace xlazy::detail

namespace xt {
using xlazy::detail::operator==;
}
