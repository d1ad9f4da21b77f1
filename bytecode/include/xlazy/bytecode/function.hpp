// SPDX-License-Identifier: BSD-3-Clause
// A captured function: batches with control flow between them, as values. It prints, parses and travels; function.cpp's
// verifier is what makes one from an unknown source safe to run.
//
//     xlazy-function 1
//     function "step" @"heat.cpp":10
//     argument a0 f64 "k"
//     argument a1 i32 only 3
//     variable x0 f64 (10,10) input "x"
//     variable x1 f64 (10,10) state
//     variable x2 f64 (3) constant
//     variable x3 f64 (10,10) local "y"
//     inputs x0
//     outputs x3
//     segment g0 draws 1
//     bases x0 x1 x3
//     bind s0 argument a0
//     bind s1 iteration 0
//     bind s2 key 0
//     bind s3 stream 0 +2
//     batch
//       the text form of a batch, see text.hpp
//     end
//     repeat 10 {
//       run g0
//     }
//     repeat a0 {
//     }
//     while x4 {
//       run g1
//     } do {
//       run g2
//     }
//     branch x4 {
//     } else {
//     }
//
// Entries of a table are numbered from 0 in the order of the text and must precede their uses. The values of constants
// and states are no part of the text.
#pragma once

#include "xlazy/bytecode/text.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xlazy::bc {

inline constexpr std::uint32_t kNoIndex = ~std::uint32_t{0};
/// Loops and branches inside each other.
inline constexpr unsigned kMaxNesting = 64;

/// What a variable holds when a call begins.
enum class Role : std::uint8_t {
    Input,     ///< what the caller gives; no segment writes it
    State,     ///< what the call before left; at the first one `value`
    Constant,  ///< `value`; no segment writes it
    Local,     ///< nothing
};

/// An array of the function. Its elements lie without gaps.
struct Variable {
    DType type = DType::none;
    Role role = Role::Local;
    bool column_major = false;  ///< order of the elements in memory
    std::vector<std::int64_t> extents;
    std::string name;              ///< may be empty
    std::vector<std::byte> value;  ///< of constants and states: the elements as they lie in memory

    /// Bytes of the elements. @return the greatest int64 where they do not fit
    std::int64_t byte_count() const noexcept;
};

/// A number that the caller gives.
struct ScalarArgument {
    DType type = DType::none;
    std::string name;
    std::optional<Scalar> only{};  ///< the one value that the function was recorded for, since a decision hung on it
};

/// What is written into a scalar slot of a segment's batch before it runs. Slots without a binding are constants.
struct ScalarBinding {
    /// Where the number comes from.
    enum class Kind : std::uint8_t {
        Argument,      ///< scalar argument `number`, converted to the slot's type as `cast` converts
        Iteration,     ///< how often the body of a loop has run; `number` loops further out than the innermost one
        RandomKey,     ///< u64: key of draw `number` of this run of the segment
        RandomStream,  ///< u64: first stream of that draw, plus `offset`
    };
    Kind kind = Kind::Argument;
    std::uint32_t scalar = 0;
    std::uint32_t number = 0;
    std::uint64_t offset = 0;
};

/// A batch on the function's variables. A base is `initialised` only where its variable has a value whenever the
/// segment runs. After it, a variable whose base is not `live` has no value.
struct Segment {
    Program batch;
    std::vector<std::uint32_t> variables;  ///< of each base, of its type and size; no variable occurs twice
    std::vector<ScalarBinding> scalars;    ///< at most one a slot
    std::uint32_t draws = 0;               ///< random arrays that a run draws, each with a key and streams of its own
};

/// Control flow. A condition is a variable of one element of type bool.
struct Node {
    /// What is done; the members say with what.
    enum class Kind : std::uint8_t {
        Run,     ///< segment
        Repeat,  ///< body, `times` times or as often as a scalar argument of integer type says (not, if it is negative)
        While,   ///< head, and if then the condition holds body and all again
        Branch,  ///< body if the condition holds, else otherwise
    };
    Kind kind = Kind::Run;
    std::uint32_t segment = kNoIndex;
    std::uint64_t times = 0;
    std::uint32_t argument = kNoIndex;  ///< a scalar argument that stands for `times`
    std::uint32_t condition = kNoIndex;
    std::vector<Node> head, body, otherwise;
};

/// A captured function: variables, batches on them, and the order in which they run.
struct Function {
    std::string name;
    OriginId captured_at = 0;
    std::vector<ScalarArgument> arguments;
    std::vector<Variable> variables;
    std::vector<Segment> segments;
    std::vector<Node> body;
    std::vector<std::uint32_t> inputs;   ///< the variables with that role, in the order of the parameters
    std::vector<std::uint32_t> outputs;  ///< of any role, and perhaps one several times; they have a value at the end
};

/// The text form, as parse_function reads it.
std::string print(const Function& function);

/// The variables' values are empty.
/// @throws ParseError
Function parse_function(std::string_view text);

/// Checks: every batch (as recorded, see verify.hpp), and that its bases are the variables; roles; that whatever way
/// control takes, every variable has a value when a base of it is initialised, when it is a condition, and, for states
/// and outputs, at the end; bindings; sizes of values. What passes can be run with any inputs of the right types and
/// extents without an access outside of its variables.
/// @return the empty string, or what is wrong and where
std::string verify(const Function& function);

}  // namespace xlazy::bc
