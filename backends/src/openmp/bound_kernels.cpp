// SPDX-License-Identifier: BSD-3-Clause
#include "openmp/bound_kernels.hpp"

namespace xlazy::be {

TileProgram& BoundKernels::bind(const bc::Kernel& kernel, const Bindings& bindings,
                                const TileProgram::Choices& choices) {
    if (bindings.geometry == 0 || kernel.ops.size() > kMaxMicroOps) {
        other_.bind(kernel, bindings, choices);
        return other_;
    }
    const auto number = static_cast<std::size_t>(&kernel - bindings.plan->kernels.data());
    if (kept_.empty()) kept_.resize(kKept);
    std::unique_ptr<Kept>& place = kept_[(bindings.geometry * 31 + number) % kKept];
    if (place == nullptr) place = std::make_unique<Kept>();
    const bool known = place->geometry == bindings.geometry && place->kernel == number && place->isa == current_isa();
    if (known && place->program.rebind(kernel, bindings)) return place->program;
    place->geometry = 0;  // until it is bound
    place->program.bind(kernel, bindings, choices);
    place->geometry = bindings.geometry;
    place->kernel = number;
    place->isa = current_isa();
    return place->program;
}

}  // namespace xlazy::be
