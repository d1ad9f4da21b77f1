// SPDX-License-Identifier: BSD-3-Clause
// The storage of an array of ours as xtensor sees it: the interface of xt::uvector over a base of the run time.
#pragma once

#include "xlazy/detail/recorder.hpp"
#include "xlazy/detail/tag.hpp"

#include <algorithm>
#include <compare>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xstorage.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// The user's line: of the outermost entry point, else of this one.
inline here line_or(here line) noexcept {
    const here outer = rt::LineScope::current();
    return outer.line != 0 ? outer : line;
}

/// While it lives, statements that touch the base run at once. It keeps the base alive.
class pin {
public:
    pin() noexcept = default;
    pin(rt::Base* base, bool writable) noexcept : base_(base), writable_(writable) { take(); }
    pin(const pin& other) noexcept : base_(other.base_), writable_(other.writable_) { take(); }
    pin(pin&& other) noexcept : base_(std::exchange(other.base_, nullptr)), writable_(other.writable_) {}
    pin& operator=(pin other) noexcept {
        std::swap(base_, other.base_);
        std::swap(writable_, other.writable_);
        return *this;
    }
    ~pin() {
        if (base_ == nullptr) return;
        rt::base_unpin(base_, writable_);
        rt::base_release(base_);
    }

private:
    void take() const noexcept {
        if (base_ == nullptr) return;
        rt::base_retain(base_);
        rt::base_pin(base_, writable_);
    }
    rt::Base* base_ = nullptr;
    bool writable_ = false;
};

/// A pointer into the storage that pins it.
template <class T>
class storage_iterator {
public:
    using value_type = std::remove_const_t<T>;
    using element_type = T;
    using reference = T&;
    using pointer = T*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;
    using iterator_concept = std::contiguous_iterator_tag;

    storage_iterator() noexcept = default;
    /// Without a pin if `base` is null.
    storage_iterator(T* at, rt::Base* base) noexcept : at_(at), pin_(base, !std::is_const_v<T>) {}
    template <class U>
        requires(std::is_const_v<T> && std::is_same_v<U, value_type>)
    storage_iterator(const storage_iterator<U>& other) noexcept : at_(other.at_), pin_(other.pin_) {}

    T& operator*() const noexcept { return *at_; }
    T* operator->() const noexcept { return at_; }
    T& operator[](difference_type n) const noexcept { return at_[n]; }

    storage_iterator& operator++() noexcept { return ++at_, *this; }
    storage_iterator& operator--() noexcept { return --at_, *this; }
    storage_iterator operator++(int) noexcept { return step_after(1); }
    storage_iterator operator--(int) noexcept { return step_after(-1); }
    template <class N>
    storage_iterator& operator+=(N n) noexcept {
        return at_ += n, *this;
    }
    template <class N>
    storage_iterator& operator-=(N n) noexcept {
        return at_ -= n, *this;
    }

    template <class N>
        requires std::is_integral_v<N>
    friend storage_iterator operator+(storage_iterator it, N n) noexcept {
        return it += n, it;
    }
    template <class N>
        requires std::is_integral_v<N>
    friend storage_iterator operator+(N n, storage_iterator it) noexcept {
        return it += n, it;
    }
    template <class N>
        requires std::is_integral_v<N>
    friend storage_iterator operator-(storage_iterator it, N n) noexcept {
        return it -= n, it;
    }

    /// The bare address; the pin does not follow it.
    T* address() const noexcept { return at_; }

private:
    template <class>
    friend class storage_iterator;
    storage_iterator step_after(difference_type n) noexcept {
        storage_iterator old(*this);
        at_ += n;
        return old;
    }
    T* at_ = nullptr;
    pin pin_;
};

template <class T, class U>
    requires std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>
std::ptrdiff_t operator-(const storage_iterator<T>& a, const storage_iterator<U>& b) noexcept {
    return a.address() - b.address();
}
template <class T, class U>
    requires std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>
bool operator==(const storage_iterator<T>& a, const storage_iterator<U>& b) noexcept {
    return a.address() == b.address();
}
template <class T, class U>
    requires std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>
std::strong_ordering operator<=>(const storage_iterator<T>& a, const storage_iterator<U>& b) noexcept {
    return a.address() <=> b.address();
}

}  // namespace xlazy::detail

namespace std {

/// The general one copies its iterator to dereference it, pin and all.
template <class T>
class reverse_iterator<xlazy::detail::storage_iterator<T>> {
    using forward = xlazy::detail::storage_iterator<T>;

public:
    using iterator_type = forward;
    using value_type = typename forward::value_type;
    using reference = T&;
    using pointer = T*;
    using difference_type = ptrdiff_t;
    using iterator_category = random_access_iterator_tag;
    using iterator_concept = random_access_iterator_tag;

    reverse_iterator() noexcept = default;
    explicit reverse_iterator(forward behind) noexcept : behind_(std::move(behind)) {}
    template <class U>
        requires is_convertible_v<const xlazy::detail::storage_iterator<U>&, forward>
    reverse_iterator(const reverse_iterator<xlazy::detail::storage_iterator<U>>& other) noexcept
        : behind_(other.base()) {}

    const forward& base() const noexcept { return behind_; }
    T& operator*() const noexcept { return behind_[-1]; }
    T* operator->() const noexcept { return behind_.address() - 1; }
    T& operator[](difference_type n) const noexcept { return behind_[-1 - n]; }

    reverse_iterator& operator++() noexcept { return --behind_, *this; }
    reverse_iterator& operator--() noexcept { return ++behind_, *this; }
    reverse_iterator operator++(int) noexcept { return reverse_iterator(behind_--); }
    reverse_iterator operator--(int) noexcept { return reverse_iterator(behind_++); }
    reverse_iterator& operator+=(difference_type n) noexcept { return behind_ -= n, *this; }
    reverse_iterator& operator-=(difference_type n) noexcept { return behind_ += n, *this; }
    friend reverse_iterator operator+(reverse_iterator it, difference_type n) noexcept { return it += n, it; }
    friend reverse_iterator operator+(difference_type n, reverse_iterator it) noexcept { return it += n, it; }
    friend reverse_iterator operator-(reverse_iterator it, difference_type n) noexcept { return it -= n, it; }

private:
    forward behind_;
};

}  // namespace std

namespace xlazy::detail {

/// The storage. Copies copy elements; every way in for reading or writing first runs what is pending.
template <class T, class A>
class storage {
public:
    using allocator_type = A;
    using value_type = T;
    using reference = T&;
    using const_reference = const T&;
    using pointer = T*;
    using const_pointer = const T*;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using iterator = storage_iterator<T>;
    using const_iterator = storage_iterator<const T>;
    using reverse_iterator = std::reverse_iterator<iterator>;
    using const_reverse_iterator = std::reverse_iterator<const_iterator>;

    storage() noexcept : base_(empty_base()) { rt::base_retain(base_); }
    explicit storage(const A&) noexcept : storage() {}
    explicit storage(size_type count, const A& = A()) : base_(rt::base_new(kType, count)) {}
    storage(size_type count, const T& value, const A& = A()) : storage(count) { std::fill_n(fill(), count, value); }
    template <class It, class = xt::detail::require_input_iter<It>>
    storage(It first, It last, const A& = A()) : storage(static_cast<size_type>(std::distance(first, last))) {
        std::copy(first, last, fill());
    }
    storage(std::initializer_list<T> values, const A& = A()) : storage(values.begin(), values.end()) {}
    storage(const storage& other) : storage(other.size()) {
        const T* from = other.read(rt::Reason::data);
        std::copy_n(from, size(), fill());
    }
    storage(storage&& other) noexcept : storage() { swap(other); }
    storage& operator=(storage other) noexcept {
        swap(other);
        return *this;
    }
    ~storage() {
        end_pins();
        rt::base_release(base_);
    }

    rt::Base* base() const noexcept { return base_; }
    /// Takes over one reference to `base`. Pointers from data() end here.
    void adopt(rt::Base* base) noexcept {
        end_pins();
        rt::base_release(std::exchange(base_, base));
    }
    /// New memory of the same kind, its elements without a value.
    void renew(size_type count) { adopt(rt::base_new(kType, count)); }

    bool empty() const noexcept { return size() == 0; }
    size_type size() const noexcept { return base_->size(); }
    void resize(size_type count) {
        if (count != size()) renew(count);
    }
    size_type max_size() const noexcept { return static_cast<size_type>(-1) / sizeof(T); }
    void reserve(size_type) noexcept {}
    size_type capacity() const noexcept { return size(); }
    void shrink_to_fit() noexcept {}
    void clear() { resize(0); }
    allocator_type get_allocator() const noexcept { return A(); }

    reference operator[](size_type i) {
        void* memory = base_->writable();
        if (__builtin_expect(memory == nullptr, 0)) memory = rt::base_write_element(base_, i, {});
        return static_cast<T*>(memory)[i];
    }
    const_reference operator[](size_type i) const {
        const void* memory = base_->readable();
        if (__builtin_expect(memory == nullptr, 0)) memory = rt::base_read_element(base_, i, {});
        return static_cast<const T*>(memory)[i];
    }
    reference at(size_type i) { return (*this)[checked(i)]; }
    const_reference at(size_type i) const { return (*this)[checked(i)]; }
    reference front() { return (*this)[0]; }
    const_reference front() const { return (*this)[0]; }
    reference back() { return (*this)[size() - 1]; }
    const_reference back() const { return (*this)[size() - 1]; }

    pointer data() noexcept { return pin_pointer(true), write_held(rt::Reason::data); }
    const_pointer data() const noexcept { return pin_pointer(false), read_held(rt::Reason::data); }
    iterator begin() noexcept { return iterator(write_held(rt::Reason::iterator), to_pin()); }
    iterator end() noexcept { return iterator(write_held(rt::Reason::iterator) + size(), to_pin()); }
    const_iterator begin() const noexcept { return cbegin(); }
    const_iterator end() const noexcept { return cend(); }
    const_iterator cbegin() const noexcept { return const_iterator(read_held(rt::Reason::iterator), to_pin()); }
    const_iterator cend() const noexcept { return const_iterator(read_held(rt::Reason::iterator) + size(), to_pin()); }
    reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
    reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
    const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(cend()); }
    const_reverse_iterator rend() const noexcept { return const_reverse_iterator(cbegin()); }
    const_reverse_iterator crbegin() const noexcept { return rbegin(); }
    const_reverse_iterator crend() const noexcept { return rend(); }

    const T* read(rt::Reason reason, here line = {}) const {
        return static_cast<const T*>(rt::readable(base_, reason, line));
    }
    T* write(rt::Reason reason, here line = {}) { return static_cast<T*>(rt::writable(base_, reason, line)); }
    /// Memory that the caller fills as a whole; the base is new.
    T* fill() { return static_cast<T*>(rt::base_fill(base_)); }

    void swap(storage& other) noexcept {
        std::swap(base_, other.base_);
        const unsigned char pins = pinned_.load(std::memory_order_relaxed);
        pinned_.store(other.pinned_.load(std::memory_order_relaxed), std::memory_order_relaxed);
        other.pinned_.store(pins, std::memory_order_relaxed);
    }
    friend void swap(storage& a, storage& b) noexcept { a.swap(b); }
    friend bool operator==(const storage& a, const storage& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
    friend auto operator<=>(const storage& a, const storage& b) {
        return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
    }
    template <class V>
        requires(!std::is_same_v<V, storage> && std::is_same_v<typename V::value_type, T>)
    friend bool operator==(const storage& a, const V& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

    /// Pins the memory until other memory is adopted: a raw pointer is out. Several threads may read.
    void pin_pointer(bool writable) const noexcept {
        if (rt::InsideXtensor::active()) return;
        const unsigned char bit = writable ? kWritePin : kReadPin;
        if ((pinned_.load(std::memory_order_relaxed) & bit) != 0) return;
        if ((pinned_.fetch_or(bit, std::memory_order_relaxed) & bit) == 0) rt::base_pin(base_, writable);
    }

private:
    static constexpr rt::DType kType = bc::dtype_of<T>();
    static constexpr unsigned char kReadPin = 1;
    static constexpr unsigned char kWritePin = 2;

    /// Shared by all storages without elements; never freed, since static arrays may outlive it.
    static rt::Base* empty_base() {
        static rt::Base* const base = rt::base_new(kType, 0);
        return base;
    }
    size_type checked(size_type i) const {
        if (i >= size()) throw std::out_of_range("xlazy: storage index out of range");
        return i;
    }
    rt::Base* to_pin() const noexcept { return rt::InsideXtensor::active() ? nullptr : base_; }
    const T* read_held(rt::Reason reason) const noexcept {
        const void* memory = base_->readable();
        return static_cast<const T*>(memory != nullptr ? memory : rt::base_read_held(base_, reason, line_or({})));
    }
    T* write_held(rt::Reason reason) const noexcept {
        void* memory = base_->writable();
        return static_cast<T*>(memory != nullptr ? memory : rt::base_write_held(base_, reason, line_or({})));
    }
    void end_pins() noexcept {
        const unsigned char pins = pinned_.exchange(0, std::memory_order_relaxed);
        if ((pins & kReadPin) != 0) rt::base_unpin(base_, false);
        if ((pins & kWritePin) != 0) rt::base_unpin(base_, true);
    }

    rt::Base* base_;
    mutable std::atomic<unsigned char> pinned_{0};
};

/// Element types outside the bytecode's: the same containers over plain memory, never recorded.
template <class T, class A>
struct select_storage {
    using type = xt::uvector<T, A>;
};
template <class T, class A>
    requires is_recorded<T>
struct select_storage<T, A> {
    using type = storage<T, A>;
};

}  // namespace xlazy::detail
