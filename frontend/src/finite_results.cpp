// SPDX-License-Identifier: BSD-3-Clause
#include "finite_results.hpp"

#include "xlazy/backends/traps.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace xlazy::rt {
namespace {

bool is_finite(const bc::Scalar& value) noexcept {
    switch (value.type) {
        case bc::DType::f32: return std::isfinite(bc::scalar_value<float>(value));
        case bc::DType::f64: return std::isfinite(bc::scalar_value<double>(value));
        case bc::DType::c64: {
            const auto z = bc::scalar_value<std::complex<float>>(value);
            return std::isfinite(z.real()) && std::isfinite(z.imag());
        }
        case bc::DType::c128: {
            const auto z = bc::scalar_value<std::complex<double>>(value);
            return std::isfinite(z.real()) && std::isfinite(z.imag());
        }
        default: return true;
    }
}

/// Where a reduction has put its results.
struct Results {
    const std::byte* start;
    bc::DType type;
    std::vector<bc::Dim> dims;
};

Results results_of(const bc::Kernel& kernel, const bc::MicroOp& op, const be::Bindings& bindings) {
    const bc::Program& program = *bindings.program;
    Results results{nullptr, op.result, {}};
    if (op.kind == bc::MicroOp::Kind::ReduceView) {
        const bc::View& view = program.views[op.index];
        const auto dims = program.dims_of(view);
        results.dims.assign(dims.begin(), dims.end());
        results.start =
            bindings.memory_of(kernel, op) + view.offset * static_cast<std::int64_t>(bc::size_of(op.result));
        return results;
    }
    const bc::ScratchShape shape = bc::shape_of(program, bindings.plan->scratch[op.index]);
    results.dims.resize(shape.rank);
    std::int64_t stride = 1;
    for (unsigned axis = shape.rank; axis-- > 0; stride *= shape.extents[axis])
        results.dims[axis] = {shape.extents[axis], stride};
    results.start = static_cast<const std::byte*>(bindings.scratch[op.index]);
    return results;
}

/// The first result that is not finite, in row-major order.
bool find_not_finite(const Results& results, std::int64_t& position, bc::Scalar& value) {
    std::int64_t count = 1;
    for (const bc::Dim& dim : results.dims) count *= dim.extent;
    const std::size_t size = bc::size_of(results.type);
    for (position = 0; position < count; ++position) {
        std::int64_t element = 0, rest = position;
        for (std::size_t axis = results.dims.size(); axis-- > 0; rest /= results.dims[axis].extent)
            element += rest % results.dims[axis].extent * results.dims[axis].stride;
        value = {results.type, {0, 0}};
        std::memcpy(value.bits, results.start + element * static_cast<std::int64_t>(size), size);
        if (!is_finite(value)) return true;
    }
    return false;
}

}  // namespace

void check_reductions(const bc::Kernel& kernel, const be::Bindings& bindings, be::Traps& traps) {
    for (const bc::MicroOp& op : kernel.ops) {
        const bool reduces = op.kind == bc::MicroOp::Kind::ReduceView || op.kind == bc::MicroOp::Kind::ReduceScratch;
        if (!reduces || op.op == bc::Op::amin || op.op == bc::Op::amax) continue;
        if (!bc::is_float(op.result) && !bc::is_complex(op.result)) continue;
        const auto of_this = [&](const be::Trap& trap) {
            return trap.instruction == op.instruction && trap.kind == be::Trap::Kind::SawNotFinite;
        };
        if (std::erase_if(traps, of_this) != 0) continue;
        std::int64_t position = 0;
        bc::Scalar value{};
        if (find_not_finite(results_of(kernel, op, bindings), position, value))
            be::add_trap(traps, {op.instruction, position, {}, be::Trap::Kind::NotFinite, op.op, value});
    }
}

}  // namespace xlazy::rt
