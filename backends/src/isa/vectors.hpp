// SPDX-License-Identifier: BSD-3-Clause
// Vectors of the full width of the instruction set being compiled (GNU vector extension).
#pragma once

#include "isa/isa_namespace.hpp"

#include <cstring>

namespace xlazy::be {
inline namespace XLAZY_ISA {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif

template <class T>
struct VectorOf {
    typedef T type __attribute__((vector_size(kVectorBytes)));
};
template <class T>
using Vector = typename VectorOf<T>::type;

template <class T>
Vector<T> load_vector(const T* from) {
    Vector<T> v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
