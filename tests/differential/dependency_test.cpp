// SPDX-License-Identifier: BSD-3-Clause
// Two statements that share an array: every pair of windows, every order of reading and writing, each pass alone, all
// and none, both back ends; against the oracle of tests/fuzz.
#include "fuzz/execute.hpp"
#include "fuzz/geometry.hpp"
#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"
#include "xlazy/optimizer/optimizer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace xlazy::fuzz {
namespace {

using bc::Dim;
using bc::Instruction;
using bc::Op;
using bc::Operand;

constexpr std::int64_t kSide = 12;
constexpr std::uint32_t kShared = 0;  ///< the base of the windows

struct NamedWindow {
    const char* name;
    Window window;
};

/// Windows on a dense 12 x 12 array, most of them 6 x 12 or 12 x 6, so that pairs fuse.
const std::vector<NamedWindow>& windows() {
    static const std::vector<NamedWindow> all{
        {"whole", {kShared, 0, {{12, 12}, {12, 1}}}},
        {"upper", {kShared, 0, {{6, 12}, {12, 1}}}},
        {"lower", {kShared, 72, {{6, 12}, {12, 1}}}},
        {"one down", {kShared, 12, {{6, 12}, {12, 1}}}},
        {"even rows", {kShared, 0, {{6, 24}, {12, 1}}}},
        {"odd rows", {kShared, 12, {{6, 24}, {12, 1}}}},
        {"upper reversed", {kShared, 60, {{6, -12}, {12, 1}}}},
        {"upper mirrored", {kShared, 11, {{6, 12}, {12, -1}}}},
        {"left", {kShared, 0, {{12, 12}, {6, 1}}}},
        {"right", {kShared, 6, {{12, 12}, {6, 1}}}},
        {"one right", {kShared, 1, {{12, 12}, {6, 1}}}},
        {"even columns", {kShared, 0, {{12, 12}, {6, 2}}}},
        {"left turned", {kShared, 0, {{6, 1}, {12, 12}}}},
        {"upper turned", {kShared, 0, {{12, 1}, {6, 12}}}},
        {"flat", {kShared, 3, {{72, 1}}}},
        {"row", {kShared, 24, {{12, 1}}}},
        {"column", {kShared, 5, {{12, 12}}}},
        {"one", {kShared, 40, {{1, 0}}}},
        {"nothing", {kShared, 0, {{0, 12}, {12, 1}}}},
    };
    return all;
}
const NamedWindow kRepeated{"row repeated", {kShared, 12, {{6, 0}, {12, 1}}}};

enum class Order : std::uint8_t { ReadAfterWrite, WriteAfterRead, WriteAfterWrite, Own };
constexpr std::array kOrderNames{"write then read", "read then write", "write twice", "in one statement"};

/// Statements on windows, one binary operation each.
class Writer {
public:
    Writer() { new_base(kSide * kSide, true); }

    Window fresh(const Shape& shape, bool initialised) {
        Window window{new_base(count_of(shape), initialised), 0, {}};
        const Shape strides = dense_strides(shape);
        for (std::size_t axis = 0; axis < shape.size(); ++axis) window.dims.push_back({shape[axis], strides[axis]});
        return window;
    }

    void map(Op op, const Window& out, const Window& a, const Window& b) {
        begin(op, shape_of(out));
        put(a, b);
        finish(Operand::view(view(out)));
    }

    /// out <- sum along the first axis of (a + b), added to itself.
    void reduce(const Window& out, const Window& a, const Window& b) {
        begin(Op::add, shape_of(a));
        put(a, b);
        const Operand sum = Operand::temp(program_.temp_count++);
        program_.instructions.back().out = sum;
        begin(Op::sum, shape_of(a));
        program_.instructions.back().in[0] = sum;
        finish(Operand::view(view(out)));
    }

    Case finished(bool shared_lives) {
        program_.bases[kShared].live = shared_lives;
        return {program_, 3};
    }

private:
    std::uint32_t new_base(std::int64_t size, bool initialised) {
        program_.bases.push_back({bc::DType::f64, initialised, true, size});
        return static_cast<std::uint32_t>(program_.bases.size() - 1);
    }
    std::uint32_t view(const Window& window) { return program_.add_view(window.base, window.offset, window.dims); }
    void begin(Op op, const Shape& domain) {
        Instruction instruction;
        instruction.op = op;
        instruction.type = instruction.result = bc::DType::f64;
        instruction.statement = program_.statement_count;
        instruction.domain = program_.intern_domain(domain);
        program_.instructions.push_back(instruction);
        program_.origins.push_back(bc::intern_origin("dependency.cpp", program_.statement_count + 1));
    }
    void put(const Window& a, const Window& b) {
        program_.instructions.back().in[0] = Operand::view(view(a));
        program_.instructions.back().in[1] = Operand::view(view(b));
    }
    void finish(Operand out) {
        program_.instructions.back().out = out;
        ++program_.statement_count;
    }

    bc::Program program_;
};

Shape without_first(Shape shape) {
    shape.erase(shape.begin());
    return shape;
}

/// The two statements, and a third that uses what they left.
Case make_case(const Window& first, const Window& second, Order order, bool reduces, bool shared_lives) {
    Writer writer;
    const Window x = writer.fresh(shape_of(first), true), y = writer.fresh(shape_of(second), true);
    const auto read = [&](const Window& window, const Window& other) {
        if (reduces)
            writer.reduce(writer.fresh(without_first(shape_of(window)), false), window, other);
        else
            writer.map(Op::sub, writer.fresh(shape_of(window), false), window, other);
    };
    switch (order) {
        case Order::ReadAfterWrite:
            writer.map(Op::add, first, x, x);
            read(second, y);
            break;
        case Order::WriteAfterRead:
            read(first, x);
            writer.map(Op::mul, second, y, y);
            break;
        case Order::WriteAfterWrite:
            writer.map(Op::add, first, x, x);
            writer.map(Op::mul, second, y, y);
            break;
        case Order::Own: writer.map(Op::sub, first, x, second); break;
    }
    const Window& all = windows()[0].window;
    writer.map(Op::add, writer.fresh(shape_of(all), false), all, all);
    return writer.finished(shared_lives);
}

std::vector<opt::PassSet> pass_sets() {
    std::vector<opt::PassSet> sets{opt::PassSet{}, opt::PassSet{0}};
    for (std::size_t i = 0; i < opt::pass_table().size(); ++i) {
        sets.push_back({1u << i});
        sets.push_back({~(1u << i)});
    }
    return sets;
}

struct Param {
    Order order;
    bool reduces;  ///< the statement that reads
};

class Dependencies : public testing::TestWithParam<Param> {
protected:
    void check(const Case& c, const std::string& name) {
        ASSERT_EQ(bc::verify(c.program, bc::Strictness::Recorded), "") << name;
        const Outcome expected = run_oracle(c);
        for (const opt::PassSet passes : pass_sets()) {
            opt::PlanOptions options;
            options.passes = passes;
            options.verify = true;
            const bc::Plan plan = opt::make_plan(c.program, options);
            for (const auto& backend : backends_) {
                const std::string wrong = difference(c.program, expected, execute(c, plan, *backend, std::byte{0x7b}));
                ASSERT_EQ(wrong, "") << name << ", passes " << passes.bits << ", " << backend->name() << "\n"
                                     << bc::print(c.program);
            }
        }
    }

private:
    std::array<std::unique_ptr<be::Backend>, 2> backends_{be::make_interpreter(), be::make_openmp(3, 0)};
};

TEST_P(Dependencies, EveryPairOfWindows) {
    const auto [order, reduces] = GetParam();
    const bool reads_second = order == Order::ReadAfterWrite || order == Order::Own;
    for (const NamedWindow& first : windows()) {
        std::vector<NamedWindow> seconds = windows();
        if (reads_second) seconds.push_back(kRepeated);
        for (const NamedWindow& second : seconds) {
            const Shape shape = shape_of(order == Order::WriteAfterRead ? first.window : second.window);
            if (reduces && shape[0] == 0) continue;
            if (order == Order::Own && !broadcasts(shape_of(second.window), shape_of(first.window))) continue;
            const std::string name =
                fmt::format("{}: {}, {}", kOrderNames[static_cast<std::size_t>(order)], first.name, second.name);
            check(make_case(first.window, second.window, order, reduces, true), name);
            if (HasFatalFailure()) return;
        }
    }
}

TEST_P(Dependencies, OfAnArrayThatDies) {
    const auto [order, reduces] = GetParam();
    for (const NamedWindow& window : windows()) {
        if (reduces && window.window.dims[0].extent == 0) continue;
        check(make_case(window.window, window.window, order, reduces, false), window.name);
        if (HasFatalFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(Orders, Dependencies,
                         testing::Values(Param{Order::ReadAfterWrite, false}, Param{Order::ReadAfterWrite, true},
                                         Param{Order::WriteAfterRead, false}, Param{Order::WriteAfterRead, true},
                                         Param{Order::WriteAfterWrite, false}, Param{Order::Own, false}));

}  // namespace
}  // namespace xlazy::fuzz
