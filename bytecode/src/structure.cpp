// SPDX-License-Identifier: BSD-3-Clause
#define XXH_INLINE_ALL
#include "xlazy/bytecode/structure.hpp"

#include <xxhash.h>

#include <algorithm>

namespace xlazy::bc {
namespace {

/// 0, 1 or 2 for other strides. An axis that is not walked along counts as 1: its stride means nothing.
std::uint32_t stride_class(std::span<const Dim> dims) noexcept {
    if (dims.empty() || dims.back().extent <= 1) return 1;
    const std::int64_t stride = dims.back().stride;
    return stride == 0 ? 0 : stride == 1 ? 1 : 2;
}

constexpr std::size_t kWordsAnInstruction = sizeof(Instruction) / sizeof(std::uint32_t);

template <class Key>
void finish(Key& key) noexcept {
    key.hash = XXH3_64bits(key.words.data(), key.words.size() * sizeof(key.words[0]));
}

}  // namespace

void structure_key(const Program& program, StructureKey& key) {
    const std::size_t count = program.instructions.size();
    const std::size_t tables =
        program.domains.size() + 2 * program.views.size() + program.bases.size() + program.scalars.size();
    key.words.resize(6 + count * kWordsAnInstruction + tables);
    std::uint32_t* out = key.words.data();
    for (const std::size_t size : {count, program.domains.size(), program.views.size(), program.bases.size(),
                                   program.scalars.size(), std::size_t{program.temp_count}}) {
        *out++ = static_cast<std::uint32_t>(size);
    }
    // Instructions hold nothing but structure: they are records without pointers, lines or values.
    if (count != 0) std::memcpy(out, program.instructions.data(), count * sizeof(Instruction));
    out += count * kWordsAnInstruction;
    for (const Domain& domain : program.domains) *out++ = domain.rank;
    for (const View& view : program.views) {
        *out++ = view.base;
        *out++ = view.rank << 2 | stride_class(program.dims_of(view));
    }
    for (const BaseInfo& base : program.bases) {
        *out++ = static_cast<std::uint32_t>(base.type) | std::uint32_t{base.initialised} << 8 |
                 std::uint32_t{base.live} << 9;
    }
    for (const Scalar& scalar : program.scalars) *out++ = static_cast<std::uint32_t>(scalar.type);
    finish(key);
}

SizeClass size_class(std::int64_t bytes) noexcept {
    return bytes <= std::int64_t{32} << 10   ? SizeClass::L1
           : bytes <= std::int64_t{1} << 20  ? SizeClass::L2
           : bytes <= std::int64_t{32} << 20 ? SizeClass::L3
                                             : SizeClass::Memory;
}

void geometry_key(const Program& program, GeometryKey& key) {
    std::size_t extents = 0;
    std::size_t dims = 0;
    for (const Domain& domain : program.domains) extents += domain.rank;
    for (const View& view : program.views) dims += view.rank;
    const std::size_t bases = program.bases.size();
    const std::size_t size = bases + extents + program.views.size() + 2 * dims;
    // Past the end of the key, for each base: the offset of its latest view, and the elements that its views show.
    key.words.resize(size + 2 * bases);
    std::int64_t* out = key.words.data();
    std::int64_t* const latest = out + size;
    std::int64_t* const shown = latest + bases;
    std::fill_n(latest, bases, std::int64_t{-1});
    std::fill_n(shown, bases, std::int64_t{0});
    for (const BaseInfo& base : program.bases) *out++ = base.size;
    for (const Domain& domain : program.domains) {
        for (const std::int64_t extent : program.extents_of(domain)) *out++ = extent;
    }
    for (const View& view : program.views) {
        std::int64_t& previous = latest[view.base];
        *out++ = previous < 0 ? 0 : view.offset - previous;
        previous = view.offset;
        std::int64_t elements = 1;
        for (const Dim& dim : program.dims_of(view)) {
            const bool walked = dim.extent > 1 && dim.stride != 0;
            if (walked || dim.extent == 0) elements *= dim.extent;
            *out++ = dim.extent;
            *out++ = dim.extent > 1 ? dim.stride : 0;
        }
        shown[view.base] += elements;
    }
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < bases; ++i) {
        const BaseInfo& base = program.bases[i];
        bytes += std::min(base.size, shown[i]) * static_cast<std::int64_t>(size_of(base.type));
    }
    key.size_class = size_class(bytes);
    key.words.resize(size);
    finish(key);
}

}  // namespace xlazy::bc
