// SPDX-License-Identifier: BSD-3-Clause
#include "byte_machine.hpp"

#include <algorithm>
#include <memory>

namespace xlazy::test {
namespace {

constexpr std::byte kGarbage{0xa7};

using Memory = std::shared_ptr<Bytes>;  // a donor shares it with what it gives it to

std::vector<void*> addresses(const std::vector<Memory>& memory) {
    std::vector<void*> result;
    for (const Memory& bytes : memory) result.push_back(bytes == nullptr ? nullptr : bytes->data());
    return result;
}

/// Memory for the versions that a kernel makes, with what it does not write.
std::vector<Memory> new_versions(const bc::Kernel& kernel, const bc::Program& program,
                                 const std::vector<Memory>& bases) {
    std::vector<Memory> versions;
    for (const bc::Version& version : kernel.versions) {
        const auto size = static_cast<std::int64_t>(bc::size_of(program.bases[version.base].type));
        const Bytes& old = *bases[version.base];
        Bytes& next = *versions.emplace_back(std::make_shared<Bytes>(old.size(), kGarbage));
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
    std::vector<Memory> bases(program.bases.size()), scratch(plan.scratch.size());
    const auto memory_of = [&](bc::Storage storage) -> Memory& {
        return (storage.kind == bc::Storage::Kind::Base ? bases : scratch)[storage.index];
    };
    for (const auto& [base, bytes] : inputs) bases[base] = std::make_shared<Bytes>(bytes);
    for (std::size_t at = 0; at < plan.steps.size(); ++at) {
        const bc::Step& step = plan.steps[at];
        if (step.kind == bc::Step::Kind::Run) {
            if (const bc::Dispatch* dispatch = bc::dispatch_at(plan, step.index)) {
                const std::vector<void*> base_memory = addresses(bases), scratch_memory = addresses(scratch);
                backend.run_together(*dispatch, {&program, &plan, base_memory, scratch_memory, geometry}, run.traps);
                at += dispatch->count - 1;
                continue;
            }
            const bc::Kernel& kernel = plan.kernels[step.index];
            std::vector<Memory> versions = new_versions(kernel, program, bases);
            const std::vector<void*> base_memory = addresses(bases), scratch_memory = addresses(scratch),
                                     version_memory = addresses(versions);
            be::Traps traps;
            backend.run(kernel, {&program, &plan, base_memory, scratch_memory, geometry, version_memory}, traps);
            run.traps.insert(run.traps.end(), traps.begin(), traps.end());
            for (std::size_t i = 0; i < versions.size(); ++i) bases[kernel.versions[i].base].swap(versions[i]);
            continue;
        }
        Memory& memory = memory_of(step.storage());
        if (step.frees())
            memory.reset();
        else if (bc::takes_over(plan, program, step))
            memory = memory_of(step.donor);
        else
            memory = std::make_shared<Bytes>(bc::bytes_of(plan, program, step.storage()), kGarbage);
    }
    for (const Memory& each : bases) run.bases.push_back(each == nullptr ? Bytes() : *each);
    spread_to_merged(plan, run.traps);
    return run;
}

}  // namespace xlazy::test
