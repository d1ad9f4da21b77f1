// SPDX-License-Identifier: BSD-3-Clause
// What the optimizer makes and the back ends run. A plan names views, domains, scalars and bases of the batch by index, so it
// serves every batch of the same structure whose geometry satisfies its guards.
#pragma once

#include "xlazy/bytecode/program.hpp"
#include "xlazy/bytecode/structure.hpp"

#include <string>

namespace xlazy::bc {

/// A value inside a kernel: number of the micro-op that makes it.
using ValueId = std::uint16_t;
inline constexpr ValueId kNoValue = 0xffff;

/// One step of a kernel's straight-line body; its value is numbered by its position.
struct MicroOp {
    enum class Kind : std::uint8_t {
        LoadView,     ///< element of view `index`, broadcast to the kernel's domain
        LoadScratch,  ///< element of scratch `index`, broadcast likewise
        LoadScalar,   ///< scalar slot `index`
        Compute,      ///< op(in...)
        StoreView,    ///< in[0] to view `index`
        StoreScratch, ///< in[0] to scratch `index`
        ReduceView,   ///< reduction of in[0] by `op` along `axis`, to view `index`
        ReduceScratch,///< the same, to scratch `index`
    };
    Kind kind = Kind::Compute;
    Op op = Op::copy;             ///< Compute and Reduce
    DType type = DType::none;     ///< of the operands; of the value for loads, scalars and stores
    DType result = DType::none;   ///< of the value
    std::uint8_t flags = 0;       ///< Instruction's flags
    std::uint8_t axis = 0;        ///< of reductions and generators
    ValueId in[3] = {kNoValue, kNoValue, kNoValue};
    std::uint32_t index = 0;
    std::uint32_t instruction = 0;  ///< of the batch: origin map
};

/// One loop nest over one domain. Loads and stores of overlapping views in one kernel are Identical, or Disjoint; so any
/// order of indices gives the same result.
struct Kernel {
    std::uint32_t domain = 0;
    std::vector<MicroOp> ops;
};

/// Temporary storage between kernels: dense, row-major over the shape of a domain.
struct Scratch {
    DType type;
    std::uint32_t domain;
};

struct Step {
    enum class Kind : std::uint8_t {
        Run,          ///< kernel `index`
        AllocBase,    ///< memory for base `index`: its first write follows
        FreeBase,     ///< base `index` is not live and was read for the last time
        AllocScratch, ///< memory for scratch `index`
        FreeScratch,
    };
    Kind kind;
    std::uint32_t index;
};

/// A fact about geometry that the plan relied on.
struct Guard {
    std::uint32_t view_a, view_b;
    Relation relation;
};

struct Plan {
    std::vector<Kernel> kernels;
    std::vector<Scratch> scratch;
    std::vector<Step> steps;
    std::vector<Guard> guards;
    std::uint32_t contracted_bases = 0;  ///< arrays that never get memory
    std::uint32_t contracted_temps = 0;  ///< temporaries that never get memory
    std::vector<std::uint32_t> contracted;  ///< the bases, ascending
};

/// Every guard of the plan holds for the batch's geometry.
bool guards_hold(const Plan& plan, const Program& program) noexcept;

/// For golden tests and XLAZY_TRACE=plan.
std::string print(const Plan& plan);
/// Checks indices, value order and types of a plan against its batch. @return the empty string, or what is wrong
std::string verify(const Plan& plan, const Program& program);

}  // namespace xlazy::bc
