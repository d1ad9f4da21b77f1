// SPDX-License-Identifier: BSD-3-Clause
// A small array on the run time's interface, as the frontend would use it, for tests below the frontend.
#pragma once

#include "xlazy/detail/recorder.hpp"
#include "xlazy/runtime.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace test {

using xlazy::here;
using xlazy::bc::DType;
using xlazy::bc::Op;
using xlazy::rt::Base;
using xlazy::rt::Reason;
using xlazy::rt::Statement;
using xlazy::rt::Value;
using xlazy::rt::ViewRef;

using Extents = std::vector<std::size_t>;

inline std::size_t count_of(const Extents& extents) {
    return std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
}

/// A window on an array.
struct Window {
    Base* base;
    std::int64_t offset;
    Extents extents;
    std::vector<std::ptrdiff_t> strides;
    operator ViewRef() const { return {base, offset, extents.size(), extents.data(), strides.data()}; }

    /// begin, begin + step, ... `count` indices of an axis.
    Window slice(std::size_t axis, std::int64_t begin, std::size_t count, std::ptrdiff_t step = 1) const {
        Window result = *this;
        result.offset += begin * strides[axis];
        result.extents[axis] = count;
        result.strides[axis] *= step;
        return result;
    }
    Window repeated(std::size_t axis, std::size_t count) const {
        Window result = *this;
        result.extents[axis] = count;
        result.strides[axis] = 0;
        return result;
    }
};

template <class T>
class Array {
public:
    explicit Array(Extents extents)
        : base_(xlazy::rt::base_new(xlazy::bc::dtype_of<T>(), count_of(extents))), extents_(std::move(extents)) {}
    Array(Extents extents, const std::vector<T>& values, here line = here::current()) : Array(std::move(extents)) {
        const xlazy::rt::LineScope scope(line);
        T* const memory = static_cast<T*>(xlazy::rt::base_fill(base_));
        std::copy(values.begin(), values.end(), memory);
    }
    Array(const Array& other) : base_(other.base_), extents_(other.extents_) { xlazy::rt::base_retain(base_); }
    Array(Array&& other) noexcept : base_(std::exchange(other.base_, nullptr)), extents_(std::move(other.extents_)) {}
    Array& operator=(Array other) noexcept {
        std::swap(base_, other.base_);
        std::swap(extents_, other.extents_);
        return *this;
    }
    ~Array() {
        if (base_ != nullptr) xlazy::rt::base_release(base_);
    }

    Base* base() const { return base_; }
    const Extents& extents() const { return extents_; }
    Window all() const {
        Window window{base_, 0, extents_, std::vector<std::ptrdiff_t>(extents_.size())};
        std::ptrdiff_t stride = 1;
        for (std::size_t i = extents_.size(); i-- > 0;) {
            window.strides[i] = stride;
            stride *= static_cast<std::ptrdiff_t>(extents_[i]);
        }
        return window;
    }
    operator Window() const { return all(); }

    /// Element access of the host.
    T read(std::size_t index, here line = here::current()) const {
        return static_cast<const T*>(xlazy::rt::readable(base_, Reason::element, line))[index];
    }
    void write(std::size_t index, T value, here line = here::current()) const {
        static_cast<T*>(xlazy::rt::writable(base_, Reason::element, line))[index] = value;
    }
    std::vector<T> values(here line = here::current()) const {
        const T* const memory = static_cast<const T*>(xlazy::rt::readable(base_, Reason::data, line));
        return std::vector<T>(memory, memory + count_of(extents_));
    }

private:
    Base* base_;
    Extents extents_;
};

/// target <- op(a, b)
inline void assign(const Window& target, Op op, const Window& a, const Window& b, here line = here::current()) {
    Statement s(line);
    const Value left = s.load(a);
    const Value value = s.apply(op, left.dtype, left, s.load(b));
    s.store(target, value);
}

/// target <- op(a, scalar)
template <class T>
requires std::is_arithmetic_v<T>
void assign(const Window& target, Op op, const Window& a, T scalar, here line = here::current()) {
    Statement s(line);
    const Value left = s.load(a);
    s.store(target, s.apply(op, left.dtype, left, s.scalar(scalar)));
}

/// target <- source
inline void copy(const Window& target, const Window& source, here line = here::current()) {
    Statement s(line);
    s.store(target, s.load(source));
}

/// target <- scalar
template <class T>
void fill(const Window& target, T scalar, here line = here::current()) {
    Statement s(line);
    s.store(target, s.scalar(scalar));
}

template <class T>
std::vector<T> iota(std::size_t count, T first = T{0}) {
    std::vector<T> values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
}

}  // namespace test
