// SPDX-License-Identifier: BSD-3-Clause
// XLAZY_DUMP_ON_ERROR: what xlazy-run-bytecode needs to have an error again.
#pragma once

#include "queue.hpp"

#include <string>
#include <vector>

namespace xlazy::rt {

/// The batch of a queue as it was before it ran.
class ErrorDump {
public:
    /// Copies the inputs, if dumps are asked for and not all have been written.
    explicit ErrorDump(const Queue& queue);
    /// Writes the batch and its inputs, and logs where they are. Never throws.
    void write(const Queue& queue, const deferred_error& error) const noexcept;

private:
    struct Input {
        std::uint32_t base;
        std::vector<std::byte> bytes;
    };
    bool wanted_ = false;
    std::vector<Input> inputs_;
    std::size_t left_out_ = 0;  ///< inputs that are too large
};

}  // namespace xlazy::rt
