// SPDX-License-Identifier: BSD-3-Clause
#include "passes/version.hpp"

#include <algorithm>

namespace xlazy::opt {

namespace {

bool pays(const bc::Program& program, std::uint32_t view) noexcept {
    std::int64_t written = 1;
    for (const bc::Dim& dim : program.dims_of(program.views[view])) written *= dim.extent;
    const std::int64_t copied = program.bases[program.views[view].base].size - written;
    return copied <= std::max(written / kWrittenPerCopied, std::min(written, kFewElements));
}

}  // namespace

void choose_versions(Draft& draft) {
    draft.versionable.assign(draft.program.views.size(), false);
    for (const bc::Instruction& instruction : draft.code.instructions) {
        if (!instruction.out.is_view() || is_reduction(instruction) || is_scatter(instruction)) continue;
        const std::uint32_t view = instruction.out.index();
        draft.versionable[view] = pays(draft.program, view);
    }
}

}  // namespace xlazy::opt
