// SPDX-License-Identifier: BSD-3-Clause
// CUDA C++ without headers, one element or one vector of elements a thread. A kernel goes through rows: of a map, the
// last axis of the nest, whose elements are dealt out to the threads; of reductions, the reduced axis, which a warp or
// a thread goes through leaf by leaf (reduction_rule.hpp). Ops are the expressions of the op table.
#pragma once

#include "codegen/dialect.hpp"

namespace xlazy::be {

/// How a kernel meets its operands: what its CUDA code depends on.
struct CudaForm {
    KernelForm kernel;       ///< layouts along a row; the folding of a reduction is Leaf
    unsigned outer = 0;      ///< axes of the nest besides the row's
    bool any_outer = false;  ///< that many at most: the number is an argument
    bool wide = false;       ///< more vectors of elements than 31 bits count
};

/// The arguments of a kernel: words of 64 bits. Strides and steps are in bytes.
///   header, extents of the outer axes, accesses {pointer, step, partial, strides}, scalars of two words
/// `partial` of a reduction is where values of leaves go if there are several: [outer][leaf][inner].
struct CudaWords {
    enum Header : unsigned {
        Rows,     ///< combinations of the outer axes
        Columns,  ///< elements of a row
        Traps,
        Aligned,  ///< dense operands may be moved as vectors
        Outer,    ///< outer axes
        PerRow,   ///< vectors of a row of a map
        Lanes,    ///< of a reduction, as the rule has them
        Inner,
        Leaf,
        Leaves,  ///< of a row
        HeaderSize,
    };
    unsigned axes;  ///< outer axes that there is room for
    unsigned accesses, scalars;

    unsigned extents() const noexcept { return HeaderSize; }
    unsigned access(unsigned number) const noexcept { return HeaderSize + axes + number * (3 + axes); }
    unsigned scalar(unsigned number) const noexcept { return access(accesses) + 2 * number; }
    unsigned size() const noexcept { return scalar(scalars); }
    /// More than a launch takes: the kernel gets a pointer to them.
    bool by_pointer() const noexcept { return size() > kMostDirect; }
    static constexpr unsigned kMostDirect = 512;
};
CudaWords words_of(const CudaForm& form) noexcept;

/// Combines groups of leaves: {Count, From, To, Leaves, Groups, Inner, Pointer, Outer, extents, strides}. The last
/// step, with one group, stores where the reduction's result goes.
struct CudaCombineWords {
    enum : unsigned {
        Count,
        From,
        To,
        Leaves,
        Groups,
        Inner,
        Pointer,
        Outer,
        Extents,
        Strides = Extents + 16,
        Size = Strides + 16
    };
    static constexpr unsigned kGroup = 32;
};

/// What the host's memory for a trap looks like.
struct CudaTrap {
    std::uint64_t index = ~std::uint64_t{0};
    std::uint32_t lock = 0, unused = 0;
    unsigned char operands[2][16] = {};
};

/// Threads of a block, at most.
inline constexpr unsigned kCudaBlock = 256;

/// Elements that a thread of a map computes at once.
unsigned cuda_vector(const CudaForm& form);

class CudaDialect final : public Dialect {
public:
    explicit CudaDialect(const CudaForm& form) : form_(form) {}
    std::optional<HostCall> call_of(const OpUse&) const override { return std::nullopt; }
    bool shares_divisors(bc::DType, std::size_t) const override { return false; }
    std::optional<Source> unit(const Body& body, std::string_view name) const override;

private:
    const CudaForm& form_;
};

/// Kernels of one program, with what they share.
class CudaUnit {
public:
    /// @return false where CUDA code cannot give the bits of an op: it is the C library's. Nothing is added then.
    bool add(const CudaForm& form, std::string_view name);
    bool add(const CudaForm& form, const Body& body, std::string_view name);
    std::string text() const;
    bool empty() const noexcept { return kernels_.empty(); }

private:
    std::vector<OpUse> ops_;  ///< in the order of their first use
    std::string kernels_;
};

/// The kernel that combines the leaves of a reduction, in the unit of a kernel that has it.
std::string cuda_combine_name(bc::Op op, bc::DType type);

}  // namespace xlazy::be
