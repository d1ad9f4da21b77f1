// SPDX-License-Identifier: BSD-3-Clause
#include "excerpt.hpp"

#include <algorithm>

namespace xlazy::opt {

using bc::Instruction;
using bc::MicroOp;
using bc::Operand;

void Excerpt::Numbering::clear() noexcept {
    for (const std::uint32_t index : in_whole) in_part[index] = kNone;
    in_whole.clear();
}

bool Excerpt::Numbering::add(std::uint32_t index) {
    if (in_part[index] != kNone) return false;
    in_part[index] = static_cast<std::uint32_t>(in_whole.size());
    in_whole.push_back(index);
    return true;
}

Excerpt::Excerpt(const bc::Program& whole)
    : whole_(whole),
      domains_(whole.domains.size()),
      bases_(whole.bases.size()),
      views_(whole.views.size()),
      scalars_(whole.scalars.size()),
      temps_(whole.temp_count),
      first_write_(whole.bases.size(), kNone),
      last_use_(whole.bases.size(), 0) {
    for (std::uint32_t i = 0; i < whole.instructions.size(); ++i) {
        const Instruction& instruction = whole.instructions[i];
        for (const Operand in : instruction.in) {
            if (in.is_view()) last_use_[whole.views[in.index()].base] = i;
        }
        if (!instruction.out.is_view()) continue;
        const std::uint32_t base = whole.views[instruction.out.index()].base;
        last_use_[base] = i;
        first_write_[base] = std::min(first_write_[base], i);
    }
}

std::uint32_t Excerpt::domain(std::uint32_t index) {
    if (domains_.add(index)) {
        const auto extents = whole_.domain_extents(index);
        part_.domains.push_back(
            {static_cast<std::uint32_t>(extents.size()), static_cast<std::uint32_t>(part_.extents.size())});
        part_.extents.insert(part_.extents.end(), extents.begin(), extents.end());
    }
    return domains_.in_part[index];
}

std::uint32_t Excerpt::base(std::uint32_t index) {
    if (bases_.add(index)) {
        bc::BaseInfo info = whole_.bases[index];
        info.initialised = info.initialised || first_write_[index] < begin_;
        info.live = info.live || last_use_[index] >= end_;
        part_.bases.push_back(info);
    }
    return bases_.in_part[index];
}

std::uint32_t Excerpt::view(std::uint32_t index) {
    if (views_.add(index)) {
        const bc::View& from = whole_.views[index];
        part_.add_view(base(from.base), from.offset, whole_.dims_of(from));
    }
    return views_.in_part[index];
}

std::uint32_t Excerpt::scalar(std::uint32_t index) {
    if (scalars_.add(index)) part_.scalars.push_back(whole_.scalars[index]);
    return scalars_.in_part[index];
}

std::uint32_t Excerpt::temp(std::uint32_t index) {
    if (temps_.add(index)) ++part_.temp_count;
    return temps_.in_part[index];
}

Operand Excerpt::operand(Operand from) {
    switch (from.kind()) {
        case Operand::Kind::View: return Operand::view(view(from.index()));
        case Operand::Kind::Temp: return Operand::temp(temp(from.index()));
        case Operand::Kind::Scalar: return Operand::scalar(scalar(from.index()));
        case Operand::Kind::None: break;
    }
    return from;
}

void Excerpt::take(std::uint32_t begin, std::uint32_t end) {
    begin_ = begin;
    end_ = end;
    part_.clear();
    for (Numbering* numbering : {&domains_, &bases_, &views_, &scalars_, &temps_}) numbering->clear();
    const std::uint32_t first_statement = whole_.instructions[begin].statement;
    for (std::uint32_t i = begin; i < end; ++i) {
        Instruction instruction = whole_.instructions[i];
        instruction.statement -= first_statement;
        instruction.domain = domain(instruction.domain);
        for (Operand& in : instruction.in) in = operand(in);
        instruction.out = operand(instruction.out);
        part_.instructions.push_back(instruction);
        part_.origins.push_back(whole_.origins[i]);
    }
    part_.statement_count = part_.instructions.back().statement + 1;
}

MicroOp Excerpt::renumbered(MicroOp op, std::uint32_t first_scratch) const noexcept {
    op.instruction += begin_;
    switch (op.kind) {
        case MicroOp::Kind::LoadView:
        case MicroOp::Kind::StoreView:
        case MicroOp::Kind::ReduceView:
        case MicroOp::Kind::GatherView:
        case MicroOp::Kind::ScatterView: op.index = views_.in_whole[op.index]; break;
        case MicroOp::Kind::LoadScratch:
        case MicroOp::Kind::StoreScratch:
        case MicroOp::Kind::ReduceScratch: op.index += first_scratch; break;
        case MicroOp::Kind::LoadScalar: op.index = scalars_.in_whole[op.index]; break;
        case MicroOp::Kind::Compute: break;
    }
    return op;
}

void Excerpt::append(bc::Plan& whole, const bc::Plan& part) const {
    const auto first_kernel = static_cast<std::uint32_t>(whole.kernels.size());
    const auto first_scratch = static_cast<std::uint32_t>(whole.scratch.size());
    for (const bc::Kernel& kernel : part.kernels) {
        bc::Kernel& copy = whole.kernels.emplace_back();
        copy.domain = domains_.in_whole[kernel.domain];
        copy.ops.reserve(kernel.ops.size());
        for (const MicroOp& op : kernel.ops) copy.ops.push_back(renumbered(op, first_scratch));
        for (const bc::Version& version : kernel.versions) {
            copy.versions.push_back({bases_.in_whole[version.base], views_.in_whole[version.view]});
        }
    }
    for (bc::Scratch scratch : part.scratch) {
        scratch.domain = domains_.in_whole[scratch.domain];
        whole.scratch.push_back(scratch);
    }
    for (bc::Step step : part.steps) {
        switch (step.kind) {
            case bc::Step::Kind::Run: step.index += first_kernel; break;
            case bc::Step::Kind::AllocBase:
            case bc::Step::Kind::FreeBase: step.index = bases_.in_whole[step.index]; break;
            case bc::Step::Kind::AllocScratch:
            case bc::Step::Kind::FreeScratch: step.index += first_scratch; break;
        }
        if (step.donor.kind == bc::Storage::Kind::Base) step.donor.index = bases_.in_whole[step.donor.index];
        if (step.donor.kind == bc::Storage::Kind::Scratch) step.donor.index += first_scratch;
        whole.steps.push_back(step);
    }
    for (bc::Region region : part.regions) {
        region.first += first_kernel;
        for (bc::Storage& local : region.locals) {
            const bool base = local.kind == bc::Storage::Kind::Base;
            local.index = base ? bases_.in_whole[local.index] : local.index + first_scratch;
        }
        whole.regions.push_back(std::move(region));
    }
    for (bc::Dispatch dispatch : part.dispatches) {
        dispatch.first += first_kernel;
        whole.dispatches.push_back(dispatch);
    }
    for (const bc::Merge& merge : part.merged)
        whole.merged.push_back({merge.instruction + begin_, merge.into + begin_});
    whole.contracted_temps += part.contracted_temps;
    whole.contracted_bases += part.contracted_bases;
    const auto known = static_cast<std::ptrdiff_t>(whole.contracted.size());
    for (const std::uint32_t base : part.contracted) whole.contracted.push_back(bases_.in_whole[base]);
    std::sort(whole.contracted.begin() + known, whole.contracted.end());
    std::inplace_merge(whole.contracted.begin(), whole.contracted.begin() + known, whole.contracted.end());
}

}  // namespace xlazy::opt
