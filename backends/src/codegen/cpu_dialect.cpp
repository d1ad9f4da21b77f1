// SPDX-License-Identifier: BSD-3-Clause
#include "codegen/cpu_dialect.hpp"

#include "codegen/cpu_frame.hpp"
#include "codegen/cpu_scans.hpp"
#include "codegen/cpu_types.hpp"
#include "maths/source.hpp"
#include "reduction_rule.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xlazy::be {
namespace {

using bc::DType;
using bc::Op;

enum : unsigned { F = 1, I = 2, U = 4, B = 8, C = 16 };

unsigned class_of(DType type) noexcept {
    switch (bc::info(type).kind) {
        case bc::DTypeKind::Float: return F;
        case bc::DTypeKind::Int: return I;
        case bc::DTypeKind::UInt: return U;
        case bc::DTypeKind::Bool: return B;
        case bc::DTypeKind::Complex: return C;
        case bc::DTypeKind::None: break;
    }
    return 0;
}

struct OpText {
    Op op;
    unsigned classes;
    std::string_view text;
};
constexpr OpText kOpTexts[] = {
#define XLAZY_CPU_OP(op, classes, text) {Op::op, classes, text},
#include "codegen/cpu_ops.def"
#undef XLAZY_CPU_OP
};

std::string_view text_of(const OpUse& use) noexcept {
    for (const OpText& row : kOpTexts) {
        if (row.op == use.op && (row.classes & class_of(use.type)) != 0) return row.text;
    }
    return {};
}

/// An integer's quotient, computed in double, where that is exact; else lane by lane. Never fails: a zero divisor gives
/// 0, and -1 the wrapped negative.
constexpr std::string_view kShortQuotient = R"(
INLINE v_$ divide_$(v_$ a, v_$ b) {
  const v_f64 q = __builtin_convertvector(a, v_f64) / __builtin_convertvector(b, v_f64);
  return __builtin_convertvector(__builtin_convertvector(q, QUOTIENT), v_$);
}
)";
constexpr std::string_view kLongQuotient = R"(
REST v_$ divide_$(v_$ a, v_$ b) {
  e_$ x[sizeof a / sizeof(e_$)], y[sizeof a / sizeof(e_$)];
  store_$((char *)x, a);
  store_$((char *)y, b);
  for (unsigned l = 0; l < sizeof a / sizeof(e_$); ++l) x[l] /= y[l];
  return load_$((const char *)x);
}
)";
constexpr std::string_view kIntegerDivision = R"(
INLINE v_$ div_$(v_$ a, v_$ b) {
  const m_$ plain = (b != 0)SIGNED;
  return pick_$(plain, divide_$(a, pick_$(plain, b, one_$(1))), pick_$(b == 0, (v_$){0}, (v_$)-(w_$)a));
}
INLINE v_$ mod_$(v_$ a, v_$ b) {
  const m_$ plain = (b != 0)SIGNED;
  const v_$ q = divide_$(a, pick_$(plain, b, one_$(1)));
  return pick_$(plain, (v_$)((w_$)a - (w_$)q * (w_$)b), (v_$){0});
}
INLINE v_$ div_masked_$(v_$ a, v_$ b, v_bool m) { return (v_$)((m_$)div_$(a, b) & from_bool_$(m)); }
INLINE v_$ mod_masked_$(v_$ a, v_$ b, v_bool m) { return (v_$)((m_$)mod_$(a, b) & from_bool_$(m)); }
COLD void failed_$(struct xlazy_trap *trap, long position, long n, v_$ a, v_$ b, v_bool m) {
  e_$ x[sizeof a / sizeof(e_$)], y[sizeof a / sizeof(e_$)];
  store_$((char *)x, a);
  store_$((char *)y, b);
  const k_bool bytes = bytes_of(m);
  for (long l = 0; l < n; ++l) {
    if (y[l] != 0 || !((const char *)&bytes)[l] || position + l >= trap->index) continue;
    trap->index = position + l;
    __builtin_memcpy(trap->operands[0], &x[l], sizeof(e_$));
    __builtin_memcpy(trap->operands[1], &y[l], sizeof(e_$));
  }
}
INLINE void check_masked_$(struct xlazy_trap *trap, long position, long n, v_$ a, v_$ b, v_bool m) {
  if (any_lane(to_bool_$(b == 0) & m)) failed_$(trap, position, n, a, b, m);
}
INLINE void check_$(struct xlazy_trap *trap, long position, long n, v_$ a, v_$ b) {
  if (any_zero_$(b)) failed_$(trap, position, n, a, b, ~(v_bool){0});
}
)";

/// The sign is set where the value is infinite or NaN: a full exponent, increased by one, runs over into it.
constexpr std::string_view kFullExponents = R"(
INLINE w_$ over_$(v_$ x) { return ((w_$)x & (~(w_$){0} >> 1)) + (UNIT << DIGITS); }
INLINE w_$ over_part_$(v_$ x, long n) {
  w_$ over = over_$(x);
  for (long l = n; l < (long)(sizeof x / sizeof(e_$)); ++l) over[l] = 0;
  return over;
}
REST void note_$(unsigned char *not_finite, w_$ over) {
  for (unsigned l = 0; l < sizeof over / sizeof(e_$); ++l) *not_finite |= over[l] >> (8 * sizeof(e_$) - 1);
}
)";

std::string full_exponents(DType type) {
    std::string text(kFullExponents);
    const bool single = type == DType::f32;
    text.replace(text.find("UNIT << DIGITS"), 14, single ? "1u << 23" : "1ul << 52");
    return fill_in(text, type, type);
}

/// Is an element zero? By one instruction for the whole vector, where there is one.
std::string zero_test(Isa isa, int size, int count) {
    const int bytes = size * count;
    if (isa == Isa::avx512 && bytes >= 16) {
        const char letter = size == 1 ? 'b' : size == 2 ? 'w' : size == 4 ? 'd' : 'q';
        return fmt::format(R"(
INLINE int any_zero_$(v_$ b) {{
  unsigned long k;
  __asm__("vptestnm{} %1, %1, %0" : "=Yk"(k) : "v"(b));
  return k != 0;
}})",
                           letter);
    }
    if (isa == Isa::avx2 && bytes >= 16) {
        return fmt::format(R"(
INLINE int any_zero_$(v_$ b) {{
  typedef long long all __attribute__((vector_size({})));
  const all m = (all)(b == 0);
  return !__builtin_ia32_ptestz{}(m, m);
}})",
                           bytes, 8 * bytes);
    }
    if (isa == Isa::baseline && bytes == 16)
        return R"(
INLINE int any_zero_$(v_$ b) {
  typedef char all __attribute__((vector_size(16)));
  return __builtin_ia32_pmovmskb128((all)(b == 0)) != 0;
})";
    return "\nINLINE int any_zero_$(v_$ b) { return any_lane(to_bool_$(b == 0)); }";
}

std::string integer_division(DType type, const CpuLanes& lanes) {
    const bool is_signed = class_of(type) == I, is_long = bc::size_of(type) == 8;
    std::string text(is_long ? kLongQuotient : kShortQuotient);
    text += zero_test(lanes.isa, static_cast<int>(bc::size_of(type)), lanes.lanes);
    text += kIntegerDivision;
    const auto put = [&](std::string_view from, std::string_view to) {
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
            text.replace(at, from.size(), to);
    };
    put("QUOTIENT", type == DType::u32 ? "v_u32" : "v_i32");
    put("SIGNED", is_signed ? " & (b != -1)" : "");
    return fill_in(text, type, type);
}

/// Quotients by one divisor, to the bit those of the instruction: see isa/division.hpp.
constexpr std::string_view kSharedDivisor = R"(
typedef struct { v_$ c, y, rest; v_bool far; } d_$;
INLINE v_bool far_$(v_$ x) { return to_bool_$(((w_$)x & (~(w_$){0} >> 1)) - LOWEST >= RANGE); }
INLINE d_$ divisor_$(v_$ c) {
  const v_$ y = 1 / c;
  return (d_$){c, y, fma_lanes_$(-c, y, one_$(1)) * y, far_$(c)};
}
INLINE v_$ quotient_$(v_$ x, d_$ d) {
  const v_$ q = fma_lanes_$(x, d.y, x * d.rest), r = fma_lanes_$(fma_lanes_$(-q, d.c, x), d.y, q);
  return __builtin_expect(any_lane(far_$(x) | d.far), 0) ? x / d.c : r;
}
)";

std::string shared_divisors(DType type) {
    // Exponents in the middle third of the range.
    std::string text(kSharedDivisor);
    const bool single = type == DType::f32;
    text.replace(text.find("LOWEST"), 6, single ? "(85u << 23)" : "(682ul << 52)");
    text.replace(text.find("RANGE"), 5, single ? "(84u << 23)" : "(682ul << 52)");
    return fill_in(text, type, type);
}

/// Quotients of complex numbers as complex.hpp has them.
constexpr std::string_view kQuotientOfFloats = R"(
INLINE v_c64 quotient_c64(void *call, v_c64 a, v_c64 b) {
  const v_f64 x = __builtin_convertvector(a.re, v_f64), y = __builtin_convertvector(a.im, v_f64);
  const v_f64 c = __builtin_convertvector(b.re, v_f64), d = __builtin_convertvector(b.im, v_f64);
  const v_f64 divisor = c * c + d * d;
  const v_c64 r = {__builtin_convertvector((x * c + y * d) / divisor, v_f32),
                   __builtin_convertvector((y * c - x * d) / divisor, v_f32)};
  return any_lane(to_bool_f32((r.re != r.re) & (r.im != r.im))) ? loop_c64(call, a, b) : r;
}
)";
constexpr std::string_view kQuotientOfDoubles = R"(
INLINE v_c128 quotient_c128(void *call, v_c128 a, v_c128 b) {
  const double least = 0x1p-1022, small = 0x1p-52, large = 0x1.fffffffffffffp1022, limit = 0x1.fffffffffffffp970;
  const v_f64 p = magnitude_f64(a.re), q = magnitude_f64(a.im), r = magnitude_f64(b.re), s = magnitude_f64(b.im);
  const m_f64 turned = r < s;
  const v_f64 larger = pick_f64(turned, s, r);
  const m_f64 few_digits = ((p < least) & (q < limit) & (larger < limit)) | ((q < least) & (p < limit) & (larger < limit));
  const v_f64 scale = pick_f64(larger >= large, one_f64(0.5), pick_f64((larger < small) | few_digits, one_f64(0x1p52), one_f64(1)));
  const v_f64 x = pick_f64(turned, a.im, a.re) * scale, y = pick_f64(turned, a.re, a.im) * scale;
  const v_f64 c = pick_f64(turned, b.im, b.re) * scale, d = pick_f64(turned, b.re, b.im) * scale;
  const v_f64 ratio = d / c, divisor = d * ratio + c;
  const m_f64 normal = magnitude_f64(ratio) > least;
  const v_f64 from_y = pick_f64(normal, y * ratio, d * (y / c)), from_x = pick_f64(normal, x * ratio, d * (x / c));
  const v_c128 z = {(from_y + x) / divisor, pick_f64(turned, from_x - y, y - from_x) / divisor};
  return any_lane(to_bool_f64((z.re != z.re) & (z.im != z.im))) ? loop_c128(call, a, b) : z;
}
)";

/// A loop of the host over the lanes.
std::string host_loop(const OpUse& use, const CpuLanes& lanes) {
    static constexpr const char* kNames[] = {"a", "b", "c"};
    const unsigned arity = bc::info(use.op).arity;
    std::string parameters, arrays, stores;
    for (unsigned k = 0; k < arity; ++k) {
        parameters += fmt::format(", v_$ {}", kNames[k]);
        arrays += fmt::format(" x{}[2 * sizeof(v_#)],", k);
        stores += fmt::format("  store_$(x{}, {});\n", k, kNames[k]);
    }
    const std::string text = fmt::format(
        "REST v_@ {}_$(void *call{}) {{\n  char{} r[2 * sizeof(v_#)];\n{}"
        "  ((xlazy_loop)call)(x0, {}, {}, r, {});\n  return load_@(r);\n}}\n",
        bc::name_of(use.op), parameters, arrays, stores, arity > 1 ? "x1" : "x0", arity > 2 ? "x2" : "x0", lanes.lanes);
    return fill_in(text, use.type, use.result);
}

/// Of a real number to another real type.
std::string convert_parts(DType from, DType to, std::string_view a) {
    if (from == to) return std::string(a);
    if (bc::is_float(from) && bc::is_integer(to)) {
        const int bits = 8 * static_cast<int>(bc::size_of(to));
        const bool is_signed = class_of(to) == I;
        const std::string low = is_signed ? fmt::format("-0x1p{}", bits - 1) : "0",
                          high = fmt::format("0x1p{}", is_signed ? bits - 1 : bits);
        const std::string minimum = is_signed ? fmt::format("(e_{0})(1ul << {1})", bc::name_of(to), bits - 1) : "0";
        const std::string from_name(bc::name_of(from)), name(bc::name_of(to));
        const std::string e = from == DType::f32 ? "(float)" : "(double)";
        return fmt::format(
            "({{ const v_{0} x = {1}; const m_{0} fits = (x >= {2}{3}) & (x < {2}{4}); "
            "pick_{5}(from_bool_{5}(to_bool_{0}(fits)), __builtin_convertvector(pick_{0}(fits, x, (v_{0}){{0}}), "
            "v_{5}), "
            "one_{5}({6})); }})",
            from_name, a, e, low, high, name, minimum);
    }
    return fmt::format("__builtin_convertvector({}, v_{})", a, bc::name_of(to));
}

std::string cast_text(DType from, DType to) {
    if (to == DType::boolean) {
        return bc::is_complex(from) ? "return to_bool_#((a.re != 0) | (a.im != 0));" : "return to_bool_$(a != 0);";
    }
    if (from == DType::boolean) {
        if (bc::is_complex(to)) {
            const std::string_view part = bc::name_of(bc::real_of(to));
            return fmt::format("return (v_@){{(v_{0})(from_bool_{0}(a) & (m_{0})one_{0}(1)), (v_{0}){{0}}}};", part);
        }
        return "return (v_@)(from_bool_@(a) & (m_@)one_@(1));";
    }
    if (bc::is_complex(from) && bc::is_complex(to)) {
        return fmt::format("return (v_@){{{}, {}}};", convert_parts(bc::real_of(from), bc::real_of(to), "a.re"),
                           convert_parts(bc::real_of(from), bc::real_of(to), "a.im"));
    }
    if (bc::is_complex(from)) return fmt::format("return {};", convert_parts(bc::real_of(from), to, "a.re"));
    if (bc::is_complex(to)) {
        const DType part = bc::real_of(to);
        return fmt::format("return (v_@){{{}, (v_{}){{0}}}};", convert_parts(from, part, "a"), bc::name_of(part));
    }
    return fmt::format("return {};", convert_parts(from, to, "a"));
}

std::string definition(const OpUse& use, std::string_view text, bool calls) {
    std::string parameters = calls ? "void *call, " : "";
    const char* const names[] = {"a", "b", "c"};
    const bc::OpKind kind = bc::info(use.op).kind;
    const bool combines = kind == bc::OpKind::Reduce || kind == bc::OpKind::Scan;
    const unsigned arity = combines ? 2 : bc::info(use.op).arity;
    for (unsigned k = 0; k < arity; ++k) {
        const bool mask = use.op == Op::select && k == 0;
        parameters += fmt::format("{}{} {}", k == 0 ? "" : ", ", mask ? "v_bool" : "v_$", names[k]);
    }
    const std::string suffix = use.op == Op::cast ? "_$_@" : "_$";
    return fill_in(fmt::format("INLINE v_@ {}{}({}) {{ {} }}\n", bc::name_of(use.op), suffix, parameters, text),
                   use.type, use.result);
}

/// Ops whose host loop is called for all lanes.
bool loops_in_host(const OpUse& use, Isa isa) noexcept {
    if (bc::is_complex(use.type) && bc::maths_of(use.op, use.type) == bc::Maths::Vector) return true;
    if (isa != Isa::baseline) return false;
    switch (use.op) {
        case Op::floor:
        case Op::ceil:
        case Op::trunc:
        case Op::round:
        case Op::rint:
        case Op::fma: return true;
        default: return false;
    }
}

/// Functions of the maths library.
bool is_own_maths(const OpUse& use) noexcept { return bc::is_float(use.type) && has_maths_text(use.op); }

/// The text of those that are used: C++, for the kernel's lanes.
std::string own_maths(const std::vector<OpUse>& uses, const CpuLanes& lanes) {
    std::vector<Op> ops;
    for (const OpUse& use : uses) {
        if (is_own_maths(use)) ops.push_back(use.op);
    }
    if (ops.empty()) return {};
    const bool wide = lanes.mask_bytes() == 8;
    return fmt::format("#undef XL_LANES_F64\n#undef XL_LANES_F32\n#define XL_LANES_F64 {}\n#define XL_LANES_F32 {}\n",
                       wide ? lanes.lanes : lanes.lanes / 2, lanes.lanes) +
           std::string(maths_dialect(MathsDialect::gnu)) + maths_text(ops);
}

bool divides_integers(const OpUse& use) noexcept { return bc::can_fail(use.op, use.type); }

/// Types that the definitions of an op use besides those of its operands and result.
void add_temporaries(const OpUse& use, std::vector<DType>& types) {
    const auto add = [&](DType type) {
        if (std::ranges::find(types, type) == types.end()) types.push_back(type);
    };
    if (divides_integers(use) && bc::size_of(use.type) < 8) {
        add(DType::f64);
        add(use.type == DType::u32 ? DType::u32 : DType::i32);
    }
    if (use.op == Op::div && use.type == DType::c64) add(DType::f64);
}

}  // namespace

int vector_bytes(Isa isa) noexcept { return isa == Isa::avx512 ? 64 : isa == Isa::avx2 ? 32 : 16; }

std::optional<HostCall> CpuDialect::call_of(const OpUse& use) const {
    if (is_own_maths(use)) return std::nullopt;
    if (loops_in_host(use, isa_)) return HostCall{use.op, use.type};
    if (bc::is_complex(use.type) && (use.op == Op::mul || use.op == Op::div)) return HostCall{use.op, use.type};
    return std::nullopt;
}

/// The divider works beside the other units: where they have enough to do, its instruction costs least. Measured with
/// Black-Scholes, 30 ops a division: -8 % in f32, 3 % in f64.
bool CpuDialect::shares_divisors(bc::DType type, std::size_t beside) const {
    return isa_ != Isa::baseline && bc::is_float(type) && beside < (type == DType::f32 ? 17 : 40);
}

std::optional<Source> CpuDialect::unit(const Body& body, std::string_view name) const {
    std::vector<DType> types = body.types;
    for (const OpUse& use : body.ops) add_temporaries(use, types);
    Folding folding = Folding::None;
    for (const Statement& each : body.statements) folding = std::max(folding, each.form.folding);
    const bool leaves = folding == Folding::Leaf || body.scanning == Folding::Leaf;
    const CpuLanes lanes = cpu_lanes(isa_, types, leaves ? static_cast<int>(kMaxLaneValues) : 64);
    std::string text = cpu_definitions(lanes, types);
    const std::string maths = own_maths(body.ops, lanes);
    const bool cxx = !maths.empty();
    text += maths;
    for (const DType type : {DType::f32, DType::f64}) {
        const auto shared = [&](const Statement& each) {
            return each.kind == Statement::Kind::Divisor && each.type == type;
        };
        if (std::ranges::any_of(body.statements, shared)) text += shared_divisors(type);
    }
    for (const DType type : types_looked_at(body)) text += full_exponents(type);
    std::vector<DType> divided;
    for (const OpUse& use : body.ops) {
        if (divides_integers(use)) {
            if (std::ranges::find(divided, use.type) != divided.end()) continue;
            divided.push_back(use.type);
            text += integer_division(use.type, lanes);
        } else if (is_own_maths(use)) {
            const bool binary = bc::info(use.op).arity == 2;
            text +=
                definition(use, fmt::format("return xl_{}_$(a{});", bc::name_of(use.op), binary ? ", b" : ""), false);
        } else if (loops_in_host(use, isa_)) {
            text += host_loop(use, lanes);
        } else {
            if (use.op == Op::div && bc::is_complex(use.type))
                text += use.type == DType::c64 ? kQuotientOfFloats : kQuotientOfDoubles;
            const std::string op_text =
                use.op == Op::cast ? cast_text(use.type, use.result) : std::string(text_of(use));
            if (op_text.empty()) return std::nullopt;
            text += definition(use, op_text, call_of(use).has_value());
            if (bc::info(use.op).kind == bc::OpKind::Reduce) text += cpu_fold_definitions(lanes, use.op, use.type);
            if (bc::info(use.op).kind == bc::OpKind::Scan)
                text += cpu_scan_definitions(lanes, body.scanning, use.op, use.type);
        }
    }
    return Source{text + cpu_function(body, lanes, folding, name), cxx, {}};
}

}  // namespace xlazy::be
