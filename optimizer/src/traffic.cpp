// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/optimizer/traffic.hpp"

#include "element_set.hpp"

#include <algorithm>

namespace xlazy::opt {

using bc::MicroOp;
using bc::Step;

namespace {

std::uint64_t bytes_of(const bc::BaseInfo& base) noexcept {
    return static_cast<std::uint64_t>(base.size) * bc::size_of(base.type);
}

std::uint64_t bytes_of(const bc::Program& program, const bc::Scratch& scratch) noexcept {
    const std::int64_t elements = bc::element_count(bc::shape_of(program, scratch).span());
    return static_cast<std::uint64_t>(elements) * bc::size_of(scratch.type);
}

void include(std::vector<std::uint32_t>& list, std::uint32_t value) {
    if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

/// What a kernel loads, or stores: views by base, and scratch.
struct Streams {
    std::vector<std::uint32_t> views, scratch;

    std::uint64_t bytes(const bc::Program& program, const bc::Plan& plan) {
        const auto base_of = [&](std::uint32_t view) { return program.views[view].base; };
        std::ranges::sort(views, {}, base_of);
        std::uint64_t sum = 0;
        for (auto begin = views.begin(); begin != views.end();) {
            const std::uint32_t base = base_of(*begin);
            const auto end = std::find_if(begin, views.end(), [&](std::uint32_t v) { return base_of(v) != base; });
            sum += static_cast<std::uint64_t>(elements_shown(program, {begin, end})) *
                   bc::size_of(program.bases[base].type);
            begin = end;
        }
        for (const std::uint32_t index : scratch) sum += bytes_of(program, plan.scratch[index]);
        return sum;
    }
};

/// What new versions of arrays take over from the old ones.
std::uint64_t bytes_copied(const bc::Program& program, const bc::Kernel& kernel) {
    std::uint64_t sum = 0;
    for (const bc::Version& version : kernel.versions) {
        std::int64_t elements = program.bases[version.base].size;
        bc::for_each_run(program, version.view, [&](std::int64_t, std::int64_t count) { elements -= count; });
        sum += static_cast<std::uint64_t>(elements) * bc::size_of(program.bases[version.base].type);
    }
    return sum;
}

}  // namespace

Traffic traffic_of(const bc::Program& program, const bc::Plan& plan, const bc::Kernel& kernel) {
    Streams loaded, stored;
    for (const MicroOp& op : kernel.ops) {
        switch (op.kind) {
            case MicroOp::Kind::LoadView: include(loaded.views, op.index); break;
            case MicroOp::Kind::LoadScratch: include(loaded.scratch, op.index); break;
            case MicroOp::Kind::StoreView:
            case MicroOp::Kind::ReduceView: include(stored.views, op.index); break;
            case MicroOp::Kind::StoreScratch:
            case MicroOp::Kind::ReduceScratch: include(stored.scratch, op.index); break;
            case MicroOp::Kind::LoadScalar:
            case MicroOp::Kind::Compute: break;
        }
    }
    if (bc::element_count(program.domain_extents(kernel.domain)) == 0) loaded = {};
    const std::uint64_t copied = bytes_copied(program, kernel);
    return {loaded.bytes(program, plan) + copied, stored.bytes(program, plan) + copied};
}

Traffic traffic_of(const bc::Program& program, const bc::Plan& plan) {
    Traffic sum;
    for (const bc::Kernel& kernel : plan.kernels) sum += traffic_of(program, plan, kernel);
    return sum;
}

Footprint footprint_of(const bc::Program& program, const bc::Plan& plan) {
    Footprint result;
    for (const bc::BaseInfo& base : program.bases) result.before += base.initialised ? bytes_of(base) : 0;
    result.peak = result.before;
    std::uint64_t now = result.before;
    std::vector<bool> held(program.bases.size()), given(program.bases.size()), scratch_given(plan.scratch.size());
    for (std::size_t b = 0; b < held.size(); ++b) held[b] = program.bases[b].initialised;
    for (const Step& step : plan.steps) {
        if (step.kind == Step::Kind::Run) {
            std::uint64_t both = now;
            for (const bc::Version& version : plan.kernels[step.index].versions) {
                both += bytes_of(program.bases[version.base]);
            }
            result.peak = std::max(result.peak, both);
            continue;
        }
        const bool base = step.storage().kind == bc::Storage::Kind::Base;
        const std::uint64_t bytes = bc::bytes_of(plan, program, step.storage());
        if (base && held[step.index] == step.allocates()) continue;
        if (base) held[step.index] = step.allocates();
        if (step.frees()) {
            now -= (base ? given : scratch_given)[step.index] ? 0 : bytes;
        } else if (bc::takes_over(plan, program, step)) {
            (step.donor.kind == bc::Storage::Kind::Base ? given : scratch_given)[step.donor.index] = true;
        } else {
            now += bytes;
        }
        result.peak = std::max(result.peak, now);
    }
    return result;
}

std::uint64_t least_peak(const bc::Program& program) {
    std::vector<bool> written(program.bases.size());
    for (const bc::Instruction& instruction : program.instructions) {
        if (instruction.out.is_view()) written[program.views[instruction.out.index()].base] = true;
    }
    std::uint64_t before = 0, after = 0;
    for (std::size_t b = 0; b < program.bases.size(); ++b) {
        const bc::BaseInfo& base = program.bases[b];
        before += base.initialised ? bytes_of(base) : 0;
        after += base.live && (base.initialised || written[b]) ? bytes_of(base) : 0;
    }
    return std::max(before, after);
}

}  // namespace xlazy::opt
