// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the frontend share: differences of the statistics, values as vectors, errors with their lines.
#pragma once

#include "xlazy/detail/recorder.hpp"
#include "xlazy/runtime.hpp"

#include <gtest/gtest.h>

#include <xtensor/xlayout.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace support {

using Counts = std::map<std::string, std::uint64_t>;

inline Counts difference(const Counts& before, const Counts& after) {
    Counts result;
    for (const auto& [key, count] : after) {
        const auto old = before.find(key);
        const std::uint64_t more = count - (old == before.end() ? 0 : old->second);
        if (more != 0) result[key] = more;
    }
    return result;
}

/// Reasons and counts of the flushes during a call.
template <class F>
Counts flushes_of(F&& body) {
    const auto before = xlazy::stats().flushes;
    body();
    return difference(before, xlazy::stats().flushes);
}

/// Functions that xtensor evaluated during a call.
template <class F>
Counts fallbacks_of(F&& body) {
    const auto before = xlazy::stats().fallbacks;
    body();
    return difference(before, xlazy::stats().fallbacks);
}

/// Statements recorded during a call.
template <class F>
std::uint64_t statements_of(F&& body) {
    const auto before = xlazy::stats().statements_recorded;
    body();
    return xlazy::stats().statements_recorded - before;
}

/// The elements, row by row.
template <class E>
auto values(const E& e) {
    using T = std::decay_t<typename E::value_type>;
    std::vector<T> result;
    const auto end = e.template end<xt::layout_type::row_major>();
    for (auto it = e.template begin<xt::layout_type::row_major>(); it != end; ++it) result.push_back(*it);
    return result;
}

template <class E>
std::vector<std::size_t> shape_of(const E& e) {
    return {e.shape().begin(), e.shape().end()};
}

/// The deferred error that a call throws.
template <class F>
std::optional<xlazy::deferred_error> deferred_error_of(F&& body) {
    try {
        body();
    } catch (const xlazy::deferred_error& error) {
        return error;
    }
    return std::nullopt;
}

/// The text of the exception that a call throws; empty if there is none.
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

/// "file.cpp:12", as messages write it.
inline std::string place(const std::string& file, unsigned line) {
    return file.substr(file.rfind('/') + 1) + ":" + std::to_string(line);
}

inline bool eager() { return xlazy::current_mode() == xlazy::mode::eager; }

/// Every test starts with an empty queue and no error waiting.
class Frontend : public testing::Test {
protected:
    void SetUp() override { settle(); }
    void TearDown() override { settle(); }

private:
    static void settle() {
        try {
            xlazy::flush();
        } catch (const xlazy::deferred_error&) {
        }
    }
};

/// Tests of what waits: without meaning where every statement runs at once.
#define SKIP_IF_EAGER() \
    if (support::eager()) GTEST_SKIP() << "every statement runs at once"

class Queued : public Frontend {
protected:
    void SetUp() override {
        SKIP_IF_EAGER();
        Frontend::SetUp();
    }
};

}  // namespace support

/// A call flushes once, for this reason; or not at all.
#define FLUSHES(reason, ...) \
    EXPECT_EQ(support::flushes_of([&] { __VA_ARGS__; }), (support::Counts{{reason, 1}})) << #__VA_ARGS__
#define DOES_NOT_FLUSH(...) EXPECT_EQ(support::flushes_of([&] { __VA_ARGS__; }), support::Counts()) << #__VA_ARGS__
