// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/programs.hpp"

#include "jit/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace xlazy::be::cuda {
namespace {

constexpr std::size_t kTogether = 64;  ///< kernels in a program

jc::Options cache_options(const JitOptions& options) {
    jc::Options result;
    result.place = options.cache_place;
    result.size_limit = options.cache_bytes;
    result.warn = options.warn;
    return result;
}

bool same_form(const CudaForm& a, const CudaForm& b) noexcept {
    return a.kernel.accesses == b.kernel.accesses && a.outer == b.outer && a.any_outer == b.any_outer &&
           a.wide == b.wide;
}

}  // namespace

Programs& Programs::of(Device& device, const JitOptions& options) {
    static Programs* const programs = [&] {
        auto* const made = new Programs(device, options);
        std::atexit([] {
            if (Device* const started = Device::started()) of(*started, {}).end();
        });
        return made;
    }();
    return *programs;
}

Programs::Programs(Device& device, const JitOptions& options)
    : device_(device), options_(options), cache_(cache_options(options)) {}

/// The compiler is a library of this process: it must not run while the process ends.
void Programs::end() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        queue_.clear();
    }
    wake_.notify_all();
    if (thread_.joinable() && !device_.lost()) thread_.join();
}

void Programs::say(const std::string& text) const {
    if (options_.trace) options_.trace(text);
}

/// The entry for how its operands lie; from the third way on, the one for all ways.
Kernel& Programs::entry(const bc::Kernel& kernel, const CudaBinding& binding) {
    auto& family = families_[jit::signature_of(kernel)];
    const auto same = [&](const CudaForm& form) {
        return std::ranges::find_if(family, [&](const auto& each) { return same_form(each->form, form); });
    };
    if (const auto at = same(binding.form()); at != family.end()) return **at;
    CudaForm form = binding.form();
    if (family.size() + 1 >= jit::kMaxVariants) {
        form = binding.any_form();
        if (const auto at = same(form); at != family.end()) return **at;
    }
    Kernel& made = *family.emplace_back(std::make_unique<Kernel>(Kernel{kernel, std::move(form)}));
    made.form.kernel.kernel = &made.copy;
    return made;
}

Programs::Batch Programs::with_others_of(Kernel& first, const Bindings& bindings) {
    Batch batch{&first};
    first.state = Kernel::State::Queued;
    for (const bc::Kernel& other : bindings.plan->kernels) {
        if (batch.size() == kTogether) break;
        const std::vector<void*> later(other.versions.size(), nullptr);
        Bindings without = bindings;
        without.versions = later;
        const CudaBinding binding(other, without);
        if (!binding.reason().empty()) continue;
        Kernel& kernel = entry(other, binding);
        if (kernel.state != Kernel::State::Unknown) continue;
        kernel.state = Kernel::State::Queued;
        batch.push_back(&kernel);
    }
    return batch;
}

Kernel* Programs::find(const bc::Kernel& kernel, const Bindings& bindings) {
    const CudaBinding binding(kernel, bindings);
    std::unique_lock lock(mutex_);
    Kernel& found = entry(kernel, binding);
    if (found.state == Kernel::State::Unknown) {
        Batch batch = with_others_of(found, bindings);
        if (options_.mode == JitMode::block) {
            lock.unlock();
            build(std::move(batch));
            lock.lock();
        } else {
            queue_.push_back(std::move(batch));
            start_working();
        }
    }
    if (options_.mode == JitMode::block) wake_.wait(lock, [&] { return found.state != Kernel::State::Queued; });
    return found.state == Kernel::State::Ready ? &found : nullptr;
}

void Programs::start_working() {
    if (ended_) return;
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    wake_.notify_all();
}

void Programs::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [&] { return ended_ || !queue_.empty(); });
        if (ended_) return;
        Batch batch = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        build(std::move(batch));
        lock.lock();
    }
}

void Programs::settle(Kernel& kernel, Kernel::State state) {
    {
        const std::lock_guard lock(mutex_);
        kernel.state = state;
    }
    wake_.notify_all();
}

/// Compiles them at once; where that fails, each by itself.
void Programs::build(Batch batch) {
    CudaUnit unit;
    Batch with_code;
    for (Kernel* kernel : batch) {
        kernel->name = fmt::format("xlazy_kernel_{}", with_code.size());
        if (unit.add(kernel->form, kernel->name)) {
            with_code.push_back(kernel);
        } else {
            say("cuda: there is no code for one of a kernel's ops; it runs on the host");
            settle(*kernel, Kernel::State::Refused);
        }
    }
    if (with_code.empty()) return;
    std::string error;
    if (const std::shared_ptr<Program> program = make(unit.text(), error)) {
        for (Kernel* kernel : with_code) {
            kernel->program = program;
            settle(*kernel, Kernel::State::Ready);
        }
        return;
    }
    if (with_code.size() > 1) {
        for (Kernel* kernel : with_code) build({kernel});
        return;
    }
    refuse(*with_code.front(), error);
}

std::shared_ptr<Program> Programs::make(const std::string& text, std::string& error) {
    std::string flags;
    for (const std::string& option : nvrtc_options(device_.target())) flags += option + " ";
    const jc::Key key{"cuda", text, flags, device_.target().flag};
    const jc::Lookup found = cache_.find_or_make(key, nvrtc().identity, [&]() -> std::optional<jc::Made> {
        Compiled made = compile(text, device_.target());
        error = made.error;
        if (!made.error.empty()) return std::nullopt;
        return jc::Made{std::move(made.object), nvrtc().identity};
    });
    if (!found) {
        if (error.empty()) error = "another thread could not compile it";
        return nullptr;
    }
    const bool made = found.where == jc::Found::made;
    (made ? compiled_ : loaded_).fetch_add(1, std::memory_order_relaxed);
    say(fmt::format("cuda: a program of {} bytes was {}", found.entry->object.size(), made ? "compiled" : "loaded"));
    auto program = std::make_shared<Program>();
    program->object = found.entry->object;
    return program;
}

FunctionHandle* Programs::function(Kernel& kernel, const std::string& name) {
    FunctionHandle*& function = kernel.program->functions[name];
    if (function == nullptr)
        function = device_.load(kernel.program->object.data(), name.c_str(), kernel.program->module);
    return function;
}

void Programs::refuse(Kernel& kernel, const std::string& why) {
    if (options_.warn && !warned_.exchange(true)) options_.warn(fmt::format("a kernel runs on the host: {}", why));
    say(fmt::format("cuda: refused: {}", why));
    settle(kernel, Kernel::State::Refused);
}

}  // namespace xlazy::be::cuda
