// SPDX-License-Identifier: BSD-3-Clause
// What a plan costs in memory, before it runs: the bytes that its kernels move, the most that it holds at a time, and
// the least of both that any plan of the batch could do with. Pure functions of their arguments.
#pragma once

#include "xlazy/bytecode/plan.hpp"

#include <functional>

namespace xlazy::opt {

/// Bytes between memory and kernels.
struct Traffic {
    std::uint64_t read = 0;
    std::uint64_t written = 0;
    /// Bytes, both ways.
    std::uint64_t total() const noexcept { return read + written; }
    Traffic& operator+=(const Traffic& other) noexcept {
        read += other.read;
        written += other.written;
        return *this;
    }
    friend bool operator==(const Traffic&, const Traffic&) noexcept = default;
};

/// Is a new version of a base copied back to the old one's memory, rather than completed by what its view leaves out?
/// That is so where it is less, or where the memory must stay: `stay` has the bases that it must of, ascending.
bool copies_back(const bc::Program& program, const bc::Version& version,
                 std::span<const std::uint32_t> stay = {}) noexcept;

/// Of one kernel of a plan. An element that it loads through several views is counted once, since a back end keeps it
/// in a cache from one to the next; so is one that a broadcast repeats. Costs one bit an element of the arrays that
/// several views show, for as long as it runs. `stay`: as above.
Traffic traffic_of(const bc::Program& program, const bc::Plan& plan, const bc::Kernel& kernel,
                   std::span<const std::uint32_t> stay = {});
/// Of a region that runs piece by piece: an element that several of its kernels touch is in a cache from one to the
/// next, what is local to it never leaves the caches.
Traffic traffic_of(const bc::Program& program, const bc::Plan& plan, const bc::Region& region,
                   std::span<const std::uint32_t> stay = {});
/// Of all kernels; regions run piece by piece.
Traffic traffic_of(const bc::Program& program, const bc::Plan& plan, std::span<const std::uint32_t> stay = {});

/// Operations on elements that the plan's kernels do: each of a kernel's, reductions and scans included, once an index.
std::uint64_t operations_of(const bc::Program& program, const bc::Plan& plan) noexcept;

/// Memory of the arrays and the temporaries that the plan holds, in bytes.
struct Footprint {
    std::uint64_t before = 0;  ///< of the arrays that have a value before the batch
    std::uint64_t peak = 0;    ///< most at a time, those arrays included
};
/// Regions run piece by piece. @param takes those that do, if not all
Footprint footprint_of(const bc::Program& program, const bc::Plan& plan,
                       const std::function<bool(const bc::Region&)>& takes = {});

/// What a result of a reduction has to wait for fits a tile, so that its operand need not be read again, if it is not
/// larger than this. A first-level cache holds it.
inline constexpr std::uint64_t kTileBytes = 32 * 1024;

/// The least that a plan of the batch can move: what is read of arrays that have a value before it, once in each sweep
/// over them, and what it gives to arrays that are live after it, once. A statement whose result nobody can read counts
/// for nothing.
///
/// A sweep ends where something must be there as a whole: a reduction's result, so that x - mean(x) reads x twice, but
/// not where the operand's part for one result fits a tile (kTileBytes), such as a row for a sum along it; and what a
/// stencil gave an array that lives on, if another one reads its neighbours. That is written, and read by the next
/// sweep. Everything else is computed again in every sweep that needs it, rather than kept. So tiles that overlap, to
/// take several time steps in one sweep, could still move less.
Traffic least_traffic(const bc::Program& program);

/// The least that a plan of the batch can hold: all arrays before it, or all that are live after it. Reached if every
/// temporary stays in the kernel, and every result takes the memory of an array that dies.
std::uint64_t least_peak(const bc::Program& program);

}  // namespace xlazy::opt
