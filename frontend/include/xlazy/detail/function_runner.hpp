// SPDX-License-Identifier: BSD-3-Clause
// Runs captured functions, again and again on other data. No xtensor here: memory goes in and comes out.
#pragma once

#include "xlazy/bytecode/function.hpp"
#include "xlazy/detail/here.hpp"

#include <memory>
#include <random>
#include <span>

namespace xlazy::rt {

/// A function, planned. The first call makes the plans and takes memory for what the function keeps between its
/// batches; later ones record nothing, hash nothing and allocate nothing. Several threads may call at once: each call
/// has a context of its own, which the next one takes over. Where the function has states, calls take turns.
class FunctionRunner {
public:
    /// @param function as bc::verify accepts it
    /// @param engine where random draws take their keys, see detail::next_random_key; null: one of its own, new
    explicit FunctionRunner(std::shared_ptr<const bc::Function> function, std::mt19937* engine = nullptr);
    ~FunctionRunner();
    FunctionRunner(const FunctionRunner&) = delete;
    FunctionRunner& operator=(const FunctionRunner&) = delete;

    const bc::Function& function() const noexcept;

    /// Runs the function. Inputs and outputs are memory of the variables' sizes and in their order of elements; outputs
    /// have no byte in common with each other nor with inputs. Constants and states are the function's own.
    /// @param arguments of the types that the function says
    /// @param line the caller's, for messages
    /// @throws deferred_error: a statement of the function failed on its data, and what depends on it holds anything;
    /// std::bad_alloc
    void run(std::span<const void* const> inputs, std::span<const bc::Scalar> arguments, std::span<void* const> outputs,
             here line);

    struct Live;
    /// The same on memory that belongs to arrays, see function_memory.hpp in the run time's sources.
    void run_live(Live& call);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace xlazy::rt
