// SPDX-License-Identifier: BSD-3-Clause
// What cannot be captured, and what fails in a call.
#include "capture/support.hpp"

#include <vector>

namespace {

using namespace test;
using xlazy::capture;
using Integers = xlazy::xarray<int>;

#define REFUSED(line, ...)                                                            \
    do {                                                                              \
        const std::string text = text_of<xlazy::capture_error>([&] { __VA_ARGS__; }); \
        EXPECT_TRUE(contains(text, at_line(line))) << "'" << text << "'";             \
    } while (false)

TEST(Refused, ReadsOfValues) {
    REFUSED(__LINE__, capture([](const Array& x) { return xlazy::amax(x)() > 1 ? Array(x) : Array(-x); }, ramp(3)));
    REFUSED(__LINE__, capture([](const Array& x) { return x * x(0); }, ramp(3)));
    REFUSED(__LINE__, capture(
                          [](const Array& x) {
                              Array y = x + 1.0;
                              y(1) = 2;
                              return y;
                          },
                          ramp(3)));
    REFUSED(__LINE__, capture(
                          [](const Array& x) {
                              Array y = x + 1.0;
                              return Array(y * *y.begin());
                          },
                          ramp(3)));
    REFUSED(__LINE__, capture(
                          [](const Array& x) {
                              xlazy::flush();
                              return x + 1.0;
                          },
                          ramp(3)));
    REFUSED(__LINE__, capture(
                          [](const Array& x) {
                              Array y = x + 1.0;
                              return Array(y * y.data()[0]);
                          },
                          ramp(3)));
    const std::string text = text_of<xlazy::capture_error>(
        [] { capture([](const Array& x) { return xlazy::amax(x)() > 1 ? Array(x) : Array(-x); }, ramp(3)); });
    EXPECT_TRUE(contains(text, "xlazy::branch")) << text;
}

TEST(Refused, ConditionsThatAreNumbers) {
    REFUSED(__LINE__, capture(
                          [](const Array& x) {
                              xlazy::repeat_while([] { return true; }, [] {});
                              return x + 1.0;
                          },
                          ramp(3)));
}

TEST(Refused, CapturesInsideCaptures) {
    REFUSED(__LINE__,
            capture([](const Array& x) { return capture([](const Array& y) { return y + 1.0; }, x)(x); }, ramp(3)));
    const auto f = capture([](const Array& y) { return y + 1.0; }, ramp(3));
    REFUSED(__LINE__, capture([&](const Array& x) { return f(x); }, ramp(3)));
}

TEST(Refused, EverythingIsAsBefore) {
    Array t = ramp(3);
    const Array waiting = t * 2.0;
    EXPECT_THROW(capture(
                     [&](const Array& x) {
                         t = x + 1.0;
                         t += 1.0;
                         if (t(0) > 1) t = x;
                     },
                     ramp(3)),
                 xlazy::capture_error);
    EXPECT_TRUE(same_bits(t, ramp(3)));
    EXPECT_EQ(values(waiting), (std::vector{1.0, 1.5, 2.0}));
    EXPECT_THROW(capture(
                     [&](const Array&) {
                         t += 1.0;
                         throw std::runtime_error("mine");
                     },
                     ramp(3)),
                 std::runtime_error);
    EXPECT_TRUE(same_bits(t, ramp(3)));
    t += 1.0;
    EXPECT_EQ(t(0), 1.5);
}

TEST(Failed, NamesTheFunctionsLineAndTheCalls) {
    unsigned line = 0;
    const auto f = capture(
        [&](const Integers& a, const Integers& b) {
            line = __LINE__ + 1;
            const Integers q = a / b;
            return std::tuple{Integers(q + 1), Integers(a + b)};
        },
        Integers{1, 2, 3}, Integers{1, 1, 1});
    Integers q{0, 0, 0}, s{0, 0, 0};
    unsigned call = 0;
    try {
        call = __LINE__ + 1;
        f.into(q, s)(Integers{1, 2, 3}, Integers{1, 0, 2});
        FAIL();
    } catch (const xlazy::deferred_error& error) {
        EXPECT_EQ(error.kind(), xlazy::error_kind::division_by_zero);
        EXPECT_EQ(error.origins().front().line, line) << error.what();
        EXPECT_EQ(error.flush_origin().line, call) << error.what();
        EXPECT_TRUE(contains(error.what(), "captured function")) << error.what();
    }
    EXPECT_EQ(values(s), (std::vector{2, 2, 5}));
    EXPECT_THROW(q(0), xlazy::deferred_error);
    f.into(q, s)(Integers{1, 2, 3}, Integers{1, 1, 1});
    EXPECT_EQ(values(q), (std::vector{2, 3, 4}));
    EXPECT_THROW((f(Integers{1, 2, 3}, Integers{0, 1, 1})), xlazy::deferred_error);
    EXPECT_EQ(values(std::get<0>(f(Integers{1, 2, 3}, Integers{1, 1, 1}))), (std::vector{2, 3, 4}));
}

TEST(Failed, InALoop) {
    const auto f = capture(
        [](const Integers& a, const Integers& b) {
            Integers q = a;
            xlazy::repeat(3, [&] { q = q / b; });
            return q;
        },
        Integers{8, 8}, Integers{1, 1});
    EXPECT_THROW(f(Integers{8, 8}, Integers{2, 0}), xlazy::deferred_error);
    EXPECT_EQ(values(f(Integers{8, 8}, Integers{2, 1})), (std::vector{1, 8}));
}

TEST(Failed, AConditionWithoutAValue) {
    const auto f = capture(
        [](const Integers& a, const Integers& b) {
            Integers q = a;
            xlazy::repeat_while([&] { return xlazy::sum(q / b) > 2; }, [&] { q -= 1; });
            return q;
        },
        Integers{8, 8}, Integers{1, 1});
    EXPECT_THROW(f(Integers{8, 8}, Integers{2, 0}), xlazy::deferred_error);
    EXPECT_EQ(values(f(Integers{3, 3}, Integers{1, 1})), (std::vector{1, 1}));
}

TEST(Failed, AStateIsSpoiltAndHeals) {
    Integers t{8, 8};
    const auto f = capture([&](const Integers& b) { t = t / b; }, Integers{1, 1});
    EXPECT_THROW(f(Integers{2, 0}), xlazy::deferred_error);
    EXPECT_THROW(t(1), xlazy::deferred_error);
    t = Integers{6, 6};
    f(Integers{2, 3});
    EXPECT_EQ(values(t), (std::vector{3, 2}));
}

TEST(Failed, AnArgumentWithoutAValue) {
    const xlazy::mode_scope lazy(xlazy::mode::lazy);
    const auto f = capture([](const Integers& a) { return a + 1; }, Integers{1, 1});
    const Integers q = Integers{1, 1} / Integers{1, 0};
    EXPECT_THROW(f(q), xlazy::deferred_error);
    EXPECT_EQ(values(f(Integers{1, 2})), (std::vector{2, 3}));
}

}  // namespace
