// SPDX-License-Identifier: BSD-3-Clause
// Regions whose last kernel reduces the axis that is cut: the same bits as one kernel after the other.
#include "backends/test_kernel.hpp"

namespace xlazy::test {
namespace {

/// Two kernels: sums along the last axis of `domain`, which the second one squares and reduces along its first axis, or
/// along the axis behind `repeated` new ones.
class TwoSteps {
public:
    TwoSteps(const Extents& domain, std::int64_t repeated) : kernels_(domain) {
        const auto last = static_cast<unsigned>(domain.size() - 1);
        Extents rows(domain.begin(), domain.end() - 1);
        std::mt19937_64 random(5);
        std::vector<double> values(static_cast<std::size_t>(bc::element_count(domain)));
        for (double& value : values) value = std::exp2(static_cast<double>(random() % 1000) * 0.05);
        const std::uint32_t in = kernels_.base_of(values);
        handed_ = kernels_.base(DType::f64, bc::element_count(rows));
        const std::uint32_t sums = kernels_.dense(handed_, rows);
        kernels_.reduce(Op::sum, last, false, sums, kernels_.load(kernels_.dense(in, domain)));
        kernels_.plan.kernels.push_back(std::move(kernels_.kernel));

        Extents result(rows.begin() + 1, rows.end());
        if (repeated != 0) {
            rows.insert(rows.begin(), repeated);
            result.insert(result.begin(), repeated);
        }
        kernels_.kernel = {};
        kernels_.kernel.domain = kernels_.program.intern_domain(rows);
        for (int i = 0; i < 2; ++i) results_.push_back(kernels_.base(DType::f64, bc::element_count(result)));
        const ValueId sum = kernels_.load(sums);
        const ValueId square = kernels_.compute(Op::mul, DType::f64, {sum, sum});
        const unsigned axis = repeated != 0 ? 1 : 0;
        kernels_.reduce(Op::sum, axis, false, kernels_.dense(results_[0], result), square);
        kernels_.reduce(Op::amax, axis, false, kernels_.dense(results_[1], result), sum);
        kernels_.plan.kernels.push_back(std::move(kernels_.kernel));
    }

    /// The results, one after the other. `region`: the back end is given both kernels at once, and no memory for what
    /// one hands to the other; or null.
    std::vector<double> run(be::Backend& backend, const bc::Region* region) const {
        Memory bases = kernels_.bases;
        std::vector<void*> pointers;
        for (auto& bytes : bases) pointers.push_back(bytes.data());
        if (region != nullptr) pointers[handed_] = nullptr;
        be::Traps traps;
        const be::Bindings bindings{&kernels_.program, &kernels_.plan, pointers, {}, 0};
        if (region != nullptr) {
            EXPECT_TRUE(backend.run_region(*region, bindings, std::vector<std::span<void* const>>(2), traps));
        } else {
            for (const bc::Kernel& kernel : kernels_.plan.kernels) backend.run(kernel, bindings, traps);
        }
        std::vector<double> all;
        for (const std::uint32_t result : results_) {
            const auto values = TestKernel::values<double>(bases[result]);
            all.insert(all.end(), values.begin(), values.end());
        }
        return all;
    }

    std::optional<bc::Region> region() const {
        return region_of_all(kernels_.plan, kernels_.program, 0, [&](bc::Storage storage) {
            return storage == bc::Storage{bc::Storage::Kind::Base, handed_};
        });
    }

private:
    TestKernel kernels_;
    std::uint32_t handed_ = 0;
    std::vector<std::uint32_t> results_;
};

TEST(ClosingRegions, GiveTheBitsOfOneKernelAfterTheOther) {
    struct Case {
        Extents domain;
        std::int64_t repeated;
    };
    const Case cases[] = {{{50001, 3}, 0},    {{40960, 3}, 0}, {{16385, 20}, 0}, {{9000, 5, 3}, 0},
                          {{3000, 40, 2}, 0}, {{50001, 3}, 4}, {{9000, 5, 3}, 2}};
    const auto reference = be::make_interpreter();
    for (const Case& each : cases) {
        const TwoSteps steps(each.domain, each.repeated);
        const std::vector<double> expected = steps.run(*reference, nullptr);
        const std::optional<bc::Region> region = steps.region();
        ASSERT_TRUE(region.has_value()) << each.domain[0] << ' ' << each.domain[1];
        for (int threads = 1; threads <= 3; ++threads) {
            const auto backend = be::make_openmp(always_threaded(threads));
            EXPECT_EQ(steps.run(*backend, &*region), expected)
                << each.domain[0] << ' ' << each.domain[1] << ", " << threads << " threads";
            EXPECT_EQ(steps.run(*backend, nullptr), expected);
        }
    }
}

}  // namespace
}  // namespace xlazy::test
