// SPDX-License-Identifier: BSD-3-Clause
// usage: without_xtensor FILE     a program in C++ that has no xtensor
#include <xlazy/saved_function.hpp>

#include <cstdio>
#include <exception>

#ifdef XTENSOR_VERSION_MAJOR
#error "xtensor is included"
#endif

int main(int, char** argv) {
    try {
        const xlazy::saved_function f(argv[1]);
        const std::vector<double> x{1, 2, 3, 4, 5, 6};
        std::vector<double> y(6);
        std::int64_t calls = 0;
        using xlazy::bc::DType;
        const xlazy::input_array in[]{{x.data(), DType::f64, f.inputs()[0].extents}};
        const xlazy::output_array out[]{{y.data(), DType::f64, f.outputs()[0].extents}, {&calls, DType::i64, {}}};
        const xlazy::bc::Scalar numbers[]{xlazy::bc::make_scalar(2.5), xlazy::bc::make_scalar(3)};
        f.run(in, numbers, out);
        for (const double value : y) std::printf("%.17g\n", value);
        return 0;
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
}
