// SPDX-License-Identifier: BSD-3-Clause
// What xarray and xtensor have in common: xtensor's container interface over a shared cell.
#pragma once

#include "xlazy/detail/cell.hpp"
#include "xlazy/detail/errors.hpp"
#include "xlazy/detail/rhs.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xcontainer.hpp>
#include <xtensor/xsemantic.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xt {

// The types that xtensor's base classes ask for.
template <class D>
struct xlazy_inner_types {
    using traits = xlazy::detail::array_traits<D>;
    using storage_type = typename traits::storage_type;
    using reference = typename storage_type::reference;
    using const_reference = typename storage_type::const_reference;
    using size_type = std::size_t;
    using shape_type = typename traits::shape_type;
    using strides_type = get_strides_t<shape_type>;
    using backstrides_type = strides_type;
    using inner_shape_type = shape_type;
    using inner_strides_type = strides_type;
    using inner_backstrides_type = backstrides_type;
    using temporary_type = D;
    static constexpr layout_type layout = traits::layout;
};

template <class T, layout_type L, class A, class SA>
struct xcontainer_inner_types<xlazy::xarray<T, L, A, SA>> : xlazy_inner_types<xlazy::xarray<T, L, A, SA>> {};
template <class T, layout_type L, class A, class SA>
struct xiterable_inner_types<xlazy::xarray<T, L, A, SA>> : xcontainer_iterable_types<xlazy::xarray<T, L, A, SA>> {};
template <class T, std::size_t N, layout_type L, class A>
struct xcontainer_inner_types<xlazy::xtensor<T, N, L, A>> : xlazy_inner_types<xlazy::xtensor<T, N, L, A>> {};
template <class T, std::size_t N, layout_type L, class A>
struct xiterable_inner_types<xlazy::xtensor<T, N, L, A>> : xcontainer_iterable_types<xlazy::xtensor<T, N, L, A>> {};

}  // namespace xt

namespace xlazy::detail {

/// An index with the line where it was written: operator[] takes no default arguments.
struct index_here {
    template <class I>
        requires std::is_integral_v<I>
    index_here(I i, here place = here::current()) noexcept : value(static_cast<std::size_t>(i)), line(place) {}
    std::size_t value;
    here line;
};

/// A position in an array's memory, in place of indices.
struct position {
    std::size_t value;
};

/// Tag of the constructors that share a cell.
struct share_cell {};
/// Tag of the constructor that leaves the value to its caller.
struct without_value {};

template <class I>
concept not_a_line = !std::is_same_v<I, here>;

// NAME(), NAME(i), NAME(i, j) ... with the user's line as last parameter, all calling `target(line, indices...)`.
#define XLAZY_INDEXED(reference_type, name, qualifier, target)                          \
    reference_type name(here line = here::current()) qualifier { return target(line); } \
    template <not_a_line I>                                                             \
    reference_type name(I i, here line = here::current()) qualifier {                   \
        return target(line, i);                                                         \
    }                                                                                   \
    template <not_a_line I, not_a_line J>                                               \
    reference_type name(I i, J j, here line = here::current()) qualifier {              \
        return target(line, i, j);                                                      \
    }                                                                                   \
    template <not_a_line I, not_a_line J, not_a_line K>                                 \
    reference_type name(I i, J j, K k, here line = here::current()) qualifier {         \
        return target(line, i, j, k);                                                   \
    }                                                                                   \
    template <not_a_line I, not_a_line J, not_a_line K, not_a_line M>                   \
    reference_type name(I i, J j, K k, M m, here line = here::current()) qualifier {    \
        return target(line, i, j, k, m);                                                \
    }                                                                                   \
    template <not_a_line I, not_a_line J, not_a_line K, not_a_line M, not_a_line... R>  \
        requires(sizeof...(R) != 0)                                                     \
    reference_type name(I i, J j, K k, M m, R... rest) qualifier {                      \
        return target(here{}, i, j, k, m, rest...);                                     \
    }

/// D is xarray or xtensor.
template <class D>
class container : public xt::xcontainer<D>,
                  public xt::xcontainer_semantic<D>,
                  public compound_assignment<D>,
                  public copied<D>,
                  public lazy_base {
public:
    using base_type = xt::xcontainer<D>;
    using semantic_base = xt::xcontainer_semantic<D>;
    using extension_base = lazy_base;
    using self_type = D;
    using cell_type = cell<D>;
    using traits = array_traits<D>;
    using storage_type = typename base_type::storage_type;
    using allocator_type = typename base_type::allocator_type;
    using value_type = typename base_type::value_type;
    using reference = typename base_type::reference;
    using const_reference = typename base_type::const_reference;
    using pointer = typename base_type::pointer;
    using const_pointer = typename base_type::const_pointer;
    using size_type = typename base_type::size_type;
    using shape_type = typename base_type::shape_type;
    using strides_type = typename base_type::strides_type;
    using backstrides_type = typename base_type::backstrides_type;
    using inner_shape_type = shape_type;
    using inner_strides_type = strides_type;
    using inner_backstrides_type = backstrides_type;
    using temporary_type = D;
    using stepper = typename base_type::stepper;
    using const_stepper = typename base_type::const_stepper;
    static constexpr bool recorded = cell_type::recorded;
    using expression_tag = std::conditional_t<recorded, lazy_tag, xt::xtensor_expression_tag>;
    static constexpr std::size_t rank = traits::rank;

    using compound_assignment<D>::operator+=;
    using compound_assignment<D>::operator-=;
    using compound_assignment<D>::operator*=;
    using compound_assignment<D>::operator/=;
    using compound_assignment<D>::operator%=;
    using compound_assignment<D>::operator&=;
    using compound_assignment<D>::operator|=;
    using compound_assignment<D>::operator^=;

    // ---- shape

    size_type size() const noexcept {
        const cell_type& c = peek();
        return base_type::contiguous_layout ? c.storage.size() : xt::compute_size(c.shape);
    }
    template <class S = shape_type>
    void resize(S&& shape, bool force = false) {
        if (!force && peek().has_shape(shape)) return;
        if (cell_ == cell_type::unused()) cell_ = new cell_type(typename cell_type::default_state{});
        touch(*cell_);
        cell_->shape = xtl::forward_sequence<shape_type, S>(shape);
        const std::size_t size = cell_->lay_out();
        if (size != cell_->storage.size()) cell_->initial = false;
        cell_->storage.resize(size);
    }
    template <class S = shape_type>
    void resize(S&& shape, xt::layout_type layout) {
        if (traits::layout != xt::layout_type::dynamic && layout != traits::layout) {
            XTENSOR_THROW(std::runtime_error,
                          "Cannot change layout_type if template parameter not layout_type::dynamic.");
        }
        if (cell_ == cell_type::unused()) cell_ = new cell_type(typename cell_type::default_state{});
        cell_->layout = layout;
        resize(std::forward<S>(shape), true);
    }
    template <class S = shape_type>
    void resize(S&& shape, const strides_type& strides) {
        if (traits::layout != xt::layout_type::dynamic) {
            XTENSOR_THROW(std::runtime_error,
                          "Cannot resize with custom strides when layout() is != layout_type::dynamic.");
        }
        cell_type& c = own();
        c.shape = xtl::forward_sequence<shape_type, S>(shape);
        c.strides = strides;
        xt::resize_container(c.backstrides, strides.size());
        xt::adapt_strides(c.shape, c.strides, c.backstrides);
        c.layout = xt::layout_type::dynamic;
        c.storage.resize(xt::compute_size(c.shape));
    }
    template <class S = shape_type>
    D& reshape(S&& shape, xt::layout_type layout = traits::layout, here line = here::current()) & {
        std::vector<std::ptrdiff_t> wanted(std::begin(shape), std::end(shape));
        located([&] { reshape_to(wanted, layout); }, line);
        return self();
    }
    template <class T>
    D& reshape(std::initializer_list<T> shape, xt::layout_type layout = traits::layout, here line = here::current()) & {
        std::vector<std::ptrdiff_t> wanted(shape.begin(), shape.end());
        located([&] { reshape_to(wanted, layout); }, line);
        return self();
    }
    xt::layout_type layout() const noexcept { return peek().layout; }
    bool is_contiguous() const noexcept {
        const cell_type& c = peek();
        return c.strides.empty() || (c.layout == xt::layout_type::row_major && c.strides.back() == 1) ||
               (c.layout == xt::layout_type::column_major && c.strides.front() == 1);
    }

    // ---- elements

    XLAZY_INDEXED(reference, operator(), , write_at)
    XLAZY_INDEXED(const_reference, operator(), const, read_at)
    XLAZY_INDEXED(reference, at, , write_checked)
    XLAZY_INDEXED(const_reference, at, const, read_checked)

    /// operator() with any number of indices and a line.
    template <class... I>
    const_reference at_line(here line, I... i) const {
        return read_at(line, i...);
    }

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

    template <class... I>
    reference unchecked(I... i) {
        return writable_elements({}, position{unchecked_offset(i...)})[unchecked_offset(i...)];
    }
    template <class... I>
    const_reference unchecked(I... i) const {
        return readable_elements({}, position{unchecked_offset(i...)})[unchecked_offset(i...)];
    }
    reference flat(size_type i) { return writable_elements({}, position{i})[i]; }
    const_reference flat(size_type i) const { return readable_elements({}, position{i})[i]; }
    reference data_element(size_type i) { return flat(i); }
    const_reference data_element(size_type i) const { return flat(i); }

    pointer data(here line = here::current()) {
        storage_type& s = own().storage;
        if constexpr (recorded) {
            pointer at = s.write(rt::Reason::data, line_or(line));
            s.pin_pointer(true);
            return at;
        } else {
            return s.data();
        }
    }
    const_pointer data(here line = here::current()) const {
        const storage_type& s = used().storage;
        if constexpr (recorded) {
            const_pointer at = s.read(rt::Reason::data, line_or(line));
            s.pin_pointer(false);
            return at;
        } else {
            return s.data();
        }
    }

#define XLAZY_ITERATORS(name)                                         \
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>          \
    auto name(here line = here::current()) {                          \
        ready_to_write(line);                                         \
        return base_type::template name<L>();                         \
    }                                                                 \
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class S> \
        requires(!std::is_same_v<S, here>)                            \
    auto name(const S& shape, here line = here::current()) {          \
        ready_to_write(line);                                         \
        return base_type::template name<L>(shape);                    \
    }
#define XLAZY_CONST_ITERATORS(name)                                   \
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>          \
    auto name(here line = here::current()) const {                    \
        ready_to_read(line);                                          \
        return base_type::template name<L>();                         \
    }                                                                 \
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class S> \
        requires(!std::is_same_v<S, here>)                            \
    auto name(const S& shape, here line = here::current()) const {    \
        ready_to_read(line);                                          \
        return base_type::template name<L>(shape);                    \
    }
    XLAZY_ITERATORS(begin)
    XLAZY_ITERATORS(end)
    XLAZY_ITERATORS(rbegin)
    XLAZY_ITERATORS(rend)
    XLAZY_CONST_ITERATORS(begin)
    XLAZY_CONST_ITERATORS(end)
    XLAZY_CONST_ITERATORS(rbegin)
    XLAZY_CONST_ITERATORS(rend)
    XLAZY_CONST_ITERATORS(cbegin)
    XLAZY_CONST_ITERATORS(cend)
    XLAZY_CONST_ITERATORS(crbegin)
    XLAZY_CONST_ITERATORS(crend)
#undef XLAZY_ITERATORS
#undef XLAZY_CONST_ITERATORS

    template <class V>
    void fill(const V& value, here line = here::current()) {
        rt::LineScope scope(line);
        if constexpr (recorded && converts_to<V, value_type>)
            fill_with(self(), convert_number<value_type>(value));
        else
            std::fill(this->linear_begin(), this->linear_end(), value);
    }

    // ---- assignment (entry points of xtensor's own functions)

    /// Shadows xcontainer_semantic's, which lets some expressions bypass the assigner.
    template <class E>
    D& assign_xexpression(const xt::xexpression<E>& e) {
        assign_to<assignment::set>(self(), e.derived_cast());
        return self();
    }
    D& assign_temporary(D&& temporary) {
        take(std::move(temporary));
        return self();
    }

    // ---- for the lowering

    /// The cell, which an expression keeps; it counts itself up.
    cell_type* share() const {
        cell_type& c = used();
        c.retain();
        return &c;
    }
    /// The cell as it is.
    const cell_type& peek() const noexcept { return *rt::published(cell_); }
    /// The cell of an array that is in use, its value in the base.
    cell_type& used() const {
        cell_type* c = rt::published(cell_);
        if (c == cell_type::unused()) c = begin_use(c);
        if constexpr (recorded) {
            if (c->initial.load(std::memory_order_acquire)) settle_initial_value(c->initial, c->storage.base());
        }
        touch(*c);
        return *c;
    }
    cell_type& own() { return used(); }
    /// The cell of an array that is about to get new storage.
    cell_type& replaceable() {
        if (cell_ == cell_type::unused()) cell_ = new cell_type();
        touch(*cell_);
        cell_->initial = false;
        return *cell_;
    }
    /// New storage without values and with this shape, for a whole-array assignment.
    template <class S>
    void renew(const S& shape) {
        cell_type& c = replaceable();
        if (traits::layout == xt::layout_type::dynamic && c.has_shape(shape)) {
            c.storage.renew(c.storage.size());  // as stock's resize: same shape, same strides
            return;
        }
        c.shape = shape;
        c.storage.renew(c.lay_out());
    }
    /// The order of elements that a new dense value gets.
    xt::layout_type dense_layout() const noexcept {
        const xt::layout_type layout = peek().layout;
        return layout == xt::layout_type::dynamic ? XTENSOR_DEFAULT_LAYOUT : layout;
    }
    /// Takes over `base`, whose elements lie densely in that order.
    void renew_dense(const shape_type& shape, rt::Base* base) {
        cell_type& c = replaceable();
        c.shape = shape;
        c.lay_out();
        c.storage.adopt(base);
    }
    /// Shape and strides of another cell, with new storage.
    void take_layout(const cell_type& from) {
        cell_type& c = replaceable();
        c.layout = from.layout;
        c.shape = from.shape;
        c.strides = from.strides;
        c.backstrides = from.backstrides;
        if constexpr (recorded) c.storage.renew(from.storage.size());
    }

    shape_type& shape_impl() noexcept { return own().shape; }
    const shape_type& shape_impl() const noexcept { return peek().shape; }
    strides_type& strides_impl() noexcept { return own().strides; }
    const strides_type& strides_impl() const noexcept { return peek().strides; }
    backstrides_type& backstrides_impl() noexcept { return own().backstrides; }
    const backstrides_type& backstrides_impl() const noexcept { return peek().backstrides; }
    storage_type& storage_impl() noexcept { return own().storage; }
    const storage_type& storage_impl() const noexcept { return used().storage; }

protected:
    /// Takes over one count of the cell.
    container(share_cell, cell_type* shared) noexcept : cell_(shared) {}
    container() : cell_(new cell_type(typename cell_type::default_state{})) {}
    /// The array gets its value at once.
    explicit container(without_value) noexcept : cell_(cell_type::unused()) {}
    ~container() { drop(cell_); }
    // A copy records a statement, which the derived classes do: they have the line.
    container(const container& other) = delete;
    container& operator=(const container& other) = delete;
    container(container&& other) noexcept : base_type(), semantic_base(), copied<D>(), cell_(cell_type::unused()) {
        if (rt::Tracing::is_outer(other.cell_->made_at))
            take(std::move(other.self()));
        else
            std::swap(cell_, other.cell_);
    }

    /// Move assignment. A cell that expressions hold keeps its identity: the contents move.
    void take(D&& other) noexcept {
        if (cell_ == other.cell_) return;
        if (rt::Tracing::is_outer(cell_->made_at) || rt::Tracing::is_outer(other.cell_->made_at)) {
            swap_arrays(other);
        } else if (cell_ == cell_type::unused() || !cell_->shared()) {
            std::swap(cell_, other.cell_);
        } else {
            cell_->swap_contents(other.own());
        }
    }

    void swap_arrays(D& other) noexcept {
        cell_type& mine = own();
        cell_type& theirs = other.own();
        if (&mine == &theirs) return;
        mine.swap_contents(theirs);
    }

    void from_value(const value_type& value) {
        resize(xt::shape<shape_type>(value), true);
        *fill_pointer(own().storage) = value;
    }
    template <class List>
    void from_list(const List& list, here line) {
        const rt::LineScope scope(line);
        resize(xt::shape<shape_type>(list), true);
        cell_type& c = own();
        if constexpr (traits::layout == xt::layout_type::row_major) {
            xt::nested_copy(fill_pointer(c.storage), list);
        } else {
            fill_pointer(c.storage);
            rt::InsideXtensor inside;
            xt::nested_copy(base_type::template begin<xt::layout_type::row_major>(), list);
        }
    }
    static value_type* fill_pointer(storage_type& s) {
        if constexpr (recorded)
            return s.fill();
        else
            return s.data();
    }

    D& self() noexcept { return static_cast<D&>(*this); }
    const D& self() const noexcept { return static_cast<const D&>(*this); }

private:
    static void drop(cell_type* c) noexcept {
        if (c != cell_type::unused()) c->release();
    }

    /// A moved-from array is used again. Several threads may read one array, so the first of them wins.
    [[gnu::noinline]] cell_type* begin_use(cell_type* expected) const {
        auto* made = new cell_type(typename cell_type::default_state{});
        if (std::atomic_ref(cell_).compare_exchange_strong(expected, made, std::memory_order_acq_rel)) return made;
        delete made;
        return expected;
    }

    template <class... I>
    reference write_at(here line, I... i) {
        const cell_type& c = peek();
        XTENSOR_TRY(xt::check_index(c.shape, i...));
        XTENSOR_CHECK_DIMENSION(c.shape, i...);
        return writable_elements(line, i...)[xt::data_offset<size_type>(c.strides, i...)];
    }
    template <class... I>
    const_reference read_at(here line, I... i) const {
        const cell_type& c = peek();
        XTENSOR_TRY(xt::check_index(c.shape, i...));
        XTENSOR_CHECK_DIMENSION(c.shape, i...);
        return readable_elements(line, i...)[xt::data_offset<size_type>(c.strides, i...)];
    }
    /// The elements' memory, for a look at the element with these indices.
    template <class... I>
    value_type* writable_elements(here line, I... i) {
        if constexpr (recorded) {
            void* memory = peek().storage.base()->writable_element();
            if (__builtin_expect(memory == nullptr, 0)) {
                memory = rt::waited_for(write_slowly(line));
                if (memory == nullptr) memory = rt::waited_for(write_one(line, i...));
            }
            return static_cast<value_type*>(memory);
        } else {
            return cell_->storage.data();
        }
    }
    template <class... I>
    const value_type* readable_elements(here line, I... i) const {
        if constexpr (recorded) {
            const void* memory = peek().storage.base()->readable_element();
            if (__builtin_expect(memory == nullptr, 0)) {
                memory = rt::waited_for(read_slowly(line));
                if (memory == nullptr) memory = rt::waited_for(read_one(line, i...));
            }
            return static_cast<const value_type*>(memory);
        } else {
            return peek().storage.data();
        }
    }
    template <class... I>
    reference write_checked(here line, I... i) {
        located([&] { xt::check_access(peek().shape, i...); }, line);
        return write_at(line, i...);
    }
    template <class... I>
    const_reference read_checked(here line, I... i) const {
        located([&] { xt::check_access(peek().shape, i...); }, line);
        return read_at(line, i...);
    }
    template <class... I>
    size_type unchecked_offset(I... i) const {
        constexpr auto layout = base_type::static_layout;
        return xt::unchecked_data_offset<size_type, layout>(peek().strides, static_cast<std::ptrdiff_t>(i)...);
    }
    // They must not change what the inline code above has loaded: the cell, its shape and strides, its base.
    XLAZY_WAITS void* write_slowly(here line) { return rt::base_write_any(settled_base(), line_or(line)); }
    XLAZY_WAITS const void* read_slowly(here line) const { return rt::base_read_any(settled_base(), line_or(line)); }
    template <class... I>
    XLAZY_WAITS void* write_one(here line, I... i) {
        return rt::base_write_element(settled_base(), checked_position(line, i...), line_or(line));
    }
    template <class... I>
    XLAZY_WAITS const void* read_one(here line, I... i) const {
        return rt::base_read_element(settled_base(), checked_position(line, i...), line_or(line));
    }
    template <class... I>
    size_type checked_position(here line, I... i) const {
        if (rt::checks_bounds()) located([&] { xt::check_index(peek().shape, i...); }, line);
        return xt::data_offset<size_type>(peek().strides, i...);
    }
    size_type checked_position(here, position i) const { return i.value; }
    rt::Base* settled_base() const {
        cell_type& c = *rt::published(cell_);
        if (c.initial.load(std::memory_order_acquire)) settle_initial_value(c.initial, c.storage.base());
        return c.storage.base();
    }
    void ready_to_write(here line) {
        if constexpr (recorded) own().storage.write(rt::Reason::iterator, line_or(line));
    }
    void ready_to_read(here line) const {
        if constexpr (recorded) used().storage.read(rt::Reason::iterator, line_or(line));
    }

    void reshape_to(std::vector<std::ptrdiff_t>& wanted, xt::layout_type layout);

    mutable cell_type* cell_;
};

template <class D>
void container<D>::reshape_to(std::vector<std::ptrdiff_t>& wanted, xt::layout_type layout) {
    const auto count = static_cast<std::ptrdiff_t>(this->size());
    std::ptrdiff_t known = 1;
    std::ptrdiff_t* open = nullptr;
    for (std::ptrdiff_t& extent : wanted) {
        if (extent < 0)
            open = &extent;
        else
            known *= extent;
    }
    if (open != nullptr) {
        if (known == 0 || count % known != 0) {
            XTENSOR_THROW(std::runtime_error, "Negative axis size cannot be inferred. Shape mismatch.");
        }
        *open = count / known;
        known *= *open;
    }
    if (known != count) {
        XTENSOR_THROW(std::runtime_error, "Cannot reshape with incorrect number of elements. Do you mean to resize?");
    }
    if (traits::layout == xt::layout_type::dynamic && layout == xt::layout_type::dynamic) {
        layout = XTENSOR_DEFAULT_LAYOUT;
    }
    if (traits::layout != xt::layout_type::dynamic && layout != traits::layout) {
        XTENSOR_THROW(std::runtime_error, "Cannot reshape with different layout if static layout != dynamic.");
    }
    cell_type& c = own();
    c.layout = layout;
    c.shape = xtl::forward_sequence<shape_type, std::vector<std::ptrdiff_t>&>(wanted);
    c.lay_out();
}

}  // namespace xlazy::detail
