// SPDX-License-Identifier: BSD-3-Clause
// What a legal captured function is.
#include "xlazy/bytecode/function.hpp"
#include "xlazy/bytecode/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

namespace xlazy::bc {

std::int64_t Variable::byte_count() const noexcept {
    std::int64_t bytes = 0;
    const std::int64_t count = element_count(extents);
    const bool overflow = __builtin_mul_overflow(count, static_cast<std::int64_t>(size_of(type)), &bytes);
    return overflow ? std::numeric_limits<std::int64_t>::max() : bytes;
}

namespace {

constexpr std::int64_t kTooMany = std::numeric_limits<std::int64_t>::max();

bool enabled(DType type) noexcept { return type < DType::none && info(type).enabled; }
bool never_written(Role role) noexcept { return role == Role::Input || role == Role::Constant; }

std::string variable_fault(const Variable& v) {
    if (!enabled(v.type)) return "no kernels exist for its type";
    if (v.role > Role::Local) return "unknown role";
    if (v.extents.size() > kMaxRank) return fmt::format("rank {}", v.extents.size());
    if (std::ranges::any_of(v.extents, [](std::int64_t extent) { return extent < 0; })) return "a negative extent";
    const std::int64_t bytes = v.byte_count();
    if (bytes == kTooMany) return "too many elements";
    const bool valued = v.role == Role::Constant || v.role == Role::State;
    if (!valued) return v.value.empty() ? "" : "a value that nobody can see";
    if (v.value.size() != static_cast<std::size_t>(bytes))
        return fmt::format("a value of {} bytes, {} are needed", v.value.size(), bytes);
    const bool odd =
        v.type == DType::boolean && std::ranges::any_of(v.value, [](std::byte b) { return b > std::byte{1}; });
    return odd ? "a bool is 0 or 1" : "";
}

/// Variables that have a value behind a part of the function, and those that have none whatever they had before.
struct Effect {
    std::unordered_set<std::uint32_t> made, lost;

    void then(const Effect& next) {
        for (const std::uint32_t v : next.lost) {
            made.erase(v);
            lost.insert(v);
        }
        for (const std::uint32_t v : next.made) {
            lost.erase(v);
            made.insert(v);
        }
    }
};

class Checker {
public:
    explicit Checker(const Function& f) : f_(f), has_value_(f.variables.size()) {
        for (std::size_t i = 0; i < has_value_.size(); ++i) has_value_[i] = f.variables[i].role != Role::Local;
    }

    std::string run() {
        std::string fault = tables_fault();
        for (std::size_t i = 0; i < f_.segments.size() && fault.empty(); ++i) {
            fault = segment_fault(f_.segments[i]);
            if (!fault.empty()) return fmt::format("g{}: {}", i, fault);
            effects_.push_back(effect_of(f_.segments[i]));
        }
        if (fault.empty()) fault = nodes_fault(f_.body, 0, 0);
        return fault.empty() ? end_fault() : fault;
    }

private:
    std::string tables_fault() const {
        for (std::size_t i = 0; i < f_.arguments.size(); ++i) {
            const ScalarArgument& argument = f_.arguments[i];
            if (!enabled(argument.type)) return fmt::format("a{}: no kernels exist for its type", i);
            if (argument.only && argument.only->type != argument.type)
                return fmt::format("a{}: its only value is of another type", i);
        }
        std::size_t inputs = 0;
        for (std::size_t i = 0; i < f_.variables.size(); ++i) {
            const std::string fault = variable_fault(f_.variables[i]);
            if (!fault.empty()) return fmt::format("x{}: {}", i, fault);
            inputs += f_.variables[i].role == Role::Input ? 1 : 0;
        }
        std::unordered_set<std::uint32_t> seen;
        for (const std::uint32_t input : f_.inputs) {
            if (input >= f_.variables.size() || f_.variables[input].role != Role::Input)
                return fmt::format("inputs: x{} is no input", input);
            if (!seen.insert(input).second) return fmt::format("inputs: x{} occurs twice", input);
        }
        if (inputs != seen.size()) return fmt::format("{} inputs in the list, {} variables", seen.size(), inputs);
        for (const std::uint32_t output : f_.outputs) {
            if (output >= f_.variables.size()) return fmt::format("outputs: there is no x{}", output);
        }
        return {};
    }

    std::string segment_fault(const Segment& segment) const {
        const Program& batch = segment.batch;
        if (batch.instructions.empty()) return "the batch has no instruction";
        const std::string fault = verify(batch, Strictness::Recorded);
        if (!fault.empty()) return fault;
        if (segment.variables.size() != batch.bases.size())
            return fmt::format("{} variables for {} bases", segment.variables.size(), batch.bases.size());
        std::unordered_set<std::uint32_t> seen;
        for (std::size_t b = 0; b < batch.bases.size(); ++b) {
            const std::uint32_t index = segment.variables[b];
            if (index >= f_.variables.size()) return fmt::format("there is no x{}", index);
            if (!seen.insert(index).second) return fmt::format("x{} occurs twice", index);
            const Variable& variable = f_.variables[index];
            if (batch.bases[b].type != variable.type || batch.bases[b].size != element_count(variable.extents))
                return fmt::format("b{} is not of the type and size of x{}", b, index);
            if (never_written(variable.role) && !batch.bases[b].live)
                return fmt::format("x{} keeps its value, but b{} is not live", index, b);
        }
        for (const Instruction& instruction : batch.instructions) {
            if (!instruction.out.is_view()) continue;
            const std::uint32_t index = segment.variables[batch.views[instruction.out.index()].base];
            if (never_written(f_.variables[index].role))
                return fmt::format("x{} is written ({})", index,
                                   f_.variables[index].role == Role::Input ? "an input" : "a constant");
        }
        return bindings_fault(segment);
    }

    std::string bindings_fault(const Segment& segment) const {
        std::unordered_set<std::uint32_t> seen;
        if (segment.draws > segment.batch.scalars.size())
            return fmt::format("{} draws, but fewer scalars", segment.draws);
        for (const ScalarBinding& binding : segment.scalars) {
            if (binding.scalar >= segment.batch.scalars.size())
                return fmt::format("bind: there is no s{}", binding.scalar);
            if (!seen.insert(binding.scalar).second) return fmt::format("bind: s{} occurs twice", binding.scalar);
            const DType type = segment.batch.scalars[binding.scalar].type;
            const std::string fault = binding_fault(segment, binding, type);
            if (!fault.empty()) return fmt::format("bind s{}: {}", binding.scalar, fault);
        }
        return {};
    }

    std::string binding_fault(const Segment& segment, const ScalarBinding& binding, DType type) const {
        using Kind = ScalarBinding::Kind;
        if (binding.kind != Kind::RandomStream && binding.offset != 0) return "an offset that nobody uses";
        switch (binding.kind) {
            case Kind::Argument:
                return binding.number < f_.arguments.size() ? "" : fmt::format("there is no a{}", binding.number);
            case Kind::Iteration: return binding.number < kMaxNesting ? "" : "too many loops";
            case Kind::RandomKey:
            case Kind::RandomStream:
                if (type != DType::u64) return fmt::format("{}, not u64", name_of(type));
                return binding.number < segment.draws ? "" : fmt::format("there is no draw {}", binding.number);
        }
        return "unknown kind";
    }

    static Effect effect_of(const Segment& segment) {
        Effect effect;
        std::vector<bool> written(segment.batch.bases.size());
        for (const Instruction& instruction : segment.batch.instructions) {
            if (instruction.out.is_view()) written[segment.batch.views[instruction.out.index()].base] = true;
        }
        for (std::size_t b = 0; b < written.size(); ++b) {
            if (!segment.batch.bases[b].live)
                effect.lost.insert(segment.variables[b]);
            else if (written[b])
                effect.made.insert(segment.variables[b]);
        }
        return effect;
    }

    Effect effect_of(const std::vector<Node>& nodes, unsigned depth) const {
        Effect all;
        if (depth > kMaxNesting) return all;  // refused elsewhere
        for (const Node& node : nodes) {
            if (node.kind == Node::Kind::Run) {
                if (node.segment < effects_.size()) all.then(effects_[node.segment]);
                continue;
            }
            all.then(effect_of(node.head, depth + 1));
            all.then(perhaps(node, depth + 1));
        }
        return all;
    }

    /// Of what runs once or not at all, or of one of two ways.
    Effect perhaps(const Node& node, unsigned depth) const {
        Effect one = effect_of(node.body, depth), other = effect_of(node.otherwise, depth);
        if (node.kind == Node::Kind::While) one.then(effect_of(node.head, depth));
        std::erase_if(one.made, [&](std::uint32_t v) { return !other.made.contains(v); });
        one.lost.merge(other.lost);
        return one;
    }

    void apply(const Effect& effect) {
        for (const std::uint32_t v : effect.lost) has_value_[v] = false;
        for (const std::uint32_t v : effect.made) has_value_[v] = true;
    }

    /// @param loops around the nodes
    std::string nodes_fault(const std::vector<Node>& nodes, unsigned depth, unsigned loops) {
        if (depth > kMaxNesting) return fmt::format("more than {} blocks inside each other", kMaxNesting);
        for (const Node& node : nodes) {
            const std::string fault = node_fault(node, depth, loops);
            if (!fault.empty()) return fault;
        }
        return {};
    }

    std::string node_fault(const Node& node, unsigned depth, unsigned loops) {
        switch (node.kind) {
            case Node::Kind::Run: return run_fault(node.segment, loops);
            case Node::Kind::Repeat: return repeat_fault(node, depth, loops);
            case Node::Kind::While: return while_fault(node, depth, loops);
            case Node::Kind::Branch: return branch_fault(node, depth, loops);
        }
        return "a node of unknown kind";
    }

    std::string run_fault(std::uint32_t index, unsigned loops) {
        if (index >= f_.segments.size()) return fmt::format("run: there is no g{}", index);
        const Segment& segment = f_.segments[index];
        for (std::size_t b = 0; b < segment.variables.size(); ++b) {
            const std::uint32_t variable = segment.variables[b];
            if (segment.batch.bases[b].initialised && !has_value_[variable])
                return fmt::format("run g{}: x{} has no value", index, variable);
        }
        for (const ScalarBinding& binding : segment.scalars) {
            if (binding.kind == ScalarBinding::Kind::Iteration && binding.number >= loops)
                return fmt::format("run g{}: s{} counts a loop that is not there", index, binding.scalar);
        }
        apply(effects_[index]);
        return {};
    }

    std::string condition_fault(std::uint32_t condition) const {
        if (condition >= f_.variables.size()) return fmt::format("there is no condition x{}", condition);
        const Variable& variable = f_.variables[condition];
        if (variable.type != DType::boolean || element_count(variable.extents) != 1)
            return fmt::format("the condition x{} is not one bool", condition);
        return has_value_[condition] ? "" : fmt::format("the condition x{} has no value", condition);
    }

    /// What runs a second time finds what the first time has left.
    void forget_lost(const Effect& of_one_round) {
        for (const std::uint32_t v : of_one_round.lost) has_value_[v] = false;
    }

    std::string repeat_fault(const Node& node, unsigned depth, unsigned loops) {
        if (node.argument != kNoIndex) {
            if (node.argument >= f_.arguments.size()) return fmt::format("repeat: there is no a{}", node.argument);
            if (!is_integer(f_.arguments[node.argument].type))
                return fmt::format("repeat: a{} is no integer", node.argument);
        }
        forget_lost(effect_of(node.body, depth + 1));
        const std::vector<bool> before = has_value_;
        const std::string fault = nodes_fault(node.body, depth + 1, loops + 1);
        has_value_ = before;  // it may run not at all
        return fault;
    }

    std::string while_fault(const Node& node, unsigned depth, unsigned loops) {
        Effect round = effect_of(node.head, depth + 1);
        round.then(effect_of(node.body, depth + 1));
        forget_lost(round);
        std::string fault = nodes_fault(node.head, depth + 1, loops + 1);
        if (fault.empty()) fault = condition_fault(node.condition);
        const std::vector<bool> before = has_value_;
        if (fault.empty()) fault = nodes_fault(node.body, depth + 1, loops + 1);
        has_value_ = before;
        return fault;
    }

    std::string branch_fault(const Node& node, unsigned depth, unsigned loops) {
        std::string fault = condition_fault(node.condition);
        const std::vector<bool> before = has_value_;
        if (fault.empty()) fault = nodes_fault(node.body, depth + 1, loops);
        std::vector<bool> one = std::exchange(has_value_, before);
        if (fault.empty()) fault = nodes_fault(node.otherwise, depth + 1, loops);
        for (std::size_t i = 0; i < one.size(); ++i) has_value_[i] = has_value_[i] && one[i];
        return fault;
    }

    std::string end_fault() const {
        for (std::size_t i = 0; i < has_value_.size(); ++i) {
            if (f_.variables[i].role == Role::State && !has_value_[i])
                return fmt::format("the state x{} has no value at the end", i);
        }
        for (const std::uint32_t output : f_.outputs) {
            if (!has_value_[output]) return fmt::format("the output x{} has no value at the end", output);
        }
        return {};
    }

    const Function& f_;
    std::vector<Effect> effects_;  ///< of the segments
    std::vector<bool> has_value_;
};

}  // namespace

std::string verify(const Function& function) { return Checker(function).run(); }

}  // namespace xlazy::bc
