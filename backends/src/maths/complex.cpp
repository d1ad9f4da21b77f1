// SPDX-License-Identifier: BSD-3-Clause
#include "complex.hpp"

#include "isa/kernel_table.hpp"

namespace xlazy::be {
namespace {

template <class T>
void recover_parts(bc::Op op, const T* a, const T* b, T& re, T& im) noexcept {
    const Complex<T> value{re, im}, x{a[0], a[1]}, y{b[0], b[1]};
    if (!is_lost(value)) return;
    const Complex<T> found = op == bc::Op::div ? recovered_quotient(x, y, value) : recovered_product(x, y, value);
    re = found.re;
    im = found.im;
}

}  // namespace

void recover(bc::Op op, const float* a, const float* b, float& re, float& im) noexcept {
    recover_parts(op, a, b, re, im);
}
void recover(bc::Op op, const double* a, const double* b, double& re, double& im) noexcept {
    recover_parts(op, a, b, re, im);
}

}  // namespace xlazy::be
