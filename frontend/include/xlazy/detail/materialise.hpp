// SPDX-License-Identifier: BSD-3-Clause
// Leaves of an expression that cannot be recorded: foreign memory, and functions that the bytecode does not have.
// xtensor evaluates them on synchronised data.
#pragma once

#include "xlazy/detail/errors.hpp"
#include "xlazy/detail/type_name.hpp"
#include "xlazy/detail/view.hpp"

#include <concepts>
#include <vector>

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xbuilder.hpp>
#include <xtensor/xfunction.hpp>
#include <xtensor/xgenerator.hpp>
#include <xtensor/xscalar.hpp>
#include <xtensor/xstrided_view.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// Can evaluating an E read one of our arrays? Stock containers, scalars and what is made of them cannot.
template <class E>
inline constexpr bool reads_arrays = !std::is_base_of_v<xt::xcontainer<E>, E>;
template <class D>
    requires is_array<D>
inline constexpr bool reads_arrays<D> = D::recorded;
template <class C>
inline constexpr bool reads_arrays<shared_array<C>> = C::recorded;
template <class B>
inline constexpr bool reads_arrays<lazy_view<B>> = reads_arrays<B>;
template <class CT>
inline constexpr bool reads_arrays<xt::xscalar<CT>> = false;
template <class CT, class X>
inline constexpr bool reads_arrays<xt::xbroadcast<CT, X>> = reads_arrays<std::decay_t<CT>>;
template <class F, class... CT>
inline constexpr bool reads_arrays<xt::xfunction<F, CT...>> = (reads_arrays<std::decay_t<CT>> || ...);
template <class T, class R, class S, class Q, class Shape>
inline constexpr bool reads_arrays<xt::xgenerator<xt::detail::arange_generator<T, R, S>, Q, Shape>> = false;
template <class T, class R, class Shape>
inline constexpr bool reads_arrays<xt::xgenerator<xt::detail::fn_impl<xt::detail::eye_fn<T>>, R, Shape>> = false;

/// The part of an expression's type that says what it computes, for the statistics.
template <class E>
struct fallback_name {
    static const char* get() noexcept { return type_name<E>(); }
};
template <class F, class... CT>
struct fallback_name<xt::xfunction<F, CT...>> : fallback_name<std::decay_t<F>> {};
template <class F, class R, class S>
struct fallback_name<xt::xgenerator<F, R, S>> : fallback_name<std::decay_t<F>> {};
template <template <class...> class F, class... CT>
struct fallback_name<xt::detail::concatenate_invoker<F, CT...>> : fallback_name<F<CT...>> {};
template <class... CT>
struct fallback_name<xt::detail::concatenate_access<CT...>> {
    static const char* get() noexcept { return "concatenate"; }
};
template <class... CT>
struct fallback_name<xt::detail::stack_access<CT...>> {
    static const char* get() noexcept { return "stack"; }
};
template <class... CT>
struct fallback_name<xt::detail::vstack_access<CT...>> {
    static const char* get() noexcept { return "vstack"; }
};
template <class B>
struct fallback_name<lazy_function<B>> : fallback_name<B> {};
template <class B>
struct fallback_name<lazy_view<B>> : fallback_name<B> {};
template <class B>
struct fallback_name<lazy_reducer<B>> : fallback_name<B> {};

/// Before xtensor reads an E: what is pending runs.
template <class E>
void synchronise() {
    if constexpr (reads_arrays<E>) rt::fall_back(fallback_name<E>::get(), rt::LineScope::current());
}

/// E is over elements in memory. (Some of xtensor's classes only claim so.)
template <class E>
concept has_pointer = xt::has_data_interface<E>::value && requires(const typename E::storage_type& storage) {
    { storage.data() } -> std::convertible_to<const typename E::value_type*>;
};

/// The elements of `e` in order L, as C++ converts them to T.
template <xt::layout_type L, class T, class E>
void copy_elements(const E& e, T* to) {
    rt::InsideXtensor inside;
    if constexpr (has_pointer<E>) {
        if (e.layout() == L && e.is_contiguous()) {
            const auto* from = e.data() + e.data_offset();
            const std::size_t count = e.size();
            for (std::size_t i = 0; i < count; ++i) to[i] = convert_number<T>(from[i]);
            return;
        }
    }
    auto from = e.template cbegin<L>();
    for (std::size_t count = e.size(); count != 0; --count, ++from, ++to)
        *to = convert_number<T>(typename E::value_type(*from));
}

/// A base that is released when nothing went on to own it.
class base_owner {
public:
    base_owner() noexcept = default;
    base_owner(rt::DType type, std::size_t size) : base_(rt::base_new(type, size)) {}
    base_owner(base_owner&& other) noexcept : base_(std::exchange(other.base_, nullptr)) {}
    base_owner& operator=(base_owner&&) = delete;
    ~base_owner() {
        if (base_ != nullptr) rt::base_release(base_);
    }
    rt::Base* get() const noexcept { return base_; }
    rt::Base* release() noexcept { return std::exchange(base_, nullptr); }

private:
    rt::Base* base_ = nullptr;
};

/// A new base with the value of `e`, dense in order L.
template <class T, xt::layout_type L = xt::layout_type::row_major, class E>
base_owner evaluate(const E& e) {
    synchronise<E>();
    base_owner base(bc::dtype_of<T>(), e.size());
    copy_elements<L>(e, static_cast<T*>(rt::base_fill(base.get())));
    rt::throw_held();
    return base;
}

template <class S>
std::size_t copy_extents(const S& shape, std::size_t (&extents)[bc::kMaxRank]) {
    check_rank(shape.size());
    std::size_t rank = 0;
    for (const auto extent : shape) extents[rank++] = static_cast<std::size_t>(extent);
    return rank;
}

/// The evaluated leaves of one statement, in the order of the tree.
class leaves {
public:
    template <class T, class E>
    void add(const E& e) {
        located([&] {
            leaf& l = list_.emplace_back();
            l.rank = copy_extents(e.shape(), l.extents);
            l.base = evaluate<T>(e).release();
        });
        if constexpr (!reads_arrays<E>) {
            if (e.size() * sizeof(T) > rt::kForeignCopyBytes) large_foreign_ = true;
        }
    }
    /// Adds a dense array of this shape, which the caller fills or records; in row-major order, or by columns.
    window add(rt::DType type, std::size_t rank, const std::size_t* extents, bool by_columns);
    /// The next leaf.
    window next();
    rt::Value load_next(rt::Statement& statement) { return statement.load(next().ref()); }
    /// To be called after the statement: copies of large foreign memory are not kept for long.
    void end_statement() const;

    leaves() = default;
    leaves(const leaves&) = delete;
    leaves& operator=(const leaves&) = delete;
    ~leaves();

private:
    struct leaf {
        rt::Base* base = nullptr;
        std::size_t rank = 0;
        std::size_t extents[bc::kMaxRank];
        bool by_columns = false;
        window whole() const;
    };
    std::vector<leaf> list_;
    std::size_t used_ = 0;
    bool large_foreign_ = false;
};

}  // namespace xlazy::detail
