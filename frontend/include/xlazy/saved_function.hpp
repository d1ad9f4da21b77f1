// SPDX-License-Identifier: BSD-3-Clause
// Functions that were captured, saved to a file, and run without xtensor and without a compiler. For C there is
// xlazy/run.h; docs/saved-functions.md describes the file.
#pragma once

#include "xlazy/bytecode/program.hpp"
#include "xlazy/detail/here.hpp"
#include "xlazy/file_error.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace xlazy {

/// An array that a function takes or gives.
struct array_signature {
    std::string name;  ///< may be empty
    bc::DType type = bc::DType::none;
    std::vector<std::int64_t> extents;
    bool column_major = false;  ///< order of the elements in memory
    std::size_t bytes = 0;      ///< of all elements
};

/// A number that a function takes.
struct number_signature {
    std::string name;  ///< may be empty
    bc::DType type = bc::DType::none;
    std::optional<bc::Scalar> only{};  ///< the one value that the function was saved for
};

/// An array in memory of the caller's: its elements lie without gaps, in the order that the signature says.
template <class Pointer>
struct array_in_memory {
    Pointer data;
    bc::DType type;
    std::span<const std::int64_t> extents;
};
using input_array = array_in_memory<const void*>;  ///< is read
using output_array = array_in_memory<void*>;       ///< is written whole

/// A function from a file. Copies share it and its states (arrays that a call leaves to the next one). Safe to use from
/// any number of threads at once; calls of a function with states run one after the other.
class saved_function {
public:
    /// @param use_kernels take the compiled kernels of the file, where they are for this machine. They are machine
    /// code: only from people whose programs you would run
    /// @throws file_error
    explicit saved_function(const std::string& file, bool use_kernels = false);

    /// As it was called where it was captured; may be empty.
    const std::string& name() const noexcept;
    /// "file:line" where it was captured.
    const std::string& captured_at() const noexcept;
    const std::vector<array_signature>& inputs() const noexcept;    ///< in the order of run
    const std::vector<number_signature>& numbers() const noexcept;  ///< likewise
    const std::vector<array_signature>& outputs() const noexcept;   ///< likewise
    /// Its bytecode.
    std::string text() const;

    /// Calls it. The types and extents must be those of the signature; numbers are converted to its types, as `cast`
    /// converts. An output overlaps with nothing else.
    /// @throws std::invalid_argument where an argument does not fit, before anything has run
    /// @throws deferred_error where the data is at fault; the outputs then hold anything
    /// @throws std::bad_alloc
    void run(std::span<const input_array> inputs, std::span<const bc::Scalar> numbers,
             std::span<const output_array> outputs, here line = here::current()) const;

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace xlazy
