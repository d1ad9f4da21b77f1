// SPDX-License-Identifier: BSD-3-Clause
// Kernels that run piece by piece, and results that are written past the caches: the same bits as one after the other.
#include "backends/random_kernel.hpp"

namespace xlazy::test {
namespace {

/// Mean and variance along an axis, as the optimizer makes them of xtensor's: four kernels. The sums and the mean are
/// nobody's but the region's.
class Variance {
public:
    Variance(const Extents& domain, unsigned axis, bool column_major) : axis_(axis), domain_(domain) {
        program_.intern_domain(domain);
        Extents kept = domain, result = domain;
        kept[axis] = 1;
        result.erase(result.begin() + axis);
        const auto kept_domain = program_.intern_domain(kept), result_domain = program_.intern_domain(result);
        const std::int64_t elements = bc::element_count(domain), results = bc::element_count(result);
        program_.bases = {{DType::f32, true, true, elements},
                          {DType::f64, false, false, results},
                          {DType::f64, false, true, results}};
        const auto dims_of = [](const Extents& extents, bool columns) {
            std::vector<bc::Dim> dims(extents.size());
            std::int64_t stride = 1;
            for (std::size_t i = 0; i < dims.size(); ++i) {
                const std::size_t k = columns ? i : dims.size() - 1 - i;
                dims[k] = {extents[k], extents[k] == 1 ? 0 : stride};
                stride *= extents[k];
            }
            return dims;
        };
        source_ = program_.add_view(0, 0, dims_of(domain, column_major));
        mean_ = program_.add_view(1, 0, dims_of(kept, false));
        out_ = program_.add_view(2, 0, dims_of(result, false));
        const double count = static_cast<double>(domain[axis]);
        program_.scalars = {bc::make_scalar(count)};
        plan_.scratch = {{DType::f64, 0, static_cast<std::uint8_t>(axis), true},
                         {DType::f64, 0, static_cast<std::uint8_t>(axis), false}};
        plan_.kernels.resize(4);
        sum_of(plan_.kernels[0], false, 0);
        divide(plan_.kernels[1], kept_domain, 0, MicroOp::Kind::StoreView, mean_);
        sum_of(plan_.kernels[2], true, 1);
        divide(plan_.kernels[3], result_domain, 1, MicroOp::Kind::StoreView, out_);
        std::mt19937_64 random(3);
        values_.resize(static_cast<std::size_t>(elements));
        for (float& value : values_)
            value = std::exp2(static_cast<float>(random() % 1000) * 0.02f);  // any other order shows
    }

    /// @param region that the back end is given, or null: one kernel after the other
    std::vector<double> run(be::Backend& backend, const bc::Region* region) const {
        const auto results = static_cast<std::size_t>(program_.bases[2].size);
        std::vector<double> mean(results, -1), out(results, -1), sums(results, -1), squares(results, -1);
        void* bases[] = {const_cast<float*>(values_.data()), mean.data(), out.data()};
        void* scratch[] = {sums.data(), squares.data()};
        if (region != nullptr) bases[1] = scratch[0] = scratch[1] = nullptr;
        be::Traps traps;
        const be::Bindings bindings{&program_, &plan_, bases, scratch, 0};
        if (region != nullptr) {
            EXPECT_TRUE(backend.takes_region(*region, bindings));
            EXPECT_TRUE(backend.run_region(*region, bindings, std::vector<std::span<void* const>>(4), traps));
        } else {
            for (const bc::Kernel& kernel : plan_.kernels) backend.run(kernel, bindings, traps);
        }
        return out;
    }

    bool taken(be::Backend& backend, const bc::Region& region) const {
        const std::vector<void*> bases(3), scratch(2);
        return backend.takes_region(region, {&program_, &plan_, bases, scratch, 0});
    }

    std::optional<bc::Region> region() const {
        return region_of_all(plan_, program_, axis_ == 0 ? 1 : 0, [](bc::Storage storage) {
            return storage != bc::Storage{bc::Storage::Kind::Base, 2};
        });
    }

private:
    static ValueId add(bc::Kernel& kernel, const MicroOp& op) {
        kernel.ops.push_back(op);
        return static_cast<ValueId>(kernel.ops.size() - 1);
    }
    static MicroOp micro(MicroOp::Kind kind, DType type, std::uint32_t index, std::initializer_list<ValueId> in = {}) {
        MicroOp op;
        op.kind = kind;
        op.type = op.result = type;
        op.index = index;
        std::copy(in.begin(), in.end(), op.in);
        return op;
    }
    static ValueId compute(bc::Kernel& kernel, Op code, std::initializer_list<ValueId> in, DType type = DType::f64) {
        MicroOp op = micro(MicroOp::Kind::Compute, type, 0, in);
        op.op = code;
        op.result = DType::f64;
        return add(kernel, op);
    }
    void sum_of(bc::Kernel& kernel, bool squares, std::uint32_t scratch) const {
        kernel.domain = 0;
        ValueId value = add(kernel, micro(MicroOp::Kind::LoadView, DType::f32, source_));
        value = compute(kernel, Op::cast, {value}, DType::f32);
        if (squares) {
            const ValueId mean = add(kernel, micro(MicroOp::Kind::LoadView, DType::f64, mean_));
            value = compute(kernel, Op::sub, {value, mean});
            value = compute(kernel, Op::mul, {value, value});
        }
        MicroOp reduce = micro(MicroOp::Kind::ReduceScratch, DType::f64, scratch, {value});
        reduce.op = Op::sum;
        reduce.axis = static_cast<std::uint8_t>(axis_);
        if (scratch == 0) reduce.flags = bc::Instruction::kKeepAxis;
        add(kernel, reduce);
    }
    static void divide(bc::Kernel& kernel, std::uint32_t domain, std::uint32_t scratch, MicroOp::Kind store,
                       std::uint32_t view) {
        kernel.domain = domain;
        const ValueId sum = add(kernel, micro(MicroOp::Kind::LoadScratch, DType::f64, scratch));
        const ValueId count = add(kernel, micro(MicroOp::Kind::LoadScalar, DType::f64, 0));
        add(kernel, micro(store, DType::f64, view, {compute(kernel, Op::div, {sum, count})}));
    }

    unsigned axis_;
    Extents domain_;
    bc::Program program_;
    bc::Plan plan_;
    std::uint32_t source_ = 0, mean_ = 0, out_ = 0;
    std::vector<float> values_;
};

TEST(Regions, VariancesAreThoseOfOneKernelAfterTheOther) {
    struct Case {
        Extents domain;
        unsigned axis;
        bool column_major;
    };
    const Case cases[] = {{{30000, 3}, 1, false},    {{3, 30001}, 0, false},   {{50, 20000}, 0, false},
                          {{203, 1000}, 1, false},   {{40000, 2}, 1, true},    {{20000, 40}, 1, true},
                          {{300, 20, 17}, 1, false}, {{300, 20, 17}, 2, false}};
    const auto reference = be::make_interpreter();
    for (const Case& each : cases) {
        const Variance variance(each.domain, each.axis, each.column_major);
        const std::vector<double> expected = variance.run(*reference, nullptr);
        const std::optional<bc::Region> region = variance.region();
        ASSERT_TRUE(region.has_value()) << each.domain[0] << " axis " << each.axis;
        for (int threads = 1; threads <= 3; ++threads) {
            for (const std::int64_t piece_bytes : {std::int64_t{1}, std::int64_t{3000}, be::kPieceBytes}) {
                if (piece_bytes == 1 && each.domain[0] + each.domain[1] > 1500) continue;
                const auto backend = be::make_openmp(always_threaded(threads, piece_bytes));
                const std::vector<double> got = variance.run(*backend, &*region);
                ASSERT_EQ(std::memcmp(got.data(), expected.data(), 8 * expected.size()), 0)
                    << each.domain[0] << " axis " << each.axis << ", " << threads << " threads";
            }
            EXPECT_EQ(variance.run(*be::make_openmp(always_threaded(threads)), nullptr), expected);
        }
    }
}

/// d = x - 5, which is nobody's but the region's; q = x / d; s = cumsum(x / d, axis 1), cut along an axis.
TEST(Regions, FailuresAreAtTheirPlaceInTheWhole) {
    constexpr std::int64_t kRows = 40, kColumns = 30, kAll = kRows * kColumns;
    for (const std::int64_t place : {std::int64_t{0}, std::int64_t{31}, std::int64_t{777}, kAll - 1}) {
        TestKernel batch({kRows, kColumns});
        std::vector<std::int32_t> x(kAll, 9);
        x[static_cast<std::size_t>(place)] = x[kAll - 1] = 5;
        const Extents shape = {kRows, kColumns};
        const std::uint32_t from = batch.dense(batch.base_of(x), shape);
        const std::uint32_t less = batch.dense(batch.base(DType::i32, kAll), shape);
        const std::uint32_t quotient = batch.dense(batch.base(DType::i32, kAll), shape);
        const std::uint32_t sums = batch.dense(batch.base(DType::i32, kAll), shape);
        batch.store(less, batch.compute(Op::sub, DType::i32, {batch.load(from), batch.scalar(std::int32_t{5})}));
        batch.plan.kernels.push_back(std::exchange(batch.kernel, {batch.kernel.domain, {}, {}}));
        const ValueId value = batch.compute(Op::div, DType::i32, {batch.load(from), batch.load(less)});
        batch.store(quotient, value);
        batch.store(sums, batch.compute(Op::cumsum, DType::i32, {value}, DType::i32, bc::kNoValue, 1));
        batch.plan.kernels.push_back(batch.kernel);
        batch.program.bases[1].live = batch.program.bases[1].initialised = false;
        batch.program.instructions.resize(3);
        const auto run = [&](be::Backend& backend, const bc::Region* region) {
            Memory memory = batch.bases;
            std::vector<void*> bases;
            for (auto& bytes : memory) bases.push_back(bytes.data());
            be::Traps traps;
            const be::Bindings bindings{&batch.program, &batch.plan, bases, {}};
            if (region != nullptr) {
                EXPECT_TRUE(backend.run_region(*region, bindings, std::vector<std::span<void* const>>(2), traps));
            } else {
                for (const bc::Kernel& kernel : batch.plan.kernels) backend.run(kernel, bindings, traps);
            }
            EXPECT_EQ(traps.size(), 1u);
            EXPECT_EQ(traps.empty() ? -1 : traps[0].index, place);
            return std::pair(memory[2], memory[3]);
        };
        const auto expected = run(*be::make_interpreter(), nullptr);
        const auto region = region_of_all(batch.plan, batch.program, 0, [](bc::Storage storage) {
            return storage == bc::Storage{bc::Storage::Kind::Base, 1};
        });
        ASSERT_TRUE(region);
        EXPECT_EQ(region->kernels[1].axis, 0u) << "not along the running sum";
        for (const int threads : {1, 2, 3}) {
            for (const std::int64_t piece : {1, 1000, 100000})
                EXPECT_EQ(run(*be::make_openmp(always_threaded(threads, piece)), &*region), expected);
        }
    }
}

TEST(Regions, AreNotTakenByTheInterpreterNorWithoutElements) {
    const Variance variance({300, 20}, 1, false);
    const std::optional<bc::Region> region = variance.region();
    ASSERT_TRUE(region.has_value());
    EXPECT_TRUE(variance.taken(*be::make_openmp(2), *region));
    EXPECT_FALSE(variance.taken(*be::make_interpreter(), *region));
    EXPECT_FALSE(Variance({0, 20}, 1, false).taken(*be::make_openmp(2), *region));
}

class RandomKernelsAndOptions : public testing::TestWithParam<int> {};

TEST_P(RandomKernelsAndOptions, TheSameBits) {
    const auto reference = be::make_interpreter();
    be::OpenMpOptions changed = always_threaded(2);
    if (GetParam() == 0) changed.superinstructions = false;
    if (GetParam() == 1) changed.streamed_bytes = 0;
    const auto backend = be::make_openmp(changed);
    for (std::uint64_t seed = 1000; seed < 1200; ++seed) {
        const TestKernel kernel = RandomKernel(seed).make();
        ASSERT_EQ(kernel.difference(kernel.run(*reference), kernel.run(*backend)), "") << "seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Options, RandomKernelsAndOptions, testing::Values(0, 1), [](const auto& info) {
    return std::string(info.param == 0 ? "WithoutSuperinstructions" : "AlwaysStreamed");
});

}  // namespace
}  // namespace xlazy::test
