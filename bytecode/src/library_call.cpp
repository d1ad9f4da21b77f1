// SPDX-License-Identifier: BSD-3-Clause
#include "library_call.hpp"

#include "typing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xlazy::bc {

std::string library_fault(const Kernel& kernel) {
    using Kind = MicroOp::Kind;
    for (std::size_t i = 0; i < kernel.ops.size(); ++i) {
        const MicroOp& op = kernel.ops[i];
        const bool reduces = op.kind == Kind::ReduceView || op.kind == Kind::ReduceScratch;
        if (!reduces || info(op.op).kind != OpKind::Library) continue;
        if (!is_library(op) || i + 1 != kernel.ops.size() || !kernel.versions.empty())
            return fmt::format("micro-op {}: a library call that is not a kernel of its own", i);
        for (std::size_t k = 0; k < i; ++k) {
            const Kind kind = kernel.ops[k].kind;
            if (kind != Kind::LoadView && kind != Kind::LoadScalar)
                return fmt::format("micro-op {}: a library call that is not a kernel of its own", k);
        }
    }
    return {};
}

namespace {

__extension__ using Count = __int128;  ///< products of two extents fit

/// The shapes of a call's operands and the numbers of elements.
class Shapes {
public:
    Shapes(const Program& program, const Instruction& instruction) : instruction_(instruction) {
        for (unsigned k = 0; k < info(instruction.op).arity; ++k) {
            if (instruction.in[k].is_view())
                in_[k] = shape_from(program.dims_of(program.views[instruction.in[k].index()]));
        }
        out_ = count(shape_from(program.dims_of(program.views[instruction.out.index()])));
    }

    std::string fault() const {
        switch (instruction_.op) {
            case Op::matmul: return product_fault();
            case Op::solve: return square_fault(in_[0], right_fault(in_[0], in_[1], count(in_[1])));
            case Op::inverse:
            case Op::cholesky: return square_fault(in_[0], gives(count(in_[0])));
            case Op::determinant: return square_fault(in_[0], axis_fault(1, gives(instruction_.axis == 0 ? 1 : 2)));
            case Op::qr: return matrix_fault(in_[0], axis_fault(1, gives(qr_count())));
            case Op::svd: return matrix_fault(in_[0], axis_fault(2, gives(svd_count())));
            case Op::eig:
            case Op::eigh: return square_fault(in_[0], axis_fault(1, gives(eigen_count())));
            case Op::lstsq: return least_squares_fault();
            case Op::sort:
            case Op::argsort: return sort_fault();
            case Op::searchsorted: return axis_fault(1, index_fault(gives(count(in_[1]))));
            case Op::isin: return gives(count(in_[0]));
            case Op::histogram: return bins_fault();
            default: return "a library call without a routine";
        }
    }

private:
    static Count count(const Shape& shape) noexcept { return element_count(shape.span()); }
    static Count rows(const Shape& shape) noexcept { return shape.extents[0]; }
    static Count columns(const Shape& shape) noexcept { return shape.rank == 2 ? shape.extents[1] : 1; }
    static Count least(const Shape& shape) noexcept { return std::min(rows(shape), columns(shape)); }

    std::string gives(Count expected) const {
        return out_ == expected ? "" : "the result has another number of elements than the routine gives";
    }
    static std::string matrix_fault(const Shape& shape, std::string rest) {
        return shape.rank == 2 ? rest : "a matrix is wanted, not " + to_string(shape);
    }
    static std::string square_fault(const Shape& shape, std::string rest) {
        return shape.rank == 2 && rows(shape) == columns(shape) ? rest
                                                                : "a square matrix is wanted, not " + to_string(shape);
    }
    std::string axis_fault(unsigned most, std::string rest) const {
        return instruction_.axis <= most ? rest : fmt::format("axis {} means nothing", instruction_.axis);
    }
    std::string index_fault(std::string rest) const {
        return instruction_.result == DType::u64 ? rest : "positions are u64";
    }
    static std::string vector_or_matrix_fault(const Shape& shape) {
        return shape.rank == 1 || shape.rank == 2 ? "" : "a vector or a matrix is wanted, not " + to_string(shape);
    }

    std::string product_fault() const {
        const Shape &a = in_[0], &b = in_[1];
        std::string fault = vector_or_matrix_fault(a);
        if (fault.empty()) fault = vector_or_matrix_fault(b);
        if (!fault.empty()) return fault;
        if (a.extents[a.rank - 1] != b.extents[0]) return "no product of " + to_string(a) + " and " + to_string(b);
        return gives((a.rank == 2 ? rows(a) : 1) * columns(b));
    }
    std::string right_fault(const Shape& a, const Shape& b, Count result) const {
        std::string fault = vector_or_matrix_fault(b);
        if (fault.empty() && rows(a) != rows(b)) fault = "a right side of shape " + to_string(b);
        return fault.empty() ? gives(result) : fault;
    }
    std::string least_squares_fault() const {
        const Shape &a = in_[0], &b = in_[1];
        if (a.rank != 2) return matrix_fault(a, {});
        if (count(in_[2]) != 1) return "the ratio is no number";
        return right_fault(a, b, columns(a) * columns(b) + columns(b) + 1 + least(a));
    }
    Count qr_count() const {
        const Count size = instruction_.axis == 1 ? rows(in_[0]) : least(in_[0]);
        return (rows(in_[0]) + columns(in_[0])) * size;
    }
    Count svd_count() const {
        const Count m = rows(in_[0]), n = columns(in_[0]), k = least(in_[0]);
        return instruction_.axis == 0 ? k : instruction_.axis == 1 ? m * k + k + k * n : m * m + k + n * n;
    }
    Count eigen_count() const {
        const Count n = rows(in_[0]);
        return instruction_.axis == 1 ? n + n * n : n;
    }
    std::string sort_fault() const {
        if (instruction_.axis >= in_[0].rank) return fmt::format("axis {} of {}", instruction_.axis, to_string(in_[0]));
        std::string fault = gives(count(in_[0]));
        return instruction_.op == Op::argsort ? index_fault(fault) : fault;
    }
    std::string bins_fault() const {
        if (instruction_.result != instruction_.type) return "sums are of the weights' type";
        const Count edges = count(in_[1]), weights = count(in_[2]);
        if (weights != 1 && weights != count(in_[0])) return "as many weights as elements, or one, are wanted";
        return edges < 2 ? "" : gives(edges - 1);
    }

    const Instruction& instruction_;
    Shape in_[3];
    Count out_ = 0;
};

}  // namespace

std::string library_shape_fault(const Program& program, const Instruction& instruction) {
    return Shapes(program, instruction).fault();
}

}  // namespace xlazy::bc
