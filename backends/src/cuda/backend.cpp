// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/programs.hpp"
#include "xlazy/backends/device_memory.hpp"
#include "xlazy/backends/traps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace xlazy::be {
namespace {

using cuda::Device;
using cuda::DevicePointer;

class Cuda final : public AsynchronousBackend {
public:
    Cuda(Device& device, const CudaOptions& options)
        : device_(device),
          programs_(cuda::Programs::of(device, options.jit)),
          options_(options),
          host_(make_openmp(options.host)) {}

    std::string_view name() const noexcept override { return "cuda"; }

    void run(const bc::Kernel& kernel, const Bindings& bindings, Traps& traps) override {
        const CudaBinding binding(kernel, bindings);
        cuda::Kernel* code = nullptr;
        if (wants(binding)) code = programs_.find(kernel, bindings);
        if (code != nullptr && run_on_device(*code, kernel, binding)) return;
        run_on_host(kernel, binding, bindings, traps);
    }

    void finish(Traps& traps) override {
        std::vector<Pending> pending = std::move(pending_);
        pending_.clear();
        if (!std::exchange(launched_, false)) return;
        const std::lock_guard lock(device_.mutex());
        if (device_.lost()) throw DeviceError("the device was lost");
        for (Pending& each : pending) read_traps(each, traps);
        device_.synchronize();
    }

private:
    /// Trap records of a kernel that is in the stream.
    struct Pending {
        DevicePointer memory;
        std::vector<bc::MicroOp> ops;
    };

    bool wants(const CudaBinding& binding) {
        if (!binding.reason().empty() || options_.jit.mode == JitMode::off) return false;
        const std::lock_guard lock(device_.mutex());
        if (device_.lost()) return false;
        if (binding.elements() >= options_.least_elements) return true;
        return std::ranges::any_of(binding.operands(), [&](const CudaOperand& operand) {
            return operand.read && device_.has_newest(operand.memory);
        });
    }

    /// @return false: it must run on the host, and nothing was done
    bool run_on_device(cuda::Kernel& code, const bc::Kernel& kernel, const CudaBinding& binding) {
        const std::lock_guard lock(device_.mutex());
        DevicePointer traps = 0, partial = 0;
        bool begun = false;
        try {
            device_.make_ready(binding.operands());
            if (!binding.faults().empty()) traps = fresh_traps(binding);
            if (const std::size_t bytes = binding.partial_bytes(); bytes != 0)
                partial = device_.allocate(bytes, binding.operands());
            const std::vector<CudaLaunch> launches = binding.launches(
                code.form, code.name, {kCudaBlock, device_.most_blocks()},
                [&](const std::byte* memory) { return device_.address_of(memory); }, traps, partial);
            for (const CudaLaunch& launch : launches) static_cast<void>(programs_.function(code, launch.function));
            for (const CudaLaunch& launch : launches) {
                device_.launch(programs_.function(code, launch.function), launch);
                begun = true;
            }
        } catch (const std::bad_alloc&) {
            give_back(traps, partial);
            if (begun) throw;
            return false;  // the host has room, or says that there is none
        } catch (const DeviceError& error) {
            give_back(traps, partial);
            if (begun || device_.lost()) throw;
            programs_.refuse(code, error.what());
            return false;
        }
        launched_ = true;
        device_.note_written(binding.operands());
        device_.free(partial);
        if (traps != 0) {
            Pending& pending = pending_.emplace_back(Pending{traps, {}});
            for (const std::size_t op : binding.faults()) pending.ops.push_back(kernel.ops[op]);
        }
        ++device_.counts.kernels;
        return true;
    }

    DevicePointer fresh_traps(const CudaBinding& binding) {
        const std::vector<CudaTrap> none(binding.faults().size());
        const DevicePointer memory = device_.allocate(none.size() * sizeof(CudaTrap), binding.operands());
        device_.to_device(memory, none.data(), none.size() * sizeof(CudaTrap));
        return memory;
    }

    void give_back(DevicePointer traps, DevicePointer partial) noexcept {
        device_.free(traps);
        device_.free(partial);
    }

    void read_traps(const Pending& pending, Traps& traps) {
        std::vector<CudaTrap> records(pending.ops.size());
        device_.to_host(records.data(), pending.memory, records.size() * sizeof(CudaTrap));
        device_.free(pending.memory);
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (records[i].index == CudaTrap{}.index) continue;
            const bc::MicroOp& op = pending.ops[i];
            Trap trap{op.instruction, static_cast<std::int64_t>(records[i].index), {}};
            for (unsigned k = 0; k < 2; ++k) {
                trap.operands[k] = {op.type, {0, 0}};
                std::memcpy(trap.operands[k].bits, records[i].operands[k], bc::size_of(op.type));
            }
            add_trap(traps, trap);
        }
    }

    void run_on_host(const bc::Kernel& kernel, const CudaBinding& binding, const Bindings& bindings, Traps& traps) {
        {
            const std::lock_guard lock(device_.mutex());
            for (const CudaOperand& operand : binding.operands()) {
                if (operand.written && operand.overwritten && !operand.read)
                    device_.forget(operand.memory);
                else if (operand.written)
                    device_.host_writes(operand.memory);
                else
                    device_.bring_to_host(operand.memory);
            }
            ++device_.counts.host_kernels;
        }
        host_->run(kernel, bindings, traps);
    }

    Device& device_;
    cuda::Programs& programs_;
    CudaOptions options_;
    std::unique_ptr<Backend> host_;
    std::vector<Pending> pending_;
    bool launched_ = false;  ///< something since the last finish
};

}  // namespace

std::unique_ptr<Backend> make_cuda(const CudaOptions& options, std::string& reason) {
    Device* const device = Device::start(options.device, reason);
    if (device == nullptr) return nullptr;
    // On a device that was lost nothing is run.
    return std::make_unique<Cuda>(*device, options);
}

bool has_cuda_driver() noexcept { return cuda::driver().present; }

CudaCounts cuda_counts() noexcept {
    Device* const device = Device::started();
    if (device == nullptr) return {};
    const std::lock_guard lock(device->mutex());
    return device->counts;
}

CudaState cuda_state() {
    CudaState state;
    const cuda::Driver& driver = cuda::driver();
    state.driver = driver.problem.empty()
                       ? fmt::format("CUDA {}.{}", driver.version_number / 1000, driver.version_number % 1000 / 10)
                       : driver.problem;
    state.compiler = cuda::nvrtc().problem.empty() ? cuda::nvrtc().identity : cuda::nvrtc().problem;
    int count = 0;
    if (!driver.problem.empty() || driver.device_count(&count) != cuda::kSuccess) return state;
    for (int number = 0; number < count; ++number) {
        CudaDevice& device = state.devices.emplace_back();
        int handle = 0;
        char name[256] = {};
        std::size_t bytes = 0;
        if (driver.device_get(&handle, number) != cuda::kSuccess) continue;
        if (driver.device_name(name, sizeof name - 1, handle) == cuda::kSuccess) device.name = name;
        if (driver.device_memory(&bytes, handle) == cuda::kSuccess) device.bytes = bytes;
        driver.device_attribute(&device.major, cuda::kMajor, handle);
        driver.device_attribute(&device.minor, cuda::kMinor, handle);
        driver.device_attribute(&device.multiprocessors, cuda::kMultiprocessors, handle);
    }
    return state;
}

}  // namespace xlazy::be
