// SPDX-License-Identifier: BSD-3-Clause
#include "passes/fuse.hpp"

#include "passes/kernel_draft.hpp"

#include <algorithm>
#include <numeric>

namespace xlazy::opt {

using bc::Instruction;

namespace {

constexpr std::uint32_t kNone = ~0u;

class Scheduler {
public:
    explicit Scheduler(Draft& draft)
        : draft_(draft),
          context_{draft.program,
                   draft.facts,
                   std::vector<TempOrigin>(draft.code.temp_count),
                   draft.size_class == bc::SizeClass::L1 ? kMaxStreamsInCache : kMaxStreams,
                   draft.versionable,
                   {}},
          last_of_domain_(draft.program.domains.size(), kNone),
          bases_(draft.program.bases.size()) {}

    void run() {
        const std::vector<Instruction>& code = draft_.code.instructions;
        std::vector<std::uint32_t>& kernel_of = draft_.grouping.kernel;
        kernel_of.assign(code.size(), 0);
        for (std::size_t begin = 0; begin < code.size();) {
            const std::size_t end = cut_piece(begin);
            const std::uint32_t kernel = place_piece();
            for (std::size_t i = begin; i < end; ++i) {
                kernel_of[i] = kernel;
                if (code[i].out.is_temp()) context_.temps[code[i].out.index()] = {kernel, is_reduction(code[i])};
            }
            begin = end;
        }
        save_starts();
        number_kernels();
    }

private:
    struct BaseUse {
        std::uint32_t last = kNone;    ///< the latest kernel that uses it
        std::uint32_t writer = kNone;  ///< the latest that writes it
        bool stored = false;           ///< the writer is known to need memory for it
        std::uint32_t mark = kNone;    ///< scratch of can_wait
    };

    std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(kernels_.size()); }
    bool in_cache() const noexcept { return draft_.size_class == bc::SizeClass::L1; }

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
            context_.merged.push_back(kernel);
            kernels_.emplace_back();
            kernels_.back().clear(piece_.domain);
            kernels_.back().previous = last_of_domain_[piece_.domain];
            last_of_domain_[piece_.domain] = kernel;
        }
        kernels_[kernel].merge(piece_, context_, kernel);
        note_uses(piece_, kernel);
        gather(kernel);
        return kernel;
    }

    void note_uses(const KernelDraft& piece, std::uint32_t kernel) {
        for (const Access& access : piece.accesses) {
            BaseUse& base = bases_[access.base];
            if (base.last == kNone || base.last < kernel) base.last = kernel;
            if (access.loaded && !base.stored && base.writer != kNone && !context_.needs_memory(access.base)) {
                const std::uint32_t writer = context_.kernel_now(base.writer);
                if (writer != kernel) {
                    kernels_[writer].add_store();
                    base.stored = true;
                }
            }
            if (access.written) {
                base.writer = kernel;
                base.stored = false;
            }
        }
    }

    /// The first kernel, if it is of the piece's domain, in which all temporaries that the piece reads are there.
    std::uint32_t earliest() {
        std::uint32_t kernel = 0;
        for (const std::uint32_t temp : piece_.loaded_temps) {
            kernel = std::max(kernel, context_.kernel_of(temp) + (context_.temps[temp].reduction ? 1 : 0));
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
            // What uses the piece's results may have to wait for the kernels that are passed.
            const bool useful = fit.shared != 0 || k + 1 == end || in_cache();
            if (fit.fits && useful && (best == kNone || fit.shared > most_shared)) {
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
            const std::uint32_t last = bases_[access.base].last;
            if (last == kNone || last < k) continue;
            worst = std::max(worst, kernels_[k].verdict(access, context_, member));
            if (worst == Verdict::Blocked) break;
        }
        return worst;
    }

    /// Lets earlier kernels that have something the newest piece loads wait for it, and takes them into its kernel.
    void gather(std::uint32_t kernel) {
        const std::uint32_t first = count() > kReach ? count() - kReach : 0;
        unsigned choices = 0;
        std::uint32_t next = kernel;  // the kernel of the domain behind k
        for (std::uint32_t k = kernels_[kernel].previous; k != kNone && k >= first && choices < kMaxChoices;
             ++choices) {
            const std::uint32_t before = kernels_[k].previous;
            if (kernels_[k].fit(piece_, context_, k).shared != 0 &&
                kernels_[k].fit(kernels_[kernel], context_, k).fits &&
                kernels_[k].may_join(kernels_[kernel], context_, k) && can_wait(k, kernel)) {
                take_in(k, kernel, next);
            } else {
                next = k;
            }
            k = before;
        }
    }

    /// Does no kernel between the two need what the first one does?
    bool can_wait(std::uint32_t early, std::uint32_t late) {
        if (early + 1 == late) return true;
        for (const Access& access : kernels_[early].accesses) bases_[access.base].mark = early;
        for (std::uint32_t k = early + 1; k < late; ++k) {
            const bool meets = std::ranges::any_of(
                kernels_[k].accesses, [&](const Access& access) { return bases_[access.base].mark == early; });
            if ((meets || !kernels_[k].loaded_temps.empty()) &&
                kernels_[k].depends_on(kernels_[early], context_, early)) {
                return false;
            }
        }
        return true;
    }

    /// `early` becomes a part of `late`. @param next the kernel of their domain whose `previous` is `early`
    void take_in(std::uint32_t early, std::uint32_t late, std::uint32_t next) {
        kernels_[next].previous = kernels_[early].previous;
        kernels_[early].merge(kernels_[late], context_, early);
        kernels_[early].previous = kernels_[late].previous;
        kernels_[late] = std::move(kernels_[early]);
        kernels_[early].clear(kNone);
        context_.merged[early] = late;
        for (const Access& access : kernels_[late].accesses) {
            BaseUse& base = bases_[access.base];
            if (base.last == kNone || base.last < late) base.last = late;
        }
    }

    /// Kernels that share nothing still save a start if they are one.
    void save_starts() {
        std::ranges::fill(last_of_domain_, kNone);
        for (std::uint32_t k = 0; k < count(); ++k) {
            if (context_.merged[k] != k) continue;
            kernels_[k].previous = last_of_domain_[kernels_[k].domain];
            last_of_domain_[kernels_[k].domain] = k;
            join_earlier(k);
        }
    }

    void join_earlier(std::uint32_t kernel) {
        KernelDraft& late = kernels_[kernel];
        const std::uint32_t first = kernel > kReach ? kernel - kReach : 0;
        std::uint32_t passed = kernel;
        unsigned choices = 0;
        for (std::uint32_t k = late.previous; k != kNone && k >= first && choices < kMaxChoices; ++choices) {
            while (passed > k + 1) {
                --passed;
                if (late.depends_on(kernels_[passed], context_, passed)) return;
            }
            if (kernels_[k].fit(late, context_, k).fits && kernels_[k].may_join(late, context_, k)) {
                last_of_domain_[late.domain] = late.previous;
                kernels_[k].merge(late, context_, k);
                context_.merged[kernel] = k;
                late.clear(kNone);
                return;
            }
            k = kernels_[k].previous;
        }
    }

    void number_kernels() {
        std::vector<std::uint32_t> number(count());
        std::uint32_t next = 0;
        for (std::uint32_t k = 0; k < count(); ++k) {
            if (context_.merged[k] != k) continue;
            number[k] = next++;
            for (const bc::Version& version : kernels_[k].versions)
                draft_.grouping.versions.emplace_back(number[k], version);
        }
        for (std::uint32_t& kernel : draft_.grouping.kernel) kernel = number[context_.kernel_now(kernel)];
        draft_.grouping.count = next;
    }

    Draft& draft_;
    FuseContext context_;
    KernelDraft piece_;
    std::vector<KernelDraft> kernels_;
    std::vector<std::uint32_t> last_of_domain_;
    std::vector<BaseUse> bases_;
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
