// SPDX-License-Identifier: BSD-3-Clause
// GNU C on vectors of an instruction set's width, without headers: for any compiler that knows the GNU vector
// extensions. An iteration computes as many elements as the kernel's widest type has lanes, so that every value is one
// vector; narrower types have shorter ones. Elements that no whole vector holds, at a row's begin before its results
// are aligned and at its end, go through the same code in padded vectors.
#pragma once

#include "codegen/dialect.hpp"
#include "xlazy/backends/backend.hpp"

namespace xlazy::be {

/// What a generated function gets. The code has the same struct.
struct KernelArguments {
    struct Trap {
        std::int64_t index;  ///< of the first element that failed
        unsigned char operands[2][16];
    };
    struct Scan {
        std::byte* carry;         ///< gets what the leaf comes to, a row of values
        const std::byte* prefix;  ///< what the leaves before have come to; may be null
    };
    char* const* pointers;          ///< one an access: the stretch's first element, or its coordinate
    const std::int64_t* rows_step;  ///< one an access: bytes from row to row
    const std::int64_t* step;       ///< one an access: bytes from element to element
    const void* const* scalars;
    void* const* calls;  ///< in the order of Source::calls
    Trap* traps;
    std::int64_t rows, columns;
    std::int64_t position;      ///< of the first element in the domain
    const Scan* scans;          ///< each row is a leaf, or all rows are one
    std::int64_t only_totals;   ///< nothing is stored but what the leaves come to
    unsigned char* not_finite;  ///< becomes 1 where a value that is looked at is not finite; may be null
};
using KernelFunction = void (*)(const KernelArguments*);

class CpuDialect final : public Dialect {
public:
    explicit CpuDialect(Isa isa) noexcept : isa_(isa) {}
    std::optional<HostCall> call_of(const OpUse& use) const override;
    bool shares_divisors(bc::DType type, std::size_t beside) const override;
    std::optional<Source> unit(const Body& body, std::string_view name) const override;

private:
    Isa isa_;
};

/// Bytes of a vector.
int vector_bytes(Isa isa) noexcept;

}  // namespace xlazy::be
