// SPDX-License-Identifier: BSD-3-Clause
#include "codegen/cpu_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace xlazy::be {
namespace {

using bc::DType;

/// Statements of an iteration up to which all vectors of a leaf's lanes are computed without a loop.
constexpr std::ptrdiff_t kUnrolled = 100;

/// Operands are asked for so far ahead, where the machine does not see it coming: where there is much to do for each,
/// or the result goes past the caches. Measured with operands in memory: sin(a) + sinh(a / b) 0.85 of the time, and
/// 0.36 where the result goes past the caches; 20 sums and products 0.71; a sum of two products 0.98, past the caches
/// 0.88.
constexpr int kBytesAhead = 2048;
/// Ops for each operand from which on that pays, and where next to nothing but operands goes through the caches.
constexpr std::size_t kMuchWork = 6, kSomeWork = 1;
/// Of more operands most lie beside each other, as in a stencil.
constexpr std::size_t kMostAsked = 8;

/// Rows that are folded before the next vector of columns.
constexpr int kRowsTogether = 8;

/// The text of a kernel's loops.
class Frame {
public:
    Frame(const Body& body, const CpuLanes& lanes, Folding folding) : body_(body), lanes_(lanes), folding_(folding) {}

    std::string function(std::string_view name) const {
        std::string text = fmt::format("\nXLAZY_EXPORT void {}(const struct xlazy_arguments *g) {{\n", name);
        for (const DType type : types_looked_at(body_))
            text += fmt::format("  w_{0} over_{0}_ = {{0}};\n", bc::name_of(type));
        text += scan_arguments() + statements(Scope::Kernel, "  ", false);
        if (folding_ == Folding::Rows) return text + row_folding_loops() + notes() + "}\n";
        text += "  for (long row = 0; row < g->rows; ++row) {\n";
        for (unsigned k = 0; k < body_.accesses; ++k)
            text += fmt::format("    char *const p{0} = g->pointers[{0}] + row * g->rows_step[{0}];\n", k);
        for (const Statement& each : body_.statements) {
            if (has_step(each)) text += fmt::format("    const long s{0} = g->step[{0}];\n", each.number);
        }
        text += statements(Scope::Row, "    ", false);
        text += fmt::format("    const long n = g->columns, position = g->position + row * n, head = {};\n", head());
        for (const Statement& each : body_.statements) {
            if (is_streamed(each))
                text += fmt::format("    const int a{0} = (unsigned long)(p{0} + head * {1}) % {2} == 0;\n",
                                    each.number, bc::size_of(each.type), bytes_of(each.type));
        }
        text += folding_ == Folding::Leaf ? leaf_loops() : body_.scanning == Folding::Leaf ? scan_loops() : loops();
        return text + "    (void)position;\n  }\n" + notes() + "}\n";
    }

private:
    std::string notes() const {
        std::string text;
        for (const DType type : types_looked_at(body_))
            text += fmt::format("  note_{0}(g->not_finite, over_{0}_);\n", bc::name_of(type));
        return text;
    }

    static std::string look(const Statement& each, bool part) {
        const std::string_view type = bc::name_of(bc::real_of(each.type));
        const auto one = [&](std::string_view member) {
            return fmt::format("over_{0}_ |= over_{1}{0}({2}{3}{4});", type, part ? "part_" : "", each.text, member,
                               part ? ", k" : "");
        };
        return (bc::is_complex(each.type) ? one(".re") + ' ' + one(".im") : one("")) + '\n';
    }

    std::string loops() const {
        std::string text = "    long i = 0, k = head;\n    for (;;) {\n      if (k > 0) {\n";
        text += elements("        ", true);
        text += fmt::format("        i += k;\n      }}\n      for (; n - i >= {0}; i += {0}) {{\n", lanes_.lanes);
        if (asks_ahead()) text += fetches("        ");
        text += elements("        ", false);
        return text + "      }\n      k = n - i;\n      if (k == 0) break;\n    }\n";
    }

    /// A row is a leaf: all lanes of the rule in an iteration, a vector of each after the other.
    std::string leaf_loops() const {
        const int groups = 32 / lanes_.lanes;
        std::string text, ends;
        for (const Statement& each : body_.statements) {
            if (each.kind != Statement::Kind::Fold) continue;
            const std::string name = fmt::format("{}_{}", bc::name_of(each.op), bc::name_of(each.type));
            text += fmt::format("    v_{0} f{1}[{2}];\n    for (int v = 0; v < {2}; ++v) f{1}[v] = absent_{3}();\n",
                                bc::name_of(each.type), each.number, groups, name);
            ends += fmt::format("    spread_{0}(p{1}, 0, 1, folded_{2}(f{1}, head));\n", bc::name_of(each.type),
                                each.number, name);
        }
        text += fmt::format(
            "    long i = 0, k = head, v = {0}, shift = {1} - head;\n    for (int end = 0;; end = 1) {{\n"
            "      for (; k > 0; ++v, k = !end ? 0 : n - i < {1} ? n - i : {1}) {{\n",
            groups - 1, lanes_.lanes);
        text += statements(Scope::Element, "        ", true);
        text += "        i += k;\n      }\n      if (end) break;\n";
        text += all_lanes(groups);
        text += fmt::format("      v = shift = 0;\n      k = n - i < {0} ? n - i : {0};\n    }}\n", lanes_.lanes);
        return text + ends;
    }

    /// As many elements as the rule has lanes: the sums stay in registers, those of long bodies in memory.
    std::string all_lanes(int groups) const {
        const auto length = std::ranges::count(body_.statements, Scope::Element, &Statement::scope);
        const std::string body = fetches("          ") + statements(Scope::Element, "          ", false);
        if (length * groups > kUnrolled) {
            return fmt::format(
                "      for (; n - i >= 32;) {{\n        for (int v = 0; v < {}; ++v, i += {}) {{\n{}        }}\n      "
                "}}\n",
                groups, lanes_.lanes, body);
        }
        std::string before, after, loop;
        for (int v = 0; v < groups; ++v) {
            for (const Statement& each : body_.statements) {
                if (each.kind != Statement::Kind::Fold) continue;
                before += fmt::format("      v_{0} f{1}_{2} = f{1}[{2}];\n", bc::name_of(each.type), each.number, v);
                after += fmt::format("      f{0}[{1}] = f{0}_{1};\n", each.number, v);
            }
            std::string one = body;
            const std::string name = fmt::format("_{}", v);
            for (std::size_t at = one.find("[v]"); at != std::string::npos; at = one.find("[v]", at))
                one.replace(at, 3, name);
            loop += fmt::format("        {{\n{}          i += {};\n        }}\n", one, lanes_.lanes);
        }
        return fmt::format("{}      for (; n - i >= 32;) {{\n{}      }}\n{}", before, loop, after);
    }

    /// Some rows at a time, whole, so that memory is read in few streams and the sums stay in the first cache.
    std::string row_folding_loops() const {
        std::string text;
        for (unsigned k = 0; k < body_.accesses; ++k)
            text += fmt::format("  char *const b{0} = g->pointers[{0}];\n  const long r{0} = g->rows_step[{0}];\n", k);
        for (const Statement& each : body_.statements) {
            if (has_step(each)) text += fmt::format("  const long s{0} = g->step[{0}];\n", each.number);
        }
        text += fmt::format(
            "  const long n = g->columns, position = 0;\n  (void)position;\n"
            "  for (long first = 0; first < g->rows; first += {0}) {{\n"
            "    const long end = g->rows - first < {0} ? g->rows : first + {0};\n    long i = 0;\n"
            "    for (; n - i >= {1}; i += {1}) {{\n",
            kRowsTogether, lanes_.lanes);
        text += some_rows(false);
        text += "    }\n    const long k = n - i;\n    if (k > 0) {\n";
        return text + some_rows(true) + "    }\n  }\n";
    }

    /// A vector of columns, all rows from `first` to `end`.
    std::string some_rows(bool part) const {
        std::string begins, ends, rows;
        for (const Statement& each : body_.statements) {
            if (each.kind != Statement::Kind::Fold) continue;
            const std::string_view type = bc::name_of(each.type);
            const std::string name = fmt::format("{}_{}", bc::name_of(each.op), type);
            const std::string at =
                fmt::format("b{} + i * {}{}", each.number, bc::size_of(each.type), part ? ", k" : "");
            begins += fmt::format("      v_{0} f{1} = first == 0 ? absent_{2}() : {3}_{0}({4});\n", type, each.number,
                                  name, part ? "part" : "load", at);
            ends += fmt::format("      store_{}{}({}, f{});\n", part ? "part_" : "", type, at, each.number);
        }
        for (unsigned k = 0; k < body_.accesses; ++k)
            rows += fmt::format("        char *const p{0} = b{0} + row * r{0};\n", k);
        if (!part) rows += fetches("        ");
        rows += statements(Scope::Row, "        ", false) + statements(Scope::Element, "        ", part);
        return begins + "      for (long row = first; row < end; ++row) {\n" + rows + "      }\n" + ends;
    }

    std::size_t bytes_of(DType type) const noexcept {
        return bc::size_of(type) * static_cast<std::size_t>(lanes_.lanes);
    }

    bool is_streamed(const Statement& each) const noexcept {
        return each.kind == Statement::Kind::Store && each.form.streamed && each.form.layout == Layout::Dense &&
               each.type != DType::boolean && !bc::is_complex(each.type) && bytes_of(each.type) >= 16;
    }

    static bool has_step(const Statement& each) noexcept {
        const bool moves = each.kind == Statement::Kind::Load || each.kind == Statement::Kind::Store;
        return (moves && each.form.layout == Layout::Strided) ||
               (each.kind == Statement::Kind::Index && each.scope == Scope::Element);
    }

    /// Dense operands are asked for ahead: sums read memory faster then than the machine's own foresight does.
    std::string fetches(std::string_view indent) const {
        std::string text;
        for (const Statement& each : body_.statements) {
            if (each.kind != Statement::Kind::Load || each.form.layout != Layout::Dense) continue;
            text += fmt::format("{}__builtin_prefetch(p{} + i * {} + {});\n", indent, each.number,
                                bc::size_of(each.type), kBytesAhead);
        }
        return text;
    }

    bool asks_ahead() const {
        bool streams = false;
        std::size_t loads = 0, read = 0, written = 0;
        for (const Statement& each : body_.statements) {
            if (each.form.layout != Layout::Dense) continue;
            streams = streams || is_streamed(each);
            if (each.kind == Statement::Kind::Load) {
                ++loads;
                read += bc::size_of(each.type);
            } else if (each.kind == Statement::Kind::Store) {
                written += bc::size_of(each.type);
            }
        }
        const bool reads = streams || 4 * written <= read;
        return loads <= kMostAsked && body_.work >= loads * (reads ? kSomeWork : kMuchWork);
    }

    /// Statements of an iteration. Where rows are scanned, what follows the scans may be left out.
    std::string elements(std::string_view indent, bool part) const {
        if (body_.scanning != Folding::Rows) return statements(Scope::Element, indent, part);
        std::string text = statements(Scope::Element, indent, part, true);
        text += fmt::format("{0}if (!only_totals) {{\n", indent);
        for (const Statement& each : body_.statements) {
            if (each.kind == Statement::Kind::Scan) text += fmt::format("{}{}", indent, with_prefix(each, part));
        }
        return text + statements(Scope::Element, indent, part, false) + fmt::format("{}}}\n", indent);
    }

    std::string with_prefix(const Statement& each, bool part) const {
        const std::string_view type = bc::name_of(each.type);
        return fmt::format(
            "const v_{0} {1} = prefix{2} ? {3}_{0}({4}_{0}(prefix{2} + i * {5}{6}), row_{1}) : row_{1};\n", type,
            each.name, each.number, bc::name_of(each.op), part ? "part" : "load", bc::size_of(each.type),
            part ? ", k" : "");
    }

    std::string scan_arguments() const {
        if (body_.scanning == Folding::None) return {};
        std::string text = "  const long only_totals = g->only_totals;\n";
        for (const Statement& each : body_.statements) {
            if (each.kind != Statement::Kind::Scan) continue;
            text += fmt::format(
                "  char *const carry{0} = g->scans[{0}].carry;\n  const char *const prefix{0} = "
                "g->scans[{0}].prefix;\n",
                each.number);
        }
        return text;
    }

    /// A row is a leaf: block by block of the rule's lanes, first what the scans are made of.
    std::string scan_loops() const {
        std::string text = "    long i = 0;\n    int fresh = 1;\n", ends;
        for (const Statement& each : body_.statements) {
            if (each.kind != Statement::Kind::Scan) continue;
            const std::string_view type = bc::name_of(each.type);
            text += fmt::format(
                "    v_{0} last{1} = {{0}};\n    const v_{0} before{1} = prefix{1} ? uniform_{0}(prefix{1}) : "
                "last{1};\n",
                type, each.number);
            ends += fmt::format("    spread_{0}(carry{1}, 0, 1, last{1});\n", type, each.number);
        }
        text += "    for (; n - i >= 32;) {\n" + scan_block(false) + "    }\n    if (n - i > 0) {\n" + scan_block(true);
        return text + "    }\n" + ends;
    }

    std::string scan_block(bool part) const {
        const int groups = 32 / lanes_.lanes;
        std::string arrays, kept, taken, scans;
        for (const Statement& each : body_.statements) {
            if (!each.before_scan || each.scope != Scope::Element || each.name.empty()) continue;
            if (each.kind == Statement::Kind::Check) continue;
            const std::string_view type = bc::name_of(each.type);
            const bool is_scan = each.kind == Statement::Kind::Scan;
            arrays += fmt::format("      v_{} a_{}[{}];\n", type, each.name, groups);
            if (part) arrays += fmt::format("      __builtin_memset(a_{0}, 0, sizeof a_{0});\n", each.name);
            kept += fmt::format("        a_{}[v] = {};\n", each.name, is_scan ? each.text : each.name);
            taken += fmt::format("        const v_{0} {1} = a_{1}[v];\n", type, each.name);
            if (!is_scan) continue;
            scans += fmt::format("      last{2} = scanned_{0}_{1}(a_{3}, fresh, last{2}, {4});\n", bc::name_of(each.op),
                                 type, each.number, each.name, part ? "n - i" : "32");
            scans += fmt::format("      if (prefix{2}) scan_after_{0}_{1}(a_{3}, before{2});\n", bc::name_of(each.op),
                                 type, each.number, each.name);
        }
        const std::string k =
            fmt::format("        const long left = n - i, k = left < {0} ? left : {0};\n        if (k <= 0) break;\n",
                        lanes_.lanes);
        const std::string loop = fmt::format("      for (int v = 0; v < {}; ++v, i += {}) {{\n", groups, lanes_.lanes);
        std::string text = fmt::format("      const long begin = i;\n{}{}{}", arrays, loop, part ? k : "");
        text += statements(Scope::Element, "        ", part, true) + kept + "      }\n      i = begin;\n" + scans;
        text += fmt::format("      fresh = 0;\n      if (!only_totals) {{\n{}{}{}", loop, part ? k : "", taken);
        text += statements(Scope::Element, "        ", part, false);
        return text + "      }\n      }\n      i = begin + 32;\n";
    }

    std::string statements(Scope scope, std::string_view indent, bool part,
                           std::optional<bool> before_scan = {}) const {
        std::string text;
        for (const Statement& each : body_.statements) {
            if (before_scan.has_value() && each.before_scan != *before_scan) continue;
            if (each.scope == scope) text += fmt::format("{}{}", indent, statement(each, part));
        }
        return text;
    }

    /// Elements before the first dense result is aligned to its vectors.
    std::string head() const {
        if (body_.scanning == Folding::Leaf) return "0";
        for (const Statement& each : body_.statements) {
            if (each.kind != Statement::Kind::Store || each.form.layout != Layout::Dense) continue;
            const std::size_t size = bc::size_of(each.type);
            const std::size_t bytes = size * static_cast<std::size_t>(lanes_.lanes);
            return fmt::format("n < {0} || (unsigned long)p{1} % {2} ? 0 : (long)(-(unsigned long)p{1} % {3} / {2})",
                               4 * lanes_.lanes, each.number, size, bytes);
        }
        return "0";
    }

    std::string statement(const Statement& each, bool part) const {
        const std::string_view type = bc::name_of(each.type);
        switch (each.kind) {
            case Statement::Kind::Compute: return fmt::format("const v_{} {} = {};\n", type, each.name, each.text);
            case Statement::Kind::Scalar:
                return fmt::format("const v_{0} {1} = uniform_{0}(g->scalars[{2}]);\n", type, each.name, each.number);
            case Statement::Kind::Load: return fmt::format("const v_{} {} = {};\n", type, each.name, load(each, part));
            case Statement::Kind::Index: return fmt::format("const v_i64 {} = {};\n", each.name, index(each));
            case Statement::Kind::Store: return store(each, part);
            case Statement::Kind::Fold: {
                const std::string name = fmt::format("{}_{}", bc::name_of(each.op), type);
                if (folding_ == Folding::Rows)
                    return fmt::format("f{0} = {1}(f{0}, {2});\n", each.number, name, each.text);
                const std::string value = part ? fmt::format("placed_{}({}, k, shift)", name, each.text) : each.text;
                return fmt::format("f{0}[v] = {1}(f{0}[v], {2});\n", each.number, name, value);
            }
            case Statement::Kind::Scan:
                if (body_.scanning == Folding::Leaf) return "\n";  // by blocks
                return fmt::format("const v_{0} row_{1} = scan_row_{6}{2}_{0}(carry{3} + i * {4}, row == 0, {5}{7});\n",
                                   type, each.name, bc::name_of(each.op), each.number, bc::size_of(each.type),
                                   each.text, part ? "part_" : "", part ? ", k" : "");
            case Statement::Kind::Divisor:
                return fmt::format("const d_{0} {1} = divisor_{0}({2});\n", type, each.name, each.text);
            case Statement::Kind::Look: return look(each, part && each.scope == Scope::Element);
            case Statement::Kind::Check:
                return fmt::format("check{}_{}(g->traps + {}, position + i, {}, {});\n",
                                   each.name.empty() ? "" : "_masked", type, each.number,
                                   part ? "k" : std::to_string(lanes_.lanes), each.text);
        }
        return {};
    }

    std::string load(const Statement& each, bool part) const {
        const std::string_view type = bc::name_of(each.type);
        switch (each.form.layout) {
            case Layout::Uniform: return fmt::format("uniform_{}(p{})", type, each.number);
            case Layout::Strided:
                return fmt::format("strided_{2}{0}(p{1} + i * s{1}, s{1}{3})", type, each.number, part ? "part_" : "",
                                   part ? ", k" : "");
            default: break;
        }
        return fmt::format("{3}_{0}(p{1} + i * {2}{4})", type, each.number, bc::size_of(each.type),
                           part ? "part" : "load", part ? ", k" : "");
    }

    std::string index(const Statement& each) const {
        if (each.scope != Scope::Element) return fmt::format("one_i64((long)p{})", each.number);
        std::string steps;
        for (int lane = 0; lane < lanes_.lanes; ++lane) steps += fmt::format("{}{}", lane == 0 ? "" : ", ", lane);
        return fmt::format("one_i64((long)p{0} + i * s{0}) + (v_i64){{{1}}} * s{0}", each.number, steps);
    }

    std::string store(const Statement& each, bool part) const {
        const std::string_view type = bc::name_of(each.type);
        const std::size_t size = bc::size_of(each.type);
        const std::string count = part ? "k" : std::to_string(lanes_.lanes);
        switch (each.form.layout) {
            case Layout::Uniform: return fmt::format("spread_{}(p{}, 0, 1, {});\n", type, each.number, each.text);
            case Layout::Strided:
                return fmt::format("spread_{0}(p{1} + i * s{1}, s{1}, {2}, {3});\n", type, each.number, count,
                                   each.text);
            default: break;
        }
        if (part) return fmt::format("store_part_{}(p{} + i * {}, k, {});\n", type, each.number, size, each.text);
        const std::string plain = fmt::format("store_{}(p{} + i * {}, {});\n", type, each.number, size, each.text);
        if (!is_streamed(each)) return plain;
        return fmt::format("if (a{0}) stream_{1}(p{0} + i * {2}, {3}); else {4}", each.number, type, size, each.text,
                           plain);
    }

    const Body& body_;
    const CpuLanes& lanes_;
    Folding folding_;
};

}  // namespace

std::string cpu_function(const Body& body, const CpuLanes& lanes, Folding folding, std::string_view name) {
    return Frame(body, lanes, folding).function(name);
}

}  // namespace xlazy::be
