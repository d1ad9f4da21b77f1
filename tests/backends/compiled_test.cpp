// SPDX-License-Identifier: BSD-3-Clause
// Compiled kernels give the bits of interpreted ones.
#include "backends/compiled.hpp"
#include "backends/op_kernels.hpp"

namespace xlazy::test {
namespace {

class Compiled : public testing::Test {
protected:
    void SetUp() override {
        be::jit::set_builder(build_here);
        use(be::JitMode::background);
    }
    void TearDown() override {
        use(be::JitMode::off);
        be::jit::set_builder(nullptr);
        be::set_isa(be::best_isa());
    }
    /// Every kernel counts; in the background none is compiled by itself.
    static void use(be::JitMode mode) {
        be::JitOptions options;
        options.mode = mode;
        options.least_elements = 0;
        options.runs = options.elements = std::numeric_limits<std::int64_t>::max();
        options.trace = [](const std::string& line) {
            if (line.find("stays") != line.npos) ADD_FAILURE() << line;
        };
        be::set_jit(options);
    }
    /// All kernels, compiled together, against the reference.
    static void compare(const std::vector<TestKernel>& kernels, int threads) {
        const auto reference = be::make_interpreter();
        const auto compiled = be::make_openmp(threads, 0);
        for (const TestKernel& kernel : kernels) (void)kernel.run(*compiled);
        be::compile_seen_kernels(kernels.size() + 100);
        for (std::size_t i = 0; i < kernels.size(); ++i)
            EXPECT_EQ(kernels[i].difference(kernels[i].run(*reference), kernels[i].run(*compiled)), "")
                << "kernel " << i;
    }
    /// Every `step`-th of its kernels.
    static std::vector<TestKernel> op_table(int layout, std::size_t step = 1) {
        std::vector<TestKernel> kernels;
        const std::vector<Case> cases = map_cases();
        for (std::size_t i = 0; i < cases.size(); i += step) kernels.push_back(kernel_of(cases[i], layout));
        return kernels;
    }
};

TEST_F(Compiled, RandomKernels) {
    std::vector<TestKernel> kernels;
    for (std::uint64_t seed = 0; seed < 100; ++seed) kernels.push_back(RandomKernel(seed).make());
    const auto before = be::jit_counts();
    compare(kernels, 2);
    const auto after = be::jit_counts();
    // All but scans in blocks of several columns.
    EXPECT_GT(after.compiled - before.compiled, 65u);
    EXPECT_GT(after.runs - before.runs, 65u);
    EXPECT_EQ(after.refused, before.refused);
}

/// Rows that are leaves, some leaves or several to a thread, and leaves of rows; what stands before and behind.
template <class T>
TestKernel scan_kernel(Op op, const Extents& extents, std::uint8_t axis, bool in_place, bool fails) {
    TestKernel kernel(extents);
    const std::int64_t count = bc::element_count(extents);
    std::vector<T> values, others;
    std::mt19937 random(static_cast<unsigned>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        const auto value = static_cast<T>(op == Op::cumprod ? 1 + random() % 5 : random() % 1000);
        values.push_back(std::is_integral_v<T> ? value : op == Op::cumprod ? 1 + value / 300 : value / 7);
        others.push_back(static_cast<T>(fails && i == count / 2 + 3 ? 0 : 1 + random() % 7));
    }
    const DType type = bc::dtype_of<T>();
    const std::uint32_t x = kernel.dense(kernel.base_of(values), extents);
    const ValueId a = kernel.load(x), b = kernel.load(kernel.dense(kernel.base_of(others), extents));
    const ValueId before = kernel.compute(fails ? Op::div : Op::max, type, {a, b});
    const ValueId scan = kernel.compute(op, type, {before}, type, bc::kNoValue, axis);
    const ValueId other = kernel.compute(Op::cumsum, type, {b}, type, bc::kNoValue, axis);
    const ValueId behind = kernel.compute(Op::add, type, {kernel.compute(Op::mul, type, {scan, b}), other});
    kernel.store(in_place ? x : kernel.dense(kernel.base(type, count), extents), behind);
    kernel.store(kernel.dense(kernel.base(type, count), extents), before);
    return kernel;
}

TEST_F(Compiled, Scans) {
    const std::pair<Extents, std::uint8_t> shapes[] = {
        {{64}, 0},      {{5000}, 0},      {{70001}, 0},      {{300, 65}, 1},    {{3, 4097}, 1},  {{2, 20000}, 1},
        {{100, 33}, 0}, {{1000, 300}, 0}, {{90, 40, 50}, 0}, {{6, 200, 70}, 1}, {{40, 3000}, 0}, {{70, 5, 64}, 2}};
    const auto with_isa = [&](be::Isa isa, int threads, std::size_t step) {
        if (!be::set_isa(isa)) return;
        std::vector<TestKernel> kernels;
        std::size_t number = 0;
        for (const DType type : enabled_types()) {
            if (type == DType::boolean || bc::is_complex(type)) continue;
            for (const auto& [extents, axis] : shapes) {
                if (++number % step != 0) continue;
                with_type(type, [&]<class T>(std::type_identity<T>) {
                    if constexpr (!std::is_same_v<T, bool> && !is_complex<T>) {
                        const Op op = number / step % 2 == 0 ? Op::cumsum : Op::cumprod;
                        const bool fails = std::is_integral_v<T> && number / step % 3 == 0;
                        kernels.push_back(scan_kernel<T>(op, extents, axis, number / step % 5 == 0, fails));
                    }
                });
            }
        }
        const auto before = be::jit_counts();
        compare(kernels, threads);
        // Where rows are scanned and an op fails, the interpreter does it.
        EXPECT_GE((be::jit_counts().runs - before.runs) * 10, kernels.size() * 8);
    };
    with_isa(be::Isa::avx512, 1, 1);
    with_isa(be::Isa::avx512, 3, 2);
    with_isa(be::Isa::avx2, 2, 3);
    with_isa(be::Isa::baseline, 2, 3);
}

/// (-x y) c, where a number takes the sign, and where it must not.
template <class T>
TestKernel signs_kernel(bool used_twice, bool numbers_first) {
    using Limits = std::numeric_limits<T>;
    const T special[] = {0,
                         T(-0.0),
                         1,
                         T(-1.5),
                         Limits::infinity(),
                         -Limits::infinity(),
                         Limits::quiet_NaN(),
                         Limits::max(),
                         Limits::min(),
                         -Limits::denorm_min()};
    std::vector<T> x, y;
    for (const T a : special) {
        for (const T b : special) {
            x.push_back(a);
            y.push_back(b);
        }
    }
    const Extents extents{static_cast<std::int64_t>(x.size())};
    TestKernel kernel(extents);
    const DType type = bc::dtype_of<T>();
    const ValueId a = kernel.load(kernel.dense(kernel.base_of(x), extents));
    const ValueId b = kernel.load(kernel.dense(kernel.base_of(y), extents));
    for (const T number : special) {
        const ValueId negative = kernel.compute(Op::neg, type, {a}), c = kernel.scalar(number);
        const ValueId product = kernel.compute(Op::mul, type, {b, negative});
        const ValueId result =
            numbers_first ? kernel.compute(Op::mul, type, {c, product}) : kernel.compute(Op::mul, type, {product, c});
        kernel.store(kernel.dense(kernel.base(type, extents[0]), extents), result);
        if (used_twice) kernel.store(kernel.dense(kernel.base(type, extents[0]), extents), negative);
        // The same number without a sign to take.
        kernel.store(kernel.dense(kernel.base(type, extents[0]), extents), kernel.compute(Op::mul, type, {a, c}));
    }
    return kernel;
}

TEST_F(Compiled, SignsOfProducts) {
    std::vector<TestKernel> kernels;
    for (const bool used_twice : {false, true}) {
        for (const bool numbers_first : {false, true}) {
            kernels.push_back(signs_kernel<float>(used_twice, numbers_first));
            kernels.push_back(signs_kernel<double>(used_twice, numbers_first));
        }
    }
    compare(kernels, 1);
}

TEST_F(Compiled, TheOpTable) { compare(op_table(0), 1); }

TEST_F(Compiled, TheOpTableOnStridedMemory) { compare(op_table(6, 4), 3); }

TEST_F(Compiled, TheOpTableOnOtherInstructionSets) {
    for (const be::Isa isa : {be::Isa::baseline, be::Isa::avx2}) {
        if (be::set_isa(isa)) compare(op_table(0, isa == be::Isa::avx2 ? 3 : 2), 1);
    }
}

}  // namespace
}  // namespace xlazy::test
