// SPDX-License-Identifier: BSD-3-Clause
// The driver's and NVRTC's functions that are used, found by name at run time.
#pragma once

#include "xlazy/backends/cuda.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace xlazy::be::cuda {

using DevicePointer = unsigned long long;
struct ContextHandle;
struct StreamHandle;
struct ModuleHandle;
struct FunctionHandle;
struct PoolHandle;
struct ProgramHandle;

/// The driver's result codes that make a difference.
enum Result : int {
    kSuccess = 0,
    kInvalidValue = 1,
    kOutOfMemory = 2,
    kNotReady = 600,
};

/// The driver's numbers of what is asked of a device.
inline constexpr int kMultiprocessors = 16, kMajor = 75, kMinor = 76, kHasPools = 115;

/// XLAZY_CUDA(symbol, member, parameters): result is an int; `member` is the field of the table.
#define XLAZY_DRIVER_FUNCTIONS(XLAZY_CUDA)                                                                            \
    XLAZY_CUDA(cuInit, init, (unsigned))                                                                              \
    XLAZY_CUDA(cuDriverGetVersion, driver_version, (int*))                                                            \
    XLAZY_CUDA(cuDeviceGetCount, device_count, (int*))                                                                \
    XLAZY_CUDA(cuDeviceGet, device_get, (int*, int))                                                                  \
    XLAZY_CUDA(cuDeviceGetName, device_name, (char*, int, int))                                                       \
    XLAZY_CUDA(cuDeviceGetAttribute, device_attribute, (int*, int, int))                                              \
    XLAZY_CUDA(cuDeviceTotalMem_v2, device_memory, (std::size_t*, int))                                               \
    XLAZY_CUDA(cuDevicePrimaryCtxRetain, retain_context, (ContextHandle**, int))                                      \
    XLAZY_CUDA(cuCtxSetCurrent, set_context, (ContextHandle*))                                                        \
    XLAZY_CUDA(cuStreamCreate, stream_create, (StreamHandle**, unsigned))                                             \
    XLAZY_CUDA(cuStreamSynchronize, stream_synchronize, (StreamHandle*))                                              \
    XLAZY_CUDA(cuDeviceGetDefaultMemPool, default_pool, (PoolHandle**, int))                                          \
    XLAZY_CUDA(cuMemPoolSetAttribute, pool_set, (PoolHandle*, int, void*))                                            \
    XLAZY_CUDA(cuMemPoolTrimTo, pool_trim, (PoolHandle*, std::size_t))                                                \
    XLAZY_CUDA(cuMemAllocAsync, allocate, (DevicePointer*, std::size_t, StreamHandle*))                               \
    XLAZY_CUDA(cuMemFreeAsync, free, (DevicePointer, StreamHandle*))                                                  \
    XLAZY_CUDA(cuMemcpyHtoDAsync_v2, to_device, (DevicePointer, const void*, std::size_t, StreamHandle*))             \
    XLAZY_CUDA(cuMemcpyDtoHAsync_v2, to_host, (void*, DevicePointer, std::size_t, StreamHandle*))                     \
    XLAZY_CUDA(cuMemcpyDtoDAsync_v2, on_device, (DevicePointer, DevicePointer, std::size_t, StreamHandle*))           \
    XLAZY_CUDA(cuMemsetD8Async, fill, (DevicePointer, unsigned char, std::size_t, StreamHandle*))                     \
    XLAZY_CUDA(cuModuleLoadData, module_load, (ModuleHandle**, const void*))                                          \
    XLAZY_CUDA(cuModuleGetFunction, module_function, (FunctionHandle**, ModuleHandle*, const char*))                  \
    XLAZY_CUDA(cuLaunchKernel, launch,                                                                                \
               (FunctionHandle*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, StreamHandle*, \
                void**, void**))                                                                                      \
    XLAZY_CUDA(cuGetErrorName, error_name, (int, const char**))                                                       \
    XLAZY_CUDA(cuGetErrorString, error_text, (int, const char**))

#define XLAZY_NVRTC_FUNCTIONS(XLAZY_CUDA)                                                                \
    XLAZY_CUDA(nvrtcVersion, version, (int*, int*))                                                      \
    XLAZY_CUDA(nvrtcGetNumSupportedArchs, architecture_count, (int*))                                    \
    XLAZY_CUDA(nvrtcGetSupportedArchs, architectures, (int*))                                            \
    XLAZY_CUDA(nvrtcCreateProgram, create,                                                               \
               (ProgramHandle**, const char*, const char*, int, const char* const*, const char* const*)) \
    XLAZY_CUDA(nvrtcDestroyProgram, destroy, (ProgramHandle**))                                          \
    XLAZY_CUDA(nvrtcCompileProgram, compile, (ProgramHandle*, int, const char* const*))                  \
    XLAZY_CUDA(nvrtcGetProgramLogSize, log_size, (ProgramHandle*, std::size_t*))                         \
    XLAZY_CUDA(nvrtcGetProgramLog, log, (ProgramHandle*, char*))                                         \
    XLAZY_CUDA(nvrtcGetCUBINSize, cubin_size, (ProgramHandle*, std::size_t*))                            \
    XLAZY_CUDA(nvrtcGetCUBIN, cubin, (ProgramHandle*, char*))                                            \
    XLAZY_CUDA(nvrtcGetPTXSize, ptx_size, (ProgramHandle*, std::size_t*))                                \
    XLAZY_CUDA(nvrtcGetPTX, ptx, (ProgramHandle*, char*))

#define XLAZY_CUDA_MEMBER(symbol, member, parameters) int(*member) parameters = nullptr;
struct Driver {
    XLAZY_DRIVER_FUNCTIONS(XLAZY_CUDA_MEMBER)
    bool present = false;  ///< the library is installed
    std::string problem;   ///< why it cannot be used; empty: it can
    int version_number = 0;
};
struct Nvrtc {
    XLAZY_NVRTC_FUNCTIONS(XLAZY_CUDA_MEMBER)
    std::string problem;
    std::string identity;  ///< "nvrtc 13.0"
};
#undef XLAZY_CUDA_MEMBER

/// Loaded once. Their libraries stay.
const Driver& driver();
const Nvrtc& nvrtc();

/// "cuLaunchKernel: CUDA_ERROR_...: text"
std::string describe(const char* call, int result);

/// What the architecture of a device is called as a target, and whether NVRTC makes code for it (else text that the
/// driver compiles).
struct Target {
    std::string flag;  ///< "sm_90"
    bool binary = true;
};
/// @return an empty flag where the device is older than all that the compiler knows
Target target_for(const std::vector<int>& known, int major, int minor);
/// Of the loaded compiler, ascending: 75, 80, ...
std::vector<int> known_architectures();

struct Compiled {
    std::vector<std::byte> object;
    std::string log;
    std::string error;  ///< empty: there is an object
};
/// The options that give the bits of the CPU.
std::vector<std::string> nvrtc_options(const Target& target);
Compiled compile(const std::string& text, const Target& target, const std::vector<std::string>& more = {});

}  // namespace xlazy::be::cuda
