// SPDX-License-Identifier: BSD-3-Clause
// Puts random statements together: arrays, their defined elements, and the expression of one statement.
#pragma once

#include "fuzz/coverage.hpp"
#include "fuzz/layout.hpp"
#include "fuzz/values.hpp"

namespace xlazy::fuzz {

/// How large the shapes of a program are.
struct SizeProfile {
    std::int64_t elements;  ///< of the shape that most statements have
    std::int64_t most;      ///< of any array
    bool zeros;             ///< extents of 0 now and then
    bool deep = false;      ///< reductions as long as an array may be
};

/// An earlier use of an array.
struct Use {
    Window window;
    bool write;
};

struct Array {
    bc::DType type;
    Shape natural;
    bool initialised;
    std::vector<char> defined;  ///< of arrays that are not initialised: the elements with a value
    std::vector<Use> uses;
};

/// Builds statements into a program. Windows come from outside (the wishes), the expression is random.
class Builder {
public:
    Builder(Random& random, SizeProfile profile);

    std::vector<Array>& arrays() noexcept { return arrays_; }
    bc::Program& program() noexcept { return program_; }
    SizeProfile profile() const noexcept { return profile_; }

    std::uint32_t new_array(bc::DType type, const Shape& natural, bool initialised);
    bool readable(const Window& window) const;
    bc::DType random_type() { return random_.pick(enabled_types()); }
    Shape related_shape();
    /// Where a statement of this shape may write.
    Window any_output(const Shape& shape);

    /// One statement: `output <- cell(...)`, reading `leaf` somewhere if there is one.
    void statement(const OpCell& cell, const Window& output, const std::optional<Window>& leaf);
    /// The statements from `first` on once more.
    void repeat_from(std::uint32_t first);

private:
    struct Temp {
        bc::DType type;
        Shape shape;
    };
    Shape fresh_shape();
    Shape narrower(const Shape& shape);
    Shape widened(const Shape& shape, const OpCell& cell, std::size_t axis, bool keep);
    std::uint32_t view(const Window& window);
    std::optional<Window> find_window(bc::DType type, const Shape& shape);
    Window read_window(bc::DType type, const Shape& shape);
    bc::Operand read(const Window& window);
    bc::Operand scalar(bc::DType type);
    bc::Operand leaf(bc::DType type, const Shape& shape);
    bc::Operand take_pending(bc::DType type);
    bool pending_fits(const Shape& shape, bool exact) const;
    bc::Operand value(bc::DType type, const Shape& shape, int depth);
    bc::Operand exact(bc::DType type, const Shape& shape, int depth);
    bc::Operand random_op(bc::DType type, const Shape& shape, int depth);
    bc::Operand apply(const OpCell& cell, const Shape& shape, int depth);
    bc::Operand numbers(std::int64_t count, const Shape& shape, int depth);
    void expression(const OpCell& cell, const Window& output);
    bool scatter(const OpCell& cell, const Window& output);
    bc::Operand emit(bc::Instruction instruction, const Shape& domain, const Shape& result);
    void store(bc::Operand operand, bc::DType type, const Window& output);
    void use(const Window& window, bool write);

    Random& random_;
    SizeProfile profile_;
    bc::Program program_;
    std::vector<Array> arrays_;
    Shape master_;
    std::vector<Temp> temps_;  ///< of the statement under construction
    std::uint32_t first_temp_ = 0;
    std::vector<Window> reads_;      ///< of the statement under construction
    std::optional<Window> pending_;  ///< the wished read, until the expression took it
    Flavour scalars_ = Flavour::Small;
};

}  // namespace xlazy::fuzz
