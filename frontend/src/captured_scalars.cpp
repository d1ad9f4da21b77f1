// SPDX-License-Identifier: BSD-3-Clause
#include "captured_scalars.hpp"

#include "base_access.hpp"
#include "xlazy/bytecode/scalar_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace xlazy::rt {
namespace {

using bc::Scalar;

/// Another value of the type, not far away.
Scalar other_value(const Scalar& scalar) {
    const bc::DTypeKind kind = bc::info(scalar.type).kind;
    if (scalar.type == bc::DType::boolean) return bc::make_scalar(!bc::scalar_value<bool>(scalar));
    if (kind == bc::DTypeKind::Int || kind == bc::DTypeKind::UInt) {
        const auto value = bc::scalar_value<std::int64_t>(bc::convert_scalar(scalar, bc::DType::i64));
        const Scalar next = bc::convert_scalar(
            bc::make_scalar(static_cast<std::int64_t>(static_cast<std::uint64_t>(value) + 1)), scalar.type);
        return next;
    }
    const double value = bc::scalar_value<double>(bc::convert_scalar(scalar, bc::DType::f64));
    const double other = value == 0 || !std::isfinite(value) ? 0.3125 : value * 1.0078125;
    return bc::convert_scalar(bc::make_scalar(other), scalar.type);
}

/// Values on which decisions often turn: signs, sizes, fractions. Integers may be indices: they do not go far.
/// @param number which of them; arguments that change together do not all get the same one
Scalar special_value(const Scalar& scalar, std::size_t number) {
    const bc::DTypeKind kind = bc::info(scalar.type).kind;
    if (scalar.type == bc::DType::boolean) return bc::make_scalar(number % 2 == 0);
    if (kind == bc::DTypeKind::Int || kind == bc::DTypeKind::UInt) {
        const auto value = bc::scalar_value<std::uint64_t>(bc::convert_scalar(scalar, bc::DType::u64));
        const std::uint64_t near[] = {0, value + 2, 1, value == 0 ? value : value - 1};
        return bc::convert_scalar(bc::make_scalar(near[number % std::size(near)]), scalar.type);
    }
    const double value = bc::scalar_value<double>(bc::convert_scalar(scalar, bc::DType::f64));
    const double values[] = {0,      1e9,    -1e9,   -value, value * 0.5, value * 2, 1e-9, 0.0625,
                             0.1875, 0.3125, 0.5625, 0.6875, 0.9375,      1.5,       3,    30};
    return bc::convert_scalar(bc::make_scalar(values[number % std::size(values)]), scalar.type);
}
constexpr std::size_t kSpecialValues = 16;

bool same_nodes(const std::vector<bc::Node>& a, const std::vector<bc::Node>& b) {
    return std::ranges::equal(a, b, [](const bc::Node& x, const bc::Node& y) {
        return x.kind == y.kind && x.segment == y.segment && x.condition == y.condition && same_nodes(x.head, y.head) &&
               same_nodes(x.body, y.body) && same_nodes(x.otherwise, y.otherwise);
    });
}

bool same_views(const bc::Program& a, const bc::Program& b) {
    return a.dims == b.dims && a.extents == b.extents &&
           std::ranges::equal(a.views, b.views,
                              [](const bc::View& x, const bc::View& y) {
                                  return x.base == y.base && x.rank == y.rank && x.dims_begin == y.dims_begin &&
                                         x.offset == y.offset;
                              }) &&
           std::ranges::equal(a.domains, b.domains, [](const bc::Domain& x, const bc::Domain& y) {
               return x.rank == y.rank && x.extents_begin == y.extents_begin;
           });
}

bool same_batch(const bc::Program& a, const bc::Program& b) {
    const bool instructions =
        a.instructions.size() == b.instructions.size() &&
        (a.instructions.empty() || std::memcmp(a.instructions.data(), b.instructions.data(),
                                               a.instructions.size() * sizeof(bc::Instruction)) == 0);
    return instructions && a.origins == b.origins && same_views(a, b) && a.temp_count == b.temp_count &&
           std::ranges::equal(a.scalars, b.scalars, {}, &Scalar::type, &Scalar::type) &&
           std::ranges::equal(a.bases, b.bases, [](const bc::BaseInfo& x, const bc::BaseInfo& y) {
               return x.type == y.type && x.initialised == y.initialised && x.live == y.live && x.size == y.size;
           });
}

bool same_constants(const TracedFunction& a, const TracedFunction& b) {
    return std::ranges::equal(a.constants, b.constants, [](const auto& x, const auto& y) {
        return x.first == y.first && x.second.get()->size() == y.second.get()->size() &&
               std::memcmp(BaseAccess::memory(*x.second.get()), BaseAccess::memory(*y.second.get()),
                           byte_size(*x.second.get())) == 0;
    });
}

/// Equal but for scalars and how often bodies run.
bool same_structure(const TracedFunction& a, const TracedFunction& b) {
    const bc::Function &f = a.function, &g = b.function;
    const bool segments = std::ranges::equal(f.segments, g.segments, [](const bc::Segment& x, const bc::Segment& y) {
        return x.variables == y.variables && x.draws == y.draws && same_batch(x.batch, y.batch);
    });
    const bool variables =
        std::ranges::equal(f.variables, g.variables, [](const bc::Variable& x, const bc::Variable& y) {
            return x.type == y.type && x.role == y.role && x.extents == y.extents;
        });
    const bool outer = std::ranges::equal(a.outer, b.outer, [](const OuterArray& x, const OuterArray& y) {
        return x.variable == y.variable && x.written == y.written && x.array->identity() == y.array->identity();
    });
    return segments && variables && outer && f.inputs == g.inputs && f.outputs == g.outputs && a.outputs == b.outputs &&
           same_nodes(f.body, g.body) && same_constants(a, b);
}

/// Finds arguments in the slots of two recordings that differ in nothing else.
class Comparison {
public:
    Comparison(std::span<const Scalar> mine, std::span<const Scalar> others, const std::vector<bool>& varied)
        : mine_(mine), others_(others), varied_(varied) {}

    /// @return false: a slot differs that is no argument
    bool slots(const bc::Segment& a, const bc::Segment& b, std::vector<bc::ScalarBinding>& found) const {
        for (std::uint32_t slot = 0; slot < a.batch.scalars.size(); ++slot) {
            const Scalar &x = a.batch.scalars[slot], &y = b.batch.scalars[slot];
            if (bc::same_scalar(x, y)) continue;
            const std::uint32_t argument = argument_of(x, y);
            if (argument == bc::kNoIndex) return false;
            found.push_back({bc::ScalarBinding::Kind::Argument, slot, argument, 0});
        }
        return true;
    }
    bool counts(std::vector<bc::Node>& a, const std::vector<bc::Node>& b) const {
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (!counts(a[i].head, b[i].head) || !counts(a[i].body, b[i].body) ||
                !counts(a[i].otherwise, b[i].otherwise))
                return false;
            if (a[i].times == b[i].times) continue;
            const std::uint32_t argument = argument_of(bc::make_scalar(a[i].times), bc::make_scalar(b[i].times));
            if (argument == bc::kNoIndex || !bc::is_integer(mine_[argument].type)) return false;
            a[i].argument = argument;
        }
        return true;
    }

private:
    std::uint32_t argument_of(const Scalar& x, const Scalar& y) const {
        for (std::uint32_t i = 0; i < mine_.size(); ++i) {
            if (varied_[i] && bc::same_scalar(bc::convert_scalar(mine_[i], x.type), x) &&
                bc::same_scalar(bc::convert_scalar(others_[i], y.type), y))
                return i;
        }
        return bc::kNoIndex;
    }

    std::span<const Scalar> mine_, others_;
    const std::vector<bool>& varied_;
};

/// With other numbers a recording is the same one but for what is bound to them.
class Confirmation {
public:
    Confirmation(std::span<const Scalar> scalars, const TracedFunction& other) : scalars_(scalars), other_(other) {}

    bool slots(const TracedFunction& traced, const std::vector<std::vector<bc::ScalarBinding>>& bindings) const {
        for (std::size_t s = 0; s < bindings.size(); ++s) {
            std::vector<Scalar> expected = traced.function.segments[s].batch.scalars;
            for (const bc::ScalarBinding& bound : bindings[s])
                expected[bound.scalar] = bc::convert_scalar(scalars_[bound.number], expected[bound.scalar].type);
            if (!std::ranges::equal(expected, other_.function.segments[s].batch.scalars, bc::same_scalar)) return false;
        }
        return true;
    }
    bool counts(const std::vector<bc::Node>& bound) const { return counts(bound, other_.function.body); }

private:
    bool counts(const std::vector<bc::Node>& a, const std::vector<bc::Node>& b) const {
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (!counts(a[i].head, b[i].head) || !counts(a[i].body, b[i].body) ||
                !counts(a[i].otherwise, b[i].otherwise))
                return false;
            const Scalar times = a[i].argument == bc::kNoIndex
                                     ? bc::make_scalar(a[i].times)
                                     : bc::convert_scalar(scalars_[a[i].argument], bc::make_scalar(a[i].times).type);
            if (!bc::same_scalar(times, bc::make_scalar(b[i].times))) return false;
        }
        return true;
    }

    std::span<const Scalar> scalars_;
    const TracedFunction& other_;
};

/// What is recorded with other numbers, or nothing if it is another function then.
std::optional<TracedFunction> probe(const TracedFunction& traced, std::span<const Scalar> scalars,
                                    const std::function<TracedFunction(std::span<const Scalar>)>& trace) {
    try {
        TracedFunction other = trace(scalars);
        if (same_structure(traced, other)) return other;
    } catch (const std::exception&) {
        // With such numbers the function does not run to its end.
    }
    return std::nullopt;
}

struct Bindings {
    std::vector<std::vector<bc::ScalarBinding>> segments;
    std::vector<bc::Node> body;
};

std::optional<Bindings> bindings_of(const TracedFunction& traced, std::span<const Scalar> scalars,
                                    const std::vector<bool>& varied,
                                    const std::function<TracedFunction(std::span<const Scalar>)>& trace) {
    std::vector<Scalar> others(scalars.begin(), scalars.end());
    for (std::size_t i = 0; i < others.size(); ++i) {
        if (!varied[i]) continue;
        for (std::size_t n = 0; n <= i; ++n) others[i] = other_value(others[i]);
    }
    const std::optional<TracedFunction> other = probe(traced, others, trace);
    if (!other) return std::nullopt;
    Bindings bindings{{}, traced.function.body};
    const Comparison comparison(scalars, others, varied);
    for (std::size_t s = 0; s < traced.function.segments.size(); ++s) {
        if (!comparison.slots(traced.function.segments[s], other->function.segments[s],
                              bindings.segments.emplace_back()))
            return std::nullopt;
    }
    if (!comparison.counts(bindings.body, other->function.body)) return std::nullopt;
    for (std::size_t number = 0; number < kSpecialValues; ++number) {
        std::vector<Scalar> special(scalars.begin(), scalars.end());
        for (std::size_t i = 0; i < special.size(); ++i) {
            if (varied[i]) special[i] = special_value(special[i], number + 5 * i);
        }
        const std::optional<TracedFunction> again = probe(traced, special, trace);
        if (!again) return std::nullopt;
        const Confirmation confirmation(special, *again);
        if (!confirmation.slots(traced, bindings.segments) || !confirmation.counts(bindings.body)) return std::nullopt;
    }
    return bindings;
}

}  // namespace

std::vector<std::optional<Scalar>> bind_scalars(TracedFunction& traced, std::span<const Scalar> scalars,
                                                const std::vector<bool>& decided,
                                                const std::function<TracedFunction(std::span<const Scalar>)>& trace) {
    bc::Function& function = traced.function;
    for (std::size_t i = 0; i < scalars.size(); ++i)
        function.arguments.push_back({scalars[i].type, fmt::format("a{}", i)});
    std::vector<std::optional<Scalar>> fixed(scalars.size());
    if (scalars.empty()) return fixed;
    std::vector<bool> varied = decided;
    varied.flip();
    std::optional<Bindings> bindings = bindings_of(traced, scalars, varied, trace);
    if (!bindings) {
        // At least one of them decides something: each by itself.
        for (std::size_t i = 0; i < scalars.size(); ++i) {
            std::vector<bool> one(scalars.size(), false);
            if (!varied[i]) continue;
            one[i] = true;
            varied[i] = bindings_of(traced, scalars, one, trace).has_value();
        }
        bindings = bindings_of(traced, scalars, varied, trace);
        if (!bindings) varied.assign(scalars.size(), false);
    }
    for (std::size_t i = 0; i < scalars.size(); ++i) {
        if (!varied[i]) fixed[i] = scalars[i];
    }
    if (!bindings) return fixed;
    for (std::size_t s = 0; s < function.segments.size(); ++s) {
        std::vector<bc::ScalarBinding>& all = function.segments[s].scalars;
        all.insert(all.end(), bindings->segments[s].begin(), bindings->segments[s].end());
    }
    function.body = std::move(bindings->body);
    return fixed;
}

}  // namespace xlazy::rt
