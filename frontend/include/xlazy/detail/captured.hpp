// SPDX-License-Identifier: BSD-3-Clause
// A captured function, free of types: what was recorded of it for which arguments, and how it is run. No xtensor here.
#pragma once

#include "xlazy/bytecode/function.hpp"
#include "xlazy/detail/recorder.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace xlazy {

/// What became of a captured function.
struct capture_statistics {
    std::uint64_t calls = 0;
    std::uint64_t captures = 0;    ///< recordings for ranks, broadcasting and decisions that were new
    std::uint64_t recordings = 0;  ///< all recordings: those for other extents, too
    std::size_t kept = 0;          ///< recordings that are ready to be run
};

namespace rt {

struct CapturedVariant;

class CapturedFunction {
public:
    /// Recordings that are kept; the one that was not used for the longest time goes first.
    static constexpr std::size_t kMaxVariants = 16;

    /// A call's arguments. Arrays are given whole, each by its window.
    struct Call {
        std::span<const ViewRef> arrays;
        std::span<const bc::Scalar> scalars;
        here line;
    };
    /// Runs the user's function once while this thread records: it calls trace_input for every array, of the windows'
    /// shapes, then trace_output for every result. @return what keeps those arrays until the recording is done
    using Record = std::function<std::shared_ptr<const void>(std::span<const ViewRef> arrays,
                                                             std::span<const bc::Scalar> scalars)>;

    CapturedFunction(Record record, here line);
    ~CapturedFunction();
    CapturedFunction(const CapturedFunction&) = delete;
    CapturedFunction& operator=(const CapturedFunction&) = delete;

    /// The recording for the arguments, for as long as a call needs it.
    class Ready {
    public:
        Ready(CapturedVariant& variant) noexcept;
        ~Ready();
        Ready(const Ready&) = delete;
        Ready& operator=(const Ready&) = delete;
        std::span<const std::size_t> extents(std::size_t output) const noexcept;
        std::span<const std::ptrdiff_t> strides(std::size_t output) const noexcept;
        /// It is that of an array of the program which the function reads or changes.
        bool uses(const Base* base) const noexcept;

    private:
        friend class CapturedFunction;
        CapturedVariant& variant_;
    };
    /// Records the function if it was not recorded for such arguments. @throws what the function throws; capture_error
    Ready prepare(const Call& call);
    /// @param outputs bases of the outputs' types and sizes. They get their memory here where they have none.
    /// @throws deferred_error, std::bad_alloc
    void run(const Ready& ready, const Call& call, std::span<Base* const> outputs);

    capture_statistics statistics() const;
    /// What was recorded for these arguments, with the values of constants and states.
    bc::Function function(const Call& call);
    /// Writes what was recorded for the arguments of the last call, or of the capture. @throws file_error
    void save(const std::string& file, here line);

private:
    static bc::Function with_values(const CapturedVariant& variant, here line);
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace rt
}  // namespace xlazy
