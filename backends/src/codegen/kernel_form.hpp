// SPDX-License-Identifier: BSD-3-Clause
// What generated code depends on: a kernel's micro-ops, and how its operands lie along the axis that its inner loop
// goes through. Lengths, strides, offsets and scalars are arguments of the code.
#pragma once

#include "xlazy/bytecode/plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace xlazy::be {

/// How an access moves inside a block of the nest.
enum class Layout : std::uint8_t {
    Uniform,  ///< one element
    Dense,    ///< consecutive elements
    Strided,
};

/// What generated code does with the values of a reduction or a scan.
enum class Folding : std::uint8_t {
    None,  ///< leaves them in dense memory
    Leaf,  ///< folds or scans a row, which is one leaf with all lanes of the reduction rule, to one value a row
    Rows,  ///< folds or scans the rows of a leaf that has one lane, one after the other, to a row of values
};

/// Of a load, store, reduction or generator: how generated code meets it.
struct AccessForm {
    Layout layout = Layout::Dense;
    bool streamed = false;            ///< a store past the caches, where its address permits
    Folding folding = Folding::None;  ///< of all reductions of a kernel the same
    friend bool operator==(const AccessForm&, const AccessForm&) = default;
};

struct KernelForm {
    const bc::Kernel* kernel = nullptr;
    /// One an access, in the order of the micro-ops that have one: all but computations and scalars, and the generator.
    std::vector<AccessForm> accesses;
    Folding scanning = Folding::None;  ///< of all scans; None where the kernel has none
    bool looks = false;                ///< at values: are they finite?
};

constexpr bool has_access(const bc::MicroOp& op) noexcept {
    using Kind = bc::MicroOp::Kind;
    return op.kind == Kind::Compute ? op.op == bc::Op::index : op.kind != Kind::LoadScalar;
}

constexpr bool is_scan(const bc::MicroOp& op) noexcept {
    return op.kind == bc::MicroOp::Kind::Compute && bc::info(op.op).kind == bc::OpKind::Scan;
}

/// A loop of the host, a MapFn with arrays for operands, that generated code calls through a pointer.
struct HostCall {
    bc::Op op;
    bc::DType type;
    friend bool operator==(const HostCall&, const HostCall&) = default;
};

/// Code of one kernel: a translation unit with the function of that name.
struct Source {
    std::string text;
    bool cxx = false;  ///< C++, else C and C++
    std::vector<HostCall> calls;
};

}  // namespace xlazy::be
