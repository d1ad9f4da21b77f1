// SPDX-License-Identifier: BSD-3-Clause
// Compiled kernels in tests: many of them in one translation unit, since compilers are slow to start.
#pragma once

#include "jit/compiler.hpp"
#include "jit/loader.hpp"
#include "jit/tiers.hpp"

#include <gtest/gtest.h>

namespace xlazy::test {

/// A compiler without a cache.
inline be::jit::Built build_here(const be::jit::Unit& unit, std::stop_token stop) {
    static const be::jit::CompilerChoice choice = [] {
        be::jit::CompilerOptions options;
        options.limit = std::chrono::minutes(3);
        return be::jit::choose_compiler(options);
    }();
    if (choice.compiler == nullptr) return {{}, {}, false, choice.reason};
    const std::vector<std::string> flags = be::jit::compiler_flags(unit);
    const be::jit::CompileResult made = choice.compiler->compile({unit.text, flags, stop});
    if (!made) return {{}, {}, false, made.error};
    const be::jit::LoadResult loaded = be::jit::load_object(made.object);
    return {loaded.module, [module = loaded.module](const std::string& name) { return module->symbol(name); }, false,
            loaded.error};
}

}  // namespace xlazy::test
