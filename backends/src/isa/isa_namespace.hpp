// SPDX-License-Identifier: BSD-3-Clause
// Inline functions that loops call are compiled once an instruction set, and the linker would merge the copies: a
// machine could then be given code that it cannot run. So each copy lies in an inline namespace of its own.
#pragma once

#ifndef XLAZY_ISA
#define XLAZY_ISA portable
#endif
