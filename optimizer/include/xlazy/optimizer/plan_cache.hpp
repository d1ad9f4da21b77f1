// SPDX-License-Identifier: BSD-3-Clause
// Plans by structure; a known structure with known geometry runs no pass.
#pragma once

#include "xlazy/optimizer/optimizer.hpp"

#include <memory>

namespace xlazy::opt {

/// Bounded, thread-safe cache of plans. A lookup hashes the batch's structure, compares it in full with each candidate,
/// then accepts a candidate if the geometry is one it was seen with, or if its guards hold (the geometry then becomes
/// an alias).
class PlanCache {
public:
    static constexpr std::size_t kMaxPlans = 1024;    ///< least recently used goes first
    static constexpr std::size_t kMaxGeometries = 8;  ///< aliases kept a plan; the oldest is replaced
    static constexpr std::size_t kMaxVariants = 8;    ///< plans a structure, for geometries whose guards differ

    PlanCache();
    ~PlanCache();
    /// The plan of the batch, made if it is not known. `hit` tells which.
    std::shared_ptr<const bc::Plan> get(const bc::Program& program, const PlanOptions& options, bool& hit);
    void clear() noexcept;
    std::size_t size() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace xlazy::opt
