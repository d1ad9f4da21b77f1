// SPDX-License-Identifier: BSD-3-Clause
#include "library/lapack.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <type_traits>

namespace xlazy::be {
namespace {

void* library() {
    static void* const handle = [] {
        for (const char* name : {"libopenblas.so.0", "liblapack.so.3", "libopenblas.so", "liblapack.so"}) {
            if (void* const found = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return found;
        }
        return static_cast<void*>(nullptr);
    }();
    if (handle == nullptr)
        throw std::runtime_error("linear algebra needs OpenBLAS or LAPACK: libopenblas.so.0 was not found");
    return handle;
}

template <class F>
void find(F*& routine, const std::string& name) {
    void* const found = dlsym(library(), name.c_str());
    if (found == nullptr) throw std::runtime_error("the LAPACK of this machine has no " + name);
    routine = reinterpret_cast<F*>(found);
}

template <class T>
Lapack<T> load() {
    constexpr bool complex = !std::is_floating_point_v<T>;
    constexpr bool single = std::is_same_v<typename Lapack<T>::Real, float>;
    const std::string prefix = complex ? (single ? "c" : "z") : (single ? "s" : "d");
    Lapack<T> all{};
    find(all.gemm, prefix + "gemm_");
    find(all.gesv, prefix + "gesv_");
    find(all.getrf, prefix + "getrf_");
    find(all.getri, prefix + "getri_");
    find(all.potrf, prefix + "potrf_");
    find(all.geqrf, prefix + "geqrf_");
    find(all.orgqr, prefix + (complex ? "ungqr_" : "orgqr_"));
    find(all.gesdd, prefix + "gesdd_");
    find(all.evd, prefix + (complex ? "heevd_" : "syevd_"));
    find(all.gelsd, prefix + "gelsd_");
    if constexpr (!complex) find(all.geev, prefix + "geev_");
    return all;
}

}  // namespace

template <class T>
const Lapack<T>& lapack() {
    static const Lapack<T> all = load<T>();
    return all;
}
template const Lapack<float>& lapack();
template const Lapack<double>& lapack();
template const Lapack<std::complex<float>>& lapack();
template const Lapack<std::complex<double>>& lapack();

void set_lapack_threads(int threads) noexcept {
    static const auto set = reinterpret_cast<void (*)(int)>(dlsym(library(), "openblas_set_num_threads"));
    static thread_local int now = 0;
    if (set != nullptr && now != threads) set(now = threads);
}

}  // namespace xlazy::be
