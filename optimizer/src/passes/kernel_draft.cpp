// SPDX-License-Identifier: BSD-3-Clause
#include "passes/kernel_draft.hpp"

#include "draft.hpp"
#include "passes/fuse.hpp"

#include <algorithm>

namespace xlazy::opt {

using bc::Instruction;
using bc::Operand;

namespace {

bool contains(const std::vector<std::uint32_t>& list, std::uint32_t value) {
    return std::ranges::find(list, value) != list.end();
}

void include(std::vector<std::uint32_t>& list, std::uint32_t value) {
    if (!contains(list, value)) list.push_back(value);
}

}  // namespace

void KernelDraft::clear(std::uint32_t new_domain) {
    domain = new_domain;
    accesses.clear();
    loaded_temps.clear();
    versions.clear();
    scalars_.clear();
    operations_ = loads_ = stores_ = 0;
    axis_ = -1;
    scans_ = calls_ = false;
}

bool KernelDraft::can_hold(const Instruction& instruction, FuseContext& context) {
    if (calls_ || is_library_call(instruction)) return false;
    const bool reduction = is_reduction(instruction);
    if (reduction && axis_ >= 0 && (scans_ || axis_ != instruction.axis)) return false;
    if (is_scan(instruction) && axis_ >= 0) return false;
    const auto bases = [&](std::uint32_t view) { return context.program.views[view].base; };
    const unsigned count = bc::operand_count(instruction);
    for (unsigned i = 0; i < count; ++i) {
        const Operand operand = instruction.in[i];
        if (operand.is_temp()) {
            const TempOrigin& origin = context.temps[operand.index()];
            if (origin.kernel == TempOrigin::kInPiece && origin.reduction) return false;
        } else if (operand.is_view()) {
            if (is_kept(instruction, i)) continue;
            const Access use{operand.index(), bases(operand.index()), true, false, is_gathered(instruction, i)};
            if (verdict(use, context, true) == Verdict::Blocked) return false;
        }
    }
    if (instruction.out.is_view()) {
        const bool scatter = is_scatter(instruction);
        const Access use{instruction.out.index(), bases(instruction.out.index()), scatter, true, reduction || scatter};
        if (verdict(use, context, true) == Verdict::Blocked) return false;
    }
    // At most: a load an operand, the operation, a store.
    const auto loads = static_cast<std::uint32_t>(loads_ + loaded_temps.size());
    return operations_ + loads + scalars_.size() + count + 2 <= kMaxMicroOps &&
           loads + stores_ + count + 1 <= context.max_streams;
}

void KernelDraft::add(const Instruction& instruction, FuseContext& context) {
    calls_ = is_library_call(instruction);
    const bool reduction = is_reduction(instruction) || calls_;
    scans_ = scans_ || is_scan(instruction);
    if (reduction || is_scan(instruction)) axis_ = instruction.axis;
    if (instruction.op != bc::Op::copy) ++operations_;
    for (unsigned i = 0; i < bc::operand_count(instruction); ++i) {
        const Operand operand = instruction.in[i];
        if (operand.is_scalar())
            include(scalars_, operand.index());
        else if (is_kept(instruction, i))
            continue;
        else if (operand.is_view())
            use_view(operand.index(), true, false, is_gathered(instruction, i), context);
        else if (context.temps[operand.index()].kernel != TempOrigin::kInPiece)
            include(loaded_temps, operand.index());
    }
    if (instruction.out.is_view()) {
        if (!reduction && context.needs_memory(context.program.views[instruction.out.index()].base)) ++operations_;
        const bool scatter = is_scatter(instruction);
        use_view(instruction.out.index(), scatter, true, reduction || scatter, context);
    } else {
        context.temps[instruction.out.index()] = {TempOrigin::kInPiece, reduction};
    }
}

void KernelDraft::use_view(std::uint32_t view, bool read, bool write, bool elsewhere, FuseContext& context) {
    const Access use{view, context.program.views[view].base, read, write, elsewhere};
    if (write) renew_if_needed(use, context);
    const std::size_t known = elsewhere ? kNone : find(view, context);
    if (known == kNone) {
        accesses.push_back(use);
        if (read) ++loads_;
        if (write && context.needs_memory(use.base)) ++stores_;
    } else if (write && !accesses[known].written) {
        accesses[known].written = true;
        if (context.needs_memory(use.base)) ++stores_;
    }
}

std::size_t KernelDraft::look_for(std::uint32_t view, const FuseContext& context) const {
    for (std::size_t i = 0; i < accesses.size(); ++i) {
        if (!accesses[i].elsewhere && context.facts.looks_same(accesses[i].view, view)) return i;
    }
    return kNone;
}

std::size_t KernelDraft::find(std::uint32_t view, FuseContext& context) const {
    const std::size_t found = look_for(view, context);
    if (found != kNone) context.facts.same_read(accesses[found].view, view);
    return found;
}

Verdict KernelDraft::verdict(const Access& use, FuseContext& context, bool member) const {
    Verdict worst = Verdict::Free;
    for (const Access& access : accesses) {
        if (access.base != use.base || !(access.written || use.written)) continue;
        const Relation relation = context.facts.hazard(use.view, access.view);
        if (relation == Relation::Disjoint) continue;
        if (relation == Relation::Overlap && member && may_renew(use, access, context)) {
            worst = Verdict::Aligned;
            continue;
        }
        if (relation == Relation::Overlap || !member || access.elsewhere || use.elsewhere) return Verdict::Blocked;
        worst = Verdict::Aligned;
    }
    return worst;
}

bool KernelDraft::may_renew(const Access& write, const Access& access, const FuseContext& context) const {
    if (!write.written || write.elsewhere || access.written) return false;
    if (write.view < context.versionable.size() && context.versionable[write.view]) return true;
    return std::ranges::find(versions, write.base, &bc::Version::base) != versions.end();
}

void KernelDraft::renew_if_needed(const Access& write, FuseContext& context) {
    if (std::ranges::find(versions, write.base, &bc::Version::base) != versions.end()) return;
    const bool needed = std::ranges::any_of(accesses, [&](const Access& access) {
        return access.base == write.base && may_renew(write, access, context) &&
               context.facts.hazard(write.view, access.view) == Relation::Overlap;
    });
    if (needed) versions.push_back({write.base, write.view});
}

bool KernelDraft::may_join(const KernelDraft& later, FuseContext& context, std::uint32_t number) const {
    return std::ranges::none_of(later.loaded_temps,
                                [&](std::uint32_t temp) {
                                    return context.temps[temp].reduction && context.kernel_of(temp) == number;
                                }) &&
           std::ranges::none_of(later.accesses,
                                [&](const Access& use) { return verdict(use, context, true) == Verdict::Blocked; });
}

bool KernelDraft::depends_on(const KernelDraft& earlier, FuseContext& context, std::uint32_t number_of_earlier) const {
    return std::ranges::any_of(loaded_temps,
                               [&](std::uint32_t temp) { return context.kernel_of(temp) == number_of_earlier; }) ||
           std::ranges::any_of(
               accesses, [&](const Access& use) { return earlier.verdict(use, context, false) != Verdict::Free; });
}

bool KernelDraft::has_temp(std::uint32_t temp, FuseContext& context, std::uint32_t number) const {
    return context.kernel_of(temp) == number || contains(loaded_temps, temp);
}

Fit KernelDraft::fit(const KernelDraft& piece, FuseContext& context, std::uint32_t number) const {
    Fit result;
    if (calls_ || piece.calls_) return result;
    if (axis_ >= 0 && piece.axis_ >= 0 && (scans_ || piece.scans_ || axis_ != piece.axis_)) return result;
    std::uint32_t loads = static_cast<std::uint32_t>(loads_ + loaded_temps.size());
    std::uint32_t stores = stores_;
    auto scalars = static_cast<std::uint32_t>(scalars_.size());
    for (const Access& use : piece.accesses) {
        const std::size_t known = use.elsewhere ? kNone : look_for(use.view, context);
        if (use.loaded) ++(known != kNone ? result.shared : loads);
        if (use.written && (known == kNone || !accesses[known].written) && context.needs_memory(use.base)) ++stores;
    }
    for (const std::uint32_t temp : piece.loaded_temps) ++(has_temp(temp, context, number) ? result.shared : loads);
    for (const std::uint32_t scalar : piece.scalars_) scalars += contains(scalars_, scalar) ? 0 : 1;
    result.fits = operations_ + piece.operations_ + loads + scalars <= kMaxMicroOps &&
                  loads + stores <= context.max_streams &&
                  accesses.size() + piece.accesses.size() <= kMaxViews + result.shared;
    return result;
}

void KernelDraft::merge(const KernelDraft& piece, FuseContext& context, std::uint32_t number) {
    if (piece.axis_ >= 0) axis_ = piece.axis_;
    scans_ = scans_ || piece.scans_;
    calls_ = calls_ || piece.calls_;
    operations_ += piece.operations_;
    for (const bc::Version& version : piece.versions) {
        if (std::ranges::find(versions, version.base, &bc::Version::base) == versions.end())
            versions.push_back(version);
    }
    for (const Access& use : piece.accesses) {
        if (use.written) renew_if_needed(use, context);
        const std::size_t known = use.elsewhere ? kNone : find(use.view, context);
        if (known == kNone) {
            accesses.push_back(use);
            loads_ += use.loaded ? 1 : 0;
            stores_ += use.written && context.needs_memory(use.base) ? 1 : 0;
        } else if (use.written && !accesses[known].written) {
            accesses[known].written = true;
            stores_ += context.needs_memory(use.base) ? 1 : 0;
        }
    }
    for (const std::uint32_t temp : piece.loaded_temps) {
        if (!has_temp(temp, context, number)) loaded_temps.push_back(temp);
    }
    for (const std::uint32_t scalar : piece.scalars_) include(scalars_, scalar);
}

}  // namespace xlazy::opt
