// SPDX-License-Identifier: BSD-3-Clause
// Relocatable x86-64 object files become callable code, without linker, dynamic loader or file: some 20 us instead of
// 100 us and more for dlopen, and a cache on a file system without execution does not matter.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xlazy::be::jit {

/// Code in memory, executable and not writable; freed with the object.
class Module {
public:
    ~Module();
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    /// @return the address of a global function or object, nullptr if there is none of that name
    void* symbol(std::string_view name) const noexcept;
    template <typename Function>
    Function* function(std::string_view name) const noexcept {
        return reinterpret_cast<Function*>(symbol(name));
    }
    std::size_t bytes() const noexcept { return bytes_; }

private:
    friend struct ModuleBuilder;
    Module() = default;
    std::byte* memory_ = nullptr;
    std::size_t bytes_ = 0;
    std::vector<std::pair<std::string, void*>> symbols_;
};

/// Addresses of what an object refers to and does not define; nullptr: unknown.
using SymbolResolver = std::function<void*(const char* name)>;
/// What this library and the process have: the C library, the mathematical library.
void* resolve_in_process(const char* name);

struct LoadResult {
    std::shared_ptr<const Module> module;  ///< null: failed
    std::string error;
};
/// Checks every offset and index: damaged objects are refused, never followed.
LoadResult load_object(std::span<const std::byte> object, const SymbolResolver& resolve = resolve_in_process);

}  // namespace xlazy::be::jit
