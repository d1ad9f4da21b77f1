// SPDX-License-Identifier: BSD-3-Clause
// Every rule of the table, on every type it is for, with special values: the bits that the back ends give for the left
// side are those that they give for what the pass makes of it. A new rule is tested without more code.
#include "batch.hpp"
#include "byte_machine.hpp"
#include "passes/algebra_rules.hpp"

#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"
#include "xlazy/optimizer/plan_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <set>

namespace xlazy::opt {
namespace {

using bc::DType;
using bc::Op;
using bc::Operand;
using test::Batch;
using test::Bytes;
using Use = Batch::Use;

std::vector<DType> all_types() {
    std::vector<DType> types;
#define XLAZY_DTYPE(id, name, type, kind, enabled) \
    if (enabled) types.push_back(DType::id);
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
    return types;
}

template <class T>
std::vector<T> special_floats() {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    using Limits = std::numeric_limits<T>;
    const auto nan = std::bit_cast<Bits>(Limits::quiet_NaN());
    const Bits quiet_bit = nan & ~std::bit_cast<Bits>(Limits::infinity());
    const Bits signalling = (nan ^ quiet_bit) | 5;
    std::vector<T> values{T(0),
                          T(1),
                          T(2),
                          T(0.25),
                          T(3),
                          T(5e8),
                          T(0.1),
                          Limits::max(),
                          Limits::max() / 2,
                          Limits::min(),
                          Limits::min() * 2,
                          Limits::denorm_min(),
                          Limits::min() / 3,
                          Limits::epsilon(),
                          Limits::infinity(),
                          std::bit_cast<T>(nan),
                          std::bit_cast<T>(static_cast<Bits>(nan | 9)),
                          std::bit_cast<T>(signalling)};
    // Powers of two whose reciprocals are subnormal, and the last ones whose are not.
    for (int exponent : {Limits::max_exponent - 1, Limits::max_exponent - 2, Limits::min_exponent, -3, 10}) {
        values.push_back(std::ldexp(T(1), exponent));
    }
    const std::size_t count = values.size();
    for (std::size_t i = 0; i < count; ++i) {
        constexpr Bits sign = Bits{1} << (sizeof(T) * 8 - 1);
        values.push_back(std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(values[i]) ^ sign)));
    }
    return values;
}

template <class T>
std::vector<T> special_values() {
    if constexpr (std::is_same_v<T, bool>) {
        return {false, true};
    } else if constexpr (std::is_floating_point_v<T>) {
        return special_floats<T>();
    } else if constexpr (std::is_integral_v<T>) {
        using Limits = std::numeric_limits<T>;
        std::vector<T> values{0, 1, 2, 3, 5, 7, 8, 100, Limits::max(), Limits::max() - 1, Limits::min()};
        for (const T value : std::vector<T>(values)) {
            values.push_back(static_cast<T>(0u - static_cast<std::make_unsigned_t<T>>(value)));
        }
        for (unsigned bit = 4; bit < sizeof(T) * 8; bit += 3) values.push_back(static_cast<T>(T{1} << bit));
        values.push_back(static_cast<T>(Limits::min() + 1));
        return values;
    } else {
        std::vector<T> values;
        const auto parts = special_floats<typename T::value_type>();
        for (const auto re : parts) {
            for (const auto im : {parts[0], parts[1], parts[15], parts[17], parts[14], parts.back()}) {
                T value;
                const typename T::value_type both[] = {re, im};
                std::memcpy(&value, both, sizeof(value));
                values.push_back(value);
            }
        }
        return values;
    }
}

/// The special values of a type, as the array's bytes.
Bytes special_bytes(DType type) {
    const auto bytes_of = [](const auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        Bytes bytes(values.size() * sizeof(T));
        for (std::size_t i = 0; i < values.size(); ++i) {
            const T value = values[i];
            std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
        }
        return bytes;
    };
    switch (type) {
#define XLAZY_DTYPE(id, name, type, kind, enabled) \
    case DType::id: return bytes_of(special_values<type>());
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
        case DType::none: break;
    }
    return {};
}

std::int64_t count_of(DType type) { return static_cast<std::int64_t>(special_bytes(type).size() / bc::size_of(type)); }

bc::Scalar special_scalar(DType type, std::int64_t number) {
    bc::Scalar scalar{type, {0, 0}};
    const Bytes bytes = special_bytes(type);
    const std::size_t size = bc::size_of(type);
    std::memcpy(scalar.bits, bytes.data() + static_cast<std::size_t>(number) * size, size);
    return scalar;
}

/// A batch of one statement: the left side of a rule. All pairs of values of a and b meet, with both masks.
class LeftSide : public Batch {
public:
    /// @param casts result types of the casts, inner one first
    LeftSide(const Rule& rule, DType type, std::vector<DType> casts) : rule_(rule), casts_(std::move(casts)) {
        const bool has_slot = rule.fact.has_value();
        if (has_slot) scalar(0);
        const std::int64_t n = count_of(type);
        domain_ = domain({2, n, n});
        variables_[0] = variable(type, {{n, 1}, {1, 1}});
        variables_[1] = variable(type, {{n, 1}});
        variables_[2] = variable(DType::boolean, {{2, 1}, {1, 1}, {1, 1}});
        types_[0] = types_[1] = type;
        types_[2] = DType::boolean;
        if (rule.condition == RuleCondition::Quiet || (bc::is_float(type) && !casts_.empty() && casts_.back() == type))
            quieten();
        if (has_slot) program.scalars[0].type = type;
        const TermNode& root = rule.left.nodes[rule.left.root()];
        const bc::Instruction last = instruction(root);
        const std::uint32_t result = base(2 * n * n, Use::Live, last.result);
        put(last, view(result, 0, {{2, n * n}, {n, n}, {n, 1}}));
    }

    bool is_legal() const { return bc::verify(program).empty(); }
    const std::map<std::uint32_t, Bytes>& inputs() const noexcept { return inputs_; }

private:
    Operand variable(DType type, std::initializer_list<bc::Dim> dims) {
        const Bytes bytes = special_bytes(type);
        const std::uint32_t from = base(count_of(type), Use::Kept, type);
        inputs_[from] = bytes;
        return view(from, 0, dims);
    }

    /// a - 0 is a, but for signalling NaNs.
    void quieten() {
        const DType type = types_[0];
        if (!bc::is_float(type)) return;
        const std::uint32_t zero = base(1, Use::Kept, type);
        inputs_[zero] = Bytes(bc::size_of(type));
        bc::Instruction quiet;
        quiet.op = Op::sub;
        quiet.type = quiet.result = type;
        quiet.in[0] = variables_[0];
        quiet.in[1] = view(zero, 0, {{1, 1}});
        variables_[0] = put(quiet, temp());
    }

    bc::Instruction instruction(const TermNode& node) {
        bc::Instruction made;
        made.op = node.op;
        for (unsigned i = 0; i < bc::info(node.op).arity; ++i) {
            DType type = DType::none;
            made.in[i] = operand(rule_.left.nodes[node.in[i]], type);
            if (node.op != Op::select || i > 0) made.type = type;
        }
        made.result = node.op == Op::cast ? casts_[next_cast_++] : bc::result_of(node.op, made.type);
        return made;
    }

    Operand operand(const TermNode& node, DType& type) {
        switch (node.kind) {
            case TermNode::Kind::Variable: type = types_[node.variable]; return variables_[node.variable];
            case TermNode::Kind::Slot: type = types_[0]; return Operand::scalar(0);
            case TermNode::Kind::Apply: break;
        }
        const bc::Instruction made = instruction(node);
        type = made.result;
        return put(made, temp());
    }

    Operand put(bc::Instruction made, Operand out) {
        made.domain = domain_;
        made.out = out;
        program.instructions.push_back(made);
        program.origins.push_back(bc::intern_origin("rule.cpp", 1));
        program.statement_count = 1;
        return out;
    }

    const Rule& rule_;
    std::vector<DType> casts_;
    std::size_t next_cast_ = 0;
    std::uint32_t domain_ = 0;
    Operand variables_[kTermVariables];
    DType types_[kTermVariables] = {};
    std::map<std::uint32_t, Bytes> inputs_;
};

class AlgebraRules : public testing::TestWithParam<std::size_t> {
protected:
    const Rule& rule() const { return algebra_rules()[GetParam()]; }

    unsigned casts() const {
        return static_cast<unsigned>(std::ranges::count_if(rule().left.nodes, [](const TermNode& node) {
            return node.kind == TermNode::Kind::Apply && node.op == Op::cast;
        }));
    }

    /// Plans with the pass and without, runs, compares. @return whether the pass changed anything
    bool check(LeftSide& side) {
        std::vector<std::string> unknown;
        PlanOptions with{parse_passes("algebra", unknown), true, {}}, without{parse_passes("none", unknown), true, {}};
        std::string before, after;
        with.dump = [&](std::string_view pass, const std::string& text) {
            if (pass == "separate") before = text;
            if (pass == "algebra") after = text;
        };
        const bc::Plan rewritten = make_plan(side.program, with), plain = make_plan(side.program, without);
        EXPECT_TRUE(bc::guards_hold(rewritten, side.program));
        if (before == after) return false;
        results.insert(bc::parse(after).instructions.back().op);
        for (be::Backend* backend : {interp.get(), openmp.get()}) {
            const test::ByteRun expected = test::run_bytes(plain, side.program, side.inputs(), *backend);
            const test::ByteRun got = test::run_bytes(rewritten, side.program, side.inputs(), *backend);
            EXPECT_EQ(expected.bases.back(), got.bases.back()) << backend->name() << "\n" << before << after;
            EXPECT_EQ(expected.traps.size(), got.traps.size()) << before;
        }
        return true;
    }

    /// @return how often the pass did something
    unsigned check_all(DType type, std::vector<DType> result_types) {
        LeftSide side(rule(), type, std::move(result_types));
        if (!side.is_legal()) return 0;
        if (!rule().fact) return check(side) ? 1 : 0;
        unsigned changed = 0;
        for (std::int64_t i = 0; i < count_of(type); ++i) {
            side.program.scalars[0] = special_scalar(type, i);
            changed += check(side) ? 1 : 0;
        }
        return changed;
    }

    /// The op that the right side computes last.
    Op result_op() const {
        const TermNode& root = rule().right.nodes[rule().right.root()];
        return root.kind == TermNode::Kind::Apply ? root.op : Op::copy;
    }

    std::unique_ptr<be::Backend> interp = be::make_interpreter(), openmp = be::make_openmp(1);
    std::set<Op> results;  ///< last ops of what the pass made
};

TEST_P(AlgebraRules, KeepEveryBit) {
    unsigned changed = 0;
    for (const DType type : all_types()) {
        unsigned of_type = 0;
        results.clear();
        if (casts() == 0) {
            of_type = check_all(type, {});
            if (in_types(type, rule().types)) {
                EXPECT_GT(of_type, 0u) << rule().equation << " of " << bc::name_of(type) << " never happens";
                EXPECT_TRUE(results.contains(result_op()))
                    << rule().equation << " of " << bc::name_of(type) << " never wins";
            }
        } else {
            for (const DType inner : all_types()) {
                if (casts() == 1) {
                    of_type += check_all(type, {inner});
                    continue;
                }
                for (const DType outer : all_types()) of_type += check_all(type, {inner, outer});
            }
        }
        changed += of_type;
        if (HasFailure()) return;
    }
    EXPECT_GT(changed, 0u);
}

std::vector<std::size_t> rule_numbers() {
    std::vector<std::size_t> numbers(algebra_rules().size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
}

INSTANTIATE_TEST_SUITE_P(Optimizer, AlgebraRules, testing::ValuesIn(rule_numbers()),
                         [](const auto& info) { return std::string(algebra_rules()[info.param].name); });

/// y = x / s
Batch quotient(double scalar) {
    Batch batch;
    const Operand y = batch.array(4, Use::Live), x = batch.array(4, Use::Kept);
    batch.add(Op::div, batch.domain({4}), y, {x, batch.scalar(scalar)});
    return batch;
}

bool multiplies(const bc::Plan& plan) {
    return std::ranges::any_of(plan.kernels[0].ops, [](const bc::MicroOp& op) {
        return op.kind == bc::MicroOp::Kind::Compute && op.op == Op::mul;
    });
}

TEST(Algebra, APlanServesTheScalarsThatItsGuardsAllow) {
    PlanCache cache;
    const auto get = [&](double scalar) { return cache.get(quotient(scalar).program, {}); };
    const Planned two = get(2);
    EXPECT_EQ(two.made, 1u);
    EXPECT_TRUE(multiplies(*two.plan));
    EXPECT_EQ(get(0.25).made, 0u);
    EXPECT_EQ(get(-8).plan, two.plan);
    const Planned three = get(3);
    EXPECT_EQ(three.made, 1u) << "same structure and geometry, but the guard does not hold";
    EXPECT_FALSE(multiplies(*three.plan));
    EXPECT_EQ(get(0.0).plan, three.plan);
    EXPECT_EQ(get(16).made, 0u);
    EXPECT_EQ(cache.size(), 2u);
}

TEST(Algebra, AReusedPlanTakesTheScalarOfItsBatch) {
    PlanCache cache;
    const auto interp = be::make_interpreter(), openmp = be::make_openmp(1);
    for (const double scalar : {2.0, 4.0, 3.0, 0.5, 7.0}) {
        const Batch batch = quotient(scalar);
        const double input[] = {1, 3, -5, 1e300};
        Bytes bytes(sizeof(input));
        std::memcpy(bytes.data(), input, sizeof(input));
        const Planned planned = cache.get(batch.program, {});
        for (be::Backend* backend : {interp.get(), openmp.get()}) {
            const Bytes got =
                test::run_bytes(*planned.plan, batch.program, {{1, bytes}}, *backend, planned.geometry).bases[0];
            double output[4];
            std::memcpy(output, got.data(), sizeof(output));
            for (int i = 0; i < 4; ++i) EXPECT_EQ(output[i], input[i] / scalar);
        }
    }
}

/// t = -x; x = 1; y = -t: the second statement must not read the new x.
TEST(Algebra, AnOperandThatChangedMeanwhileIsNotReadAgain) {
    Batch batch;
    const std::uint32_t d = batch.domain({4});
    const Operand x = batch.array(4, Use::Kept), t = batch.temp();
    batch.add(Op::neg, d, t, {x});
    batch.add(Op::copy, d, x, {batch.scalar(1.0)});
    batch.add(Op::neg, d, batch.array(4, Use::Live), {t});
    ASSERT_EQ(bc::verify(batch.program), "");
    std::string after;
    PlanOptions options;
    options.dump = [&](std::string_view pass, const std::string& text) {
        if (pass == "algebra") after = text;
    };
    make_plan(batch.program, options);
    EXPECT_EQ(after, bc::print(batch.program));
}

/// x[1:] = -(-x[:-1]): without the temporary the statement would overlap its operand.
TEST(Algebra, RightSideFirstStays) {
    Batch batch;
    const std::uint32_t d = batch.domain({3}), x = batch.base(4, Use::Kept);
    const Operand t = batch.add(Op::neg, d, batch.temp(), {batch.view(x, 0, {{3, 1}})});
    batch.add(Op::neg, d, batch.view(x, 1, {{3, 1}}), {t});
    const double input[] = {1, 2, 3, 4}, expected[] = {1, 1, 2, 3};
    Bytes bytes(sizeof(input));
    std::memcpy(bytes.data(), input, sizeof(input));
    PlanOptions options;
    options.verify = true;
    const auto openmp = be::make_openmp(1);
    const Bytes got = test::run_bytes(make_plan(batch.program, options), batch.program, {{x, bytes}}, *openmp).bases[x];
    EXPECT_EQ(std::memcmp(got.data(), expected, sizeof(expected)), 0);
}

}  // namespace
}  // namespace xlazy::opt
