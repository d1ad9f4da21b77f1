// SPDX-License-Identifier: BSD-3-Clause
// A library that pretends to be the CUDA driver: device memory is memory of its own, code is a shared library made by
// fake/compiler.cpp, and kernels run on the CPU, each to its end before the launch returns.
#include "recorder.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

namespace {

using Kernel = void (*)(const void*);
using Launch = void (*)(Kernel, const void*, unsigned, unsigned, bool);

struct Function {
    Kernel kernel;
    Launch launch;
};
struct Module {
    void* library;
};

class Memory {
public:
    static Memory& get() {
        static Memory* const memory = new Memory;
        return *memory;
    }
    /// @return null: there is no room
    void* take(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        if (live_ + bytes > limit_) return nullptr;
        void* const block = std::malloc(bytes);
        std::memset(block, 0xee, bytes);  // never zeros by chance
        blocks_[block] = bytes;
        live_ += bytes;
        return block;
    }
    bool give_back(void* block) {
        const std::lock_guard lock(mutex_);
        const auto at = blocks_.find(block);
        if (at == blocks_.end()) return false;
        live_ -= at->second;
        blocks_.erase(at);
        std::free(block);
        return true;
    }
    /// Does the stretch lie in one block?
    bool holds(std::uint64_t address, std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        auto at = blocks_.upper_bound(reinterpret_cast<void*>(address));
        if (at == blocks_.begin()) return false;
        --at;
        return address + bytes <= reinterpret_cast<std::uint64_t>(at->first) + at->second;
    }
    std::size_t live() const { return live_; }

private:
    Memory() {
        if (const char* const bytes = std::getenv("FAKE_CUDA_MEMORY")) limit_ = std::strtoull(bytes, nullptr, 10);
    }
    std::mutex mutex_;
    std::map<void*, std::size_t> blocks_;
    std::size_t live_ = 0, limit_ = std::size_t{1} << 34;
};

int call(const char* name, const std::string& text = {}) { return fake::Recorder::get().call(name, text); }

/// Says at the end of the process what was not given back.
struct End {
    ~End() { fake::Recorder::get().note("end " + std::to_string(Memory::get().live())); }
} end;

}  // namespace

extern "C" {

int cuInit(unsigned) { return call("cuInit"); }
int cuDriverGetVersion(int* version) {
    *version = 12040;
    return call("cuDriverGetVersion");
}
int cuDeviceGetCount(int* count) {
    *count = 1;
    return call("cuDeviceGetCount");
}
int cuDeviceGet(int* device, int) {
    *device = 0;
    return call("cuDeviceGet");
}
int cuDeviceGetName(char* name, int size, int) {
    std::snprintf(name, static_cast<std::size_t>(size), "pretended device");
    return call("cuDeviceGetName");
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
    *value = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 16 ? 2 : 1;
    return call("cuDeviceGetAttribute", std::to_string(attribute));
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
    *bytes = std::size_t{1} << 34;
    return call("cuDeviceTotalMem");
}
int cuDevicePrimaryCtxRetain(void** context, int) {
    static int one;
    *context = &one;
    return call("cuDevicePrimaryCtxRetain");
}
int cuCtxSetCurrent(void*) { return call("cuCtxSetCurrent"); }
int cuStreamCreate(void** stream, unsigned) {
    static int one;
    *stream = &one;
    return call("cuStreamCreate");
}
int cuStreamSynchronize(void*) { return call("cuStreamSynchronize"); }
int cuDeviceGetDefaultMemPool(void** pool, int) {
    static int one;
    *pool = &one;
    return call("cuDeviceGetDefaultMemPool");
}
int cuMemPoolSetAttribute(void*, int, void*) { return call("cuMemPoolSetAttribute"); }
int cuMemPoolTrimTo(void*, std::size_t) { return call("cuMemPoolTrimTo"); }
int cuMemAllocAsync(std::uint64_t* address, std::size_t bytes, void*) {
    if (const int result = call("cuMemAllocAsync", std::to_string(bytes))) return result;
    void* const block = Memory::get().take(bytes);
    *address = reinterpret_cast<std::uint64_t>(block);
    return block == nullptr ? 2 : 0;
}
int cuMemFreeAsync(std::uint64_t address, void*) {
    if (const int result = call("cuMemFreeAsync")) return result;
    return Memory::get().give_back(reinterpret_cast<void*>(address)) ? 0 : 1;
}
int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void*) {
    if (const int result = call("cuMemcpyHtoDAsync", std::to_string(bytes))) return result;
    if (!Memory::get().holds(to, bytes)) return 1;
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void*) {
    if (const int result = call("cuMemcpyDtoHAsync", std::to_string(bytes))) return result;
    if (!Memory::get().holds(from, bytes)) return 1;
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return 0;
}
int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, void*) {
    if (const int result = call("cuMemcpyDtoDAsync", std::to_string(bytes))) return result;
    if (!Memory::get().holds(to, bytes) || !Memory::get().holds(from, bytes)) return 1;
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    return 0;
}
int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes, void*) {
    if (const int result = call("cuMemsetD8Async", std::to_string(bytes))) return result;
    std::memset(reinterpret_cast<void*>(to), value, bytes);
    return 0;
}
int cuModuleLoadData(void** module, const void* object) {
    if (const int result = call("cuModuleLoadData")) return result;
    std::uint64_t size = 0;
    std::memcpy(&size, object, sizeof size);
    const int file = ::memfd_create("module", 0);
    if (::write(file, static_cast<const char*>(object) + sizeof size, size) != static_cast<ssize_t>(size)) return 200;
    void* const library = ::dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return 200;
    *module = new Module{library};
    return 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
    if (const int result = call("cuModuleGetFunction", name)) return result;
    void* const library = static_cast<Module*>(module)->library;
    const auto kernel = reinterpret_cast<Kernel>(::dlsym(library, name));
    const auto launch = reinterpret_cast<Launch>(::dlsym(library, "emulation_launch"));
    if (kernel == nullptr || launch == nullptr) return 500;
    *function = new Function{kernel, launch};
    return 0;
}
int cuLaunchKernel(void* function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned,
                   void*, void** parameters, void**) {
    if (const int result = call("cuLaunchKernel", std::to_string(blocks) + " " + std::to_string(threads)))
        return result;
    const auto* const code = static_cast<const Function*>(function);
    code->launch(code->kernel, parameters[0], blocks, threads, true);
    return 0;
}
int cuGetErrorName(int result, const char** name) {
    *name = result == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR";
    return 0;
}
int cuGetErrorString(int result, const char** text) {
    *text = result == 2 ? "out of memory" : result == 700 ? "an illegal memory access was encountered" : "pretended";
    return 0;
}
}
