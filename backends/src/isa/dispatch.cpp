// SPDX-License-Identifier: BSD-3-Clause
#include "isa/kernel_table.hpp"

#include <atomic>

namespace xlazy::be {
namespace {

bool machine_has(Isa isa) noexcept {
    switch (isa) {
        case Isa::baseline: return true;
        case Isa::avx2:
            return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                   __builtin_cpu_supports("bmi2");
        case Isa::avx512:
            return machine_has(Isa::avx2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl");
    }
    return false;
}

const KernelTable& table_of(Isa isa) noexcept {
    switch (isa) {
        case Isa::avx512: return kAvx512Kernels;
        case Isa::avx2: return kAvx2Kernels;
        default: return kBaselineKernels;
    }
}

struct Choice {
    std::atomic<Isa> isa{best_isa()};
    std::atomic<const KernelTable*> table{&table_of(best_isa())};
};
Choice& choice() noexcept {
    static Choice chosen;
    return chosen;
}

}  // namespace

std::string_view name_of(Isa isa) noexcept {
    switch (isa) {
        case Isa::baseline: return "baseline";
        case Isa::avx2: return "avx2";
        case Isa::avx512: return "avx512";
    }
    return "?";
}

Isa best_isa() noexcept {
    static const Isa best = machine_has(Isa::avx512) ? Isa::avx512 : machine_has(Isa::avx2) ? Isa::avx2 : Isa::baseline;
    return best;
}

Isa current_isa() noexcept { return choice().isa.load(std::memory_order_relaxed); }

bool set_isa(Isa isa) noexcept {
    if (!machine_has(isa)) return false;
    choice().isa.store(isa, std::memory_order_relaxed);
    choice().table.store(&table_of(isa), std::memory_order_relaxed);
    return true;
}

const KernelTable& kernels() noexcept { return *choice().table.load(std::memory_order_relaxed); }

const KernelTable& kernels(Isa isa) noexcept { return table_of(isa); }

MapFn map_kernel(bc::Op op, bc::DType type, Form form) noexcept {
    return kernels().of(type).map[static_cast<std::size_t>(op)][static_cast<std::size_t>(form)];
}

}  // namespace xlazy::be
