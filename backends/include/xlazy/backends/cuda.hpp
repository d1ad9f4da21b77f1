// SPDX-License-Identifier: BSD-3-Clause
// Kernels on a GPU. The driver (libcuda) and the compiler (libnvrtc) are loaded when they are first asked for; the
// library is built without either.
#pragma once

#include "xlazy/backends/backend.hpp"
#include "xlazy/backends/jit.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace xlazy::be {

/// The device did not do what it was told; what() names the call and the driver's reason.
class DeviceError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A back end whose run only begins kernels.
class AsynchronousBackend : public Backend {
public:
    /// Waits for the kernels that were begun since the last call, and adds the traps of their elements. Called at the
    /// end of a batch.
    /// @throws DeviceError: one of them failed, nobody knows which
    virtual void finish(Traps& traps) = 0;
};

/// Kernels on fewer elements stay on the host unless their operands are on the device: a launch and the two copies
/// over the bus cost as much as the work on so many. Estimated, not measured.
inline constexpr std::int64_t kLeastCudaElements = 65'536;

/// Which device, and what it does not get.
struct CudaOptions {
    int device = 0;  ///< XLAZY_DEVICE
    std::int64_t least_elements = kLeastCudaElements;
    OpenMpOptions host{};  ///< of the back end for what the device does not run
    /// Mode, cache, warn and trace count. off: nothing runs on the device.
    JitOptions jit{};
};

/// Fused kernels on the device, with the host's back end for the rest.
/// @return null where there is no usable device; `reason` says why then
std::unique_ptr<Backend> make_cuda(const CudaOptions& options, std::string& reason);

/// Is libcuda installed, usable or not?
bool has_cuda_driver() noexcept;

/// A GPU as the driver describes it.
struct CudaDevice {
    std::string name;
    int major = 0, minor = 0;  ///< compute capability
    std::uint64_t bytes = 0;   ///< of memory
    int multiprocessors = 0;
};
/// Driver, compiler and devices.
struct CudaState {
    std::string driver;    ///< version, or why there is none
    std::string compiler;  ///< of NVRTC, likewise
    std::vector<CudaDevice> devices;
};
/// For programs that describe an installation. Loads the libraries.
CudaState cuda_state();

/// Counters of the process since its start.
struct CudaCounts {
    std::uint64_t launches = 0;
    std::uint64_t kernels = 0;       ///< that ran on the device
    std::uint64_t host_kernels = 0;  ///< that ran on the host, of those that were given to this back end
    std::uint64_t compiled = 0, loaded = 0;
    std::uint64_t bytes_to_device = 0, bytes_to_host = 0;
    std::uint64_t bytes_on_device = 0;  ///< held at the moment
};
/// The counters at this moment; all 0 where no device is used.
CudaCounts cuda_counts() noexcept;

}  // namespace xlazy::be
