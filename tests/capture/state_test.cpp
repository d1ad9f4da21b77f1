// SPDX-License-Identifier: BSD-3-Clause
// Arrays of the program in captured functions: those that are read are read as they are at the call, those that are
// changed go on from call to call.
#include "capture/support.hpp"

namespace {

using namespace test;
using namespace xlazy::placeholders;
using xlazy::capture;
using xlazy::range;
using xlazy::view;

TEST(State, CapturingChangesNothing) {
    Array t = ramp(4);
    const Array held = ramp(4);
    const auto f = capture([&] {
        t += 1.0;
        t = t * 2.0;
        view(t, 0) = 7.0;
    });
    EXPECT_TRUE(same_bits(t, held));
    f();
    EXPECT_EQ(values(t), (std::vector{7.0, 3.5, 4.0, 4.5}));
    f();
    EXPECT_EQ(values(t), (std::vector{7.0, 9.0, 10.0, 11.0}));
}

TEST(State, GoesOnWithWhatTheProgramAssigned) {
    Array t = ramp(3);
    const auto f = capture([&](double k) { t = t + k; }, 1.0);
    f(10.0);
    EXPECT_EQ(values(t), (std::vector{10.5, 10.75, 11.0}));
    t = ramp(3);
    f(1.0);
    EXPECT_EQ(values(t), (std::vector{1.5, 1.75, 2.0}));
    t(1) = 0;
    f(1.0);
    EXPECT_EQ(values(t), (std::vector{2.5, 1.0, 3.0}));
    t = ramp(2);
    f(1.0);
    EXPECT_EQ(values(t), (std::vector{1.5, 1.75}));
}

TEST(State, TimeSteps) {
    Matrix t = grid(20, 30), lazy = grid(20, 30);
    const auto step = [](Matrix& a) {
        auto inner = view(a, range(1, -1), range(1, -1));
        inner = 0.25 * (view(a, range(_, -2), range(1, -1)) + view(a, range(2, _), range(1, -1)) +
                        view(a, range(1, -1), range(_, -2)) + view(a, range(1, -1), range(2, _)));
    };
    const auto f = capture([&] { step(t); });
    for (int i = 0; i < 5; ++i) {
        f();
        step(lazy);
        EXPECT_TRUE(same_bits(t, lazy));
    }
}

TEST(State, ArraysThatChangePlaces) {
    Array a = ramp(3), b = ramp(3, 5);
    const auto f = capture([&] {
        a = a + b;
        std::swap(a, b);
    });
    f();
    EXPECT_EQ(values(a), (std::vector{5.0, 5.25, 5.5}));
    EXPECT_EQ(values(b), (std::vector{5.5, 6.0, 6.5}));
    f();
    EXPECT_EQ(values(a), (std::vector{5.5, 6.0, 6.5}));
    EXPECT_EQ(values(b), (std::vector{10.5, 11.25, 12.0}));
}

TEST(State, MovedArrays) {
    Array t = ramp(3);
    const auto f = capture([&] {
        Array next = t * 2.0;
        t = std::move(next);
    });
    f();
    f();
    EXPECT_EQ(values(t), (std::vector{2.0, 3.0, 4.0}));
}

TEST(State, ReadAtTheCall) {
    Array weights = ramp(3);
    const auto f = capture([&](const Array& x) { return x * weights; }, ramp(3));
    EXPECT_EQ(values(f(ramp(3))), (std::vector{0.25, 0.5625, 1.0}));
    weights = Array{1, 0, 2};
    EXPECT_EQ(values(f(ramp(3))), (std::vector{0.5, 0.0, 2.0}));
    weights(1) = 4;
    EXPECT_EQ(values(f(ramp(3))), (std::vector{0.5, 3.0, 2.0}));
    weights = Array{2};
    EXPECT_EQ(values(f(ramp(3))), (std::vector{1.0, 1.5, 2.0}));
}

TEST(State, OfTheFunctionItself) {
    const auto f = capture(
        [sum = Array(ramp(2, 0, 0))](const Array& x) mutable {
            sum += x;
            return sum;
        },
        ramp(2));
    f(ramp(2));
    EXPECT_EQ(values(f(ramp(2))), (std::vector{1.0, 1.5}));
}

TEST(State, AnArgumentThatIsTheState) {
    Array t = ramp(3);
    const auto f = capture(
        [&](const Array& x) {
            view(t, range(1, _)) = view(x, range(0, -1)) * 2.0;
            return x + t;
        },
        ramp(3));
    const Array r = f(t);
    EXPECT_EQ(values(t), (std::vector{0.5, 1.0, 1.5}));
    EXPECT_EQ(values(r), (std::vector{1.0, 1.75, 2.5}));
}

TEST(State, ConstantsOfTheFunctionBeginAnew) {
    const auto body = [](const Array& x) {
        Array sum{1, 2, 3};
        const Array fixed{10, 20, 30};
        sum += x * fixed;
        xlazy::repeat(2, [&] {
            Array mine{1, 1, 1};
            mine += sum;
            sum = mine;
        });
        return sum;
    };
    const auto f = capture(body, ramp(3));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(same_bits(f(ramp(3, i)), body(ramp(3, i))));
}

TEST(State, APinnedArrayStaysWhereItIs) {
    Array t = ramp(4);
    const auto f = capture([&] { view(t, range(1, -1)) = view(t, range(0, -2)) + view(t, range(2, _)); });
    const double* memory = t.data();
    f();
    EXPECT_EQ(memory[1], 1.5);
    EXPECT_EQ(t.data(), memory);
}

TEST(State, ShapesThatChangeAreRefused) {
    Array t = ramp(3);
    const std::string text = text_of<xlazy::capture_error>([&] { capture([&] { t = Array(xlazy::sum(t)); }); });
    EXPECT_TRUE(contains(text, at_line(__LINE__ - 1))) << text;
    EXPECT_TRUE(contains(text, "another shape")) << text;
    EXPECT_TRUE(same_bits(t, ramp(3)));
}

}  // namespace
