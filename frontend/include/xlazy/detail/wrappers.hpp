// SPDX-License-Identifier: BSD-3-Clause
// xtensor's expression classes with the entry points that need the user's line or may throw.
#pragma once

#include "xlazy/detail/evaluate.hpp"
#include "xlazy/detail/iterate.hpp"
#include "xlazy/detail/plumbing.hpp"

namespace xlazy::detail {

// NAME<L>() by `make`, and NAME<L>(shape) of the base B.
#define XLAZY_ELEMENT_ITERATORS(name, make)                                                           \
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>                                          \
    auto name(here line = here::current()) const {                                                    \
        if constexpr (is_recorded_expression<B>)                                                      \
            return make;                                                                              \
        else                                                                                          \
            return iterator_over(base_cast(), false, line, [this] { return B::template name<L>(); }); \
    }                                                                                                 \
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class S>                                 \
        requires(!std::is_same_v<S, here>)                                                            \
    auto name(const S& shape, here line = here::current()) const {                                    \
        return iterator_over(base_cast(), false, line, [&] { return B::template name<L>(shape); });   \
    }
#define XLAZY_CONST_ITERATORS                                                                       \
    XLAZY_ELEMENT_ITERATORS(begin, element_begin<L>(base_cast(), line))                             \
    XLAZY_ELEMENT_ITERATORS(end, element_end<L>(base_cast(), line))                                 \
    XLAZY_ELEMENT_ITERATORS(cbegin, element_begin<L>(base_cast(), line))                            \
    XLAZY_ELEMENT_ITERATORS(cend, element_end<L>(base_cast(), line))                                \
    XLAZY_ELEMENT_ITERATORS(rbegin, std::make_reverse_iterator(element_end<L>(base_cast(), line)))  \
    XLAZY_ELEMENT_ITERATORS(rend, std::make_reverse_iterator(element_begin<L>(base_cast(), line)))  \
    XLAZY_ELEMENT_ITERATORS(crbegin, std::make_reverse_iterator(element_end<L>(base_cast(), line))) \
    XLAZY_ELEMENT_ITERATORS(crend, std::make_reverse_iterator(element_begin<L>(base_cast(), line)))

/// There may be elements that xtensor cannot compute: an integer division by zero ends the program.
template <class B>
inline constexpr bool may_be_refused = is_recorded_tree<B> && any_failure<B>;

template <class B>
struct steppers_of {
    using type = typename B::const_stepper;
};
template <class B>
    requires may_be_refused<B>
struct steppers_of<B> {
    using type = evaluated_stepper<typename B::value_type>;
};

/// Elements of the expression B.
template <class B>
class recorded_values : public B {
public:
    using const_reference = typename B::const_reference;
    using const_stepper = typename steppers_of<B>::type;
    using stepper = const_stepper;

    recorded_values(const B& b) : B(b) {}
    recorded_values(B&& b) : B(std::move(b)) {}
    /// The operands are moved once; each of the arrays below counts its owners.
    template <class... A>
    explicit recorded_values(std::in_place_t, A&&... arguments) : B(std::forward<A>(arguments)...) {}

    XLAZY_INDEXED(const_reference, operator(), const, value_at)
    XLAZY_INDEXED(const_reference, at, const, checked_value_at)
    const_reference operator[](index_here i) const { return value_at(i.line, i.value); }
    template <class S>
    xt::disable_integral_t<S, const_reference> operator[](const S& index) const {
        return element(index.cbegin(), index.cend());
    }
    template <class I>
    const_reference operator[](std::initializer_list<I> index) const {
        return element(index.begin(), index.end());
    }
    template <class It>
    const_reference element(It first, It last) const {
        if constexpr (kMayBeRefused) {
            const auto get = [&](const auto& operand) { return operand.element(first, last); };
            if (is_refused(get)) return evaluated(base_cast()).element(first, last);
        }
        return B::element(first, last);
    }

    XLAZY_CONST_ITERATORS

    template <class S>
    const_stepper stepper_begin(const S& shape) const noexcept {
        if constexpr (kMayBeRefused) {
            auto values = values_to_step_over(base_cast());
            auto it = std::as_const(*values).stepper_begin(shape);
            return const_stepper(std::move(values), std::move(it));
        } else {
            return B::stepper_begin(shape);
        }
    }
    template <class S>
    const_stepper stepper_end(const S& shape, xt::layout_type l) const noexcept {
        if constexpr (kMayBeRefused) {
            auto values = values_to_step_over(base_cast());
            auto it = std::as_const(*values).stepper_end(shape, l);
            return const_stepper(std::move(values), std::move(it));
        } else {
            return B::stepper_end(shape, l);
        }
    }

protected:
    const B& base_cast() const noexcept { return *this; }

private:
    template <class... I>
    const_reference value_at(here line, I... i) const {
        rt::LineScope scope(line);
        if constexpr (is_recorded_tree<B>) {
            if (this->dimension() == 0) return scalar_of(base_cast());
        }
        if constexpr (kMayBeRefused) {
            const auto get = [=](const auto& operand) { return operand(i...); };
            if (is_refused(get)) return evaluated(base_cast()).at_line(rt::LineScope::current(), i...);
        }
        return B::operator()(i...);
    }
    template <class... I>
    const_reference checked_value_at(here line, I... i) const {
        located([&] { xt::check_access(this->shape(), i...); }, line);
        return value_at(line, i...);
    }
    static constexpr bool kMayBeRefused = may_be_refused<B>;
    /// xtensor cannot compute the element.
    template <class Get>
    bool is_refused(const Get& get) const {
        if constexpr (lowering<B>::operand_can_fail)
            return true;
        else
            return refuses_element(base_cast(), get);
    }
};

template <class B>
class lazy_function : public recorded_values<B> {
public:
    template <class F, class... A>
        requires(!std::is_base_of_v<B, std::decay_t<F>>)
    lazy_function(F&& f, A&&... arguments) noexcept
        : recorded_values<B>(std::in_place, std::forward<F>(f), std::forward<A>(arguments)...) {}
};

template <class B>
class lazy_reducer : public recorded_values<B> {
public:
    using recorded_values<B>::recorded_values;
};

// NAME<L>() and NAME<L>(shape) of a view that can be written through, if it is one.
#define XLAZY_VIEW_ITERATORS(name)                                                                        \
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>                                              \
    auto name(here line = here::current()) {                                                              \
        if constexpr (is_recorded_expression<B> && !is_written_through<B>)                                \
            return std::as_const(*this).template name<L>(line);                                           \
        else                                                                                              \
            return iterator_over(base_cast(), kWritable, line, [this] { return B::template name<L>(); }); \
    }                                                                                                     \
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class S>                                     \
        requires(!std::is_same_v<S, here>)                                                                \
    auto name(const S& shape, here line = here::current()) {                                              \
        return iterator_over(base_cast(), kWritable, line, [&] { return B::template name<L>(shape); });   \
    }

/// A view with assignments that know the user's line.
template <class B>
class lazy_view : public B, public compound_assignment<lazy_view<B>>, public copied<lazy_view<B>> {
public:
    static constexpr bool takes_value = true;
    using reference = typename B::reference;
    using const_reference = typename B::const_reference;

    lazy_view(const B& b) : B(b) {}
    lazy_view(B&& b) : B(std::move(b)) {}
    lazy_view(const lazy_view& other) : B(other), compound_assignment<lazy_view>(), copied<lazy_view>() {}
    lazy_view(lazy_view&& other) noexcept(std::is_nothrow_move_constructible_v<B>)
        : B(std::move(other)), compound_assignment<lazy_view>(), copied<lazy_view>() {}

    // Never viable, so that `view = view` goes through copied, which knows the line.
    lazy_view& operator=(const lazy_view&)
        requires never<B>;
    lazy_view& operator=(copied<lazy_view> from) { return from.run(*this); }
    lazy_view& operator=(rhs<lazy_view, assignment::set> e) { return e.run(*this); }
    using compound_assignment<lazy_view>::operator+=;
    using compound_assignment<lazy_view>::operator-=;
    using compound_assignment<lazy_view>::operator*=;
    using compound_assignment<lazy_view>::operator/=;
    using compound_assignment<lazy_view>::operator%=;
    using compound_assignment<lazy_view>::operator&=;
    using compound_assignment<lazy_view>::operator|=;
    using compound_assignment<lazy_view>::operator^=;

    XLAZY_INDEXED(reference, operator(), , write_at)
    XLAZY_INDEXED(const_reference, operator(), const, read_at)
    XLAZY_INDEXED(reference, at, , write_checked)
    XLAZY_INDEXED(const_reference, at, const, read_checked)
    reference operator[](index_here i) { return write_at(i.line, i.value); }
    const_reference operator[](index_here i) const { return read_at(i.line, i.value); }
    template <class S>
    xt::disable_integral_t<S, reference> operator[](const S& index) {
        return this->element(index.cbegin(), index.cend());
    }
    template <class S>
    xt::disable_integral_t<S, const_reference> operator[](const S& index) const {
        return this->element(index.cbegin(), index.cend());
    }
    template <class I>
    reference operator[](std::initializer_list<I> index) {
        return this->element(index.begin(), index.end());
    }
    template <class I>
    const_reference operator[](std::initializer_list<I> index) const {
        return this->element(index.begin(), index.end());
    }

    template <class V>
    void fill(const V& value, here line = here::current()) {
        rt::LineScope scope(line);
        assign_to<assignment::set>(*this, value);
    }

    XLAZY_VIEW_ITERATORS(begin)
    XLAZY_VIEW_ITERATORS(end)
    XLAZY_VIEW_ITERATORS(rbegin)
    XLAZY_VIEW_ITERATORS(rend)
    XLAZY_CONST_ITERATORS

private:
    static constexpr bool kWritable = !std::is_const_v<std::remove_reference_t<typename B::reference>>;
    const B& base_cast() const noexcept { return *this; }

    template <class... I>
    reference write_at(here line, I... i) {
        if constexpr (viewed<B>::ok) {
            const rt::Base* base = peek_base_of(base_cast());
            const void* memory = kWritable ? base->writable_element() : base->readable_element();
            if (__builtin_expect(memory == nullptr, 0)) {
                memory = rt::waited_for(wait_for_element(line));
                if (memory == nullptr && rt::checks_bounds()) check_index(line, i...);
            }
            return B::operator()(i...);
        } else {
            rt::LineScope scope(line);
            return B::operator()(i...);
        }
    }
    template <class... I>
    const_reference read_at(here line, I... i) const {
        if constexpr (viewed<B>::ok) {
            const void* memory = peek_base_of(base_cast())->readable_element();
            if (__builtin_expect(memory == nullptr, 0)) {
                memory = rt::waited_for(wait_for_value(line));
                if (memory == nullptr && rt::checks_bounds()) check_index(line, i...);
            }
            return B::operator()(i...);
        } else {
            rt::LineScope scope(line);
            return B::operator()(i...);
        }
    }
    template <class... I>
    reference write_checked(here line, I... i) {
        located([&] { xt::check_access(this->shape(), i...); }, line);
        return write_at(line, i...);
    }
    template <class... I>
    const_reference read_checked(here line, I... i) const {
        located([&] { xt::check_access(this->shape(), i...); }, line);
        return read_at(line, i...);
    }
    // They must not change what the loop around the access has loaded.
    XLAZY_WAITS const void* wait_for_element(here line) const {
        if constexpr (kWritable)
            return rt::base_write_any(base_of(base_cast()), line_or(line));
        else
            return wait_for_value(line);
    }
    XLAZY_WAITS const void* wait_for_value(here line) const {
        return rt::base_read_any(base_of(base_cast()), line_or(line));
    }
    template <class... I>
    [[gnu::cold, gnu::noinline]] void check_index(here line, I... i) const {
        located([&] { xt::check_index(this->shape(), i...); }, line);
    }
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
bool equal_elements(const E1& a, const E2& b) {
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

template <class E>
bool same_place(const E& a, const E& b) {
    if constexpr (viewed<E>::ok) {
        const window v = viewed<E>::get(a);
        const window w = viewed<E>::get(b);
        return v.base == w.base && v.offset == w.offset && v.rank == w.rank &&
               std::equal(v.extents, v.extents + v.rank, w.extents) &&
               std::equal(v.strides, v.strides + v.rank, w.strides);
    } else {
        return equal_elements(evaluated(a), evaluated(b));
    }
}

template <class E1, class E2>
    requires(lazy<E1> || lazy<E2>)
bool operator==(const xt::xexpression<E1>& a, const xt::xexpression<E2>& b) {
    return equal_elements(evaluated(a.derived_cast()), evaluated(b.derived_cast()));
}

}  // namespace xlazy::detail

namespace xt {
using xlazy::detail::operator==;
}
