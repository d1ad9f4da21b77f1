// SPDX-License-Identifier: BSD-3-Clause
#include "view_names.hpp"

#include <algorithm>

namespace xlazy::opt {

namespace {

std::uint64_t mix(std::uint64_t hash, std::int64_t value) noexcept {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

}  // namespace

std::uint32_t ViewNames::name(std::uint32_t view) {
    std::uint32_t& known = names_[view];
    if (known != kUnknown) return known;
    const bc::View& wanted = program_.views[view];
    const auto dims = program_.dims_of(wanted);
    std::uint64_t hash = mix(wanted.base, wanted.offset);
    for (const bc::Dim& dim : dims) hash = mix(mix(hash, dim.extent), dim.stride);
    if (bc::repeats_elements(program_, view)) return known = view;
    const auto same = [&](std::uint32_t number) {
        const bc::View& other = program_.views[number];
        return other.base == wanted.base && other.offset == wanted.offset &&
               std::ranges::equal(program_.dims_of(other), dims);
    };
    return known = index_.find_or_add(hash, same, view);
}

}  // namespace xlazy::opt
