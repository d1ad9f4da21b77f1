// SPDX-License-Identifier: BSD-3-Clause
// Captured functions are saved, and loaded again give the same bits.
#include "capture/support.hpp"
#include "saved/sample.hpp"

#include <xlazy/saved_function.hpp>

namespace {

using namespace test;
using namespace xlazy::placeholders;
using xlazy::capture;
using xlazy::load;
using xlazy::range;
using xlazy::view;

using Captured = test::Folder;

std::string refusal(const std::function<void()>& body) {
    std::string text = text_of<xlazy::file_error>(body);
    return text.empty() ? "is accepted" : text;
}

TEST_F(Captured, LoadedGivesTheSameBits) {
    const auto f = capture(
        [](const Matrix& x, double k) {
            Matrix inner = view(x, range(1, -1), range(_, _, -1));
            inner = inner * k + xlazy::exp(inner / 7.0);
            Array rows = xlazy::mean(inner, {1});
            return std::tuple{inner, rows};
        },
        grid(9, 12), 2.0);
    f.save(path("f.xlz"));
    const auto g = load<std::tuple<Matrix, Array>(Matrix, double)>(path("f.xlz"));
    for (const double k : {2.0, -0.75, 1e300}) {
        const Matrix x = grid(9, 12) * k;
        const auto [y, z] = f(x, k);
        const auto [loaded_y, loaded_z] = g(x, k);
        EXPECT_TRUE(same_bits(y, loaded_y));
        EXPECT_TRUE(same_bits(z, loaded_z));
    }
}

TEST_F(Captured, TheLastCallIsSaved) {
    const auto f = capture([](const Array& x) { return Array(x + 1.0); }, ramp(3));
    f.save(path("three.xlz"));
    f(ramp(5));
    f.save(path("five.xlz"));
    EXPECT_TRUE(same_bits(load<Array(Array)>(path("three.xlz"))(ramp(3)), Array(ramp(3) + 1.0)));
    const auto five = load<Array(Array)>(path("five.xlz"));
    EXPECT_TRUE(same_bits(five(ramp(5)), Array(ramp(5) + 1.0)));
    EXPECT_THROW(five(ramp(3)), std::invalid_argument);
}

TEST_F(Captured, ArraysOfTheProgramBecomeStatesAndConstants) {
    Array total = ramp(3), weight = ramp(3, 2.0);
    const auto f = capture(
        [&](const Array& x) {
            total += x * weight;
            return Array(total * 2.0);
        },
        ramp(3));
    f(ramp(3));
    f.save(path("f.xlz"));
    const auto g = load<Array(Array)>(path("f.xlz")), h = load<Array(Array)>(path("f.xlz"));
    weight = ramp(3, 100.0);  // the file has its own
    Array expected = total;
    const Array old_weight = ramp(3, 2.0);
    for (int i = 0; i < 3; ++i) {
        expected = expected + ramp(3, i) * old_weight;
        EXPECT_TRUE(same_bits(g(ramp(3, i)), Array(expected * 2.0))) << i;
    }
    EXPECT_TRUE(same_bits(h(ramp(3)), Array((total + ramp(3) * old_weight) * 2.0)));
}

TEST_F(Captured, LoopsAndChoices) {
    const auto f = capture(
        [](const Array& x, double limit) {
            Array y = x;
            xlazy::repeat_while([&] { return xlazy::sum(y) < limit; }, [&] { y *= 1.5; });
            xlazy::repeat(4, [&] { y += 0.125; });
            xlazy::branch(
                xlazy::amax(y) > 20.0, [&] { y = y - 10.0; }, [&] { y = -y; });
            return y;
        },
        ramp(4), 30.0);
    f.save(path("f.xlz"));
    const auto g = load<Array(Array, double)>(path("f.xlz"));
    for (const double limit : {30.0, 0.0, 200.0}) EXPECT_TRUE(same_bits(f(ramp(4), limit), g(ramp(4), limit))) << limit;
}

TEST_F(Captured, NumbersThatDecideAreKept) {
    const auto f =
        capture([](const Array& x, double k) { return k > 0 ? Array(x + k) : Array(x - 1.0); }, ramp(3), 2.0);
    f.save(path("f.xlz"));
    const auto g = load<Array(Array, double)>(path("f.xlz"));
    EXPECT_TRUE(same_bits(g(ramp(3), 2.0), f(ramp(3), 2.0)));
    // Either the file takes another number and is right, or it says that it cannot.
    for (const double k : {3.0, -3.0}) {
        try {
            EXPECT_TRUE(same_bits(g(ramp(3), k), f(ramp(3), k))) << k;
        } catch (const std::invalid_argument&) {
        }
    }
}

TEST_F(Captured, LoadedAsSomethingElse) {
    const auto f = capture([](const Matrix& x, double k) { return Matrix(x * k); }, grid(2, 3), 2.0);
    const std::string file = path("f.xlz");
    f.save(file);
    EXPECT_EQ(refusal([&] { load<Matrix(Matrix, double)>(file); }), "is accepted");
    EXPECT_EQ(refusal([&] { load<Matrix(Matrix)>(file); }),
              file + ": a function of 1 arrays and 1 numbers that gives 1 arrays, which the program's type is not");
    EXPECT_EQ(refusal([&] { load<Matrix(xlazy::xarray<float>, double)>(file); }),
              file + ": input 0 is f64, which the program's type is not");
    EXPECT_EQ(refusal([&] { load<xlazy::xtensor<double, 3>(Matrix, double)>(file); }),
              file + ": output 0 is of rank 2, which the program's type is not");
    EXPECT_EQ(refusal([&] { load<xlazy::xarray<double, xt::layout_type::column_major>(Matrix, double)>(file); }),
              file + ": output 0 is row-major, which the program's type is not");
    EXPECT_EQ(refusal([&] { load<Matrix(Matrix, double)>(path("none.xlz")); }),
              path("none.xlz") + ": cannot be read: No such file or directory");
    EXPECT_EQ(refusal([&] { f.save(path("none/f.xlz")); }),
              path("none/f.xlz") + ": cannot be written: No such file or directory");
}

TEST_F(Captured, ErrorsNameTheCapturedLine) {
    using Integers = xlazy::xarray<int>;
    const auto f = capture([](const Integers& x) { return Integers(12 / x); }, Integers{1, 2});
    const unsigned line = __LINE__ - 1;
    f.save(path("f.xlz"));
    const auto g = load<Integers(Integers)>(path("f.xlz"));
    try {
        g(Integers{3, 0});
        FAIL() << "is accepted";
    } catch (const xlazy::deferred_error& error) {
        EXPECT_EQ(error.report().origin.line, line);
        EXPECT_EQ(error.kind(), xlazy::error_kind::division_by_zero);
    }
    EXPECT_TRUE(same_bits(g(Integers{3, 4}), Integers{4, 3}));
}

}  // namespace
