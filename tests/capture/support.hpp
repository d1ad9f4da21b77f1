// SPDX-License-Identifier: BSD-3-Clause
// What the tests of captured functions share.
#pragma once

#include <xlazy/xlazy.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace test {

using Array = xlazy::xarray<double>;
using Matrix = xlazy::xtensor<double, 2>;

template <class E>
std::vector<typename E::value_type> values(const E& e) {
    return {e.cbegin(), e.cend()};
}

/// Same shape and same bits.
template <class A, class B>
bool same_bits(const A& a, const B& b) {
    if (!std::equal(a.shape().begin(), a.shape().end(), b.shape().begin(), b.shape().end())) return false;
    const auto x = values(a), y = values(b);
    return std::memcmp(x.data(), y.data(), x.size() * sizeof(x[0])) == 0;
}

inline Array ramp(std::size_t count, double from = 0.5, double step = 0.25) {
    Array array = Array::from_shape({count});
    for (std::size_t i = 0; i < count; ++i) array(i) = from + step * static_cast<double>(i);
    return array;
}
inline Matrix grid(std::size_t rows, std::size_t columns) {
    Matrix array = Matrix::from_shape({rows, columns});
    for (std::size_t i = 0; i < array.size(); ++i) array.flat(i) = static_cast<double>((i * 37) % 101) / 8.0 - 3;
    return array;
}

template <class E, class F>
std::string text_of(F&& body) {
    try {
        body();
    } catch (const E& error) {
        return error.what();
    }
    return {};
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
/// "file.cpp:12: ", the beginning of a message, without the folders.
inline std::string at_line(unsigned line) { return "_test.cpp:" + std::to_string(line) + ": "; }

}  // namespace test
