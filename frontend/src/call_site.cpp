// SPDX-License-Identifier: BSD-3-Clause
#include "call_site.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <execinfo.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

namespace xlazy::rt {
namespace {

struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
};
template <class T>
using Allocated = std::unique_ptr<T, Free>;

struct EndSession {
    void operator()(Dwfl* session) const noexcept { dwfl_end(session); }
};
using Session = std::unique_ptr<Dwfl, EndSession>;

int no_further_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char**) {
    return -1;  // what is in the program and its libraries must do: libdw would ask servers for more
}

const Dwfl_Callbacks kCallbacks = {dwfl_linux_proc_find_elf, no_further_file, nullptr, nullptr};

Session open_session() {
    Session session(dwfl_begin(&kCallbacks));
    if (!session || dwfl_linux_proc_report(session.get(), getpid()) != 0) return nullptr;
    return dwfl_report_end(session.get(), nullptr, nullptr) == 0 ? std::move(session) : nullptr;
}

/// A mangled name in namespace xt, xtl, xlazy or std.
bool is_library_symbol(std::string_view name) noexcept {
    if (!name.starts_with("_Z")) return false;
    name.remove_prefix(2);
    if (name.starts_with("St")) return true;
    if (!name.starts_with("N")) return false;
    name.remove_prefix(1);
    while (name.starts_with("K") || name.starts_with("V") || name.starts_with("R") || name.starts_with("O")) {
        name.remove_prefix(1);
    }
    for (const std::string_view scope : {"St", "2xt", "3xtl", "5xlazy", "9__gnu_cxx"}) {
        if (name.starts_with(scope)) return true;
    }
    return false;
}

std::string demangled(const char* name) {
    int status = 0;
    const Allocated<char> text(abi::__cxa_demangle(name, nullptr, nullptr, &status));
    return status == 0 && text ? text.get() : name;
}

/// A place in the user's source.
struct Frame {
    std::string file;
    unsigned line = 0;
    std::string function;
};

/// Return addresses of one process, looked up.
class Stack {
public:
    explicit Stack(Dwfl* session) : session_(session), own_(module_at(reinterpret_cast<Dwarf_Addr>(&call_site))) {}

    /// The user's places that the address belongs to, from the innermost inlined function outwards.
    std::vector<Frame> frames_of(void* return_address) const {
        const Dwarf_Addr address = reinterpret_cast<Dwarf_Addr>(return_address) - 1;
        Dwfl_Module* const module = module_at(address);
        if (module == nullptr || module == own_) return {};
        if (std::optional<std::vector<Frame>> found = by_debug_information(module, address)) return *std::move(found);
        const char* const symbol = dwfl_module_addrname(module, address);
        if (symbol == nullptr || is_library_symbol(symbol)) return {};
        return {{"", 0, demangled(symbol)}};
    }

private:
    Dwfl_Module* module_at(Dwarf_Addr address) const { return dwfl_addrmodule(session_, address); }

    static std::optional<std::vector<Frame>> by_debug_information(Dwfl_Module* module, Dwarf_Addr address) {
        Dwarf_Addr bias = 0;
        Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias);
        Dwfl_Line* const source = dwfl_module_getsrc(module, address);
        if (unit == nullptr || source == nullptr) return std::nullopt;
        int number = 0;
        const char* const name = dwfl_lineinfo(source, nullptr, &number, nullptr, nullptr, nullptr);
        std::vector<Frame> frames;
        Frame* open = add_place(frames, name, number);

        Dwarf_Die* found = nullptr;
        if (dwarf_getscopes(unit, address - bias, &found) <= 0) return frames;
        const Allocated<Dwarf_Die> innermost(found);
        const int count = dwarf_getscopes_die(innermost.get(), &found);
        if (count <= 0) return frames;
        const Allocated<Dwarf_Die> scopes(found);
        Dwarf_Files* files = nullptr;
        std::size_t file_count = 0;
        if (dwarf_getsrcfiles(unit, &files, &file_count) != 0) return frames;
        for (int i = 0; i < count; ++i) {
            Dwarf_Die* const scope = scopes.get() + i;
            const int tag = dwarf_tag(scope);
            if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
            const char* const function = dwarf_diename(scope);
            if (open != nullptr && function != nullptr) open->function = function;
            if (tag == DW_TAG_subprogram) return frames;
            Dwarf_Attribute attribute;
            Dwarf_Word file = 0;
            Dwarf_Word line = 0;
            if (dwarf_formudata(dwarf_attr(scope, DW_AT_call_file, &attribute), &file) != 0 ||
                dwarf_formudata(dwarf_attr(scope, DW_AT_call_line, &attribute), &line) != 0) {
                return frames;
            }
            open = add_place(frames, dwarf_filesrc(files, file, nullptr, nullptr), static_cast<int>(line));
        }
        return frames;
    }

    /// @return the new frame, or null if the place is a library's
    static Frame* add_place(std::vector<Frame>& frames, const char* file, int line) {
        if (file == nullptr || line <= 0 || is_library_file(file)) return nullptr;
        return &frames.emplace_back(Frame{file, static_cast<unsigned>(line), ""});
    }

    Dwfl* session_;
    Dwfl_Module* own_;
};

/// Return addresses that have been looked up: a loop may fail at one call very often. Never destroyed.
struct Known {
    std::mutex mutex;
    std::unordered_map<void*, std::vector<Frame>> frames;

    /// @return false if the program's files cannot be looked at
    bool look_up(std::span<void* const> addresses) {
        Session session;
        std::optional<Stack> stack;
        for (void* const address : addresses) {
            if (frames.contains(address)) continue;
            if (!session) {
                session = open_session();
                if (!session) return false;
                stack.emplace(session.get());
            }
            frames.emplace(address, stack->frames_of(address));
        }
        return true;
    }
};
Known& known() {
    static auto* const one = new Known;
    return *one;
}

}  // namespace

bool is_library_file(std::string_view file) noexcept {
    if (file.starts_with("/usr/include/") || file.find("/include/c++/") != file.npos) return true;
    if (file.find("xlazy/detail/") != file.npos || file.find("xlazy/overlay/") != file.npos) return true;
    if (!file.ends_with(".hpp")) return false;
    for (const std::string_view folder : {"/xtensor/x", "/xtl/x", "/xtensor-blas/x"}) {
        const std::size_t at = file.rfind(folder);
        if (at != file.npos && file.find('/', at + folder.size()) == file.npos) return true;
    }
    return false;
}

bool is_unclear(bc::OriginId line) noexcept {
    const bc::Origin origin = bc::origin(line);
    return origin.line == 0 || is_library_file(origin.file);
}

std::mutex& call_site_mutex() noexcept { return known().mutex; }

bc::OriginId call_site(bc::OriginId otherwise) {
    constexpr int kDepth = 128;
    void* addresses[kDepth];
    const int count = backtrace(addresses, kDepth);
    Known& lookups = known();
    const std::lock_guard lock(lookups.mutex);
    for (int i = 0; i < count; ++i) {
        if (!lookups.look_up({addresses + i, 1})) return otherwise;
        const std::vector<Frame>& frames = lookups.frames.at(addresses[i]);
        if (!frames.empty())
            return bc::intern_origin_copy(frames.front().file, frames.front().line, frames.front().function);
    }
    return otherwise;
}

namespace {

/// Chains of return addresses, numbered. Never destroyed.
struct Chains {
    std::mutex mutex;
    std::map<std::vector<void*>, std::uint32_t> numbers;
    std::vector<const std::vector<void*>*> by_number;
};
Chains& chains() {
    static auto* const one = new Chains;
    return *one;
}

}  // namespace

std::uint32_t call_chain() noexcept {
    constexpr int kDepth = 64;
    constexpr std::size_t kMostChains = 1 << 16;
    void* addresses[kDepth];
    const int count = backtrace(addresses, kDepth);
    try {
        Chains& all = chains();
        const std::lock_guard lock(all.mutex);
        if (all.by_number.size() >= kMostChains) return 0;
        const auto [at, is_new] = all.numbers.try_emplace(std::vector<void*>(addresses, addresses + count),
                                                          static_cast<std::uint32_t>(all.by_number.size() + 1));
        if (is_new) all.by_number.push_back(&at->first);
        return at->second;
    } catch (const std::bad_alloc&) {
        return 0;  // the message does without
    }
}

std::vector<origin_info> callers_of(std::uint32_t chain) {
    constexpr std::size_t kMostCallers = 16;
    std::vector<void*> addresses;
    {
        const std::lock_guard lock(chains().mutex);
        if (chain == 0 || chain > chains().by_number.size()) return {};
        addresses = *chains().by_number[chain - 1];
    }
    std::vector<origin_info> callers;
    Known& lookups = known();
    const std::lock_guard lock(lookups.mutex);
    if (!lookups.look_up(addresses)) return {};
    for (void* const address : addresses) {
        for (const Frame& frame : lookups.frames.at(address)) {
            callers.push_back({frame.line == 0 ? "" : frame.file, frame.line, frame.function});
            if (callers.size() == kMostCallers || frame.function == "main") return callers;
        }
    }
    return callers;
}

}  // namespace xlazy::rt
