// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/bytecode/op.hpp"

namespace xlazy::bc {

bool op_from_name(std::string_view name, Op& op) noexcept {
    for (std::size_t i = 0; i < kOpCount; ++i) {
        if (kOps[i].name == name) {
            op = static_cast<Op>(i);
            return true;
        }
    }
    return false;
}

}  // namespace xlazy::bc
