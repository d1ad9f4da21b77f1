// SPDX-License-Identifier: BSD-3-Clause
#include "passes/fuse.hpp"

#include <algorithm>

namespace xlazy::opt {

using bc::Instruction;
using bc::Operand;

namespace {

constexpr std::uint32_t kNone = ~0u;

/// A view that a kernel uses.
struct Access {
    std::uint32_t view;
    std::uint32_t base;
    bool read;
    bool written;
    bool reduced;  ///< written by a reduction
};

struct Kernel {
    Kernel(std::uint32_t domain_, std::uint32_t previous_) : domain(domain_), previous(previous_) {}

    std::uint32_t domain;
    std::uint32_t previous;  ///< the kernel of the same domain before this one, or kNone
    std::uint32_t micro_ops = 0;
    std::uint32_t streams = 0;
    int axis = -1;  ///< of its reductions; -1: it has none
    std::vector<Access> accesses;
    std::vector<std::uint32_t> scalars;
    std::vector<std::uint32_t> loaded_temps;
};

/// What may share a kernel with the instruction under test.
enum class Verdict { Free, Aligned, Blocked };

class Scheduler {
public:
    explicit Scheduler(Draft& draft)
        : draft_(draft), program_(draft.program), last_of_domain_(draft.program.domains.size(), kNone),
          maker_(draft.code.temp_count), last_use_of_base_(draft.program.bases.size(), kNone) {}

    std::uint32_t place(const Instruction& instruction) {
        std::uint32_t chosen = find(instruction);
        if (chosen == kNone) {
            chosen = static_cast<std::uint32_t>(kernels_.size());
            kernels_.emplace_back(instruction.domain, last_of_domain_[instruction.domain]);
            last_of_domain_[instruction.domain] = chosen;
        }
        join(instruction, chosen);
        return chosen;
    }

    std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(kernels_.size()); }

private:
    struct Maker {
        std::uint32_t kernel = 0;
        bool reduction = false;
    };
    struct Cost {
        std::uint32_t micro_ops = 0, streams = 0;
    };

    /// The first kernel in which all temporaries that the instruction reads are there.
    std::uint32_t earliest(const Instruction& instruction) const {
        std::uint32_t kernel = 0;
        for (unsigned i = 0; i < bc::operand_count(instruction); ++i) {
            if (!instruction.in[i].is_temp()) continue;
            const Maker& maker = maker_[instruction.in[i].index()];
            const bool aligned = !maker.reduction && kernels_[maker.kernel].domain == instruction.domain;
            kernel = std::max(kernel, maker.kernel + (aligned ? 0 : 1));
        }
        return kernel;
    }

    /// The latest kernel that the instruction may join, or kNone.
    std::uint32_t find(const Instruction& instruction) {
        const std::uint32_t end = count();
        const std::uint32_t first = std::max(earliest(instruction), end > kReach ? end - kReach : 0);
        std::uint32_t checked = end;  // kernels from here on do not depend on the instruction, nor it on them
        for (std::uint32_t k = last_of_domain_[instruction.domain]; k != kNone && k >= first; k = kernels_[k].previous) {
            while (checked > k + 1) {
                if (verdict(instruction, --checked, false) != Verdict::Free) return kNone;
            }
            const Verdict here = verdict(instruction, k, true);
            if (here == Verdict::Blocked) return kNone;
            if (fits(instruction, kernels_[k])) return k;
            if (here == Verdict::Aligned) return kNone;
            checked = k;
        }
        return kNone;
    }

    /// @param member whether the instruction would join the kernel, or only run before it
    Verdict verdict(const Instruction& instruction, std::uint32_t k, bool member) {
        Verdict worst = Verdict::Free;
        for (unsigned i = 0; i < bc::operand_count(instruction); ++i) {
            if (!instruction.in[i].is_view()) continue;
            worst = std::max(worst, view_verdict(instruction, instruction.in[i].index(), false, k, member));
            if (worst == Verdict::Blocked) return worst;
        }
        if (instruction.out.is_view()) {
            worst = std::max(worst, view_verdict(instruction, instruction.out.index(), true, k, member));
        }
        return worst;
    }

    Verdict view_verdict(const Instruction& instruction, std::uint32_t view, bool write, std::uint32_t k, bool member) {
        const std::uint32_t base = program_.views[view].base;
        const std::uint32_t last = last_use_of_base_[base];
        if (last == kNone || last < k) return Verdict::Free;
        Verdict worst = Verdict::Free;
        for (const Access& access : kernels_[k].accesses) {
            if (access.base != base || !(write || access.written)) continue;
            const Relation relation = write ? draft_.facts.hazard(view, access.view)
                                            : draft_.facts.hazard(access.view, view);
            if (relation == Relation::Disjoint) continue;
            const bool aligned = relation == Relation::Identical && member && !access.reduced &&
                                 !(write && is_reduction(instruction));
            if (!aligned) return Verdict::Blocked;
            worst = Verdict::Aligned;
        }
        return worst;
    }

    bool fits(const Instruction& instruction, Kernel& kernel) {
        if (is_reduction(instruction) && kernel.axis >= 0 && kernel.axis != instruction.axis) return false;
        const Cost added = cost(instruction, kernel);
        return kernel.micro_ops + added.micro_ops <= kMaxMicroOps && kernel.streams + added.streams <= kMaxStreams;
    }

    /// What the instruction adds to the kernel.
    Cost cost(const Instruction& instruction, Kernel& kernel) {
        Cost added;
        added.micro_ops = instruction.op == bc::Op::copy ? 0 : 1;
        for (unsigned i = 0; i < bc::operand_count(instruction); ++i) {
            const Operand operand = instruction.in[i];
            if (is_repeated(instruction, i) || has(kernel, operand)) continue;
            ++added.micro_ops;
            if (!operand.is_scalar()) ++added.streams;
        }
        if (instruction.out.is_view()) {
            if (!is_reduction(instruction)) ++added.micro_ops;  // a reduction stores by itself
            ++added.streams;
        }
        return added;
    }

    static bool is_repeated(const Instruction& instruction, unsigned operand) {
        for (unsigned i = 0; i < operand; ++i) {
            if (instruction.in[i] == instruction.in[operand]) return true;
        }
        return false;
    }

    /// Is the operand's value in a register of the kernel?
    bool has(Kernel& kernel, Operand operand) {
        const std::uint32_t index = operand.index();
        if (operand.is_scalar()) return contains(kernel.scalars, index);
        if (operand.is_view()) return find_access(kernel, index) != nullptr;
        return &kernels_[maker_[index].kernel] == &kernel || contains(kernel.loaded_temps, index);
    }

    Access* find_access(Kernel& kernel, std::uint32_t view) {
        for (Access& access : kernel.accesses) {
            if (!access.reduced && draft_.facts.same_read(access.view, view)) return &access;
        }
        return nullptr;
    }

    static bool contains(const std::vector<std::uint32_t>& list, std::uint32_t value) {
        return std::find(list.begin(), list.end(), value) != list.end();
    }

    void join(const Instruction& instruction, std::uint32_t k) {
        Kernel& kernel = kernels_[k];
        const Cost added = cost(instruction, kernel);
        kernel.micro_ops += added.micro_ops;
        kernel.streams += added.streams;
        const bool reduction = is_reduction(instruction);
        if (reduction) kernel.axis = instruction.axis;
        for (unsigned i = 0; i < bc::operand_count(instruction); ++i) {
            const Operand operand = instruction.in[i];
            if (operand.is_view()) use_view(k, operand.index(), false, false);
            else if (!has(kernel, operand)) {
                (operand.is_scalar() ? kernel.scalars : kernel.loaded_temps).push_back(operand.index());
            }
        }
        if (instruction.out.is_view()) use_view(k, instruction.out.index(), true, reduction);
        else maker_[instruction.out.index()] = {k, reduction};
    }

    void use_view(std::uint32_t k, std::uint32_t view, bool write, bool reduced) {
        Kernel& kernel = kernels_[k];
        const std::uint32_t base = program_.views[view].base;
        std::uint32_t& last = last_use_of_base_[base];
        if (last == kNone || last < k) last = k;
        Access* access = find_access(kernel, view);
        if (access == nullptr || reduced) {
            kernel.accesses.push_back({view, base, !write, write, reduced});
            return;
        }
        (write ? access->written : access->read) = true;
    }

    Draft& draft_;
    const bc::Program& program_;
    std::vector<Kernel> kernels_;
    std::vector<std::uint32_t> last_of_domain_;
    std::vector<Maker> maker_;
    std::vector<std::uint32_t> last_use_of_base_;  ///< the latest kernel that uses the base
};

}  // namespace

void fuse(Draft& draft) {
    Scheduler scheduler(draft);
    draft.grouping.kernel.clear();
    draft.grouping.kernel.reserve(draft.code.instructions.size());
    for (const Instruction& instruction : draft.code.instructions) {
        draft.grouping.kernel.push_back(scheduler.place(instruction));
    }
    draft.grouping.count = scheduler.count();
}

void group_singly(Draft& draft) {
    const auto count = static_cast<std::uint32_t>(draft.code.instructions.size());
    draft.grouping.kernel.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) draft.grouping.kernel[i] = i;
    draft.grouping.count = count;
}

}  // namespace xlazy::opt
