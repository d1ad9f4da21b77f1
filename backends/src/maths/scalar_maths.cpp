// SPDX-License-Identifier: BSD-3-Clause
// Functions that only the C library's scalar routines compute: one call an element, whatever the instruction set.
#include "isa/kernel_table.hpp"
#include "scalar_ops.hpp"

namespace xlazy::be {
namespace {

// The op table's helpers, of complex numbers.
template <class T>
T wrap_abs(std::complex<T> a) {
    return std::abs(a);
}
template <class T>
std::complex<T> square_root(std::complex<T> a) {
    return std::sqrt(a);
}
template <class T>
std::complex<T> power(std::complex<T> a, std::complex<T> b) {
    return b == T(2) ? a * a : std::pow(a, b);
}

template <bc::Op>
struct Routine;

#define XLAZY_ROUTINE_0(expression)
#define XLAZY_ROUTINE_1(expression)        \
    template <class R, class T>            \
    static R value(T a, T) {               \
        return static_cast<R>(expression); \
    }
#define XLAZY_ROUTINE_2(expression)        \
    template <class R, class T>            \
    static R value(T a, T b) {             \
        return static_cast<R>(expression); \
    }
#define XLAZY_ROUTINE_3(expression)
#define XLAZY_STAMP_Map(id, arity, expression) \
    template <>                                \
    struct Routine<bc::Op::id> {               \
        XLAZY_ROUTINE_##arity(expression)      \
    };
#define XLAZY_STAMP_Generate(id, arity, expression)
#define XLAZY_STAMP_Reduce(id, arity, expression)
#define XLAZY_STAMP_Scan(id, arity, expression)
#define XLAZY_OP(id, arity, kind, in, result, fault, maths, expression, doc) XLAZY_STAMP_##kind(id, arity, expression)
#include "xlazy/bytecode/ops.def"
#undef XLAZY_OP

template <bc::Op Op, class T, Form F>
void routine_loop(const void* pa, const void* pb, const void*, void* pout, std::int64_t n) {
    using R = bc::CType<bc::result_of(Op, bc::dtype_of<T>())>;
    const T* a = static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    R* out = static_cast<R*>(pout);
    const T first_a = *a, first_b = *b;
    for (std::int64_t i = 0; i < n; ++i) {
        out[i] = Routine<Op>::template value<R>(F == Form::sv ? first_a : a[i], F == Form::vs ? first_b : b[i]);
    }
}

template <bc::Op Op, class T>
MapFn routine(Form form) noexcept {
    // The second operand of a unary op is its first: valid to read, and not used.
    if constexpr (bc::accepts(Op, bc::dtype_of<T>()) && bc::maths_of(Op, bc::dtype_of<T>()) == bc::Maths::Scalar) {
        if (form == Form::vs) return routine_loop<Op, T, Form::vs>;
        if (form == Form::sv) return routine_loop<Op, T, Form::sv>;
        return routine_loop<Op, T, Form::vv>;
    } else {
        return nullptr;
    }
}

template <class T>
MapFn routine_of(bc::Op op, Form form) noexcept {
    switch (op) {
#define XLAZY_OP(id, arity, kind, in, result, fault, maths, expression, doc) \
    case bc::Op::id: return routine<bc::Op::id, T>(form);
#include "xlazy/bytecode/ops.def"
#undef XLAZY_OP
    }
    return nullptr;
}

}  // namespace

MapFn scalar_maths(bc::Op op, bc::DType type, Form form) noexcept {
    switch (type) {
        case bc::DType::f32: return routine_of<float>(op, form);
        case bc::DType::f64: return routine_of<double>(op, form);
        case bc::DType::c64: return routine_of<std::complex<float>>(op, form);
        case bc::DType::c128: return routine_of<std::complex<double>>(op, form);
        default: return nullptr;
    }
}

}  // namespace xlazy::be
