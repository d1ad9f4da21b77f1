// SPDX-License-Identifier: BSD-3-Clause
#include "codegen/cpu_types.hpp"

#include "codegen/cpu_dialect.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xlazy::be {
namespace {

struct CType {
    const char* element;
    int bytes;
};

CType c_type(bc::DType type) noexcept {
    switch (type) {
        case bc::DType::i8: return {"signed char", 1};
        case bc::DType::i16: return {"short", 2};
        case bc::DType::i32: return {"int", 4};
        case bc::DType::i64: return {"long", 8};
        case bc::DType::u8: return {"unsigned char", 1};
        case bc::DType::u16: return {"unsigned short", 2};
        case bc::DType::u32: return {"unsigned", 4};
        case bc::DType::u64: return {"unsigned long", 8};
        case bc::DType::f32: return {"float", 4};
        case bc::DType::f64: return {"double", 8};
        default: return {"unsigned char", 1};
    }
}

const char* signed_integer(int bytes) noexcept {
    return bytes == 1 ? "signed char" : bytes == 2 ? "short" : bytes == 4 ? "int" : "long";
}

/// Vectors of one type of real numbers.
constexpr std::string_view kReal = R"(
typedef ELEMENT e_$ __attribute__((may_alias));
typedef ELEMENT v_$ __attribute__((vector_size(BYTES)));
typedef ELEMENT u_$ __attribute__((vector_size(BYTES), aligned(1), may_alias));
typedef SIGNED m_$ __attribute__((vector_size(BYTES)));
typedef unsigned SIGNED w_$ __attribute__((vector_size(BYTES)));
INLINE v_$ one_$(ELEMENT x) { return (v_$){ALL_X}; }
INLINE v_$ uniform_$(const char *p) { return one_$(*(const e_$ *)p); }
INLINE v_$ load_$(const char *p) { return *(const u_$ *)p; }
INLINE void store_$(char *p, v_$ x) { *(u_$ *)p = x; }
INLINE v_$ strided_$(const char *p, long step) { return (v_$){ALL_AT}; }
REST v_$ strided_part_$(const char *p, long step, long n) {
  e_$ x[LANES] __attribute__((aligned(BYTES)));
  for (long l = 0; l < LANES; ++l) x[l] = l < n ? *(const e_$ *)(p + l * step) : (ELEMENT)1;
  return load_$((const char *)x);
}
REST void spread_$(char *p, long step, long n, v_$ v) {
  e_$ x[LANES] __attribute__((aligned(BYTES)));
  store_$((char *)x, v);
  for (long l = 0; l < n; ++l) *(e_$ *)(p + l * step) = x[l];
}
INLINE v_$ pick_$(m_$ m, v_$ a, v_$ b) { return XLAZY_PICK(v_$, m_$); }
INLINE w_$ one_w_$(unsigned SIGNED x) { return (w_$){ALL_X}; }
INLINE v_bool to_bool_$(m_$ m) { return TO_BOOL; }
INLINE m_$ from_bool_$(v_bool m) { return FROM_BOOL; }
)";

/// Some elements of a vector, the others are 1.
constexpr std::string_view kPart = R"(
REST v_$ part_$(const char *p, long n) {
  v_$ v = one_$(1);
  move_part((char *)&v, p, n * sizeof(e_$));
  return v;
}
)";
constexpr std::string_view kPartStore = R"(
REST void store_part_$(char *p, long n, v_$ v) { move_part(p, (const char *)&v, n * sizeof(e_$)); }
)";

/// The same by moves under a mask, of AVX-512.
constexpr std::string_view kMaskedPart = R"(
INLINE v_$ part_$(const char *p, long n) {
  v_$ v = one_$(1);
  __asm__("vmovdquBITS %1, %REGISTER0%{%2%}" : "+v"(v) : "m"(*(const u_$ *)p), "Yk"(~0ul >> (64 - n)));
  return v;
}
INLINE void store_part_$(char *p, long n, v_$ v) {
  __asm__("vmovdquBITS %REGISTER1, %0%{%2%}" : "+m"(*(u_$ *)p) : "v"(v), "Yk"(~0ul >> (64 - n)));
}
)";

constexpr std::string_view kFloat = R"(
INLINE v_$ magnitude_$(v_$ a) { return (v_$)((w_$)a & (~(w_$){0} >> 1)); }
INLINE v_$ with_sign_$(v_$ a, v_$ sign) {
  const w_$ m = ~(w_$){0} >> 1;
  return (v_$)(((w_$)a & m) | ((w_$)sign & ~m));
}
INLINE m_$ infinite_$(v_$ a) { return magnitude_$(a) == (ELEMENT)__builtin_inf(); }
INLINE m_$ finite_$(v_$ a) { return magnitude_$(a) < (ELEMENT)__builtin_inf(); }
)";

constexpr std::string_view kComplex = R"(
typedef struct { v_# re, im; } v_$;
INLINE v_$ uniform_$(const char *p) { return (v_$){uniform_#(p), uniform_#(p + sizeof(e_#))}; }
INLINE v_$ load_$(const char *p) {
  const v_# a = load_#(p), b = load_#(p + sizeof a);
  return (v_$){__builtin_shufflevector(a, b, EVEN), __builtin_shufflevector(a, b, ODD)};
}
INLINE void store_$(char *p, v_$ v) {
  store_#(p, __builtin_shufflevector(v.re, v.im, LOW));
  store_#(p + sizeof(v_#), __builtin_shufflevector(v.re, v.im, HIGH));
}
INLINE v_$ strided_$(const char *p, long step) { return (v_$){strided_#(p, step), strided_#(p + sizeof(e_#), step)}; }
INLINE v_$ strided_part_$(const char *p, long step, long n) {
  return (v_$){strided_part_#(p, step, n), strided_part_#(p + sizeof(e_#), step, n)};
}
INLINE void spread_$(char *p, long step, long n, v_$ v) {
  spread_#(p, step, n, v.re);
  spread_#(p + sizeof(e_#), step, n, v.im);
}
INLINE v_$ part_$(const char *p, long n) { return strided_part_$(p, 2 * sizeof(e_#), n); }
INLINE void store_part_$(char *p, long n, v_$ v) { spread_$(p, 2 * sizeof(e_#), n, v); }
REST v_$ loop_$(void *call, v_$ a, v_$ b) {
  char x[2 * sizeof(v_#)], y[sizeof x], r[sizeof x];
  store_$(x, a);
  store_$(y, b);
  ((xlazy_loop)call)(x, y, y, r, LANES);
  return load_$(r);
}
)";

/// Results past the caches; the address is aligned.
constexpr std::string_view kStream = R"(
INLINE void stream_$(char *p, v_$ x) { __asm__("INSTRUCTION %1, %0" : "=m"(*(u_$ *)p) : "v"(x)); }
)";

/// Lanes of a leaf lie in vectors, in the order of its positions after the first `head`, which are those of the last
/// lanes. Absent values are the identity.
constexpr std::string_view kFold = R"(
REST v_$ shifted_OP_$(v_$ x, long n, long shift) {
  union { v_$ v; f_$ e[LANES]; } from, to;
  from.v = x;
  to.v = IDENTITY;
  for (long l = 0; l < n; ++l) to.e[shift + l] = from.e[l];
  return to.v;
}
INLINE v_$ placed_OP_$(v_$ x, long n, long shift) {
  const MASK lane = {ALL_LANES};
  return shift == 0 ? pick_$(lane < (NUMBER)n, x, IDENTITY) : shifted_OP_$(x, n, shift);
}
REST v_$ folded_OP_$(const v_$ *a, long head) {
  union { v_$ v[2 * GROUPS]; f_$ e[64]; } twice;
  v_$ x[GROUPS];
  for (int g = 0; g < GROUPS; ++g) twice.v[g] = twice.v[GROUPS + g] = a[g];
  for (int g = 0; g < GROUPS; ++g) x[g] = *(const l_$ *)(twice.e + 32 - head + g * LANES);
  for (int half = GROUPS / 2; half > 0; half /= 2)
    for (int g = 0; g < half; ++g) x[g] = OP_$(x[g], x[g + half]);
  twice.v[1] = x[0];
  for (int half = LANES / 2; half > 0; half /= 2) {
    twice.v[0] = x[0];
    x[0] = OP_$(x[0], *(const l_$ *)(twice.e + half));
  }
  return x[0];
}
)";

/// A bool in registers is a mask as wide as the widest type; in memory it is a byte that is 0 or 1.
constexpr std::string_view kBool = R"(
typedef SIGNED v_bool __attribute__((vector_size(BYTES)));
typedef unsigned char k_bool __attribute__((vector_size(LANES)));
typedef signed char n_bool __attribute__((vector_size(LANES)));
typedef unsigned char uk_bool __attribute__((vector_size(LANES), aligned(1), may_alias));
INLINE v_bool mask_of(k_bool x) { return WIDEN; }
INLINE k_bool bytes_of(v_bool m) { return (k_bool)NARROW & (k_bool){ALL_ONE}; }
INLINE v_bool load_bool(const char *p) { return mask_of(*(const uk_bool *)p); }
INLINE void store_bool(char *p, v_bool m) { *(uk_bool *)p = bytes_of(m); }
INLINE v_bool strided_bool(const char *p, long step) { return mask_of((k_bool){ALL_BYTES_AT}); }
INLINE v_bool uniform_bool(const char *p) { const SIGNED x = -(*p != 0); return (v_bool){ALL_X}; }
REST v_bool strided_part_bool(const char *p, long step, long n) {
  k_bool x = {0};
  char *const to = (char *)&x;
  for (long l = 0; l < n; ++l) to[l] = p[l * step];
  return mask_of(x);
}
REST void spread_bool(char *p, long step, long n, v_bool m) {
  const k_bool x = bytes_of(m);
  const char *const from = (const char *)&x;
  for (long l = 0; l < n; ++l) p[l * step] = from[l];
}
INLINE v_bool pick_bool(v_bool m, v_bool a, v_bool b) { return (m & a) | (~m & b); }
)";

/// Is a lane of a mask set?
const char* any_text(Isa isa) noexcept {
    switch (isa) {
        case Isa::avx512:
            return R"(
INLINE int any_lane(v_bool m) {
  unsigned short k;
  __asm__("vptestmd %1, %1, %0" : "=Yk"(k) : "v"(m));
  return k != 0;
}
)";
        case Isa::avx2:
            return R"(
INLINE int any_lane(v_bool m) {
  typedef long long all __attribute__((vector_size(32)));
  return !__builtin_ia32_ptestz256((all)m, (all)m);
}
)";
        default:
            return R"(
INLINE int any_lane(v_bool m) {
  typedef char all __attribute__((vector_size(16)));
  return __builtin_ia32_pmovmskb128((all)m) != 0;
}
)";
    }
}

constexpr std::string_view kBoolPart = R"(
INLINE v_bool part_bool(const char *p, long n) { return strided_part_bool(p, 1, n); }
INLINE void store_part_bool(char *p, long n, v_bool m) { spread_bool(p, 1, n, m); }
)";
constexpr std::string_view kMaskedBoolPart = R"(
INLINE v_bool part_bool(const char *p, long n) {
  k_bool v = {0};
  __asm__("vmovdqu8 %1, %REGISTER0%{%2%}" : "+v"(v) : "m"(*(const uk_bool *)p), "Yk"(~0ul >> (64 - n)));
  return mask_of(v);
}
INLINE void store_part_bool(char *p, long n, v_bool m) {
  const k_bool v = bytes_of(m);
  __asm__("vmovdqu8 %REGISTER1, %0%{%2%}" : "+m"(*(uk_bool *)p) : "v"(v), "Yk"(~0ul >> (64 - n)));
}
)";

constexpr std::string_view kArguments = R"(
#define INLINE static inline __attribute__((always_inline))
#define REST static __attribute__((noinline, unused))
#ifdef __cplusplus
#define XLAZY_EXPORT extern "C"
#define XLAZY_PICK(vector, mask) m ? a : b
#else
#define XLAZY_EXPORT
#define XLAZY_PICK(vector, mask) (vector)((m & (mask)a) | (~m & (mask)b))
#endif
#define COLD static __attribute__((noinline, cold, unused))
struct xlazy_trap { long index; unsigned char operands[2][16]; };
struct xlazy_scan { char *carry; const char *prefix; };
struct xlazy_arguments {
  char *const *pointers;
  const long *rows_step, *step;
  const char *const *scalars;
  void *const *calls;
  struct xlazy_trap *traps;
  long rows, columns, position;
  const struct xlazy_scan *scans;
  long only_totals;
  unsigned char *not_finite;
};
typedef void (*xlazy_loop)(const void *, const void *, const void *, void *, long);
REST void move_part(char *to, const char *from, long n) {
  if (n & 64) { __builtin_memcpy(to, from, 64); return; }
  if (n & 32) { __builtin_memcpy(to, from, 32); to += 32; from += 32; }
  if (n & 16) { __builtin_memcpy(to, from, 16); to += 16; from += 16; }
  if (n & 8) { __builtin_memcpy(to, from, 8); to += 8; from += 8; }
  if (n & 4) { __builtin_memcpy(to, from, 4); to += 4; from += 4; }
  if (n & 2) { __builtin_memcpy(to, from, 2); to += 2; from += 2; }
  if (n & 1) *to = *from;
}
)";

void replace(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

/// `item` for every lane, with L replaced by its number.
std::string all(int lanes, std::string_view item) {
    std::string text;
    for (int lane = 0; lane < lanes; ++lane) {
        std::string one(item);
        replace(one, "{L}", std::to_string(lane));
        text += (lane == 0 ? "" : ", ") + one;
    }
    return text;
}

std::string rounding(const char* name, Isa isa, char suffix, int mode) {
    const char* const instruction = isa == Isa::avx512 ? "vrndscale" : "vround";
    return fmt::format(
        "INLINE v_$ {}_lanes_$(v_$ a) {{ v_$ r; __asm__(\"{}p{} %2, %1, %0\" : \"=v\"(r) : \"v\"(a), \"i\"({})); "
        "return r; }}\n",
        name, instruction, suffix, mode);
}

/// Combine steps of amin and amax: the machine's minimum is that of the rule unless its first operand is a NaN.
std::string extremes(Isa isa, char suffix) {
    std::string text;
    for (const char* const name : {"min", "max"}) {
        if (isa == Isa::avx512) {
            text += fmt::format(
                "INLINE v_$ extreme_{0}_$(v_$ a, v_$ b) {{ unsigned short k; __asm__(\"vcmpordp{1} %1, %1, %0\" : "
                "\"=Yk\"(k) : \"v\"(b)); __asm__(\"v{0}p{1} %2, %0, %0%{{%1%}}\" : \"+v\"(b) : \"Yk\"(k), "
                "\"v\"(a)); return b; }}\n",
                name, suffix);
        } else if (isa == Isa::baseline) {
            text += fmt::format(
                "INLINE v_$ extreme_{0}_$(v_$ a, v_$ b) {{ v_$ r = b; __asm__(\"{0}p{1} %1, %0\" : \"+x\"(r) : "
                "\"x\"(a)); return pick_$(b != b, b, r); }}\n",
                name, suffix);
        } else {
            text += fmt::format(
                "INLINE v_$ extreme_{0}_$(v_$ a, v_$ b) {{ v_$ r; __asm__(\"v{0}p{1} %2, %1, %0\" : \"=v\"(r) : "
                "\"v\"(b), \"v\"(a)); return pick_$(b != b, b, r); }}\n",
                name, suffix);
        }
    }
    return text;
}

/// Instructions that GNU C has no operator for.
std::string float_instructions(Isa isa, char suffix) {
    if (isa == Isa::baseline) {
        return extremes(isa, suffix) +
               fmt::format(
                   "INLINE v_$ sqrt_lanes_$(v_$ a) {{ v_$ r; __asm__(\"sqrtp{} %1, %0\" : \"=x\"(r) : \"x\"(a)); "
                   "return r; }}\n",
                   suffix);
    }
    std::string text = fmt::format(
        "INLINE v_$ sqrt_lanes_$(v_$ a) {{ v_$ r; __asm__(\"vsqrtp{0} %1, %0\" : \"=v\"(r) : \"v\"(a)); return r; }}\n"
        "INLINE v_$ fma_lanes_$(v_$ a, v_$ b, v_$ c) {{ __asm__(\"vfmadd213p{0} %2, %1, %0\" : \"+v\"(a) : \"v\"(b), "
        "\"v\"(c)); return a; }}\n",
        suffix);
    text += extremes(isa, suffix);
    text += rounding("rint", isa, suffix, 8 | 4);  // as the environment rounds: to nearest
    text += rounding("floor", isa, suffix, 8 | 1);
    text += rounding("ceil", isa, suffix, 8 | 2);
    return text + rounding("trunc", isa, suffix, 8 | 3);
}

/// The modifier by which assembly names a register of that many bytes.
const char* register_of(int bytes) noexcept { return bytes <= 16 ? "x" : bytes == 32 ? "t" : "g"; }

std::string real_definitions(const CpuLanes& lanes, bc::DType type) {
    const CType c = c_type(type);
    std::string text(kReal);
    const int bytes = c.bytes * lanes.lanes;
    if (lanes.isa == Isa::avx512) {
        text += kMaskedPart;
        replace(text, "BITS", std::to_string(8 * c.bytes));
        replace(text, "REGISTER", register_of(bytes));
    } else {
        text += kPart;
        text += kPartStore;
    }
    if (bytes >= 16) text += kStream;
    replace(text, "INSTRUCTION", lanes.isa == Isa::baseline ? "movntdq" : "vmovntdq");
    if (bc::is_float(type)) text += kFloat;
    replace(text, "ALL_X", all(lanes.lanes, "x"));
    replace(text, "ALL_AT", all(lanes.lanes, "*(const e_$ *)(p + {L} * step)"));
    const bool same = c.bytes == lanes.mask_bytes();
    replace(text, "TO_BOOL", same ? "m" : "__builtin_convertvector(m, v_bool)");
    replace(text, "FROM_BOOL", same ? "m" : "__builtin_convertvector(m, m_$)");
    replace(text, "ELEMENT", c.element);
    replace(text, "BYTES", std::to_string(c.bytes * lanes.lanes));
    replace(text, "LANES", std::to_string(lanes.lanes));
    replace(text, "unsigned SIGNED",
            c.bytes == 1 ? "unsigned char" : fmt::format("unsigned {}", signed_integer(c.bytes)));
    replace(text, "SIGNED", signed_integer(c.bytes));
    if (bc::is_float(type)) text += float_instructions(lanes.isa, type == bc::DType::f32 ? 's' : 'd');
    return fill_in(text, type, type);
}

const char* identity_of(bc::Op op, bc::DType type) noexcept {
    const bool is_signed = bc::info(type).kind == bc::DTypeKind::Int;
    switch (op) {
        case bc::Op::sum: return bc::is_float(type) ? "one_$(-0.0)" : "(v_$){0}";
        case bc::Op::prod: return "one_$(1)";
        case bc::Op::any: return "(v_$){0}";
        case bc::Op::all: return "~(v_$){0}";
        case bc::Op::amin:
            return bc::is_float(type) ? "one_$(__builtin_inf())" : is_signed ? "(v_$)(~(w_$){0} >> 1)" : "~(v_$){0}";
        default:
            return bc::is_float(type) ? "one_$(-__builtin_inf())" : is_signed ? "~(v_$)(~(w_$){0} >> 1)" : "(v_$){0}";
    }
}

std::string complex_definitions(const CpuLanes& lanes, bc::DType type) {
    std::string text(kComplex);
    std::string even, odd, low, high;
    const int n = lanes.lanes;
    for (int lane = 0; lane < n; ++lane) {
        const char* const comma = lane == 0 ? "" : ", ";
        even += fmt::format("{}{}", comma, 2 * lane);
        odd += fmt::format("{}{}", comma, 2 * lane + 1);
        low += fmt::format("{}{}", comma, lane / 2 + lane % 2 * n);
        high += fmt::format("{}{}", comma, n / 2 + lane / 2 + lane % 2 * n);
    }
    replace(text, "EVEN", even);
    replace(text, "ODD", odd);
    replace(text, "LOW", low);
    replace(text, "HIGH", high);
    replace(text, "LANES", std::to_string(n));
    return fill_in(text, type, type);
}

std::string bool_definitions(const CpuLanes& lanes) {
    std::string text(kBool);
    text += any_text(lanes.isa);
    text += lanes.isa == Isa::avx512 ? kMaskedBoolPart : kBoolPart;
    replace(text, "REGISTER", register_of(lanes.lanes));
    const int mask = lanes.mask_bytes();
    replace(text, "WIDEN", mask == 1 ? "x != 0" : "__builtin_convertvector((n_bool)(x != 0), v_bool)");
    replace(text, "NARROW", mask == 1 ? "m" : "__builtin_convertvector(m, n_bool)");
    replace(text, "ALL_X", all(lanes.lanes, "x"));
    replace(text, "ALL_ONE", all(lanes.lanes, "1"));
    replace(text, "ALL_BYTES_AT", all(lanes.lanes, "*(const unsigned char *)(p + {L} * step)"));
    replace(text, "BYTES", std::to_string(mask * lanes.lanes));
    replace(text, "LANES", std::to_string(lanes.lanes));
    replace(text, "SIGNED", signed_integer(mask));
    return text;
}

}  // namespace

int CpuLanes::mask_bytes() const noexcept { return vector_bytes(isa) / lanes; }

CpuLanes cpu_lanes(Isa isa, std::span<const bc::DType> types, int most) noexcept {
    int widest = 1;
    for (const bc::DType type : types) widest = std::max(widest, c_type(bc::real_of(type)).bytes);
    return {isa, std::min(vector_bytes(isa) / widest, most)};
}

std::string cpu_definitions(const CpuLanes& lanes, std::span<const bc::DType> types) {
    std::string text(kArguments.substr(1));
    text += bool_definitions(lanes);
    std::vector<bc::DType> defined;
    const auto define = [&](bc::DType type) {
        if (type == bc::DType::boolean || std::ranges::find(defined, type) != defined.end()) return;
        defined.push_back(type);
        text += bc::is_complex(type) ? complex_definitions(lanes, type) : real_definitions(lanes, type);
    };
    for (const bc::DType type : types) {
        define(bc::real_of(type));
        define(type);
    }
    return text;
}

std::string cpu_fold_definitions(const CpuLanes& lanes, bc::Op op, bc::DType type) {
    const bool is_bool = type == bc::DType::boolean;
    const std::string element = is_bool ? signed_integer(lanes.mask_bytes()) : c_type(type).element;
    const int bytes = (is_bool ? lanes.mask_bytes() : c_type(type).bytes) * lanes.lanes;
    std::string text = fmt::format(
        "typedef {0} f_$ __attribute__((may_alias));\n"
        "typedef {0} l_$ __attribute__((vector_size({1}), aligned(1), may_alias));\n",
        element, bytes);
    text += kFold;
    replace(text, "MASK", is_bool ? "v_bool" : "m_$");
    replace(text, "ALL_LANES", all(lanes.lanes, "{L}"));
    replace(text, "NUMBER", signed_integer(is_bool ? lanes.mask_bytes() : c_type(type).bytes));
    replace(text, "OP", bc::name_of(op));
    replace(text, "IDENTITY", identity_of(op, type));
    replace(text, "GROUPS", std::to_string(32 / lanes.lanes));
    replace(text, "LANES", std::to_string(lanes.lanes));
    text += fmt::format("INLINE v_$ absent_{}_$(void) {{ return {}; }}\n", bc::name_of(op), identity_of(op, type));
    return fill_in(text, type, type);
}

std::string fill_in(std::string_view text, bc::DType type, bc::DType result) {
    std::string filled;
    for (const char c : text) {
        if (c == '$')
            filled += bc::name_of(type);
        else if (c == '#')
            filled += bc::name_of(bc::real_of(type));
        else if (c == '@')
            filled += bc::name_of(result);
        else
            filled += c;
    }
    return filled;
}

}  // namespace xlazy::be
