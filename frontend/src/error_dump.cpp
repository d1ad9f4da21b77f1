// SPDX-License-Identifier: BSD-3-Clause
#include "error_dump.hpp"

#include "base_access.hpp"
#include "env.hpp"
#include "log.hpp"
#include "npy.hpp"
#include "xlazy/bytecode/text.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace xlazy::rt {
namespace {

constexpr int kMostDumps = 8;
constexpr std::size_t kMostBytes = std::size_t{16} << 20;  ///< of one input
constinit std::atomic<int> dumps{0};

void write_file(const std::filesystem::path& file, std::string_view start, std::string_view rest = {}) {
    std::ofstream out(file, std::ios::binary);
    out << start << rest;
    if (!out.flush()) throw std::runtime_error(file.string() + " cannot be written");
}

std::string_view text_of(const std::vector<std::byte>& bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

namespace {

/// A value that was lost with its device is none.
bool on_host(Base& base) {
    try {
        be::bring_to_host(BaseAccess::memory(base));
        return true;
    } catch (const be::DeviceError&) {
        return false;
    }
}

}  // namespace

ErrorDump::ErrorDump(const Queue& queue) {
    wanted_ = !settings().dump_on_error.empty() && dumps.load(std::memory_order_relaxed) < kMostDumps;
    if (!wanted_) return;
    for (std::uint32_t i = 0; i < queue.uses.size(); ++i) {
        const auto* const memory = static_cast<const std::byte*>(BaseAccess::memory(*queue.uses[i].base));
        const std::size_t bytes = byte_size(*queue.uses[i].base);
        if (memory == nullptr || bytes > kMostBytes || !on_host(*queue.uses[i].base))
            left_out_ += memory == nullptr ? 0 : 1;
        else
            inputs_.push_back({i, {memory, memory + bytes}});
    }
}

void ErrorDump::write(const Queue& queue, const deferred_error& error) const noexcept {
    if (!wanted_) return;
    const int number = dumps.fetch_add(1, std::memory_order_relaxed);
    if (number >= kMostDumps) return;
    try {
        std::string folder = settings().dump_on_error;
        if (number != 0) folder += fmt::format("-{}", number + 1);
        const std::filesystem::path path(folder);
        std::filesystem::create_directories(path);
        write_file(path / "batch.txt", bc::print(queue.program));
        for (const Input& input : inputs_) {
            const Base& base = *queue.uses[input.base].base;
            write_file(path / fmt::format("batch.txt.b{}.npy", input.base), npy_header(base.dtype(), base.size()),
                       text_of(input.bytes));
        }
        write_file(path / "message.txt", error.what(), "\n");
        std::string text = fmt::format(
            "an error, its batch and inputs are in {}; \"xlazy-run-bytecode {}\" has it again", folder, folder);
        if (left_out_ != 0) text += fmt::format(" ({} large inputs are left out)", left_out_);
        log(text);
    } catch (const std::exception& problem) {
        log(fmt::format("warning: XLAZY_DUMP_ON_ERROR: {}", problem.what()));
    }
}

}  // namespace xlazy::rt
