// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/optimizer/traffic.hpp"

#include "element_set.hpp"
#include "xlazy/bytecode/cut_access.hpp"

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

/// What is copied for new versions of arrays: what they take over from the old ones, or, copied back, all that is new.
std::uint64_t bytes_copied(const bc::Program& program, const bc::Kernel& kernel, std::span<const std::uint32_t> stay) {
    std::uint64_t sum = 0;
    for (const bc::Version& version : kernel.versions) {
        std::int64_t written = 0;
        const bool back = copies_back(program, version, stay);
        for (const MicroOp& op : kernel.ops) {
            const bool writes = op.kind == MicroOp::Kind::StoreView || op.kind == MicroOp::Kind::ReduceView;
            if (!back || !writes || program.views[op.index].base != version.base) continue;
            bc::for_each_run(program, op.index, [&](std::int64_t, std::int64_t count) { written += count; });
        }
        std::int64_t left_out = program.bases[version.base].size;
        if (!back)
            bc::for_each_run(program, version.view, [&](std::int64_t, std::int64_t count) { left_out -= count; });
        sum += static_cast<std::uint64_t>(back ? written : left_out) * bc::size_of(program.bases[version.base].type);
    }
    return sum;
}

/// What kernels load and store, each element once. What is local to their region, and what one of them stores and
/// another one loads, does not count.
class Moved {
public:
    Moved(const bc::Program& program, const bc::Plan& plan, std::span<const std::uint32_t> stay)
        : program_(program), plan_(plan), stay_(stay) {}

    void add(const bc::Kernel& kernel, const bc::Region* region) {
        const bool empty = bc::element_count(program_.domain_extents(kernel.domain)) == 0;
        for (const MicroOp& op : kernel.ops) {
            if (!bc::touches_memory(op)) continue;
            const bool scratch = op.kind == MicroOp::Kind::LoadScratch || op.kind == MicroOp::Kind::StoreScratch ||
                                 op.kind == MicroOp::Kind::ReduceScratch;
            const bool loads = op.kind == MicroOp::Kind::LoadView || op.kind == MicroOp::Kind::LoadScratch ||
                               op.kind == MicroOp::Kind::GatherView;
            const bc::Storage storage = scratch ? bc::Storage{bc::Storage::Kind::Scratch, op.index}
                                                : bc::Storage{bc::Storage::Kind::Base, program_.views[op.index].base};
            if (region != nullptr && region->is_local(storage)) continue;
            if (loads && (empty || is_written(scratch, op.index))) continue;
            Streams& streams = loads ? loaded_ : stored_;
            include(scratch ? streams.scratch : streams.views, op.index);
            if (!loads) include(scratch ? mine_.scratch : mine_.views, op.index);
        }
        written_.views.insert(written_.views.end(), mine_.views.begin(), mine_.views.end());
        written_.scratch.insert(written_.scratch.end(), mine_.scratch.begin(), mine_.scratch.end());
        mine_ = {};
        copied_ += bytes_copied(program_, kernel, stay_);
    }
    Traffic total() { return {loaded_.bytes(program_, plan_) + copied_, stored_.bytes(program_, plan_) + copied_}; }

private:
    bool is_written(bool scratch, std::uint32_t index) const {
        if (scratch) return std::ranges::find(written_.scratch, index) != written_.scratch.end();
        return std::ranges::any_of(written_.views, [&](std::uint32_t view) {
            return bc::relation(program_, view, index) != bc::Relation::Disjoint;
        });
    }

    const bc::Program& program_;
    const bc::Plan& plan_;
    std::span<const std::uint32_t> stay_;
    Streams loaded_, stored_;
    Streams written_, mine_;  ///< by earlier kernels of the region, and by the one at hand
    std::uint64_t copied_ = 0;
};

}  // namespace

bool copies_back(const bc::Program& program, const bc::Version& version, std::span<const std::uint32_t> stay) noexcept {
    if (std::ranges::binary_search(stay, version.base)) return true;
    std::int64_t written = 1;
    for (const bc::Dim& dim : program.dims_of(program.views[version.view])) written *= dim.extent;
    return program.bases[version.base].size - written > written;
}

Traffic traffic_of(const bc::Program& program, const bc::Plan& plan, const bc::Kernel& kernel,
                   std::span<const std::uint32_t> stay) {
    Moved moved(program, plan, stay);
    moved.add(kernel, nullptr);
    return moved.total();
}

Traffic traffic_of(const bc::Program& program, const bc::Plan& plan, const bc::Region& region,
                   std::span<const std::uint32_t> stay) {
    Moved moved(program, plan, stay);
    for (std::uint32_t k = region.first; k < region.end(); ++k) moved.add(plan.kernels[k], &region);
    return moved.total();
}

Traffic traffic_of(const bc::Program& program, const bc::Plan& plan, std::span<const std::uint32_t> stay) {
    Traffic sum;
    auto region = plan.regions.begin();
    for (std::uint32_t k = 0; k < plan.kernels.size();) {
        if (region != plan.regions.end() && region->first == k) {
            sum += traffic_of(program, plan, *region, stay);
            k = region->end();
            ++region;
        } else {
            sum += traffic_of(program, plan, plan.kernels[k++], stay);
        }
    }
    return sum;
}

std::uint64_t operations_of(const bc::Program& program, const bc::Plan& plan) noexcept {
    std::uint64_t sum = 0;
    for (const bc::Kernel& kernel : plan.kernels) {
        const auto works = [](const MicroOp& op) {
            return op.kind == MicroOp::Kind::Compute || op.kind == MicroOp::Kind::ReduceView ||
                   op.kind == MicroOp::Kind::ReduceScratch;
        };
        sum += static_cast<std::uint64_t>(std::ranges::count_if(kernel.ops, works)) *
               static_cast<std::uint64_t>(bc::element_count(program.domain_extents(kernel.domain)));
    }
    return sum;
}

namespace {

/// Goes through the steps of a plan.
class Holding {
public:
    Holding(const bc::Program& program, const bc::Plan& plan)
        : program_(program),
          plan_(plan),
          held_(program.bases.size()),
          given_(program.bases.size()),
          scratch_given_(plan.scratch.size()) {
        for (const bc::BaseInfo& base : program.bases) now_ += base.initialised ? bytes_of(base) : 0;
        for (std::size_t b = 0; b < held_.size(); ++b) held_[b] = program.bases[b].initialised;
        most_ = now_;
    }

    void take(const Step& step) {
        if (step.kind == Step::Kind::Run) {
            hold_versions(step.index, step.index + 1);
            return;
        }
        const bool base = step.storage().kind == bc::Storage::Kind::Base;
        const std::uint64_t bytes = bc::bytes_of(plan_, program_, step.storage());
        if (base && held_[step.index] == step.allocates()) return;
        if (base) held_[step.index] = step.allocates();
        if (step.frees()) {
            now_ -= (base ? given_ : scratch_given_)[step.index] ? 0 : bytes;
        } else if (bc::takes_over(plan_, program_, step)) {
            (step.donor.kind == bc::Storage::Kind::Base ? given_ : scratch_given_)[step.donor.index] = true;
        } else {
            now_ += bytes;
        }
        most_ = std::max(most_, now_);
    }

    /// A region has all of what stays at once.
    void take(const bc::Region& region, bc::StepRange range) {
        const std::span<const Step> steps(plan_.steps.data() + range.begin, range.end - range.begin);
        for (const Step& step : steps) {
            if (step.allocates() && !region.is_local(step.storage())) take(step);
        }
        hold_versions(region.first, region.end());
        for (const Step& step : steps) {
            if (step.frees() && !region.is_local(step.storage())) take(step);
        }
    }

    std::uint64_t now() const noexcept { return now_; }
    std::uint64_t most() const noexcept { return most_; }

private:
    void hold_versions(std::uint32_t first, std::uint32_t end) {
        std::uint64_t both = now_;
        for (std::uint32_t k = first; k < end; ++k) {
            for (const bc::Version& version : plan_.kernels[k].versions) both += bytes_of(program_.bases[version.base]);
        }
        most_ = std::max(most_, both);
    }

    const bc::Program& program_;
    const bc::Plan& plan_;
    std::vector<bool> held_, given_, scratch_given_;
    std::uint64_t now_ = 0, most_ = 0;
};

}  // namespace

Footprint footprint_of(const bc::Program& program, const bc::Plan& plan,
                       const std::function<bool(const bc::Region&)>& takes) {
    Holding holding(program, plan);
    Footprint result{holding.now(), 0};
    std::size_t at = 0;
    const auto take_until = [&](std::size_t end) {
        for (; at < end; ++at) holding.take(plan.steps[at]);
    };
    for (const bc::Region& region : plan.regions) {
        if (takes && !takes(region)) continue;
        const bc::StepRange range = bc::steps_of(region, plan);
        take_until(range.begin);
        holding.take(region, range);
        at = range.end;
    }
    take_until(plan.steps.size());
    result.peak = holding.most();
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
