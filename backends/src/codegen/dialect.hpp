// SPDX-License-Identifier: BSD-3-Clause
// What differs between the languages that kernels are generated in. The emitter walks the micro-ops; a dialect knows
// types, the text of every op, how memory is read and written, and the loops around it all.
#pragma once

#include "codegen/kernel_form.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace xlazy::be {

/// Where a statement stands: it is computed as rarely as its operands permit.
enum class Scope : std::uint8_t { Kernel, Row, Element };

struct Statement {
    enum class Kind : std::uint8_t {
        Compute,  ///< `text` is an expression
        Load,     ///< from access `number`, along the layout
        Scalar,   ///< scalar `number`
        Index,    ///< coordinates of access `number`
        Store,    ///< `text`, the name of a value, to access `number`
        Fold,     ///< `text`, the name of a value, into the leaf that goes to access `number`, by `op`
        Scan,     ///< of `text`, the name of a value, by `op`; `number` is that of the scan
        Divisor,  ///< what quotients by `text`, the name of a value, have in common
        Look,     ///< is `text`, the name of a value, finite?
        Check,    ///< an op that can fail did so where `text`, a call, finds it; `number` is that of the trap
    };
    Kind kind;
    Scope scope;
    bc::DType type;
    unsigned number = 0;
    AccessForm form{};
    std::string name{};  ///< of the value that it makes
    std::string text{};
    bc::Op op{};
    bool before_scan = false;  ///< a scan, or what one is made of
};

/// An op that the code of a kernel needs, for a type of operands and of the result.
struct OpUse {
    bc::Op op;
    bc::DType type;
    bc::DType result;
    friend bool operator==(const OpUse&, const OpUse&) = default;
};

/// A kernel's code, but for the loops around it.
struct Body {
    std::vector<Statement> statements;
    std::vector<OpUse> ops;        ///< in the order of their first use
    std::vector<bc::DType> types;  ///< of values, ascending
    std::vector<HostCall> calls;
    unsigned accesses = 0;
    std::size_t work = 0;  ///< of an element, in plain operations
    Folding scanning = Folding::None;
};

/// Types of the parts of values that are looked at.
inline std::vector<bc::DType> types_looked_at(const Body& body) {
    std::vector<bc::DType> types;
    for (const Statement& each : body.statements) {
        if (each.kind != Statement::Kind::Look) continue;
        const bc::DType part = bc::real_of(each.type);
        if (std::ranges::find(types, part) == types.end()) types.push_back(part);
    }
    return types;
}

/// Types whose leaves generated code can fold or scan. All combine steps of reductions have an identity, which absent
/// values are.
constexpr bool can_fold(bc::DType type) noexcept { return !bc::is_complex(type); }

class Dialect {
public:
    virtual ~Dialect() = default;
    /// The host's routine that the op's text calls, if any.
    virtual std::optional<HostCall> call_of(const OpUse& use) const = 0;
    /// Are quotients by one divisor computed by what they have in common, quotient_T(a, divisor)? The kernel has that
    /// many other ops beside each of its divisions.
    virtual bool shares_divisors(bc::DType type, std::size_t beside) const = 0;
    /// The translation unit, without `calls`. @return nothing if the dialect lacks an op
    virtual std::optional<Source> unit(const Body& body, std::string_view name) const = 0;
};

}  // namespace xlazy::be
