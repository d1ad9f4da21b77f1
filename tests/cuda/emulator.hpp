// SPDX-License-Identifier: BSD-3-Clause
// Runs generated CUDA code on the CPU: see emulation.hpp.
#pragma once

#include "cuda/binding.hpp"

#include <string>

namespace xlazy::test {

/// A program that the host's compiler has made of CUDA text.
class EmulatedProgram {
public:
    /// @return why it could not be made; empty: it was
    std::string compile(const std::string& text);
    /// @return false where the program lacks the function
    bool launch(const be::CudaLaunch& launch) const;

    EmulatedProgram() = default;
    ~EmulatedProgram();
    EmulatedProgram(const EmulatedProgram&) = delete;
    EmulatedProgram& operator=(const EmulatedProgram&) = delete;

private:
    void* library_ = nullptr;
};

}  // namespace xlazy::test
