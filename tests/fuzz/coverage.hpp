// SPDX-License-Identifier: BSD-3-Clause
// What the random programs reached: every legal op x dtype, and every view kind x alias kind.
#pragma once

#include "fuzz/geometry.hpp"

#include <map>
#include <string>
#include <vector>

namespace xlazy::fuzz {

/// One legal combination of the op table.
struct OpCell {
    bc::Op op;
    bc::DType type;
    bc::DType result;
    bool masked;
    friend auto operator<=>(const OpCell&, const OpCell&) noexcept = default;
};
/// All of them, in the table's order.
const std::vector<OpCell>& op_cells();
std::string name_of(const OpCell& cell);

/// How an access lies to another one of the same base: `Own` to the output of the same statement (for reads),
/// the others to an earlier statement: read after write, write after read, write after write.
enum class AliasKind : std::uint8_t {
    Alone,
    OwnIdentical,
    OwnOverlap,
    OwnDisjoint,
    RawIdentical,
    RawOverlap,
    RawDisjoint,
    WarIdentical,
    WarOverlap,
    WarDisjoint,
    WawIdentical,
    WawOverlap,
    WawDisjoint,
    count_
};
std::string_view name_of(AliasKind kind);
/// The alias kind of an access to a view that lies as `relation` to another access.
AliasKind alias_of(bool own, bool write, bool other_write, bc::Relation relation);

struct AliasCell {
    ViewKind view;
    AliasKind alias;
    friend auto operator<=>(const AliasCell&, const AliasCell&) noexcept = default;
};
/// The combinations that a legal program can have.
const std::vector<AliasCell>& alias_cells();

class Coverage {
public:
    Coverage();
    void add(const bc::Program& program);
    /// Smallest count of all cells.
    std::uint64_t least() const;
    /// The two tables, counts in the order of the cells.
    std::string table() const;
    /// The cells with fewer than `wanted` hits, one a line.
    std::string missing(std::uint64_t wanted) const;

private:
    struct Access {
        Window window;
        std::uint32_t statement;
        bool write;
    };
    void add_access(const bc::Program& program, const Access& access, const std::vector<Access>& others);

    std::map<OpCell, std::uint64_t> ops_;
    std::map<AliasCell, std::uint64_t> aliases_;
};

}  // namespace xlazy::fuzz
