// SPDX-License-Identifier: BSD-3-Clause
// Loop bodies, one an arity; the element's expression comes from the op table. No inline function of the standard
// library may be called here: see isa_namespace.hpp.
#pragma once

#include "isa/kernel_table.hpp"
#include "scalar_ops.hpp"

#if defined(__clang__)
#define XLAZY_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define XLAZY_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace xlazy::be {
inline namespace XLAZY_ISA {

/// The value of one element: `Element<Op::add>::value<R>(a, b)`, R the result's type.
template <bc::Op>
struct Element;

#define XLAZY_ELEMENT_0(expression)
#define XLAZY_ELEMENT_1(expression)        \
    template <class R, class T>            \
    static R value(T a) {                  \
        return static_cast<R>(expression); \
    }
#define XLAZY_ELEMENT_2(expression)        \
    template <class R, class T>            \
    static R value(T a, T b) {             \
        return static_cast<R>(expression); \
    }
#define XLAZY_ELEMENT_3(expression)        \
    template <class R, class T>            \
    static R value(T a, T b, T c) {        \
        return static_cast<R>(expression); \
    }
#define XLAZY_ELEMENT_Exact(id, arity, expression) \
    template <>                                    \
    struct Element<bc::Op::id> {                   \
        XLAZY_ELEMENT_##arity(expression)          \
    };
#define XLAZY_ELEMENT_Vector(id, arity, expression)
#define XLAZY_STAMP_Map(id, arity, maths, expression) XLAZY_ELEMENT_##maths(id, arity, expression)
#define XLAZY_STAMP_Generate(id, arity, maths, expression)
#define XLAZY_STAMP_Gather(id, arity, maths, expression)
#define XLAZY_STAMP_Scatter(id, arity, maths, expression)
#define XLAZY_STAMP_Library(id, arity, maths, expression)
// The expression of a reduction or a scan combines two values.
#define XLAZY_STAMP_Reduce(id, arity, maths, expression) \
    template <>                                          \
    struct Element<bc::Op::id> {                         \
        template <class T>                               \
        static T combine(T a, T b) {                     \
            return expression;                           \
        }                                                \
    };
#define XLAZY_STAMP_Scan(id, arity, maths, expression) XLAZY_STAMP_Reduce(id, arity, maths, expression)
#define XLAZY_OP(id, arity, kind, in, result, fault, maths, expression, doc) \
    XLAZY_STAMP_##kind(id, arity, maths, expression)
#include "xlazy/bytecode/ops.def"
#undef XLAZY_OP
#undef XLAZY_STAMP_Scan
#undef XLAZY_STAMP_Reduce
#undef XLAZY_STAMP_Scatter
#undef XLAZY_STAMP_Gather
#undef XLAZY_STAMP_Library
#undef XLAZY_STAMP_Generate
#undef XLAZY_STAMP_Map
#undef XLAZY_ELEMENT_Vector
#undef XLAZY_ELEMENT_Exact
#undef XLAZY_ELEMENT_3
#undef XLAZY_ELEMENT_2
#undef XLAZY_ELEMENT_1
#undef XLAZY_ELEMENT_0

/// What a loop reads bools as: GCC does not vectorise conversions and selections of bool.
template <class T>
using Readable = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;

template <bc::Op Op, class R, class T>
void unary_loop(const void* pa, const void*, const void*, void* pout, std::int64_t n) {
    const auto* a = static_cast<const std::conditional_t<Op == bc::Op::copy, T, Readable<T>>*>(pa);
    R* out = static_cast<R*>(pout);
    XLAZY_INDEPENDENT
    for (std::int64_t i = 0; i < n; ++i) out[i] = Element<Op>::template value<R>(a[i]);
}

template <bc::Op Op, class R, class T, Form F>
void binary_loop(const void* pa, const void* pb, const void*, void* pout, std::int64_t n) {
    const T* a = static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    R* out = static_cast<R*>(pout);
    const T first_a = *a, first_b = *b;
    XLAZY_INDEPENDENT
    for (std::int64_t i = 0; i < n; ++i) {
        out[i] = Element<Op>::template value<R>(F == Form::sv ? first_a : a[i], F == Form::vs ? first_b : b[i]);
    }
}

/// The form says which of b and c are single values; a is an array.
template <bc::Op Op, class R, class T, Form F>
void ternary_loop(const void* pa, const void* pb, const void* pc, void* pout, std::int64_t n) {
    const T* a = static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    const T* c = static_cast<const T*>(pc);
    R* out = static_cast<R*>(pout);
    constexpr bool one_b = F == Form::sv || F == Form::ss, one_c = F == Form::vs || F == Form::ss;
    const T first_b = *b, first_c = *c;
    XLAZY_INDEPENDENT
    for (std::int64_t i = 0; i < n; ++i) {
        out[i] = Element<Op>::template value<R>(a[i], one_b ? first_b : b[i], one_c ? first_c : c[i]);
    }
}

template <PairFirst First, PairSecond Second, class T, Form F, bool OneC>
void pair_loop(const void* pa, const void* pb, const void* pc, void* pout, std::int64_t n) {
    const T* a = static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    const T* c = static_cast<const T*>(pc);
    T* out = static_cast<T*>(pout);
    const T first_a = *a, first_b = *b, first_c = *c;
    XLAZY_INDEPENDENT
    for (std::int64_t i = 0; i < n; ++i) {
        const T x = F == Form::sv ? first_a : a[i], y = F == Form::vs ? first_b : b[i], z = OneC ? first_c : c[i];
        const T value = First == PairFirst::add ? x + y : First == PairFirst::sub ? x - y : x * y;
        out[i] = Second == PairSecond::add      ? value + z
                 : Second == PairSecond::sub    ? value - z
                 : Second == PairSecond::mul    ? value * z
                 : Second == PairSecond::square ? value * value
                                                : z - value;
    }
}

/// Products and quotients of complex numbers: the common formula for a block, and what it loses once more, one by one.
/// Parts are computed into arrays of their own: from neighbouring sums and differences of products GCC makes fused
/// operations, whatever -ffp-contract says.
template <bc::Op Op, class T, Form F>
void complex_loop(const void* pa, const void* pb, const void*, void* pout, std::int64_t n) {
    constexpr std::int64_t block = 64;
    using Part = decltype(T::re);
    const T* a = static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    T* out = static_cast<T*>(pout);
    const T first_a = *a, first_b = *b;
    Part re[block], im[block];
    for (std::int64_t begin = 0; begin < n;
         begin += block, a += F == Form::sv ? 0 : block, b += F == Form::vs ? 0 : block, out += block) {
        const std::int64_t count = n - begin < block ? n - begin : block;
        unsigned lost = 0;
        XLAZY_INDEPENDENT
        for (std::int64_t i = 0; i < count; ++i) {
            const T x = F == Form::sv ? first_a : a[i], y = F == Form::vs ? first_b : b[i];
            const T value = Op == bc::Op::mul ? plain_product(x, y) : plain_quotient(x, y);
            re[i] = value.re;
            im[i] = value.im;
            lost |= is_lost(value);
        }
        if (lost != 0) {
            for (std::int64_t i = 0; i < count; ++i) {
                const T x = F == Form::sv ? first_a : a[i], y = F == Form::vs ? first_b : b[i];
                recover(Op, &x.re, &y.re, re[i], im[i]);
            }
        }
        XLAZY_INDEPENDENT
        for (std::int64_t i = 0; i < count; ++i) out[i] = {re[i], im[i]};
    }
}

/// The bits of an element of 16 bytes.
struct Wide {
    std::uint64_t low, high;
};

/// T is an unsigned integer or Wide: a selection moves bits.
template <class T, Form F>
void select_loop(const void* pa, const void* pb, const void* pc, void* pout, std::int64_t n) {
    const auto* a = static_cast<const Readable<bool>*>(pa);
    const T* b = static_cast<const T*>(pb);
    const T* c = static_cast<const T*>(pc);
    T* out = static_cast<T*>(pout);
    constexpr bool one_b = F == Form::sv || F == Form::ss, one_c = F == Form::vs || F == Form::ss;
    const T first_b = *b, first_c = *c;
    XLAZY_INDEPENDENT
    for (std::int64_t i = 0; i < n; ++i) {
        const T if_true = one_b ? first_b : b[i], if_false = one_c ? first_c : c[i];
        out[i] = a[i] != 0 ? if_true : if_false;
    }
}

/// Index of the first element that divides by zero, n if none does.
template <class T, Form F>
std::int64_t first_zero(const T* b, const bool* mask, std::int64_t n) {
    if (F == Form::vs && *b != 0) return n;
    unsigned zeros = 0;
    if (F != Form::vs) {
        for (std::int64_t i = 0; i < n; ++i) zeros |= b[i] == 0;
        if (zeros == 0) return n;
    }
    for (std::int64_t i = 0; i < n; ++i) {
        if ((F == Form::vs || b[i] == 0) && (mask == nullptr || mask[i])) return i;
    }
    return n;
}

/// wrap_div and wrap_mod in a form that vectorises: the quotient of 32-bit integers, computed in double and truncated,
/// is exact.
template <bc::Op Op, class T>
T divide(T a, T b) {
    if constexpr (sizeof(T) <= 4) {
        using Quotient = std::conditional_t<std::is_same_v<T, std::uint32_t>, std::uint32_t, std::int32_t>;
        const bool plain = (b != 0) & (std::is_unsigned_v<T> | (b != T(-1)));
        const T divisor = plain ? b : T(1);
        const T quotient = static_cast<T>(static_cast<Quotient>(static_cast<double>(a) / static_cast<double>(divisor)));
        if constexpr (Op == bc::Op::mod) {
            return plain ? wrap_sub(a, wrap_mul(quotient, b)) : T(0);
        } else if constexpr (std::is_unsigned_v<T>) {
            return plain ? quotient : T(0);
        } else {
            const T other = b == 0 ? T(0) : wrap_neg(a);
            return plain ? quotient : other;
        }
    } else {
        return Element<Op>::template value<T>(a, b);
    }
}

/// The first element that is no index below its limit, of those that the mask allows; n if there is none.
template <Form F>
std::int64_t first_outside(const std::int64_t* a, const std::int64_t* b, const bool* mask, std::int64_t n) {
    constexpr std::int64_t block = 64;
    const auto outside = [&](std::int64_t i) {
        const std::int64_t index = F == Form::sv ? *a : a[i];
        return (index < 0) | (index >= (F == Form::vs ? *b : b[i]));
    };
    std::int64_t begin = 0;
    for (; begin + block <= n; begin += block) {
        unsigned any = 0;
        for (std::int64_t i = begin; i < begin + block; ++i) any |= outside(i);
        if (any != 0) break;
    }
    while (begin < n && !(outside(begin) && (mask == nullptr || mask[begin]))) ++begin;
    return begin;
}

/// Division and remainder: the divisor zero fails where the mask allows it; indices: what is out of range. A masked-out
/// element is 0.
template <bc::Op Op, class T, Form F>
std::int64_t fault_loop(const void* pa, const void* pb, const void* pmask, void* pout, std::int64_t n) {
    const T* a = static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    T* out = static_cast<T*>(pout);
    const T first_a = *a, first_b = *b;
    // While there is a division to wait for, the smallest divisor costs nothing. Long ones are divided one by one.
    constexpr bool looks = sizeof(T) <= 4 && F != Form::vs && bc::info(Op).fault == bc::Fault::DivideByZero;
    using Bits = std::make_unsigned_t<T>;
    Bits least = looks ? static_cast<Bits>(~Bits{0}) : Bits{0};
    XLAZY_INDEPENDENT
    for (std::int64_t i = 0; i < n; ++i) {
        const T x = F == Form::sv ? first_a : a[i], y = F == Form::vs ? first_b : b[i];
        out[i] = divide<Op>(x, y);
        if constexpr (looks) least = static_cast<Bits>(y) < least ? static_cast<Bits>(y) : least;
    }
    const bool* mask = static_cast<const bool*>(pmask);
    if (mask != nullptr) {
        const auto* allowed = static_cast<const Readable<bool>*>(pmask);
        XLAZY_INDEPENDENT
        for (std::int64_t i = 0; i < n; ++i) out[i] = allowed[i] != 0 ? out[i] : T(0);
    }
    if constexpr (bc::info(Op).fault == bc::Fault::OutOfRange)
        return first_outside<F>(a, b, mask, n);
    else
        return looks && least != 0 ? n : first_zero<T, F>(b, mask, n);
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
