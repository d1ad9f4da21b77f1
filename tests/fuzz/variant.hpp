// SPDX-License-Identifier: BSD-3-Clause
// Edits of a batch: other geometries of the same structure, and smaller batches for the shrinker.
#pragma once

#include "fuzz/generator.hpp"

#include <functional>

namespace xlazy::fuzz {

/// The same instructions with a few other offsets, strides, extents and scalar values. It may be illegal.
Case variant_of(const Case& c, Random& random);

/// The batch with every extent `from` made `to`, in views and domains alike.
bc::Program with_extent(const bc::Program& program, std::int64_t from, std::int64_t to);

/// The batch without the instructions for which `keep` is false; tables stay.
bc::Program without(const bc::Program& program, const std::function<bool(std::size_t)>& keep);

/// The batch without table entries that no instruction uses, everything numbered by first use.
bc::Program compacted(const bc::Program& program);

}  // namespace xlazy::fuzz
