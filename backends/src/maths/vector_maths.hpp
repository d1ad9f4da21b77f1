// SPDX-License-Identifier: BSD-3-Clause
// The C library's vector maths (libmvec) at the full width of the instruction set being compiled. The last elements go
// through the same routine in a padded vector, so that a value does not depend on its position.
#pragma once

#include "isa/loops.hpp"

#include <cstring>

namespace xlazy::be {
inline namespace XLAZY_ISA {

#if defined(__AVX512F__)
#define XLAZY_MVEC_ISA e
inline constexpr int kVectorBytes = 64;
#define XLAZY_MVEC_DOUBLES 8
#define XLAZY_MVEC_FLOATS 16
#elif defined(__AVX2__)
#define XLAZY_MVEC_ISA d
inline constexpr int kVectorBytes = 32;
#define XLAZY_MVEC_DOUBLES 4
#define XLAZY_MVEC_FLOATS 8
#else
#define XLAZY_MVEC_ISA b
inline constexpr int kVectorBytes = 16;
#define XLAZY_MVEC_DOUBLES 2
#define XLAZY_MVEC_FLOATS 4
#endif

template <class T>
struct VectorOf {
    typedef T type __attribute__((vector_size(kVectorBytes)));
};
template <class T>
using Vector = typename VectorOf<T>::type;

/// The library's routines for T: `Mvec<Op::exp>::call(x)`.
template <bc::Op>
struct Mvec;

// _ZGV <isa> N <lanes> <v an operand> _ <name>, the x86 vector function ABI.
#define XLAZY_MVEC_JOIN(isa, lanes, operands, name) _ZGV##isa##N##lanes##operands##_##name
#define XLAZY_MVEC_NAME(isa, lanes, operands, name) XLAZY_MVEC_JOIN(isa, lanes, operands, name)
#define XLAZY_MVEC_F64(operands, name) XLAZY_MVEC_NAME(XLAZY_MVEC_ISA, XLAZY_MVEC_DOUBLES, operands, name)
#define XLAZY_MVEC_F32(operands, name) XLAZY_MVEC_NAME(XLAZY_MVEC_ISA, XLAZY_MVEC_FLOATS, operands, name)
#define XLAZY_MVEC_1(id)                                                                   \
    extern "C" Vector<double> XLAZY_MVEC_F64(v, id)(Vector<double>);                       \
    extern "C" Vector<float> XLAZY_MVEC_F32(v, id##f)(Vector<float>);                      \
    template <>                                                                            \
    struct Mvec<bc::Op::id> {                                                              \
        static Vector<double> call(Vector<double> a) { return XLAZY_MVEC_F64(v, id)(a); }  \
        static Vector<float> call(Vector<float> a) { return XLAZY_MVEC_F32(v, id##f)(a); } \
    };
#define XLAZY_MVEC_2(id)                                                                                        \
    extern "C" Vector<double> XLAZY_MVEC_F64(vv, id)(Vector<double>, Vector<double>);                           \
    extern "C" Vector<float> XLAZY_MVEC_F32(vv, id##f)(Vector<float>, Vector<float>);                           \
    template <>                                                                                                 \
    struct Mvec<bc::Op::id> {                                                                                   \
        static Vector<double> call(Vector<double> a, Vector<double> b) { return XLAZY_MVEC_F64(vv, id)(a, b); } \
        static Vector<float> call(Vector<float> a, Vector<float> b) { return XLAZY_MVEC_F32(vv, id##f)(a, b); } \
    };
#define XLAZY_MVEC_Exact(id, arity)
#define XLAZY_MVEC_Scalar(id, arity)
#define XLAZY_MVEC_Vector(id, arity) XLAZY_MVEC_##arity(id)
#define XLAZY_OP(id, arity, kind, in, result, fault, maths, expression, doc) XLAZY_MVEC_##maths(id, arity)
#include "xlazy/bytecode/ops.def"
#undef XLAZY_OP
#undef XLAZY_MVEC_Vector
#undef XLAZY_MVEC_Scalar
#undef XLAZY_MVEC_Exact
#undef XLAZY_MVEC_2
#undef XLAZY_MVEC_1

/// An argument inside every function's main path, where no exception and no slow case waits.
template <bc::Op Op>
inline constexpr double kPadding = Op == bc::Op::acosh ? 1.5 : 0.5;

template <class T>
Vector<T> load_vector(const T* from) {
    Vector<T> v;
    std::memcpy(&v, from, sizeof v);
    return v;
}
template <class T>
Vector<T> load_padded(const T* from, std::int64_t count, T padding) {
    Vector<T> v = padding - Vector<T>{};
    std::memcpy(&v, from, static_cast<std::size_t>(count) * sizeof(T));
    return v;
}

template <bc::Op Op, class T>
void vector_maths_1(const void* pa, const void*, const void*, void* pout, std::int64_t n) {
    constexpr std::int64_t lanes = kVectorBytes / static_cast<int>(sizeof(T));
    const T* a = static_cast<const T*>(pa);
    T* out = static_cast<T*>(pout);
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const Vector<T> value = Mvec<Op>::call(load_vector(a + i));
        std::memcpy(out + i, &value, sizeof value);
    }
    if (i < n) {
        const Vector<T> value = Mvec<Op>::call(load_padded(a + i, n - i, T(kPadding<Op>)));
        std::memcpy(out + i, &value, static_cast<std::size_t>(n - i) * sizeof(T));
    }
}

template <bc::Op Op, class T>
Vector<T> call_2(Vector<T> a, Vector<T> b) {
    const Vector<T> value = Mvec<Op>::call(a, b);
    if constexpr (Op == bc::Op::pow)
        return b == T(2) ? a * a : value;
    else
        return value;
}

/// As VectorRoutine.
template <bc::Op Op, class T>
void* vector_routine() noexcept {
    if constexpr (bc::info(Op).arity == 1)
        return reinterpret_cast<void*>(static_cast<Vector<T> (*)(Vector<T>)>(Mvec<Op>::call));
    else
        return reinterpret_cast<void*>(static_cast<Vector<T> (*)(Vector<T>, Vector<T>)>(Mvec<Op>::call));
}

template <bc::Op Op, class T, Form F>
void vector_maths_2(const void* pa, const void* pb, const void*, void* pout, std::int64_t n) {
    constexpr std::int64_t lanes = kVectorBytes / static_cast<int>(sizeof(T));
    const T* a = static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    T* out = static_cast<T*>(pout);
    if constexpr (Op == bc::Op::pow && F == Form::vs) {
        if (*b == T(2)) return binary_loop<bc::Op::mul, T, T, Form::vv>(pa, pa, nullptr, pout, n);
    }
    const Vector<T> all_a = *a - Vector<T>{}, all_b = *b - Vector<T>{};
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const Vector<T> value =
            call_2<Op, T>(F == Form::sv ? all_a : load_vector(a + i), F == Form::vs ? all_b : load_vector(b + i));
        std::memcpy(out + i, &value, sizeof value);
    }
    if (i < n) {
        constexpr T padding = T(kPadding<Op>);
        const Vector<T> value = call_2<Op, T>(F == Form::sv ? all_a : load_padded(a + i, n - i, padding),
                                              F == Form::vs ? all_b : load_padded(b + i, n - i, padding));
        std::memcpy(out + i, &value, static_cast<std::size_t>(n - i) * sizeof(T));
    }
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
