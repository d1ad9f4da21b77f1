// SPDX-License-Identifier: BSD-3-Clause
// What tools/xlazy-gdb.py cannot learn from the debug information of a user's program: where things lie in memory.
// It reads, and calls nothing: a program may be stopped anywhere, or be a core file.
#include "queue.hpp"

extern "C" {

/// One word each: address of the origins' chunks, origins of the first chunk (each chunk has twice as many as the one
/// before), bytes of an origin (file, line, function); offset of a queue's uses (begin and end of an array), bytes of a
/// use, and the offset of the origin of its last write (its base comes first).
[[gnu::visibility("default")]] std::uintptr_t xlazy_debugger_layout[6] = {};
}

namespace xlazy::rt {

namespace {

/// At load: a debugger may look at arrays before the first statement is recorded.
[[maybe_unused]] const bool described = [] {
    const Queue queue;
    const BaseUse use{};
    const auto distance = [](const void* from, const void* to) {
        return reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
    };
    xlazy_debugger_layout[0] = reinterpret_cast<std::uintptr_t>(bc::origin_chunks());
    xlazy_debugger_layout[1] = bc::kFirstOriginChunk;
    xlazy_debugger_layout[2] = sizeof(bc::Origin);
    xlazy_debugger_layout[3] = distance(&queue, &queue.uses);
    xlazy_debugger_layout[4] = sizeof(BaseUse);
    xlazy_debugger_layout[5] = distance(&use, &use.written_at);
    return true;
}();

}  // namespace

}  // namespace xlazy::rt
