// SPDX-License-Identifier: BSD-3-Clause
// From interpreted to compiled: every kernel that runs is looked up here, counted, and compiled when it is worth it.
// What was compiled is never given back, so that a run never waits for, or loses, its code.
#pragma once

#include "codegen/cpu_dialect.hpp"
#include "xlazy/backends/jit.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace xlazy::be::jit {

/// Callable code of one kernel.
struct Code {
    KernelFunction function;
    std::vector<void*> calls;           ///< the host's routines, KernelArguments::calls
    std::shared_ptr<const void> owner;  ///< of the memory that it lies in
};

/// A kernel whose operands lie in a certain way, on one instruction set. Lives as long as the process.
class Variant {
public:
    Variant(const bc::Kernel& kernel, std::vector<AccessForm> accesses, Folding scanning, bool looks, Isa isa,
            std::string subject);
    Variant(const Variant&) = delete;
    Variant& operator=(const Variant&) = delete;

    /// Its code, if it is there.
    const Code* code() const noexcept { return code_.load(std::memory_order_acquire); }
    const KernelForm& form() const noexcept { return form_; }
    Isa isa() const noexcept { return isa_; }

private:
    friend struct Tiers;
    enum class State : std::uint8_t { Interpreted, Queued, Compiled, Refused };

    bc::Kernel kernel_;  ///< a copy: plans come and go
    KernelForm form_;
    Isa isa_;
    std::string subject_;  ///< the operations and the user's lines that it was met for first
    std::mutex making_;
    std::atomic<State> state_{State::Interpreted};
    std::atomic<const Code*> code_{nullptr};
    std::atomic<std::int64_t> runs_{0}, elements_{0};
};

/// The variant for a kernel with operands of that form. At most kMaxVariants are made of a kernel on an instruction
/// set: the last one reads and writes all operands by strides, and serves every form.
/// @param looks code that looks whether values are finite
/// @param program whose lines messages name; may be null
/// @return null where the JIT is off
Variant* find_variant(const bc::Kernel& kernel, std::span<const AccessForm> accesses, Folding scanning = Folding::None,
                      bool looks = false, const bc::Program* program = nullptr);
inline constexpr std::size_t kMaxVariants = 3;

/// Counts a run on so many elements. @return the code that it is to use, or null
const Code* code_for_run(Variant& variant, std::int64_t elements);

/// A translation unit.
struct Unit {
    std::string text;
    Isa isa;
    bool cxx = false;       ///< C++, else C
    bool many = false;      ///< of many kernels: optimised less
    std::string subject{};  ///< for messages
};
struct Built {
    std::shared_ptr<const void> owner;              ///< null: failed
    std::function<void*(const std::string&)> find;  ///< a function by its name
    bool loaded = false;                            ///< from the cache on disk
    std::string error;
};
/// What turns a translation unit into code.
using Builder = std::function<Built(const Unit& unit, std::stop_token stop)>;
/// Puts a test's builder in the place of the library of kernels; null: that again.
void set_builder(Builder builder);

/// What the compiler is told.
std::vector<std::string> compiler_flags(const Unit& unit);

}  // namespace xlazy::be::jit
