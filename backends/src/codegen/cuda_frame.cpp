// SPDX-License-Identifier: BSD-3-Clause
#include "codegen/cuda_frame.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xlazy::be {
namespace {

using Kind = Statement::Kind;

std::string type_name(bc::DType type) { return fmt::format("e_{}", bc::name_of(type)); }

bool moves_vector(const Statement& each) noexcept {
    return (each.kind == Kind::Load || each.kind == Kind::Store) && each.form.layout == Layout::Dense;
}

class Frame {
public:
    Frame(const CudaForm& form, const Body& body)
        : form_(form), body_(body), words_(words_of(form)), vector_(cuda_vector(form)) {
        folds_ = std::ranges::any_of(body_.statements, [](const Statement& each) { return each.kind == Kind::Fold; });
    }

    std::string function(std::string_view name) const {
        std::string text =
            fmt::format("\n{}({}, {}) {{\n  typedef {} xl_index;\n  const bool aligned = g.w[{}] != 0;\n",
                        words_.by_pointer() ? "XL_KERNEL_BY_POINTER" : "XL_KERNEL", name, words_.size(),
                        form_.wide ? "unsigned long" : "unsigned", +CudaWords::Aligned);
        text += "  (void)aligned;\n";
        text += statements(Scope::Kernel, "  ");
        return text + (folds_ ? folding() : mapping()) + "}\n";
    }

private:
    /// Pointers to the elements of a row that come first, from the number of the row.
    std::string row_pointers() const {
        std::string text;
        for (unsigned k = 0; k < body_.accesses; ++k)
            text += fmt::format("    char* p{} = (char*)g.w[{}];\n", k, words_.access(k));
        if (words_.axes == 0) return text;
        std::string steps;
        for (unsigned k = 0; k < body_.accesses; ++k)
            steps += fmt::format("      p{0} += at * g.w[{1} + axis];\n", k, words_.access(k) + 3);
        const std::string axes =
            form_.any_outer ? fmt::format("(int)g.w[{}]", +CudaWords::Outer) : std::to_string(words_.axes);
        text += fmt::format(
            "    xl_index rest = row;\n{}    for (int axis = {} - 1; axis >= 0; --axis) {{\n"
            "      const xl_index extent = (xl_index)g.w[{} + axis], next = axis == 0 ? 0 : rest / extent;\n"
            "      const long at = (long)(rest - next * extent);\n      rest = next;\n{}    }}\n",
            form_.any_outer ? "#pragma unroll 1\n" : "#pragma unroll\n", axes, words_.extents(), steps);
        return text;
    }

    std::string steps(std::string_view indent) const {
        std::string text;
        for (const Statement& each : body_.statements) {
            if (has_step(each))
                text +=
                    fmt::format("{}const long s{} = g.w[{}];\n", indent, each.number, words_.access(each.number) + 1);
        }
        return text;
    }

    static bool has_step(const Statement& each) noexcept {
        const bool moves = each.kind == Kind::Load || each.kind == Kind::Store;
        return (moves && each.form.layout == Layout::Strided) ||
               (each.kind == Kind::Index && each.scope == Scope::Element);
    }

    std::string mapping() const {
        const bool flat = words_.axes == 0;
        std::string text = fmt::format(
            "  const long n = g.w[{}];\n  const xl_index per_row = (xl_index)g.w[{}], chunks = (xl_index)g.w[{}] * "
            "per_row;\n{}"
            "  for (xl_index chunk = xl_first_thread<xl_index>(); chunk < chunks; chunk += xl_all_threads<xl_index>()) "
            "{{\n"
            "    const xl_index row = {};\n    const long i = (long)(chunk - row * per_row) * {};\n"
            "    const int count = (int)xl_smaller(n - i, {});\n    (void)count;\n",
            +CudaWords::Columns, +CudaWords::PerRow, +CudaWords::Rows, steps("  "), flat ? "0" : "chunk / per_row",
            vector_, vector_);
        text += row_pointers();
        text += statements(Scope::Row, "    ");
        for (const Statement& each : body_.statements) {
            if (!moves_vector(each) || vector_ == 1) continue;
            const std::string type = fmt::format("xl_vector<{}, {}>", type_name(each.type), vector_);
            if (each.kind == Kind::Load)
                text += fmt::format("    const {} x{} = xl_load<{}, {}>(p{} + i * {}, count, aligned);\n", type,
                                    each.number, type_name(each.type), vector_, each.number, bc::size_of(each.type));
            else
                text += fmt::format("    {} x{};\n", type, each.number);
        }
        text += fmt::format("#pragma unroll\n    for (int k = 0; k < {}; ++k) {{\n", vector_);
        if (has_checks()) text += fmt::format("      const long position = (long)row * n + i + k;\n");
        text += statements(Scope::Element, "      ") + "    }\n";
        for (const Statement& each : body_.statements) {
            if (moves_vector(each) && vector_ > 1 && each.kind == Kind::Store)
                text += fmt::format("    xl_store<{}, {}>(p{} + i * {}, count, aligned, x{});\n", type_name(each.type),
                                    vector_, each.number, bc::size_of(each.type), each.number);
        }
        return text + "  }\n";
    }

    std::string folding() const {
        std::string text = fmt::format(
            "  const long n = g.w[{}], leaf = g.w[{}];\n  const int lanes = (int)g.w[{}];\n"
            "  const xl_index rows = (xl_index)g.w[{}], inner = (xl_index)g.w[{}], leaves = (xl_index)g.w[{}];\n{}",
            +CudaWords::Columns, +CudaWords::Leaf, +CudaWords::Lanes, +CudaWords::Rows, +CudaWords::Inner,
            +CudaWords::Leaves, steps("  "));
        text +=
            "  const bool by_warps = lanes > 1;\n"
            "  const xl_index units = (by_warps ? rows / inner : rows) * leaves, me = xl_first_thread<xl_index>();\n"
            "  const xl_index all = xl_all_threads<xl_index>();\n"
            "  for (xl_index unit = by_warps ? me / 32 : me; unit < units; unit += by_warps ? all / 32 : all) {\n"
            "    xl_index part, column;\n    int lane = 0;\n"
            "    if (by_warps) {\n      part = unit;\n      lane = (int)((threadIdx.x % 32) / inner);\n"
            "      column = (threadIdx.x % 32) - lane * inner;\n"
            "    } else {\n      part = unit / inner;\n      column = unit - part * inner;\n    }\n"
            "    const xl_index outer = leaves == 1 ? part : part / leaves, row = outer * inner + column;\n"
            "    const long begin = leaves == 1 ? 0 : (long)(part - outer * leaves) * leaf;\n"
            "    const long end = begin + xl_smaller(leaf, n - begin);\n    const bool active = lane < lanes;\n";
        text += row_pointers();
        text += statements(Scope::Row, "    ");
        for (const Statement& each : body_.statements) {
            if (each.kind == Kind::Fold)
                text += fmt::format("    {0} f{1} = {0}();\n", type_name(each.type), each.number);
        }
        text += "    if (active) {\n#pragma unroll 4\n      for (long i = begin + lane; i < end; i += lanes) {\n";
        if (has_checks()) text += "        const long position = ((long)outer * n + i) * inner + column;\n";
        text += statements(Scope::Element, "        ");
        text += "      }\n    }\n";
        text += combine_lanes();
        text += "    if (active && lane == 0) {\n";
        for (const Statement& each : body_.statements) {
            if (each.kind != Kind::Fold) continue;
            text += fmt::format(
                "      if (leaves == 1) *({0}*)p{1} = f{1};\n"
                "      else (({0}*)g.w[{2}])[(long)part * inner + column] = f{1};\n",
                type_name(each.type), each.number, words_.access(each.number) + 2);
        }
        return text + "    }\n  }\n";
    }

    /// Lane l with l + lanes / 2, then with l + lanes / 4, ...; those that are absent take no part.
    std::string combine_lanes() const {
        std::string text =
            "    if (by_warps) {\n      int present = (int)xl_smaller(lanes, end - begin);\n"
            "      for (int half = lanes / 2; half > 0; half /= 2) {\n"
            "        const bool both = lane < half && lane + half < present;\n";
        for (const Statement& each : body_.statements) {
            if (each.kind != Kind::Fold) continue;
            text += fmt::format(
                "        const {0} o{1} = xl_shuffle_down(f{1}, half * (unsigned)inner);\n        if (both) f{1} = "
                "{2}_{3}(f{1}, o{1});\n",
                type_name(each.type), each.number, bc::name_of(each.op), bc::name_of(each.type));
        }
        return text + "        present = (int)xl_smaller(present, half);\n      }\n    }\n";
    }

    bool has_checks() const {
        return std::ranges::any_of(body_.statements, [](const Statement& each) { return each.kind == Kind::Check; });
    }

    std::string statements(Scope scope, std::string_view indent) const {
        std::string text;
        for (const Statement& each : body_.statements) {
            if (each.scope == scope) text += fmt::format("{}{}", indent, statement(each));
        }
        return text;
    }

    std::string statement(const Statement& each) const {
        const std::string type = type_name(each.type);
        switch (each.kind) {
            case Kind::Compute: return fmt::format("const {} {} = {};\n", type, each.name, each.text);
            case Kind::Scalar:
                return fmt::format("const {0} {1} = xl_scalar<{0}>(g.w + {2});\n", type, each.name,
                                   words_.scalar(each.number));
            case Kind::Load: return fmt::format("const {} {} = {};\n", type, each.name, load(each));
            case Kind::Index:
                if (each.scope != Scope::Element)
                    return fmt::format("const e_i64 {} = (long)p{};\n", each.name, each.number);
                return fmt::format("const e_i64 {0} = (long)p{1} + {2} * s{1};\n", each.name, each.number, element());
            case Kind::Store:
                if (moves_vector(each) && vector_ > 1 && !folds_)
                    return fmt::format("x{}.v[k] = {};\n", each.number, each.text);
                return fmt::format("{}*({}*)({}) = {};\n", vector_ > 1 && !folds_ ? "if (k < count) " : "", type,
                                   address(each), each.text);
            case Kind::Fold:
                return fmt::format("f{0} = i == begin + lane ? {1} : {2}_{3}(f{0}, {1});\n", each.number, each.text,
                                   bc::name_of(each.op), bc::name_of(each.type));
            case Kind::Check: {
                // Operands, and the mask if there is one.
                const std::size_t last = each.text.rfind(", ");
                const bool masked = !each.name.empty();
                const std::string in_row = vector_ > 1 && !folds_ ? "k < count" : "true";
                return fmt::format("xl_check((xl_trap*)g.w[{}] + {}, {}{}, position, {});\n", +CudaWords::Traps,
                                   each.number, in_row, masked ? " && " + each.text.substr(last + 2) : "",
                                   masked ? each.text.substr(0, last) : each.text);
            }
            case Kind::Divisor:
            case Kind::Look:
            case Kind::Scan: break;
        }
        return {};
    }

    /// Number of the element in its row.
    std::string element() const { return vector_ > 1 && !folds_ ? "(i + k)" : "i"; }

    std::string address(const Statement& each) const {
        switch (each.form.layout) {
            case Layout::Uniform: return fmt::format("p{}", each.number);
            case Layout::Strided: return fmt::format("p{0} + {1} * s{0}", each.number, element());
            case Layout::Dense: break;
        }
        return fmt::format("p{} + {} * {}", each.number, element(), bc::size_of(each.type));
    }

    std::string load(const Statement& each) const {
        const std::string type = type_name(each.type);
        const bool vectors = vector_ > 1 && !folds_;
        if (moves_vector(each) && vectors) return fmt::format("x{}.v[k]", each.number);
        if (each.form.layout == Layout::Uniform || !vectors)
            return fmt::format("*(const {}*)({})", type, address(each));
        return fmt::format("k < count ? *(const {0}*)({1}) : {0}()", type, address(each));
    }

    const CudaForm& form_;
    const Body& body_;
    const CudaWords words_;
    const unsigned vector_;
    bool folds_ = false;
};

}  // namespace

std::string cuda_function(const CudaForm& form, const Body& body, std::string_view name) {
    return Frame(form, body).function(name);
}

}  // namespace xlazy::be
