// SPDX-License-Identifier: BSD-3-Clause
// Kernels that have been seen, and their code on the device: compiled together where they are met together, kept on
// disk beside the CPU's.
#pragma once

#include "cuda/device.hpp"
#include "xlazy/jit-cache/cache.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace xlazy::be::cuda {

/// What was compiled at once.
struct Program {
    std::vector<std::byte> object;
    ModuleHandle* module = nullptr;  ///< null: not loaded yet
    std::unordered_map<std::string, FunctionHandle*> functions{};
};

/// Kernels of the same ops whose operands lie in a certain way. Lives as long as the process.
struct Kernel {
    enum class State : unsigned char { Unknown, Queued, Ready, Refused };
    bc::Kernel copy;  ///< plans come and go
    CudaForm form;
    State state = State::Unknown;
    std::string name{};  ///< of its function in the program
    std::shared_ptr<Program> program{};
};

class Programs {
public:
    /// The process's, made with the options of the first call; never destroyed, ended with the program.
    static Programs& of(Device& device, const JitOptions& options);

    /// The code for a kernel, or null: there is none yet, or there never will be. `kernels` of the same batch that have
    /// none either go into the same program.
    Kernel* find(const bc::Kernel& kernel, const Bindings& bindings);
    /// A function of the kernel's program. @throws DeviceError where the driver does not take it; the device's mutex is
    /// held
    FunctionHandle* function(Kernel& kernel, const std::string& name);
    void refuse(Kernel& kernel, const std::string& why);

    std::uint64_t compiled() const noexcept { return compiled_.load(std::memory_order_relaxed); }
    std::uint64_t loaded() const noexcept { return loaded_.load(std::memory_order_relaxed); }

private:
    Programs(Device& device, const JitOptions& options);
    void end();
    using Batch = std::vector<Kernel*>;
    Kernel& entry(const bc::Kernel& kernel, const CudaBinding& binding);
    Batch with_others_of(Kernel& first, const Bindings& bindings);
    void build(Batch batch);
    std::shared_ptr<Program> make(const std::string& text, std::string& error);
    void settle(Kernel& kernel, Kernel::State state);
    void start_working();
    void work();
    void say(const std::string& text) const;

    Device& device_;
    JitOptions options_;
    jc::Cache cache_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::unordered_map<std::string, std::vector<std::unique_ptr<Kernel>>> families_;
    std::deque<Batch> queue_;
    std::thread thread_;
    bool ended_ = false;
    std::atomic<bool> warned_{false};
    std::atomic<std::uint64_t> compiled_{0}, loaded_{0};  ///< kernels
};

}  // namespace xlazy::be::cuda
