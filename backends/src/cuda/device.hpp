// SPDX-License-Identifier: BSD-3-Clause
// One device: its context and stream, and the blocks of host memory that have a copy there. Everything on it happens in
// the order of the one stream. All functions are for any thread.
#pragma once

#include "cuda/api.hpp"
#include "cuda/binding.hpp"

#include <mutex>
#include <span>
#include <unordered_map>

namespace xlazy::be::cuda {

class Device {
public:
    /// The process's device, started at the first call. @return null where that failed; `reason` says why
    static Device* start(int number, std::string& reason);
    /// The one that was started, or null.
    static Device* started() noexcept;

    const Target& target() const noexcept { return target_; }
    unsigned most_blocks() const noexcept { return most_blocks_; }
    /// It failed in a way that it does not recover from: nothing more runs on it.
    bool lost() const noexcept { return lost_; }
    /// Nothing is on it, and nothing will be: of a child after fork().
    void abandon() noexcept;

    /// Held while a kernel's operands are made ready and it is launched.
    std::mutex& mutex() noexcept { return mutex_; }

    // The caller holds the mutex.

    /// Copies of all operands, valid where they are read. @throws std::bad_alloc: there is no room; DeviceError
    void make_ready(std::span<const CudaOperand> operands);
    /// Their newest values will be on the device, and only there.
    void note_written(std::span<const CudaOperand> operands) noexcept;
    DevicePointer address_of(const std::byte* memory) const;
    bool has_newest(const void* memory) const noexcept;
    void bring_to_host(void* memory);
    void host_writes(void* memory);
    void forget(void* memory) noexcept;
    bool copy(void* to, void* from, std::size_t bytes);
    void bring_all_to_host() noexcept;

    /// Memory for the duration of what is in the stream. @throws std::bad_alloc, DeviceError
    DevicePointer allocate(std::size_t bytes, std::span<const CudaOperand> in_use = {});
    void free(DevicePointer memory) noexcept;
    void to_device(DevicePointer to, const void* from, std::size_t bytes);
    void to_host(void* to, DevicePointer from, std::size_t bytes);
    FunctionHandle* load(const void* object, const char* function, ModuleHandle*& module);
    void launch(FunctionHandle* function, const CudaLaunch& launch);
    /// Waits for everything. @throws DeviceError: something failed on the way
    void synchronize();

    CudaCounts counts{};

private:
    struct Copy {
        DevicePointer device = 0;
        std::size_t bytes = 0;
        bool host_valid = true;
        bool device_valid = false;
        bool lost = false;  ///< no copy is valid any more
    };

    Device() = default;
    std::string open(int number);
    void enter();
    void check(const char* call, int result);
    Copy& copy_of(std::byte* memory, std::size_t bytes, std::span<const CudaOperand> in_use);
    void upload(void* memory, Copy& copy);
    void download(void* memory, Copy& copy);
    bool make_room(std::span<const CudaOperand> in_use);
    void lose() noexcept;

    Target target_;
    unsigned most_blocks_ = 1;
    bool lost_ = false;
    ContextHandle* context_ = nullptr;
    StreamHandle* stream_ = nullptr;
    PoolHandle* pool_ = nullptr;
    std::mutex mutex_;
    std::unordered_map<void*, Copy> copies_;
};

}  // namespace xlazy::be::cuda
