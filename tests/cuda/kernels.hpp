// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the tests as CUDA programs.
#pragma once

#include "backends/op_kernels.hpp"
#include "cuda/binding.hpp"

namespace xlazy::test {

struct CudaCase {
    TestKernel kernel;
    std::string function;
    bool any = false;  ///< by strides only
};

/// Calls f(binding) with the kernel bound to copies of its memory.
template <class F>
auto with_binding(const TestKernel& kernel, F&& f) {
    auto bases = kernel.bases, scratch = kernel.scratch;
    std::vector<void*> base_pointers, scratch_pointers;
    for (auto& bytes : bases) base_pointers.push_back(bytes.data());
    for (auto& bytes : scratch) scratch_pointers.push_back(bytes.data());
    const be::Bindings bindings{&kernel.program, &kernel.plan, base_pointers, scratch_pointers};
    return f(be::CudaBinding(kernel.kernel, bindings));
}

/// Adds it to the program. @return false: it does not run on a device
inline bool add(be::CudaUnit& unit, const CudaCase& each) {
    return with_binding(each.kernel, [&](const be::CudaBinding& binding) {
        return binding.reason().empty() && unit.add(each.any ? binding.any_form() : binding.form(), each.function);
    });
}

/// Random kernels of the seeds that run on a device, every fourth by strides only.
inline std::vector<CudaCase> random_cases(be::CudaUnit& unit, int first, int count) {
    std::vector<CudaCase> cases;
    for (int seed = first; seed < first + count; ++seed) {
        CudaCase each{RandomKernel(static_cast<std::uint64_t>(seed)).make(), "random_" + std::to_string(seed),
                      seed % 4 == 3};
        if (add(unit, each)) cases.push_back(std::move(each));
    }
    return cases;
}

/// Every op on every type, in the given layouts.
inline std::vector<CudaCase> op_cases(be::CudaUnit& unit, std::initializer_list<int> layouts) {
    std::vector<CudaCase> cases;
    for (const Case& op : map_cases()) {
        for (const int layout : layouts) {
            CudaCase each{kernel_of(op, layout), name_of(op) + "_" + std::to_string(layout)};
            if (add(unit, each)) cases.push_back(std::move(each));
        }
    }
    return cases;
}

}  // namespace xlazy::test
