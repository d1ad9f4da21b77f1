// SPDX-License-Identifier: BSD-3-Clause
// Random bits: the vectors that Random123 publishes for Philox4x32-10, by every back end, form and instruction set.
#include "backends/test_kernel.hpp"
#include "philox.hpp"

namespace xlazy::test {
namespace {

struct Vector {
    PhiloxWords counter;
    std::array<std::uint32_t, 2> key;
    PhiloxWords block;
};
// kat_vectors of Random123 1.09, philox4x32 10
constexpr Vector kVectors[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

std::uint64_t joined(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }

TEST(Philox, TheTestsOwnFormHasTheKnownAnswers) {
    for (const Vector& v : kVectors) EXPECT_EQ(plain_philox(v.counter, v.key), v.block);
}

/// One lane a vector, and as many more as make vectors of every width, and a rest.
TEST(Philox, KnownAnswers) {
    constexpr std::int64_t count = 3 * 37;
    std::vector<std::uint64_t> low, high, key;
    for (std::int64_t i = 0; i < count; ++i) {
        const Vector& v = kVectors[i % 3];
        low.push_back(joined(v.counter[0], v.counter[1]));
        high.push_back(joined(v.counter[2], v.counter[3]));
        key.push_back(joined(v.key[0], v.key[1]));
    }
    TestKernel kernel({count});
    const ValueId a = kernel.load(kernel.dense(kernel.base_of(low), {count}));
    const ValueId b = kernel.load(kernel.dense(kernel.base_of(high), {count}));
    const ValueId c = kernel.load(kernel.dense(kernel.base_of(key), {count}));
    for (const Op op : {Op::philox, Op::philox_high}) {
        kernel.store(kernel.dense(kernel.base(DType::u64, count), {count}), kernel.compute(op, DType::u64, {a, b, c}));
    }
    const auto check = [&](be::Backend& backend) {
        const auto outcome = kernel.run(backend);
        const auto first = TestKernel::values<std::uint64_t>(outcome.bases[3]);
        const auto second = TestKernel::values<std::uint64_t>(outcome.bases[4]);
        for (std::size_t i = 0; i < first.size(); ++i) {
            const PhiloxWords& block = kVectors[i % 3].block;
            ASSERT_EQ(first[i], joined(block[0], block[1]));
            ASSERT_EQ(second[i], joined(block[2], block[3]));
        }
    };
    check(*be::make_interpreter());
    for (const be::Isa isa : {be::Isa::baseline, be::Isa::avx2, be::Isa::avx512}) {
        if (be::set_isa(isa)) check(*be::make_openmp(1));
    }
    be::set_isa(be::best_isa());
}

}  // namespace
}  // namespace xlazy::test
