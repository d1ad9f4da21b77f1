// SPDX-License-Identifier: BSD-3-Clause
#include "codegen/cuda_dialect.hpp"

#include "codegen/cuda_frame.hpp"
#include "codegen/emitter.hpp"
#include "maths/source.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xlazy::be {

namespace cuda_files {
extern const char prelude[], kernels[], complex[], scalar_ops[];
}  // namespace cuda_files

namespace {

using bc::DType;
using bc::MicroOp;
using bc::Op;

/// Statements of an element up to which a thread computes several: longer ones have enough to do, and need registers.
constexpr std::size_t kLongBody = 40;
constexpr std::size_t kVectorBytes = 16;

bool is_own_maths(const OpUse& use) noexcept {
    return bc::maths_of(use.op, use.type) != bc::Maths::Exact && has_maths_text(use.op, use.type);
}

/// Can code give the bits of the op?
bool has_text(const OpUse& use) noexcept {
    const bc::OpKind kind = bc::info(use.op).kind;
    if (kind != bc::OpKind::Map && kind != bc::OpKind::Reduce) return false;
    return bc::maths_of(use.op, use.type) == bc::Maths::Exact || is_own_maths(use);
}

std::string op_name(const OpUse& use) {
    if (use.op == Op::cast) return fmt::format("cast_{}_{}", bc::name_of(use.type), bc::name_of(use.result));
    return fmt::format("{}_{}", bc::name_of(use.op), bc::name_of(use.type));
}

/// From the maths library's complex numbers to those of the kernels.
constexpr std::string_view kComplexNumbers = R"(
XL_FN e_c128 xl_number(xl_c128 z) { return {z.re, z.im}; }
XL_FN e_c64 xl_number(xl_c64 z) { return {z.re, z.im}; }
)";

/// The maths library's function of the operands.
std::string maths_call(const OpUse& use) {
    const bool complex = bc::is_complex(use.type);
    std::string operands;
    for (unsigned k = 0; k < bc::info(use.op).arity; ++k) {
        if (k > 0) operands += ", ";
        operands += complex ? fmt::format("xl_complex({0}.re, {0}.im)", "abc"[k]) : std::string(1, "abc"[k]);
    }
    const std::string call = fmt::format("xl_{}_{}({})", bc::name_of(use.op), bc::name_of(use.type), operands);
    return bc::is_complex(use.result) ? fmt::format("xl_number({})", call) : call;
}

/// The op as a function of elements.
std::string definition(const OpUse& use) {
    const unsigned arity = bc::info(use.op).kind == bc::OpKind::Reduce ? 2 : bc::info(use.op).arity;
    std::string parameters;
    for (unsigned k = 0; k < arity; ++k) {
        const bool mask = use.op == Op::select && k == 0;
        parameters += fmt::format("{}e_{} {}", k == 0 ? "" : ", ", mask ? "bool" : bc::name_of(use.type), "abc"[k]);
    }
    const std::string_view type = bc::name_of(use.type), result = bc::name_of(use.result);
    const std::string value = is_own_maths(use) ? maths_call(use) : std::string(bc::info(use.op).expression);
    std::string text = fmt::format(
        "XL_FN e_{1} {2}({3}) {{\n  typedef e_{0} T;\n  typedef e_{1} R;\n  (void)sizeof(T);\n  (void)sizeof(R);\n  "
        "return {4};\n}}\n",
        type, result, op_name(use), parameters, value);
    if (bc::can_fail(use.op, use.type))
        text += fmt::format(
            "XL_FN e_{0} {1}_masked_{0}(e_{0} a, e_{0} b, bool m) {{ return m ? {1}_{0}(a, b) : (e_{0})0; }}\n", type,
            bc::name_of(use.op));
    return text;
}

/// Groups of neighbouring leaves, each by the perfect binary tree; absent ones take no part.
std::string combine_function(const OpUse& use) {
    return fmt::format(R"(
XL_KERNEL({name}, {size}) {{
  const long leaves = g.w[{leaves}], groups = g.w[{groups}], inner = g.w[{inner}];
  for (long unit = xl_first_thread<long>(); unit < g.w[{count}]; unit += xl_all_threads<long>()) {{
    const long part = unit / inner, column = unit - part * inner, outer = part / groups;
    const long first = (part - outer * groups) * {group};
    const {type}* from = (const {type}*)g.w[{from}] + (outer * leaves + first) * inner + column;
    const int count = (int)xl_smaller(leaves - first, {group});
    {type} x[{group}];
#pragma unroll
    for (int k = 0; k < {group}; ++k) x[k] = k < count ? from[k * inner] : {type}();
#pragma unroll
    for (int step = 1; step < {group}; step *= 2) {{
#pragma unroll
      for (int k = 0; k < {group}; k += 2 * step) {{
        if (k + step < count) x[k] = {op}(x[k], x[k + step]);
      }}
    }}
    char* to = (char*)g.w[{to}] + unit * (long)sizeof({type});
    if (groups == 1) {{
      to = (char*)g.w[{pointer}];
      long rest = unit;
#pragma unroll 1
      for (int axis = (int)g.w[{outer}] - 1; axis >= 0; --axis) {{
        const long extent = g.w[{extents} + axis], next = rest / extent;
        to += (rest - next * extent) * g.w[{strides} + axis];
        rest = next;
      }}
    }}
    *({type}*)to = x[0];
  }}
}}
)",
                       fmt::arg("name", cuda_combine_name(use.op, use.type)), fmt::arg("size", +CudaCombineWords::Size),
                       fmt::arg("leaves", +CudaCombineWords::Leaves), fmt::arg("groups", +CudaCombineWords::Groups),
                       fmt::arg("inner", +CudaCombineWords::Inner), fmt::arg("count", +CudaCombineWords::Count),
                       fmt::arg("group", CudaCombineWords::kGroup), fmt::arg("from", +CudaCombineWords::From),
                       fmt::arg("to", +CudaCombineWords::To), fmt::arg("pointer", +CudaCombineWords::Pointer),
                       fmt::arg("outer", +CudaCombineWords::Outer), fmt::arg("extents", +CudaCombineWords::Extents),
                       fmt::arg("strides", +CudaCombineWords::Strides),
                       fmt::arg("type", fmt::format("e_{}", bc::name_of(use.type))), fmt::arg("op", op_name(use)));
}

/// A host's header without what it includes.
std::string without_directives(std::string_view header) {
    std::string text;
    while (!header.empty()) {
        const std::size_t end = std::min(header.find('\n'), header.size() - 1);
        const std::string_view line = header.substr(0, end + 1);
        if (!line.starts_with("#include") && !line.starts_with("#pragma once")) text += line;
        header.remove_prefix(end + 1);
    }
    return text;
}

bool is_reduction(const MicroOp& op) noexcept {
    return op.kind == MicroOp::Kind::ReduceView || op.kind == MicroOp::Kind::ReduceScratch;
}
bool is_store(const MicroOp& op) noexcept {
    return op.kind == MicroOp::Kind::StoreView || op.kind == MicroOp::Kind::StoreScratch;
}
bool is_load(const MicroOp& op) noexcept {
    return op.kind == MicroOp::Kind::LoadView || op.kind == MicroOp::Kind::LoadScratch;
}

}  // namespace

CudaWords words_of(const CudaForm& form) noexcept {
    CudaWords words{form.any_outer ? static_cast<unsigned>(bc::kMaxRank) : form.outer,
                    static_cast<unsigned>(form.kernel.accesses.size()), 0};
    for (const MicroOp& op : form.kernel.kernel->ops) words.scalars += op.kind == MicroOp::Kind::LoadScalar;
    return words;
}

unsigned cuda_vector(const CudaForm& form) {
    std::size_t widest = 0, access = 0;
    bool stored = false;
    const std::vector<MicroOp>& ops = form.kernel.kernel->ops;
    for (const MicroOp& op : ops) {
        if (is_reduction(op)) return 1;
        if (!has_access(op)) continue;
        const AccessForm& lies = form.kernel.accesses[access++];
        // A vector is read before any of its elements is written.
        if (is_load(op) && stored) return 1;
        stored = stored || is_store(op);
        if (op.kind != MicroOp::Kind::Compute && lies.layout == Layout::Dense)
            widest = std::max(widest, bc::size_of(op.type));
    }
    if (widest == 0 || ops.size() > kLongBody) return 1;
    return static_cast<unsigned>(kVectorBytes / widest);
}

std::string cuda_combine_name(Op op, DType type) {
    return fmt::format("xlazy_combine_{}_{}", bc::name_of(op), bc::name_of(type));
}

std::optional<Source> CudaDialect::unit(const Body& body, std::string_view name) const {
    CudaUnit unit;
    if (!unit.add(form_, body, name)) return std::nullopt;
    return Source{unit.text(), true, {}};
}

bool CudaUnit::add(const CudaForm& form, std::string_view name) {
    return add(form, body_of(form.kernel, CudaDialect(form)), name);
}

bool CudaUnit::add(const CudaForm& form, const Body& body, std::string_view name) {
    if (!std::ranges::all_of(body.ops, has_text)) return false;
    for (const OpUse& use : body.ops) {
        if (std::ranges::find(ops_, use) == ops_.end()) ops_.push_back(use);
    }
    kernels_ += cuda_function(form, body, name);
    return true;
}

std::string CudaUnit::text() const {
    std::string text = cuda_files::prelude;
    text += without_directives(cuda_files::complex);
    text += without_directives(cuda_files::scalar_ops);
    text += maths_dialect(MathsDialect::cuda);
    std::vector<Op> maths;
    bool complex = false;
    for (const OpUse& use : ops_) {
        if (!is_own_maths(use)) continue;
        maths.push_back(use.op);
        complex = complex || bc::is_complex(use.type);
    }
    if (!maths.empty()) text += maths_text(maths, complex);
    text += cuda_files::kernels;
    if (complex) text += kComplexNumbers;
    for (const OpUse& use : ops_) text += definition(use);
    for (const OpUse& use : ops_) {
        if (bc::info(use.op).kind == bc::OpKind::Reduce) text += combine_function(use);
    }
    return text + kernels_;
}

}  // namespace xlazy::be
