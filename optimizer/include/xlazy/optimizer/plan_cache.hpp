// SPDX-License-Identifier: BSD-3-Clause
// Plans by structure; a known structure with known geometry runs no pass.
#pragma once

#include "xlazy/optimizer/optimizer.hpp"

#include <memory>

namespace xlazy::opt {

/// A batch's plan.
struct Planned {
    std::shared_ptr<const bc::Plan> plan;
    unsigned made = 0;  ///< number of plans that had to be made; 0: it was known
    /// Batches with equal numbers have this plan and differ in nothing but bases, the first offset of each, and
    /// scalars; 0: nothing is known. Never used again.
    std::uint64_t geometry = 0;
};

/// Bounded, thread-safe cache of plans. A lookup hashes the batch's structure, compares it in full with each candidate,
/// then accepts a candidate if the geometry is one it was seen with, or if its guards hold (the geometry then becomes
/// an alias).
///
/// A batch that is a loop's iterations, as often as it is not known yet, is planned in pieces that serve all numbers of
/// iterations (optimizer/src/repeats.hpp); a number that comes back gets a plan of its own.
class PlanCache {
public:
    static constexpr std::size_t kMaxPlans = 1024;  ///< least recently used goes first
    /// Plans, structures and geometries together; the newest plan is kept whatever its size.
    static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
    static constexpr std::size_t kMaxGeometries = 8;  ///< aliases kept a plan; the oldest is replaced
    static constexpr std::size_t kMaxVariants = 8;    ///< plans a structure, for geometries whose guards differ

    PlanCache();
    ~PlanCache();
    /// The batch's plan, made where it is not known. @throws std::logic_error as make_plan
    Planned get(const bc::Program& program, const PlanOptions& options);
    /// Forgets all plans; plans that are in use stay alive.
    void clear() noexcept;
    std::size_t size() const noexcept;   ///< plans
    std::size_t bytes() const noexcept;  ///< that they hold, with what they are found by

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace xlazy::opt
