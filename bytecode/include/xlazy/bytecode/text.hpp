// SPDX-License-Identifier: BSD-3-Clause
// The text form of a batch: print(parse(print(p))) == print(p), and parse gives back every table.
//
//     xlazy-bytecode 1
//     base b0 f64[100] init live
//     base b1 f64[100] live
//     view v0 b0 +0 (10,10):(10,1)
//     view v1 b1 +0 (10,10):(10,1)
//     scalar s0 f64 0x1p+1
//     domain d0 (10,10)
//     origin o1 "heat.cpp":12 "step"
//     mul.f64 t0 d0 v0 s0 @o1 #0
//     sum.f64 t1 d0 t0 axis=1 keep @o1 #0
//     cast.f64.i32 t2 d0 t0 @o1 #0
//     div.i32 v1 d0 t2 t2 mask=t3 @o1 #0
//
// One instruction a line: op.type[.result] out domain operands [axis=K [keep]] [mask=operand] @origin #statement.
// The result's type stands there if the op does not imply it. o0 is no origin; origins are numbered by first sight.
// "temps N" and "statements N" stand there if the counts are other than one more than the greatest number in use.
// Entries of a table are numbered from 0 in the order of the text and must precede their uses.
// Blank lines and lines that begin with ';' are skipped.
#pragma once

#include "xlazy/bytecode/program.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

namespace xlazy::bc {

/// A malformed text: what() is "line L, column C: what is wrong".
class ParseError : public std::runtime_error {
public:
    ParseError(std::size_t line, std::size_t column, const std::string& message);
    /// Counted from 1.
    std::size_t line() const noexcept { return line_; }
    /// Counted from 1, in bytes.
    std::size_t column() const noexcept { return column_; }

private:
    std::size_t line_, column_;
};

/// The text of a legal program.
std::string print(const Program& program);
/// One instruction for messages: as its line of the text, but with file:line for the origin, and without the line end.
std::string print(const Program& program, std::size_t instruction);

/// @throws ParseError
Program parse(std::string_view text);

}  // namespace xlazy::bc
