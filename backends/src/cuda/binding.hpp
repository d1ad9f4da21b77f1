// SPDX-License-Identifier: BSD-3-Clause
// A kernel of a plan for a GPU: the form that its code depends on, and the launches with their arguments. Knows no
// driver: addresses of the device come from the caller.
#pragma once

#include "codegen/cuda_dialect.hpp"
#include "openmp/loop_nest.hpp"
#include "xlazy/backends/backend.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace xlazy::be {

/// A block of host memory that a kernel touches.
struct CudaOperand {
    std::byte* memory;
    std::size_t bytes;
    bool read = false;
    bool written = false;
    bool overwritten = false;  ///< every element of it
};

struct CudaLaunch {
    std::string function;
    unsigned blocks = 1, threads = 1;
    bool by_warps = false;  ///< threads of a warp wait for each other
    bool by_pointer = false;
    std::vector<std::int64_t> words{};
};

/// What a launch may be like.
struct CudaLimits {
    unsigned threads = kCudaBlock;  ///< of a block
    unsigned blocks = 132 * 16;     ///< of a grid, at most: threads go on with what is left
};

class CudaBinding {
public:
    CudaBinding(const bc::Kernel& kernel, const Bindings& bindings);

    /// Why the kernel must run elsewhere; empty: it need not.
    const std::string& reason() const noexcept { return reason_; }
    /// The form that fits it best.
    const CudaForm& form() const noexcept { return form_; }
    /// The form that fits all kernels of the same ops: every operand by its strides.
    CudaForm any_form() const;

    std::int64_t elements() const noexcept { return nest_.count(); }
    /// Memory that it touches, also where it must run elsewhere.
    const std::vector<CudaOperand>& operands() const noexcept { return operands_; }
    /// Micro-ops that can fail, in the order of their trap records.
    const std::vector<std::size_t>& faults() const noexcept { return faults_; }
    /// Bytes for values of leaves.
    std::size_t partial_bytes() const noexcept;

    /// @param device_address of an operand's memory
    std::vector<CudaLaunch> launches(const CudaForm& form, std::string_view function, const CudaLimits& limits,
                                     const std::function<std::uint64_t(const std::byte*)>& device_address,
                                     std::uint64_t traps, std::uint64_t partial) const;

private:
    struct Target {  ///< of an access
        std::size_t op;
        std::byte* memory = nullptr;  ///< null: a generator
    };

    void bind_accesses();
    void bind_memory(std::size_t op);
    void note_operand(const bc::MicroOp& op, std::byte* memory, std::size_t bytes, std::int64_t elements,
                      std::int64_t size);
    void choose_form();
    void check();
    bool folds() const noexcept { return nest_.reduced() != LoopNest::kNoAxis; }
    unsigned row_axis() const noexcept;
    std::int64_t rows() const noexcept { return nest_.count() / nest_.extent(row_axis()); }
    std::int64_t leaves() const noexcept;
    std::vector<unsigned> outer_axes() const;
    std::vector<std::int64_t> common_words(const CudaForm& form) const;
    void add_combines(std::vector<CudaLaunch>& launches, const CudaLimits& limits, std::size_t access,
                      std::uint64_t pointer, std::uint64_t partial) const;
    std::size_t bytes_of_leaves(std::size_t access) const noexcept;

    const bc::Kernel& kernel_;
    const Bindings& bindings_;
    LoopNest nest_;
    std::vector<Target> targets_;  ///< one an access
    std::vector<CudaOperand> operands_;
    std::vector<std::size_t> faults_;
    CudaForm form_;
    std::string reason_;
};

}  // namespace xlazy::be
