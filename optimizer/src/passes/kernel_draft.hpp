// SPDX-License-Identifier: BSD-3-Clause
// What fuse keeps of a kernel, or of a piece that is to join one: the views it uses, what it has in registers, its
// size.
#pragma once

#include "facts.hpp"

namespace xlazy::opt {

/// Where a temporary is made.
struct TempOrigin {
    static constexpr std::uint32_t kInPiece = ~0u;  ///< in the piece that is being scheduled
    std::uint32_t kernel = kInPiece;
    bool reduction = false;
};

struct FuseContext {
    const bc::Program& program;
    Facts& facts;
    std::vector<TempOrigin> temps;
    std::uint32_t max_streams;             ///< of a kernel
    const std::vector<bool>& versionable;  ///< as Draft has it
    std::vector<std::uint32_t> merged;     ///< by kernel: the one that has its instructions now, or the kernel itself

    std::uint32_t kernel_now(std::uint32_t kernel) noexcept {
        while (merged[kernel] != kernel) kernel = merged[kernel] = merged[merged[kernel]];
        return kernel;
    }
    /// The kernel that makes a temporary; not for those of the piece.
    std::uint32_t kernel_of(std::uint32_t temp) noexcept { return kernel_now(temps[temp].kernel); }
    /// Does a write to the base need memory, as far as one can tell? An array that dies gets none, unless another
    /// kernel reads it.
    bool needs_memory(std::uint32_t base) const noexcept { return program.bases[base].live; }
};

/// A view that a kernel uses; identical ones are one.
struct Access {
    std::uint32_t view;
    std::uint32_t base;
    bool loaded;  ///< its first use is a read
    bool written;
    bool elsewhere;  ///< not element by element: written by a reduction, or found by numbers
};

/// Ordered: each one forbids more.
enum class Verdict : std::uint8_t {
    Free,     ///< no dependency
    Aligned,  ///< a dependency element by element: in the same kernel, or later
    Blocked,  ///< later only
};

struct Fit {
    bool fits = false;         ///< the limits and the axis of reductions allow it
    std::uint32_t shared = 0;  ///< loads that are saved
};

class KernelDraft {
public:
    std::uint32_t domain = 0;
    std::uint32_t previous = ~0u;  ///< the kernel of the same domain before this one
    std::vector<Access> accesses;
    std::vector<std::uint32_t> loaded_temps;  ///< that are not made here
    std::vector<bc::Version> versions;

    void clear(std::uint32_t new_domain);

    /// A piece only: can the instruction run in one kernel with those before it?
    bool can_hold(const bc::Instruction& instruction, FuseContext& context);
    /// A piece only: adds the instruction.
    void add(const bc::Instruction& instruction, FuseContext& context);

    /// May what uses a view in the given way come to this kernel as a member, or, if not a member, run before it?
    Verdict verdict(const Access& use, FuseContext& context, bool member) const;
    Fit fit(const KernelDraft& piece, FuseContext& context, std::uint32_t number) const;
    /// May all of `later` be computed in this kernel, whose number is `number`, as far as dependencies between the two
    /// go?
    bool may_join(const KernelDraft& later, FuseContext& context, std::uint32_t number) const;
    /// Does the kernel use a temporary or a view in a way that one of the two must come first?
    bool depends_on(const KernelDraft& earlier, FuseContext& context, std::uint32_t number_of_earlier) const;
    /// Another kernel reads what this one writes to an array that dies.
    void add_store() noexcept {
        ++stores_;
        ++operations_;
    }
    /// Adds a piece to the kernel, whose number is `number`.
    void merge(const KernelDraft& piece, FuseContext& context, std::uint32_t number);

private:
    static constexpr std::size_t kNone = ~std::size_t{0};

    /// Index of the access to this view, or kNone.
    std::size_t look_for(std::uint32_t view, const FuseContext& context) const;
    /// The same, and the kernel relies on it.
    std::size_t find(std::uint32_t view, FuseContext& context) const;
    /// A write may go to a new version of the base, whose old one `access` reads.
    bool may_renew(const Access& write, const Access& access, const FuseContext& context) const;
    /// To be called before the write is added.
    void renew_if_needed(const Access& write, FuseContext& context);
    bool has_temp(std::uint32_t temp, FuseContext& context, std::uint32_t number) const;
    void use_view(std::uint32_t view, bool read, bool write, bool elsewhere, FuseContext& context);

    std::vector<std::uint32_t> scalars_;
    std::uint32_t operations_ = 0;  ///< without loads
    std::uint32_t loads_ = 0;       ///< of views
    std::uint32_t stores_ = 0;      ///< views that are written and need memory
    int axis_ = -1;                 ///< of the reductions or the scan; -1: there is none
    bool scans_ = false;
    bool calls_ = false;  ///< a library routine: a kernel of its own
};

}  // namespace xlazy::opt
