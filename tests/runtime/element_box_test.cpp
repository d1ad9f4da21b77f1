// SPDX-License-Identifier: BSD-3-Clause
// Boxes of elements against sets of them.
#include "element_box.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace {

using xlazy::rt::ElementBox;
using Elements = std::set<std::int64_t>;

Elements elements_of(const ElementBox& box, std::int64_t size) {
    Elements elements;
    for (std::int64_t i = 0; i < size; ++i) {
        if (contains(box, i)) elements.insert(i);
    }
    return elements;
}

/// The axes outermost first.
ElementBox box(std::int64_t offset, std::vector<xlazy::bc::Dim> axes) {
    ElementBox made;
    made.offset = offset;
    for (const xlazy::bc::Dim& axis : axes) made.axes[made.rank++] = axis;
    return made;
}

/// What is left is what is not gone, or, with `exactly` false, more than that of what there was.
void check(const ElementBox& a, const ElementBox& b, std::int64_t size, bool exactly) {
    const Elements whole = elements_of(a, size), gone = elements_of(b, size);
    std::vector<ElementBox> rest;
    subtract(a, b, rest);
    Elements left;
    for (const ElementBox& part : rest) left.merge(elements_of(part, size));
    for (const std::int64_t element : whole) {
        if (!gone.contains(element)) {
            ASSERT_TRUE(left.contains(element)) << element << " is lost";
        } else if (exactly) {
            ASSERT_FALSE(left.contains(element)) << element << " is still there";
        }
    }
    for (const std::int64_t element : left) ASSERT_TRUE(whole.contains(element)) << element << " was not there";
}

TEST(ElementBox, ATailBeyondTheOuterDigit) {
    // 42 elements in rows of 12: what lies behind the third row is half a row, in blocks of 4.
    check(xlazy::rt::interval_box(0, 41), box(0, {{3, 12}, {2, 4}}), 42, true);
    check(xlazy::rt::interval_box(5, 41), box(12, {{2, 12}, {2, 4}}), 42, true);
    check(xlazy::rt::interval_box(3, 40), box(36, {{2, 4}}), 42, true);
}

TEST(ElementBox, WhatOneLeavesOfAnother) {
    std::mt19937_64 random(7);
    const auto below = [&](std::int64_t n) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    };
    const auto random_box = [&] {
        std::vector<xlazy::bc::Dim> axes;
        std::int64_t stride = 1 + below(3);
        for (std::int64_t rank = below(4); rank > 0; --rank) {
            const std::int64_t extent = 2 + below(3);
            axes.insert(axes.begin(), {extent, stride});
            stride *= extent * (1 + below(2)) + below(2);  // not always on one grid
        }
        return box(below(30), axes);
    };
    for (int i = 0; i < 20000; ++i) {
        const ElementBox a = below(3) == 0 ? xlazy::rt::interval_box(below(20), 20 + below(100)) : random_box();
        const ElementBox b = random_box();
        check(a, b, std::max(a.last(), b.last()) + 1, false);
        if (testing::Test::HasFatalFailure()) FAIL() << "pair " << i;
    }
}

}  // namespace
