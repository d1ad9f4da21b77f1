// SPDX-License-Identifier: BSD-3-Clause
// The cell: shape, strides and storage of an array, shared by the array and the expressions that hold it.
#pragma once

#include "xlazy/bytecode/counting.hpp"
#include "xlazy/detail/storage.hpp"
#include "xlazy/detail/trace.hpp"

#include <array>
#include <memory>

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xstrides.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// Puts the zero of a default-constructed array into memory, if `initial` still says so. Several threads may do it.
void settle_initial_value(std::atomic<bool>& initial, rt::Base* base);

/// What the template arguments of an array say.
template <class D>
struct array_traits;

template <class T, xt::layout_type L, class A, class SA>
struct array_traits<xarray<T, L, A, SA>> {
    using value_type = T;
    using storage_type = typename select_storage<T, A>::type;
    using shape_type = xt::svector<std::size_t, 4, SA, true>;
    static constexpr xt::layout_type layout = L;
    static constexpr std::size_t rank = SIZE_MAX;
    static constexpr std::size_t default_size = 1;
};

template <class T, std::size_t N, xt::layout_type L, class A>
struct array_traits<xtensor<T, N, L, A>> {
    using value_type = T;
    using storage_type = typename select_storage<T, A>::type;
    using shape_type = std::array<std::size_t, N>;
    static constexpr xt::layout_type layout = L;
    static constexpr std::size_t rank = N;
    static constexpr std::size_t default_size = N == 0 ? 1 : 0;
};

template <class D>
struct cell {
    using traits = array_traits<D>;
    using value_type = typename traits::value_type;
    using shape_type = typename traits::shape_type;
    using strides_type = xt::get_strides_t<shape_type>;
    using storage_type = typename traits::storage_type;
    static constexpr bool recorded = is_recorded<value_type>;

    std::atomic<unsigned> references{1};
    const std::uint64_t made_at = rt::Tracing::time();
    /// A default-constructed array whose one element, a zero, may not be in memory yet.
    std::atomic<bool> initial{false};
    xt::layout_type layout = traits::layout;
    shape_type shape = xtl::make_sequence<shape_type>(0, 0);
    strides_type strides = xtl::make_sequence<strides_type>(0, 0);
    strides_type backstrides = xtl::make_sequence<strides_type>(0, 0);
    storage_type storage;

    cell() = default;
    /// As a default-constructed array of xtensor: one zero if the rank is 0 or dynamic.
    struct default_state {};
    explicit cell(default_state) : initial(recorded && traits::default_size != 0) {
        if constexpr (!recorded)
            storage = storage_type(traits::default_size, value_type());
        else if (initial)
            storage.renew(traits::default_size);
    }
    cell(const cell&) = delete;
    cell& operator=(const cell&) = delete;

    void retain() noexcept { bc::count_up(references); }
    void release() noexcept {
        if (bc::count_down(references) == 1) delete this;
    }
    bool shared() const noexcept { return references.load(std::memory_order_acquire) != 1; }

    void swap_contents(cell& other) noexcept {
        initial = other.initial.exchange(initial);
        std::swap(layout, other.layout);
        std::swap(shape, other.shape);
        std::swap(strides, other.strides);
        std::swap(backstrides, other.backstrides);
        storage.swap(other.storage);
    }

    /// Fits the strides to a shape already set. @return the number of elements
    std::size_t lay_out() {
        if (traits::layout == xt::layout_type::dynamic && layout == xt::layout_type::dynamic) {
            layout = XTENSOR_DEFAULT_LAYOUT;
        }
        xt::resize_container(strides, shape.size());
        xt::resize_container(backstrides, shape.size());
        return xt::compute_strides<traits::layout>(shape, layout, strides, backstrides);
    }

    template <class S>
    bool has_shape(const S& other) const {
        return shape.size() == other.size() && std::equal(std::begin(other), std::end(other), std::begin(shape));
    }

    /// The cell of moved-from arrays, shared by all and never freed. It has no elements and is never written to.
    static cell* unused() {
        static cell* const one = new cell();
        return one;
    }
};

/// The contents of a cell, put aside while a function is recorded.
template <class D>
class kept_cell final : public rt::KeptArray {
public:
    explicit kept_cell(cell<D>& c)
        : cell_(&c),
          initial_(c.initial.load(std::memory_order_relaxed)),
          layout_(c.layout),
          shape_(c.shape),
          strides_(c.strides),
          backstrides_(c.backstrides),
          base_(c.storage.base()) {
        cell_->retain();
        rt::base_retain(base_);
    }
    ~kept_cell() override {
        rt::base_release(base_);
        cell_->release();
    }
    kept_cell(const kept_cell&) = delete;
    kept_cell& operator=(const kept_cell&) = delete;

    const void* identity() const noexcept override { return cell_; }
    rt::ViewRef before() const noexcept override { return window(shape_, strides_, base_); }
    rt::ViewRef now() const noexcept override { return window(cell_->shape, cell_->strides, cell_->storage.base()); }
    void restore() noexcept override {
        if (cell_->storage.base() != base_) {
            rt::base_retain(base_);
            cell_->storage.adopt(base_);
        }
        cell_->initial.store(initial_, std::memory_order_relaxed);
        cell_->layout = layout_;
        cell_->shape = shape_;
        cell_->strides = strides_;
        cell_->backstrides = backstrides_;
    }

private:
    template <class Shape, class Strides>
    static rt::ViewRef window(const Shape& shape, const Strides& strides, rt::Base* base) noexcept {
        return {base, 0, shape.size(), shape.data(), strides.data()};
    }

    cell<D>* cell_;
    bool initial_;
    xt::layout_type layout_;
    typename cell<D>::shape_type shape_;
    typename cell<D>::strides_type strides_, backstrides_;
    rt::Base* base_;
};

/// To be called before a cell is read by a statement, or gets other storage or another shape.
template <class D>
void touch(cell<D>& c) {
    if constexpr (cell<D>::recorded) {
        if (__builtin_expect(rt::Tracing::is_outer(c.made_at), 0))
            rt::Tracing::touch(&c, c.made_at, [&] { return std::make_unique<kept_cell<D>>(c); });
    }
}

}  // namespace xlazy::detail
