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

/// Have all parts of the elements along the last axis exponents that are not full?
template <class Bits, int Digits>
bool row_is_finite(const std::byte* at, std::int64_t count, std::int64_t stride, int parts) noexcept {
    constexpr Bits magnitude = ~Bits{0} >> 1, unit = Bits{1} << Digits;
    Bits over = 0;
    for (std::int64_t i = 0; i < count; ++i, at += stride) {
        for (int part = 0; part < parts; ++part) {
            Bits bits;
            std::memcpy(&bits, at + static_cast<std::size_t>(part) * sizeof bits, sizeof bits);
            over |= (bits & magnitude) + unit;
        }
    }
    return (over & ~magnitude) == 0;
}

bool all_finite(const Results& results) noexcept {
    const int parts = bc::is_complex(results.type) ? 2 : 1;
    const auto size = static_cast<std::int64_t>(bc::size_of(results.type));
    const bc::Dim row = results.dims.empty() ? bc::Dim{1, 0} : results.dims.back();
    std::int64_t rows = 1;
    for (std::size_t axis = 0; axis + 1 < results.dims.size(); ++axis) rows *= results.dims[axis].extent;
    for (std::int64_t number = 0; number < rows; ++number) {
        std::int64_t element = 0, rest = number;
        for (std::size_t axis = results.dims.size(); axis-- > 0;) {
            if (axis + 1 == results.dims.size()) continue;
            element += rest % results.dims[axis].extent * results.dims[axis].stride;
            rest /= results.dims[axis].extent;
        }
        const std::byte* const at = results.start + element * size;
        const bool finite = size / parts == 4
                                ? row_is_finite<std::uint32_t, 23>(at, row.extent, row.stride * size, parts)
                                : row_is_finite<std::uint64_t, 52>(at, row.extent, row.stride * size, parts);
        if (!finite) return false;
    }
    return true;
}

bool is_checked(const bc::MicroOp& op) noexcept {
    const bool reduces = op.kind == bc::MicroOp::Kind::ReduceView || op.kind == bc::MicroOp::Kind::ReduceScratch;
    return reduces && bc::info(op.op).kind != bc::OpKind::Library && op.op != bc::Op::amin && op.op != bc::Op::amax &&
           (bc::is_float(op.result) || bc::is_complex(op.result));
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

bool reductions_are_finite(const bc::Kernel& kernel, const be::Bindings& bindings) {
    return std::ranges::all_of(kernel.ops, [&](const bc::MicroOp& op) {
        return !is_checked(op) || all_finite(results_of(kernel, op, bindings));
    });
}

void check_reductions(const bc::Kernel& kernel, const be::Bindings& bindings, be::Traps& traps) {
    for (const bc::MicroOp& op : kernel.ops) {
        if (!is_checked(op)) continue;
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
