// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/device.hpp"

#include "xlazy/backends/device_memory.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <atomic>
#include <limits>
#include <new>

namespace xlazy::be {

namespace detail {

std::atomic<bool> device_in_use{false};

namespace {

cuda::Device& device() noexcept { return *cuda::Device::started(); }

}  // namespace

bool newest_on_device(const void* memory) noexcept {
    const std::lock_guard lock(device().mutex());
    return device().has_newest(memory);
}
void bring_to_host(void* memory) {
    const std::lock_guard lock(device().mutex());
    device().bring_to_host(memory);
}
void host_writes(void* memory) {
    const std::lock_guard lock(device().mutex());
    device().host_writes(memory);
}
void forget(void* memory) noexcept {
    const std::lock_guard lock(device().mutex());
    device().forget(memory);
}
bool copy_on_device(void* to, void* from, std::size_t bytes) {
    const std::lock_guard lock(device().mutex());
    return device().copy(to, from, bytes);
}

}  // namespace detail

namespace cuda {
namespace {

// The driver's numbers.
constexpr int kReleaseThreshold = 4;
constexpr unsigned kNonBlockingStream = 1;
/// Blocks of a grid for each multiprocessor: as many as fit at a time, twice.
constexpr unsigned kBlocksEach = 16;

/// After some failures the context is of no use any more: the driver was shut down or the device taken away, memory was
/// damaged, a kernel went wrong, or nobody knows what happened. All others are of the call alone.
bool is_final(int result) noexcept {
    constexpr int kDeinitialised = 4, kDeviceUnavailable = 46, kNoDevice = 100, kInvalidDevice = 101,
                  kInvalidContext = 201, kDamagedMemory = 214, kIllegalAddress = 700, kTooLong = 702,
                  kContextDestroyed = 709, kFirstOfKernel = 710, kLastOfKernel = 721, kUnknown = 999;
    for (const int each : {kDeinitialised, kDeviceUnavailable, kNoDevice, kInvalidDevice, kInvalidContext,
                           kDamagedMemory, kIllegalAddress, kTooLong, kContextDestroyed, kUnknown}) {
        if (result == each) return true;
    }
    return result >= kFirstOfKernel && result <= kLastOfKernel;
}

std::atomic<Device*> the_device{nullptr};

void before_fork() noexcept {
    if (Device* const device = Device::started()) {
        device->mutex().lock();
        device->bring_all_to_host();
    }
}
void after_fork_in_parent() noexcept {
    if (Device* const device = Device::started()) device->mutex().unlock();
}
void after_fork_in_child() noexcept {
    if (Device* const device = Device::started()) {
        device->mutex().unlock();
        device->abandon();
    }
}

}  // namespace

Device* Device::started() noexcept { return the_device.load(std::memory_order_acquire); }

Device* Device::start(int number, std::string& reason) {
    static std::mutex starting;
    static std::string* const why = new std::string;
    static bool tried = false;
    const std::lock_guard lock(starting);
    if (!tried) {
        tried = true;
        Device* const device = new Device;  // never destroyed: static arrays may outlive main
        *why = device->open(number);
        if (why->empty()) {
            pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
            the_device.store(device, std::memory_order_release);
            detail::device_in_use.store(true, std::memory_order_release);
        } else {
            delete device;
        }
    }
    reason = *why;
    return started();
}

std::string Device::open(int number) {
    const Driver& api = driver();
    if (!api.problem.empty()) return api.problem;
    if (!nvrtc().problem.empty()) return nvrtc().problem;
    int count = 0, device = 0, major = 0, minor = 0, multiprocessors = 0, pools = 0;
    if (const int result = api.device_count(&count); result != kSuccess) return describe("cuDeviceGetCount", result);
    if (count == 0) return "the driver finds no device";
    if (number < 0 || number >= count)
        return fmt::format("XLAZY_DEVICE is {}, but there {} {} device{}", number, count == 1 ? "is" : "are", count,
                           count == 1 ? "" : "s");
    try {
        check("cuDeviceGet", api.device_get(&device, number));
        check("cuDeviceGetAttribute", api.device_attribute(&major, kMajor, device));
        check("cuDeviceGetAttribute", api.device_attribute(&minor, kMinor, device));
        check("cuDeviceGetAttribute", api.device_attribute(&multiprocessors, kMultiprocessors, device));
        check("cuDeviceGetAttribute", api.device_attribute(&pools, kHasPools, device));
        target_ = target_for(known_architectures(), major, minor);
        if (target_.flag.empty())
            return fmt::format("the device is too old for the compiler: compute capability {}.{}", major, minor);
        if (pools == 0) return "the device has no memory pools";
        check("cuDevicePrimaryCtxRetain", api.retain_context(&context_, device));
        enter();
        check("cuStreamCreate", api.stream_create(&stream_, kNonBlockingStream));
        check("cuDeviceGetDefaultMemPool", api.default_pool(&pool_, device));
        std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
        check("cuMemPoolSetAttribute", api.pool_set(pool_, kReleaseThreshold, &keep));
    } catch (const DeviceError& error) {
        return error.what();
    }
    most_blocks_ = static_cast<unsigned>(multiprocessors > 0 ? multiprocessors : 1) * kBlocksEach;
    return {};
}

void Device::abandon() noexcept {
    detail::device_in_use.store(false, std::memory_order_release);
    lost_ = true;
    copies_.clear();
}

/// The context belongs to the thread.
void Device::enter() { check("cuCtxSetCurrent", driver().set_context(context_)); }

/// What an asynchronous call reports may be an earlier one's.
void Device::check(const char* call, int result) {
    if (result == kSuccess) return;
    const std::string text = describe(call, result);
    if (is_final(result)) lose();
    throw DeviceError(text);
}

void Device::lose() noexcept {
    lost_ = true;
    for (auto& [memory, copy] : copies_) {
        copy.device_valid = false;
        copy.lost = !copy.host_valid;
        copy.device = 0;
    }
    counts.bytes_on_device = 0;
}

DevicePointer Device::allocate(std::size_t bytes, std::span<const CudaOperand> in_use) {
    enter();
    DevicePointer memory = 0;
    int result = driver().allocate(&memory, bytes == 0 ? 1 : bytes, stream_);
    if (result == kOutOfMemory) {
        driver().pool_trim(pool_, 0);
        result = driver().allocate(&memory, bytes == 0 ? 1 : bytes, stream_);
    }
    if (result == kOutOfMemory && make_room(in_use))
        result = driver().allocate(&memory, bytes == 0 ? 1 : bytes, stream_);
    if (result == kOutOfMemory) throw std::bad_alloc();
    check("cuMemAllocAsync", result);
    return memory;
}

void Device::free(DevicePointer memory) noexcept {
    if (memory == 0 || lost_) return;
    try {
        enter();
        check("cuMemFreeAsync", driver().free(memory, stream_));
    } catch (const std::exception&) {
        // The device is lost; whoever uses it next hears of it.
    }
}

/// Everything that the kernel does not use goes to the host.
bool Device::make_room(std::span<const CudaOperand> in_use) {
    bool some = false;
    for (auto& [memory, copy] : copies_) {
        bool used = copy.device == 0;
        for (const CudaOperand& operand : in_use) used = used || operand.memory == memory;
        if (used) continue;
        download(memory, copy);
        free(std::exchange(copy.device, 0));
        counts.bytes_on_device -= copy.bytes;
        copy.device_valid = false;
        some = true;
    }
    if (some) {
        synchronize();
        driver().pool_trim(pool_, 0);
    }
    return some;
}

void Device::to_device(DevicePointer to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    enter();
    // Memory that is not pinned is read before this returns.
    check("cuMemcpyHtoDAsync", driver().to_device(to, from, bytes, stream_));
    counts.bytes_to_device += bytes;
}

void Device::to_host(void* to, DevicePointer from, std::size_t bytes) {
    if (bytes == 0) return;
    enter();
    check("cuMemcpyDtoHAsync", driver().to_host(to, from, bytes, stream_));
    counts.bytes_to_host += bytes;
    synchronize();
}

void Device::synchronize() {
    enter();
    check("cuStreamSynchronize", driver().stream_synchronize(stream_));
}

void Device::upload(void* memory, Copy& copy) {
    if (copy.lost) throw DeviceError("the value was lost with the device");
    if (copy.device_valid) return;
    to_device(copy.device, memory, copy.bytes);
    copy.device_valid = true;
}

void Device::download(void* memory, Copy& copy) {
    if (copy.lost) throw DeviceError("the value was lost with the device");
    if (copy.host_valid) return;
    to_host(memory, copy.device, copy.bytes);
    copy.host_valid = true;
}

Device::Copy& Device::copy_of(std::byte* memory, std::size_t bytes, std::span<const CudaOperand> in_use) {
    Copy& copy = copies_[memory];
    if (copy.device != 0 && copy.bytes < bytes) {
        download(memory, copy);
        free(std::exchange(copy.device, 0));
        counts.bytes_on_device -= copy.bytes;
        copy.device_valid = false;
    }
    if (copy.device == 0 && !lost_) {
        copy.device = allocate(bytes, in_use);
        copy.bytes = bytes;
        counts.bytes_on_device += bytes;
    }
    return copy;
}

void Device::make_ready(std::span<const CudaOperand> operands) {
    for (const CudaOperand& operand : operands) {
        Copy& copy = copy_of(operand.memory, operand.bytes, operands);
        if (operand.read || !operand.overwritten) upload(operand.memory, copy);
    }
}

void Device::note_written(std::span<const CudaOperand> operands) noexcept {
    for (const CudaOperand& operand : operands) {
        if (!operand.written) continue;
        Copy& copy = copies_[operand.memory];
        copy.device_valid = true;
        copy.host_valid = copy.lost = false;
    }
}

DevicePointer Device::address_of(const std::byte* memory) const {
    const auto at = copies_.find(const_cast<std::byte*>(memory));
    return at == copies_.end() ? 0 : at->second.device;
}

bool Device::has_newest(const void* memory) const noexcept {
    const auto at = copies_.find(const_cast<void*>(memory));
    return at != copies_.end() && !at->second.host_valid;
}

void Device::bring_to_host(void* memory) {
    const auto at = copies_.find(memory);
    if (at != copies_.end()) download(memory, at->second);
}

void Device::host_writes(void* memory) {
    const auto at = copies_.find(memory);
    if (at == copies_.end()) return;
    download(memory, at->second);
    at->second.device_valid = false;
}

void Device::forget(void* memory) noexcept {
    const auto at = copies_.find(memory);
    if (at == copies_.end()) return;
    if (at->second.device != 0) counts.bytes_on_device -= at->second.bytes;
    free(at->second.device);
    copies_.erase(at);
}

bool Device::copy(void* to, void* from, std::size_t bytes) {
    if (lost_ || !has_newest(from)) return false;
    const CudaOperand operands[] = {{static_cast<std::byte*>(from), bytes, true, false, false},
                                    {static_cast<std::byte*>(to), bytes, false, true, true}};
    try {
        make_ready(operands);
    } catch (const std::bad_alloc&) {
        bring_to_host(from);
        return false;
    }
    check("cuMemcpyDtoDAsync",
          driver().on_device(address_of(operands[1].memory), address_of(operands[0].memory), bytes, stream_));
    note_written(operands);
    return true;
}

void Device::bring_all_to_host() noexcept {
    for (auto& [memory, copy] : copies_) {
        try {
            if (!copy.lost) download(memory, copy);
        } catch (const std::exception&) {
            return;  // it is lost
        }
    }
}

FunctionHandle* Device::load(const void* object, const char* name, ModuleHandle*& module) {
    enter();
    if (module == nullptr) check("cuModuleLoadData", driver().module_load(&module, object));
    FunctionHandle* function = nullptr;
    check("cuModuleGetFunction", driver().module_function(&function, module, name));
    return function;
}

void Device::launch(FunctionHandle* function, const CudaLaunch& launch) {
    enter();
    DevicePointer words = 0;
    void* parameter = const_cast<std::int64_t*>(launch.words.data());
    if (launch.by_pointer) {
        const std::size_t bytes = launch.words.size() * sizeof(std::int64_t);
        words = allocate(bytes);
        to_device(words, launch.words.data(), bytes);
        parameter = &words;
    }
    void* parameters[] = {parameter};
    check("cuLaunchKernel",
          driver().launch(function, launch.blocks, 1, 1, launch.threads, 1, 1, 0, stream_, parameters, nullptr));
    ++counts.launches;
    free(words);
}

}  // namespace cuda
}  // namespace xlazy::be
