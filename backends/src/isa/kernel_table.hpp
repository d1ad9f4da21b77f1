// SPDX-License-Identifier: BSD-3-Clause
// The loops over runs of elements, compiled once an instruction set. Only tables of them cross that border.
#pragma once

#include "xlazy/backends/isa.hpp"
#include "xlazy/bytecode/op.hpp"

#include <cstdint>

namespace xlazy::be {

/// `out[i] <- op(a[i], b[i], c[i])` for i < n; operands that the op lacks are ignored. `out` may be an operand if their
/// elements have the same size. Which operands are single values is the Form's matter.
using MapFn = void (*)(const void* a, const void* b, const void* c, void* out, std::int64_t n);

/// As MapFn, for ops that can fail, but `out` is no operand; the mask may be null. Failing elements get 0. @return the
/// first failing index, or n
using FaultFn = std::int64_t (*)(const void* a, const void* b, const void* mask, void* out, std::int64_t n);

/// Folds `rows` rows of `columns` values, `row_stride` elements apart, into acc[columns], row after row. `fresh`: the
/// first row is copied to the accumulators, not combined with them.
using FoldFn = void (*)(const void* values, std::int64_t rows, std::int64_t columns, std::int64_t row_stride, void* acc,
                        bool fresh);

/// Reduces `segments` dense blocks of [n][inner], one leaf each, to out[segments][inner], in the order of the reduction
/// rule. There are `lanes` lanes; if more than one, either lanes * inner <= kMaxLaneValues, or n <= lanes and
/// inner <= kMaxSegmentWidth.
using SegmentsFn = void (*)(const void* values, std::int64_t segments, std::int64_t n, std::int64_t inner,
                            std::int64_t lanes, void* out);
inline constexpr std::int64_t kMaxSegmentWidth = 32;

/// out[k] <- values[k * leaf, (k + 1) * leaf) combined one after the other; `count` values in all, the last leaf may be
/// shorter.
using LeavesFn = void (*)(const void* values, std::int64_t count, std::int64_t leaf, void* out);

/// Combines leaves by the tree of the reduction rule, to the first of them.
using TreeFn = void (*)(void* leaves, std::int64_t count);

/// What a scan has before a row: `carry`, a row: the last one of its leaf, updated; nothing yet if `fresh`. `prefix`:
/// the row that the leaves before have come to, which the result is combined with but not the carry; or null.
struct ScanState {
    void* carry;
    const void* prefix;
    bool fresh;
};
/// Scans segments of [rows][columns] values to `out`, which may be `values`, in the order of the rule. A segment is a
/// part of a leaf and begins a block of `lanes` rows. If there are several segments, each is a leaf and `fresh`. If
/// there are several lanes, lanes * columns <= kMaxLaneValues.
using ScanFn = void (*)(const void* values, std::int64_t segments, std::int64_t rows, std::int64_t columns,
                        std::int64_t lanes, const ScanState& state, void* out);

/// Copies rows x columns elements between dense memory and memory with strides in bytes.
using GatherFn = void (*)(void* dense, const void* strided, std::int64_t rows, std::int64_t row_stride,
                          std::int64_t columns, std::int64_t column_stride);
using ScatterFn = void (*)(const void* dense, void* strided, std::int64_t rows, std::int64_t row_stride,
                           std::int64_t columns, std::int64_t column_stride);

/// Rows of a panel are as many as a line of this many bytes has elements.
inline constexpr int kPanelRowBytes = 64;
/// Transposes a panel, to[row][column] <- from[column][row]; elements of a column of `from`, and of a row of `to`, lie
/// side by side, the strides are in bytes.
using PanelFn = void (*)(const void* from, std::int64_t column_stride, std::int64_t columns, void* to,
                         std::int64_t row_stride);

/// Copies bytes past the caches. Other threads may read them after a store fence of this thread.
using StreamFn = void (*)(void* to, const void* from, std::size_t bytes) noexcept;

/// Index of the first NaN or infinity among n values, n if there is none.
using FiniteFn = std::int64_t (*)(const void* values, std::int64_t n);

/// Which operands of a binary op are arrays (v) and which single values (s). Of ternary ops: b and c.
enum class Form : std::uint8_t { vv, vs, sv, ss };
inline constexpr std::size_t kForms = 4;

/// Tables by element size are indexed by its logarithm: 1, 2, 4, 8, 16 bytes.
inline constexpr std::size_t kSizes = 5;
constexpr std::size_t size_index(std::size_t bytes) noexcept {
    return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4;
}

/// Two arithmetic ops in one loop, `second(first(a, b), c)`, save writing and reading the value between them. The
/// result is that of the two ops: it is rounded twice.
enum class PairFirst : std::uint8_t { add, sub, mul };
enum class PairSecond : std::uint8_t { add, sub, reverse_sub, mul, square };  ///< reverse_sub: c - first
inline constexpr std::size_t kPairFirsts = 3, kPairSeconds = 5;
struct PairLoops {
    /// By form of (a, b); commutative first ops have no sv. Last: is c a single value?
    MapFn loops[kPairFirsts][kPairSeconds][kForms][2];
};

/// Tells the address of a routine that computes one vector of the instruction set's width.
using VectorRoutine = void* (*)() noexcept;

/// The loops whose operands have one element type.
struct TypeKernels {
    MapFn map[bc::kOpCount][kForms];  ///< unary ops: form vv; commutative ops have no sv
    MapFn cast[bc::kDTypeCount];      ///< to that type
    FaultFn fault[bc::kOpCount][kForms];
    FoldFn fold[bc::kOpCount];
    SegmentsFn segments[bc::kOpCount];
    LeavesFn leaves[bc::kOpCount];  ///< null where a value has several parts, as tree
    TreeFn tree[bc::kOpCount];
    VectorRoutine routine[bc::kOpCount];  ///< null where there is none
    ScanFn scan[bc::kOpCount];
};

struct KernelTable {
    const TypeKernels* types[bc::kDTypeCount];
    MapFn select[kSizes][kForms];
    GatherFn gather[kSizes];
    ScatterFn scatter[kSizes];
    StreamFn stream;
    PanelFn panel[kSizes];        ///< of elements of 4 and 8 bytes
    FiniteFn not_finite[kSizes];  ///< of float and double
    const PairLoops* pairs_f32;
    const PairLoops* pairs_f64;

    const TypeKernels& of(bc::DType type) const noexcept { return *types[static_cast<std::size_t>(type)]; }
};

extern const KernelTable kBaselineKernels;
extern const KernelTable kAvx2Kernels;
extern const KernelTable kAvx512Kernels;

/// The parts of a product or quotient of two complex numbers (real part, imaginary part), unless they are right as the
/// common formula gave them.
void recover(bc::Op op, const float* a, const float* b, float& re, float& im) noexcept;
void recover(bc::Op op, const double* a, const double* b, double& re, double& im) noexcept;

/// The table of the instruction set in use.
const KernelTable& kernels() noexcept;
const KernelTable& kernels(Isa isa) noexcept;

/// A loop of kernels().map.
MapFn map_kernel(bc::Op op, bc::DType type, Form form) noexcept;

}  // namespace xlazy::be
