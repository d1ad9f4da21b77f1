// SPDX-License-Identifier: BSD-3-Clause
// Functions that only the C library's scalar routines compute: one call an element, whatever the instruction set.
#include "isa/kernel_table.hpp"
#include "scalar_ops.hpp"

namespace xlazy::be {
namespace {

template <bc::Op>
struct Routine;

#define XLAZY_ROUTINE_1(expression) \
    template <class T>              \
    static T value(T a, T) {        \
        return expression;          \
    }
#define XLAZY_ROUTINE_2(expression) \
    template <class T>              \
    static T value(T a, T b) {      \
        return expression;          \
    }
#define XLAZY_ROUTINE_Exact(id, arity, expression)
#define XLAZY_ROUTINE_Vector(id, arity, expression)
#define XLAZY_ROUTINE_Scalar(id, arity, expression) \
    template <>                                     \
    struct Routine<bc::Op::id> {                    \
        XLAZY_ROUTINE_##arity(expression)           \
    };
#define XLAZY_OP(id, arity, kind, in, result, fault, maths, expression, doc) \
    XLAZY_ROUTINE_##maths(id, arity, expression)
#include "xlazy/bytecode/ops.def"
#undef XLAZY_OP
#undef XLAZY_ROUTINE_Exact
#undef XLAZY_ROUTINE_Scalar

template <bc::Op Op, class T, Form F>
void routine_loop(const void* pa, const void* pb, const void*, void* pout, std::int64_t n) {
    const T* a = static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    T* out = static_cast<T*>(pout);
    const T first_a = *a, first_b = *b;
    for (std::int64_t i = 0; i < n; ++i) {
        out[i] = Routine<Op>::value(F == Form::sv ? first_a : a[i], F == Form::vs ? first_b : b[i]);
    }
}

template <bc::Op Op, class T>
MapFn routine(Form form) noexcept {
    // The second operand of a unary op is its first: valid to read, and not used.
    if (form == Form::vs) return routine_loop<Op, T, Form::vs>;
    if (form == Form::sv) return routine_loop<Op, T, Form::sv>;
    return routine_loop<Op, T, Form::vv>;
}

}  // namespace

MapFn scalar_maths(bc::Op op, bc::DType type, Form form) noexcept {
    const bool single = type == bc::DType::f32;
    if (!single && type != bc::DType::f64) return nullptr;
    switch (op) {
#define XLAZY_ROUTINE_Exact(id)
#define XLAZY_ROUTINE_Scalar(id) \
    case bc::Op::id:             \
        return single ? routine<bc::Op::id, float>(form) : routine<bc::Op::id, double>(form);
#undef XLAZY_ROUTINE_Vector
#define XLAZY_ROUTINE_Vector(id)
#define XLAZY_OP(id, arity, kind, in, result, fault, maths, expression, doc) XLAZY_ROUTINE_##maths(id)
#include "xlazy/bytecode/ops.def"
#undef XLAZY_OP
        default: return nullptr;
    }
}

}  // namespace xlazy::be
