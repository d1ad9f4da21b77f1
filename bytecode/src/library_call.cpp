// SPDX-License-Identifier: BSD-3-Clause
#include "library_call.hpp"

#include <fmt/format.h>

namespace xlazy::bc {

std::string library_fault(const Kernel& kernel) {
    using Kind = MicroOp::Kind;
    for (std::size_t i = 0; i < kernel.ops.size(); ++i) {
        const MicroOp& op = kernel.ops[i];
        const bool reduces = op.kind == Kind::ReduceView || op.kind == Kind::ReduceScratch;
        if (!reduces || info(op.op).kind != OpKind::Library) continue;
        if (!is_library(op) || i + 1 != kernel.ops.size() || !kernel.versions.empty())
            return fmt::format("micro-op {}: a library call that is not a kernel of its own", i);
        for (std::size_t k = 0; k < i; ++k) {
            const Kind kind = kernel.ops[k].kind;
            if (kind != Kind::LoadView && kind != Kind::LoadScalar)
                return fmt::format("micro-op {}: a library call that is not a kernel of its own", k);
        }
    }
    return {};
}

}  // namespace xlazy::bc
