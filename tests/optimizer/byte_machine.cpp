// SPDX-License-Identifier: BSD-3-Clause
#include "byte_machine.hpp"

#include <algorithm>

namespace xlazy::test {
namespace {

constexpr std::byte kGarbage{0xa7};

std::vector<void*> addresses(std::vector<Bytes>& memory) {
    std::vector<void*> result;
    for (Bytes& bytes : memory) result.push_back(bytes.empty() ? nullptr : bytes.data());
    return result;
}

/// Memory for the versions that a kernel makes, with what it does not write.
std::vector<Bytes> new_versions(const bc::Kernel& kernel, const bc::Program& program, const std::vector<Bytes>& bases) {
    std::vector<Bytes> versions;
    for (const bc::Version& version : kernel.versions) {
        const auto size = static_cast<std::int64_t>(bc::size_of(program.bases[version.base].type));
        const Bytes& old = bases[version.base];
        Bytes& next = versions.emplace_back(old.size(), kGarbage);
        bc::for_each_gap(program, version.view, [&](std::int64_t first, std::int64_t count) {
            std::copy_n(old.begin() + first * size, count * size, next.begin() + first * size);
        });
    }
    return versions;
}

/// A merged instruction fails where the one that it is merged into fails.
void spread_to_merged(const bc::Plan& plan, be::Traps& traps) {
    for (const bc::Merge& merge : plan.merged) {
        const auto trap = std::ranges::find(traps, merge.into, &be::Trap::instruction);
        if (trap == traps.end()) continue;
        be::Trap copy = *trap;
        copy.instruction = merge.instruction;
        traps.push_back(copy);
    }
    std::ranges::sort(traps, {}, &be::Trap::instruction);
}

}  // namespace

ByteRun run_bytes(const bc::Plan& plan, const bc::Program& program, const std::map<std::uint32_t, Bytes>& inputs,
                  be::Backend& backend, std::uint64_t geometry) {
    ByteRun run;
    run.bases.resize(program.bases.size());
    std::vector<Bytes> scratch(plan.scratch.size());
    for (const auto& [base, bytes] : inputs) run.bases[base] = bytes;
    for (const bc::Step& step : plan.steps) {
        switch (step.kind) {
            case bc::Step::Kind::Run: {
                const bc::Kernel& kernel = plan.kernels[step.index];
                std::vector<Bytes> versions = new_versions(kernel, program, run.bases);
                const std::vector<void*> base_memory = addresses(run.bases), scratch_memory = addresses(scratch),
                                         version_memory = addresses(versions);
                be::Traps traps;
                backend.run(kernel, {&program, &plan, base_memory, scratch_memory, geometry, version_memory}, traps);
                run.traps.insert(run.traps.end(), traps.begin(), traps.end());
                for (std::size_t i = 0; i < versions.size(); ++i) run.bases[kernel.versions[i].base].swap(versions[i]);
                break;
            }
            case bc::Step::Kind::AllocBase: {
                const bc::BaseInfo& base = program.bases[step.index];
                run.bases[step.index].assign(static_cast<std::size_t>(base.size) * bc::size_of(base.type), kGarbage);
                break;
            }
            case bc::Step::Kind::AllocScratch: {
                const bc::Scratch& wanted = plan.scratch[step.index];
                const auto count = bc::element_count(bc::shape_of(program, wanted).span());
                scratch[step.index].assign(static_cast<std::size_t>(count) * bc::size_of(wanted.type), kGarbage);
                break;
            }
            case bc::Step::Kind::FreeBase: run.bases[step.index].clear(); break;
            case bc::Step::Kind::FreeScratch: scratch[step.index].clear(); break;
        }
    }
    spread_to_merged(plan, run.traps);
    return run;
}

}  // namespace xlazy::test
