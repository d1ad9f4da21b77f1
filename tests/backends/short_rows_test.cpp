// SPDX-License-Identifier: BSD-3-Clause
// Reductions of many rows of every short length: the order of the rule, on every instruction set.
#include "backends/test_kernel.hpp"

#include <limits>

namespace xlazy::test {
namespace {

template <class T>
class ShortRows : public testing::Test {
protected:
    /// Sums of it depend on their order; zeros have signs, and rows of nothing else.
    static std::vector<T> values(std::int64_t rows, std::int64_t length) {
        std::mt19937_64 random(static_cast<std::uint64_t>(length));
        std::vector<T> all(static_cast<std::size_t>(rows * length));
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto number = static_cast<int>(random() % 2001) - 1000;
            all[i] = static_cast<T>(number);
            if constexpr (std::is_floating_point_v<T>) {
                all[i] *= static_cast<T>(std::exp2(static_cast<double>(random() % 30)));
                if (i / static_cast<std::size_t>(length) % 5 == 1) all[i] = number % 2 == 0 ? T(0) : -T(0);
                if (i / static_cast<std::size_t>(length) % 5 == 2) all[i] = -T(0);
                if (random() % 500 == 0) all[i] = std::numeric_limits<T>::quiet_NaN();
            }
        }
        return all;
    }
    static void check(std::int64_t rows, std::int64_t length) {
        TestKernel kernel({rows, length});
        const ValueId value = kernel.load(kernel.dense(kernel.base_of(values(rows, length)), {rows, length}));
        for (const Op op : {Op::sum, Op::prod, Op::amin, Op::amax})
            kernel.reduce(op, 1, false, kernel.dense(kernel.base(bc::dtype_of<T>(), rows), {rows}), value);
        const auto expected = kernel.run(*be::make_interpreter());
        for (const be::Isa isa : {be::Isa::baseline, be::Isa::avx2, be::Isa::avx512}) {
            if (!be::set_isa(isa)) continue;
            ASSERT_EQ(kernel.difference(expected, kernel.run(*be::make_openmp(1))), "")
                << be::name_of(isa) << ", " << rows << " rows of " << length;
        }
        be::set_isa(be::best_isa());
    }
};

using Types = testing::Types<float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, std::int8_t>;
TYPED_TEST_SUITE(ShortRows, Types);

TYPED_TEST(ShortRows, OfEveryLength) {
    for (std::int64_t length = 1; length <= 70; ++length) this->check(75, length);
    for (const std::int64_t length : {95, 96, 97, 127, 128, 129, 500, 1024}) this->check(40, length);
}

TYPED_TEST(ShortRows, AsManyAsThereMayBe) {
    for (std::int64_t rows = 1; rows <= 40; ++rows) this->check(rows, 9);
}

}  // namespace
}  // namespace xlazy::test
