// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/backends/compiler_check.hpp"

#include "jit/compiler.hpp"
#include "jit/loader.hpp"

#include <chrono>

namespace xlazy::be {

namespace {

constexpr const char* kSource =
    "extern \"C\" double exp(double);\n"
    "extern \"C\" double kernel(double x) { return 3.0 * x + exp(x); }\n";

double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

CompilerCheck check_compiler(const std::string& program) {
    constexpr double kExpected = 1;  // 3 * 0 + exp(0)
    CompilerCheck check;
    jit::CompilerOptions options;
    options.program = program;
    jit::CompilerChoice choice = jit::choose_compiler(options);
    check.choice = choice.reason;
    if (choice.compiler == nullptr) {
        check.error = choice.reason;
        return check;
    }
    check.version = choice.compiler->version({});
    const std::vector<std::string> flags{"-x", "c++", "-O2", "-fPIC"};
    auto start = std::chrono::steady_clock::now();
    const jit::CompileResult compiled = choice.compiler->compile({kSource, flags});
    check.compile_milliseconds = since(start) * 1e3;
    if (!compiled) {
        check.error = compiled.error;
        return check;
    }
    start = std::chrono::steady_clock::now();
    const jit::LoadResult loaded = jit::load_object(compiled.object);
    check.load_microseconds = since(start) * 1e6;
    auto* const kernel = loaded.module == nullptr ? nullptr : loaded.module->function<double(double)>("kernel");
    if (kernel == nullptr) {
        check.error = loaded.module == nullptr ? loaded.error : "the object lacks its function";
    } else if (kernel(0) != kExpected) {
        check.error = "the kernel gave a wrong number";
    }
    return check;
}

}  // namespace xlazy::be
