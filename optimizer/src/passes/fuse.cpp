// SPDX-License-Identifier: BSD-3-Clause
#include "passes/fuse.hpp"

#include "passes/kernel_draft.hpp"

#include <algorithm>

namespace xlazy::opt {

using bc::Instruction;

namespace {

constexpr std::uint32_t kNone = ~0u;

class Scheduler {
public:
    explicit Scheduler(Draft& draft)
        : draft_(draft),
          context_{draft.program, draft.facts, std::vector<TempOrigin>(draft.code.temp_count),
                   draft.size_class == bc::SizeClass::L1 ? kMaxStreamsInCache : kMaxStreams, draft.versionable},
          last_of_domain_(draft.program.domains.size(), kNone),
          last_use_of_base_(draft.program.bases.size(), kNone) {}

    void run() {
        const std::vector<Instruction>& code = draft_.code.instructions;
        draft_.grouping.kernel.assign(code.size(), 0);
        for (std::size_t begin = 0; begin < code.size();) {
            const std::size_t end = cut_piece(begin);
            const std::uint32_t kernel = place_piece();
            for (std::size_t i = begin; i < end; ++i) {
                draft_.grouping.kernel[i] = kernel;
                if (code[i].out.is_temp()) context_.temps[code[i].out.index()] = {kernel, is_reduction(code[i])};
            }
            begin = end;
        }
        draft_.grouping.count = count();
        for (std::uint32_t k = 0; k < count(); ++k) {
            for (const bc::Version& version : kernels_[k].versions) draft_.grouping.versions.emplace_back(k, version);
        }
    }

private:
    std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(kernels_.size()); }

    /// Fills piece_ with the instructions from `begin` on that one kernel can hold. @return the end
    std::size_t cut_piece(std::size_t begin) {
        const std::vector<Instruction>& code = draft_.code.instructions;
        piece_.clear(code[begin].domain);
        piece_.add(code[begin], context_);
        std::size_t end = begin + 1;
        while (end < code.size() && code[end].statement == code[begin].statement &&
               code[end].domain == code[begin].domain && piece_.can_hold(code[end], context_)) {
            piece_.add(code[end++], context_);
        }
        return end;
    }

    /// @return the piece's kernel
    std::uint32_t place_piece() {
        std::uint32_t kernel = find();
        if (kernel == kNone) {
            kernel = count();
            kernels_.emplace_back();
            kernels_.back().clear(piece_.domain);
            kernels_.back().previous = last_of_domain_[piece_.domain];
            last_of_domain_[piece_.domain] = kernel;
        }
        kernels_[kernel].merge(piece_, context_, kernel);
        for (const Access& access : piece_.accesses) {
            std::uint32_t& last = last_use_of_base_[access.base];
            if (last == kNone || last < kernel) last = kernel;
        }
        return kernel;
    }

    /// The first kernel, if it is of the piece's domain, in which all temporaries that the piece reads are there.
    std::uint32_t earliest() const {
        std::uint32_t kernel = 0;
        for (const std::uint32_t temp : piece_.loaded_temps) {
            const TempOrigin& origin = context_.temps[temp];
            kernel = std::max(kernel, origin.kernel + (origin.reduction ? 1 : 0));
        }
        return kernel;
    }

    /// The best kernel that the piece may join, or kNone.
    std::uint32_t find() {
        std::uint32_t best = kNone;
        std::uint32_t most_shared = 0;
        const std::uint32_t end = count();
        const std::uint32_t first = std::max(earliest(), end > kReach ? end - kReach : 0);
        std::uint32_t passed = end;  // the kernels from here on may be passed
        unsigned choices = 0;
        for (std::uint32_t k = last_of_domain_[piece_.domain]; k != kNone && k >= first; k = kernels_[k].previous) {
            // Cheap first: most kernels further back have nothing to offer.
            const Fit fit = kernels_[k].fit(piece_, context_, k);
            if (fit.fits && (best == kNone || fit.shared > most_shared)) {
                while (passed > k + 1) {
                    if (verdict(--passed, false) != Verdict::Free) return best;
                }
                const Verdict here = verdict(k, true);
                if (here == Verdict::Blocked) return best;
                best = k;
                most_shared = fit.shared;
                if (here == Verdict::Aligned) return best;
                passed = k;
            }
            if (++choices == kMaxChoices) return best;
        }
        return best;
    }

    /// May the piece join the kernel (member), or run before it?
    Verdict verdict(std::uint32_t k, bool member) {
        Verdict worst = Verdict::Free;
        for (const Access& access : piece_.accesses) {
            const std::uint32_t last = last_use_of_base_[access.base];
            if (last == kNone || last < k) continue;
            worst = std::max(worst, kernels_[k].verdict(access, context_, member));
            if (worst == Verdict::Blocked) break;
        }
        return worst;
    }

    Draft& draft_;
    FuseContext context_;
    KernelDraft piece_;
    std::vector<KernelDraft> kernels_;
    std::vector<std::uint32_t> last_of_domain_;
    std::vector<std::uint32_t> last_use_of_base_;  ///< the latest kernel that uses the base
};

}  // namespace

void fuse(Draft& draft) { Scheduler(draft).run(); }

void group_singly(Draft& draft) {
    const auto count = static_cast<std::uint32_t>(draft.code.instructions.size());
    draft.grouping.kernel.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) draft.grouping.kernel[i] = i;
    draft.grouping.count = count;
}

}  // namespace xlazy::opt
