// SPDX-License-Identifier: BSD-3-Clause
// Prints docs/ops.md from the op table and the table of element types.
#include "xlazy/bytecode/op.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

namespace {

using namespace xlazy::bc;

std::string operand_types(const OpInfo& op) {
    if (op.kind == OpKind::Generate) return "-";
    std::string text;
    for (std::size_t i = 0; i < kDTypeCount; ++i) {
        const auto type = static_cast<DType>(i);
        if (accepts(static_cast<Op>(&op - kOps), type))
            text += fmt::format("{}{}", text.empty() ? "" : " ", name_of(type));
    }
    return text;
}

std::string_view result_type(const OpInfo& op) {
    if (op.kind == OpKind::Generate) return "i64";
    switch (op.result) {
        case ResultType::Same: return "same";
        case ResultType::Bool: return "bool";
        case ResultType::Real: return op.in == OperandTypes::Complex ? "part" : "same; complex: part";
        case ResultType::Complex: return "complex of such parts";
        case ResultType::Any: break;
    }
    return "any";
}

std::string_view name_of(Maths maths) { return maths == Maths::Exact ? "exact" : "maths library"; }

/// How it is computed, and what differs for complex numbers.
std::string maths(Op op) {
    if (info(op).kind == OpKind::Library) return "library";
    const Maths of_complex = maths_of(op, DType::c128);
    const std::string text(name_of(info(op).maths));
    const bool differs = accepts(op, DType::c128) && of_complex != info(op).maths;
    return differs ? fmt::format("{}; complex: {}", text, name_of(of_complex)) : text;
}

/// Table cells must not hold the separator.
std::string cell(std::string_view text) {
    std::string escaped;
    for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
    return escaped;
}

std::string ops_rows(OpKind kind) {
    std::string text;
    for (const OpInfo& op : kOps) {
        if (op.kind != kind) continue;
        const std::string_view fails = op.fault == Fault::DivideByZero   ? "; integers: zero as b fails"
                                       : op.fault == Fault::OutOfRange   ? "; what is no such index fails"
                                       : op.fault == Fault::Singular     ? "; a singular matrix fails"
                                       : op.fault == Fault::NotPositive  ? "; what is not positive definite fails"
                                       : op.fault == Fault::NotConverged ? "; what does not converge fails"
                                                                         : "";
        text += fmt::format("| `{}` | {} | {} | {} | {} | {}{} |\n", op.name, op.arity, operand_types(op),
                            result_type(op), maths(static_cast<Op>(&op - kOps)), cell(op.doc), fails);
    }
    return text;
}

std::string ops_table(OpKind kind) {
    return "| op | operands | operand types | result | rounding | meaning |\n|---|---|---|---|---|---|\n" +
           ops_rows(kind);
}

std::string types_table() {
    std::string text = "| type | bytes | kernels |\n|---|---|---|\n";
    for (std::size_t i = 0; i < kDTypeCount; ++i) {
        text +=
            fmt::format("| `{}` | {} | {} |\n", kDTypes[i].name, kDTypes[i].size, kDTypes[i].enabled ? "yes" : "no");
    }
    return text;
}

std::string document() {
    return "# Ops of the bytecode\n\n"
           "Made by `xlazy_ops_doc` from the tables `ops.def` and `dtype.def`; a test compares them.\n\n"
           "A batch is a list of these ops on strided views, temporaries and scalars. The operands of one op have one "
           "type\n"
           "(`select`: b and c; its a is bool); conversions are ops of their own.\n\n"
           "Rounding: *exact* ops are IEEE arithmetic, the same on every machine; those of the *maths "
           "library*\n"
           "(maths.md) have the same bits on every instruction set, too.\n\n"
           "## Element by element\n\n" +
           ops_table(OpKind::Map) + "\n## Generators\n\n" + ops_table(OpKind::Generate) +
           "\n## Elements by their numbers\n\nThe numbers are i64, made of indices by `in_range`; the order is "
           "row-major. Views a (`gather`) and c (`scatter`) have any shape.\n\n" +
           ops_table(OpKind::Gather) + ops_rows(OpKind::Scatter) +
           "\n## Reductions along one axis\n\nSeveral axes are reduced one after the other, the last one first, in the "
           "fixed "
           "order of [semantics.md](semantics.md).\n\n" +
           ops_table(OpKind::Reduce) +
           "\n## Scans along one axis\n\nThe result has the operand's shape; the order is fixed there, too.\n\n" +
           ops_table(OpKind::Scan) +
           "\n## Library calls\n\nOperands are whole arrays of any strides, or scalars. A call runs by itself, once, "
           "when its turn comes.\n\n" +
           ops_table(OpKind::Library) +
           "\n## Element types\n\nArrays of a type without kernels stay plain xtensor containers.\n\n" + types_table();
}

}  // namespace

int main() {
    try {
        const std::string text = document();
        return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0 ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "xlazy_ops_doc: %s\n", error.what());
        return 1;
    }
}
