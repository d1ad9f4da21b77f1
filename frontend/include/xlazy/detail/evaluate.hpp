// SPDX-License-Identifier: BSD-3-Clause
// Elements of expressions. Whoever wants them all, or wants one that xtensor could not compute (an integer division by
// zero ends the program), gets them from an array that was recorded, in one pass of ours.
#pragma once

#include "xlazy/detail/assign.hpp"
#include "xlazy/detail/iterate.hpp"

#include <limits>
#include <memory>
#include <optional>

namespace xlazy::detail {

/// What xt::eval makes of the expression.
template <class E>
auto evaluated_copy(const E& e, here line) {
    using copy = xt::temporary_type_t<E>;
    if constexpr (std::is_constructible_v<copy, const E&, here>)
        return copy(e, line);
    else
        return copy(e);  // fixed-size expressions
}

/// The value of an expression of rank 0, by one recorded statement.
template <class E>
typename E::value_type scalar_of(const E& e) {
    const xtensor<typename E::value_type, 0> result(e, rt::LineScope::current());
    return result(rt::LineScope::current());
}

/// The elements of B in order L: computed when the first iterator is made, or when one made at the end goes back.
template <class B, xt::layout_type L>
class element_source {
public:
    using value_type = typename B::value_type;

    explicit element_source(const B& expression) : expression_(expression) {}
    const value_type* elements() {
        if (!values_) {
            values_.emplace(expression_, rt::LineScope::current());
            elements_ = std::as_const(*values_).storage().read(rt::Reason::iterator, rt::LineScope::current());
        }
        return elements_;
    }

private:
    B expression_;
    std::optional<xarray<value_type, L>> values_;
    const value_type* elements_ = nullptr;
};

template <class B, xt::layout_type L>
class element_iterator
    : public xtl::xrandom_access_iterator_base<element_iterator<B, L>, typename B::value_type, std::ptrdiff_t,
                                               const typename B::value_type*, typename B::value_type> {
public:
    using difference_type = std::ptrdiff_t;
    using reference = typename B::value_type;

    element_iterator() = default;
    element_iterator(std::shared_ptr<element_source<B, L>> source, difference_type index)
        : source_(std::move(source)), index_(index) {}

    element_iterator& operator++() { return ++index_, *this; }
    element_iterator& operator--() { return --index_, *this; }
    element_iterator& operator+=(difference_type n) { return index_ += n, *this; }
    element_iterator& operator-=(difference_type n) { return index_ -= n, *this; }
    difference_type operator-(const element_iterator& other) const { return index_ - other.index_; }
    reference operator*() const { return *operator->(); }
    const typename B::value_type* operator->() const {
        if (elements_ == nullptr) elements_ = source_->elements();
        return elements_ + index_;
    }

    friend bool operator==(const element_iterator& a, const element_iterator& b) { return a.index_ == b.index_; }
    friend bool operator<(const element_iterator& a, const element_iterator& b) { return a.index_ < b.index_; }

private:
    std::shared_ptr<element_source<B, L>> source_;
    mutable const typename B::value_type* elements_ = nullptr;
    difference_type index_ = 0;
};

/// The iterator at the begin, or the end, of the elements of `e`. At the begin they are computed.
template <xt::layout_type L, class B>
element_iterator<B, L> element_begin(const B& e, here line) {
    rt::LineScope scope(line);
    auto source = std::make_shared<element_source<B, L>>(e);
    source->elements();
    return element_iterator<B, L>(std::move(source), 0);
}
template <xt::layout_type L, class B>
element_iterator<B, L> element_end(const B& e, here line) {
    rt::LineScope scope(line);
    return located([&] {
        const auto size = static_cast<std::ptrdiff_t>(xt::compute_size(e.shape()));
        return element_iterator<B, L>(std::make_shared<element_source<B, L>>(e), size);
    });
}

/// A stepper over the evaluated elements of an expression of which xtensor could not compute every one. xtensor's own
/// functions, views and reducers walk over their operands so.
template <class T>
class evaluated_stepper {
    using array = xarray<T>;
    using inner = typename array::const_stepper;

public:
    using storage_type = typename inner::storage_type;
    using subiterator_type = typename inner::subiterator_type;
    using value_type = T;
    using reference = typename inner::reference;
    using pointer = typename inner::pointer;
    using size_type = typename inner::size_type;
    using difference_type = typename inner::difference_type;
    using shape_type = typename inner::shape_type;

    evaluated_stepper() = default;
    evaluated_stepper(std::shared_ptr<const array> values, inner it) noexcept
        : values_(std::move(values)), it_(std::move(it)) {}

    reference operator*() const { return *it_; }
    void step(size_type axis) { it_.step(axis); }
    void step_back(size_type axis) { it_.step_back(axis); }
    void step(size_type axis, size_type n) { it_.step(axis, n); }
    void step_back(size_type axis, size_type n) { it_.step_back(axis, n); }
    void reset(size_type axis) { it_.reset(axis); }
    void reset_back(size_type axis) { it_.reset_back(axis); }
    void to_begin() { it_.to_begin(); }
    void to_end(xt::layout_type l) { it_.to_end(l); }

private:
    std::shared_ptr<const array> values_;
    inner it_;
};

/// The evaluated elements. xtensor asks for steppers where nothing may be thrown: an error is held.
template <class E>
std::shared_ptr<const xarray<typename E::value_type>> values_to_step_over(const E& e) noexcept {
    using array = xarray<typename E::value_type>;
    auto values = std::make_shared<array>();
    try {
        *values = array(e, rt::LineScope::current());
        rt::readable(values->used().storage.base(), rt::Reason::iterator, rt::LineScope::current());
    } catch (...) {
        rt::hold_current_error();
        values->resize(e.shape());
    }
    return values;
}

template <class F, class... CT, class Get>
bool refuses_element(const xt::xfunction<F, CT...>& e, const Get& get);

/// Does the element that `get` finds in the operands of `e` involve an integer division that a processor refuses?
template <class E, class Get>
bool refuses_element(const E&, const Get&) {
    return false;
}
template <class B, class Get>
bool refuses_element(const lazy_function<B>& e, const Get& get) {
    return refuses_element(static_cast<const B&>(e), get);
}
template <class F, class... CT, class Get>
bool refuses_element(const xt::xfunction<F, CT...>& e, const Get& get) {
    using function = lowering<xt::xfunction<F, CT...>>;
    if constexpr (!function::can_fail) {
        return false;
    } else {
        const auto& arguments = e.arguments();
        if (std::apply([&](const auto&... argument) { return (refuses_element(argument, get) || ...); }, arguments)) {
            return true;
        }
        if constexpr (function::fails_itself()) {
            using T = typename function::types::second;
            const auto divisor = static_cast<T>(get(std::get<1>(arguments)));
            const auto overflows = [&] {
                return std::is_signed_v<T> && divisor == T(-1) &&
                       static_cast<T>(get(std::get<0>(arguments))) == std::numeric_limits<T>::min();
            };
            return divisor == 0 || overflows();
        } else {
            return false;
        }
    }
}

}  // namespace xlazy::detail
