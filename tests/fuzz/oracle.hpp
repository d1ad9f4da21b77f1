// SPDX-License-Identifier: BSD-3-Clause
// A second reading of the bytecode's rules, for tests alone: statement by statement on dense arrays, with its own
// indexing, element operations and reduction order. Only routines of the maths library come from the reference
// interpreter, one op at a time.
#pragma once

#include "fuzz/generator.hpp"
#include "fuzz/geometry.hpp"
#include "xlazy/backends/backend.hpp"

namespace xlazy::fuzz {

/// What a run left behind.
struct Outcome {
    std::vector<Bytes> bases;                ///< empty where the base has no memory after the run
    std::vector<std::vector<char>> defined;  ///< of the oracle: elements with a value; empty: all of them
    be::Traps traps;
    bool read_undefined = false;  ///< of the oracle: the batch reads an element that has no value
};

/// A dense row-major value.
struct Dense {
    bc::DType type = bc::DType::none;
    Shape shape;
    Bytes bytes;
};

/// One op on operands of equal shape; failing elements (`trap` is their smallest index) give 0.
/// Reductions: along `axis`, kept with extent 1 or dropped.
struct OpRequest {
    bc::Op op;
    bc::DType type;
    bc::DType result;
    bool masked = false;
    std::size_t axis = 0;
    bool keep = false;
};
Dense evaluate(const OpRequest& request, const Shape& domain, std::span<const Dense> operands, std::int64_t& trap);

/// The operand repeated to the domain's shape.
Dense spread(const Dense& value, const Shape& shape);
/// The elements of a window, dense.
Dense gather(const Window& window, bc::DType type, const Bytes& base);
void scatter(const Dense& value, const Window& window, Bytes& base);

/// Runs a batch instruction by instruction.
class Oracle {
public:
    explicit Oracle(const Case& c);
    void execute(std::uint32_t instruction);
    Outcome& outcome() noexcept { return outcome_; }

private:
    Dense operand_value(bc::Operand operand);
    void execute_gather(const bc::Instruction& instruction);
    void execute_scatter(const bc::Instruction& instruction);
    void write(const Dense& value, const Window& window);

    const bc::Program& program_;
    std::vector<Dense> temps_;
    Outcome outcome_;
};

/// Runs the whole batch.
Outcome run_oracle(const Case& c);

}  // namespace xlazy::fuzz
