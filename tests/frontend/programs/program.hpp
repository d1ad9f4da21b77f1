// SPDX-License-Identifier: BSD-3-Clause
// For programs of the comparison: ordinary xtensor source that is compiled twice, against xtensor alone (C++17) and
// with the wrapper headers. What they hand to `out` must agree.
#pragma once

#include "result.hpp"

#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <sstream>
#include <type_traits>
#include <typeinfo>

#include <xtensor/xarray.hpp>
#include <xtensor/xtensor.hpp>

namespace programs {

/// Takes the values that a program makes.
class Out {
public:
    explicit Out(Reading reading) : reading_(reading) {}

    template <class E>
    void operator()(const char* name, const E& value) {
        add(name, value, Agreement::Bits, 0);
    }
    /// For functions that are not exact.
    template <class E>
    void ulps(const char* name, const E& value, double most = 4) {
        add(name, value, Agreement::Ulps, most);
    }
    /// For sums: most n eps sum|x|.
    template <class E>
    void within(const char* name, const E& value, double most) {
        add(name, value, Agreement::Within, most);
    }
    void text(const char* name, std::string value) {
        Result result;
        result.name = name;
        result.text = std::move(value);
        results_.push_back(std::move(result));
    }
    /// Reads the expression itself, element by element, without an assignment.
    template <class E>
    void elements(const char* name, const E& expression) {
        results_.push_back(read(name, expression, Agreement::Bits, 0));
    }

    std::vector<Result> finish() {
        for (auto& [index, late] : late_) results_[index] = late();
        late_.clear();
        return std::move(results_);
    }

private:
    template <class T, class L>
    static Result head(const char* name, const L& shape, Agreement agreement, double bound) {
        Result result;
        result.name = name;
        result.type = typeid(T).name();
        result.shape.assign(shape.begin(), shape.end());
        result.agreement = agreement;
        result.bound = bound;
        return result;
    }

    template <class C>
    static Result read(const char* name, const C& values, Agreement agreement, double bound) {
        using T = std::decay_t<typename C::value_type>;
        Result result = head<T>(name, values.shape(), agreement, bound);
        std::ostringstream text;
        const auto end = values.template end<xt::layout_type::row_major>();
        for (auto it = values.template begin<xt::layout_type::row_major>(); it != end; ++it) {
            if constexpr (std::is_trivially_copyable_v<T>) {
                const T value = *it;
                const auto* first = reinterpret_cast<const std::byte*>(&value);
                result.bytes.insert(result.bytes.end(), first, first + sizeof(T));
            } else {
                text << *it << '\n';
            }
        }
        result.text = text.str();
        return result;
    }

    template <class C>
    void keep(const char* name, const C& container, Agreement agreement, double bound) {
        if (reading_ == Reading::AtOnce) {
            results_.push_back(read(name, container, agreement, bound));
            return;
        }
        late_.emplace_back(results_.size(), [=] { return read(name, container, agreement, bound); });
        results_.emplace_back();
    }

    template <class T, xt::layout_type L, class A, class S>
    void add(const char* name, const xt::xarray<T, L, A, S>& value, Agreement agreement, double bound) {
        keep(name, value, agreement, bound);
    }
    template <class T, std::size_t N, xt::layout_type L, class A>
    void add(const char* name, const xt::xtensor<T, N, L, A>& value, Agreement agreement, double bound) {
        keep(name, value, agreement, bound);
    }
    template <class E>
    void add(const char* name, const E& value, Agreement agreement, double bound) {
        if constexpr (std::is_arithmetic_v<E>) {
            Result result = head<E>(name, std::vector<std::size_t>(), agreement, bound);
            result.bytes.resize(sizeof(E));
            std::memcpy(result.bytes.data(), &value, sizeof(E));
            results_.push_back(std::move(result));
        } else {
            const xt::xarray<std::decay_t<typename E::value_type>> container = value;
            keep(name, container, agreement, bound);
        }
    }

    Reading reading_;
    std::vector<Result> results_;
    std::vector<std::pair<std::size_t, std::function<Result()>>> late_;
};

/// Reproducible numbers.
class Numbers {
public:
    explicit Numbers(std::uint64_t seed) : state_(seed * 2654435769u + 1) {}
    std::uint64_t next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return state_ >> 33;
    }
    /// 0 .. bound - 1
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }
    bool chance() { return below(2) == 1; }
    /// Small multiples of 1/8 for floating-point types, small whole numbers for integers: sums of them are exact.
    template <class T>
    T small() {
        const auto whole = static_cast<int>(below(257)) - 128;
        if constexpr (std::is_same_v<T, bool>)
            return whole > 0;
        else if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(whole) / T(8);
        else
            return static_cast<T>(whole % 12);
    }
    /// Any number between the two.
    template <class T>
    T between(T low, T high) {
        return low + (high - low) * static_cast<T>(static_cast<double>(below(1u << 30)) / double(1u << 30));
    }

private:
    std::uint64_t state_;
};

/// An array of small numbers; see Numbers::small.
template <class T>
xt::xarray<T> sample(const std::vector<std::size_t>& shape, std::uint64_t seed = 1) {
    Numbers numbers(seed);
    auto result = xt::xarray<T>::from_shape(shape);
    for (auto& value : result) value = numbers.small<T>();
    return result;
}

/// An array of numbers between the two.
template <class T>
xt::xarray<T> sample_between(const std::vector<std::size_t>& shape, T low, T high, std::uint64_t seed = 1) {
    Numbers numbers(seed);
    auto result = xt::xarray<T>::from_shape(shape);
    for (auto& value : result) value = numbers.between(low, high);
    return result;
}

/// Numbers that rewriting rules get wrong.
template <class T>
xt::xarray<T> special() {
    using limits = std::numeric_limits<T>;
    return xt::xarray<T>{T(0),
                         -T(0),
                         T(1),
                         -T(1),
                         T(0.5),
                         limits::infinity(),
                         -limits::infinity(),
                         limits::quiet_NaN(),
                         limits::denorm_min(),
                         -limits::min(),
                         limits::max(),
                         limits::lowest(),
                         limits::epsilon(),
                         T(1e-30)};
}

}  // namespace programs

#define XLAZY_PROGRAM(group, name, may_fall_back)                                                      \
    static void group##_##name(programs::Out& out);                                                    \
    static const programs::Registration registered_##group##_##name({#group, #name,                    \
                                                                     [](programs::Reading reading) {   \
                                                                         programs::Out taken(reading); \
                                                                         group##_##name(taken);        \
                                                                         return taken.finish();        \
                                                                     },                                \
                                                                     may_fall_back});                  \
    static void group##_##name([[maybe_unused]] programs::Out& out)

/// A program that is recorded throughout.
#define PROGRAM(group, name) XLAZY_PROGRAM(group, name, false)
/// One that uses functions which xtensor evaluates.
#define FALLBACK_PROGRAM(group, name) XLAZY_PROGRAM(group, name, true)
