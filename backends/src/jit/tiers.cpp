// SPDX-License-Identifier: BSD-3-Clause
#include "jit/tiers.hpp"

#include "codegen/emitter.hpp"
#include "isa/kernel_table.hpp"
#include "jit/kernel_library.hpp"
#include "jit/variants.hpp"
#include "xlazy/backends/kernel_exchange.hpp"
#include "xlazy/backends/timeline.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <new>
#include <system_error>
#include <thread>

namespace xlazy::be::jit {
namespace {

constexpr const char* kFunction = "xlazy_kernel";
constexpr const char* kNoText = "there is no code for one of its ops";
constexpr int kNice = 10;
constexpr std::size_t kTogether = 300;  ///< kernels in a unit

void* routine_of(const HostCall& call, Isa isa) noexcept {
    const TypeKernels& loops = kernels(isa).of(call.type);
    const auto op = static_cast<std::size_t>(call.op);
    return reinterpret_cast<void*>(loops.map[op][static_cast<std::size_t>(Form::vv)]);
}

std::string march_of(Isa isa) {
    return isa == Isa::avx512 ? "-march=x86-64-v4" : isa == Isa::avx2 ? "-march=x86-64-v3" : "-march=x86-64";
}

}  // namespace

std::vector<std::string> compiler_flags(const Unit& unit) {
    std::vector<std::string> flags{"-x",
                                   unit.cxx ? "c++" : "c",
                                   unit.many ? "-O1" : "-O2",
                                   march_of(unit.isa),
                                   "-fPIC",
                                   "-ffp-contract=off",
                                   "-fno-math-errno",
                                   "-fno-trapping-math",
                                   "-fwrapv",
                                   "-fno-tree-vectorize",
                                   "-fno-ident",
                                   "-fno-asynchronous-unwind-tables",
                                   "-fno-stack-protector",
                                   "-fcf-protection=none",
                                   "-w"};
    if (unit.isa == Isa::avx512) flags.emplace_back("-mprefer-vector-width=512");
    return flags;
}

namespace {

LibraryOptions library_options(const JitOptions& options) {
    LibraryOptions result;
    result.cache.place = options.cache_place;
    result.cache.size_limit = options.cache_bytes;
    result.compiler.program = options.compiler;
    result.compiler.limit = options.compiler_limit;
    result.warn = options.warn;
    return result;
}

/// What the cache has is not compiled. `only_find`: nothing is.
Built build_in_library(KernelLibrary& library, const Unit& unit, bool only_find, std::stop_token stop) {
    const KernelText text{unit.text, compiler_flags(unit), std::string(name_of(unit.isa)), unit.subject};
    KernelLibrary::Result result = library.find(text);
    if (result.module == nullptr && !only_find) result = library.build(text, stop);
    if (result.module == nullptr) return {{}, {}, false, result.error};
    const auto find = [module = result.module](const std::string& name) { return module->symbol(name); };
    return {result.module, find, !result.compiled, {}};
}

}  // namespace

/// The state of the tiers. Never destroyed: static arrays may outlive main.
struct Tiers {
    std::mutex mutex;  ///< of the options, the queue and the counts
    JitOptions options;
    std::atomic<JitMode> mode{JitMode::off};
    std::atomic<std::int64_t> least_elements{0};
    Builder builder;
    std::unique_ptr<KernelLibrary> library;  ///< made when it is needed first
    Variants variants;

    struct Task {
        Variant* variant;
        bool only_find;  ///< in the cache
    };
    std::deque<Task> queue;
    std::condition_variable_any wake;
    std::jthread thread;
    bool ended = false;

    std::atomic<std::uint64_t> compiled{0}, loaded{0}, refused{0}, runs{0};
    std::atomic<std::int64_t> nanoseconds{0};

    static Tiers& get() {
        static Tiers& tiers = *new Tiers;
        return tiers;
    }

    Tiers() {
        std::atexit([] { get().end(); });
        pthread_atfork([] { get().lock(); }, [] { get().unlock(false); }, [] { get().after_fork(); });
    }

    /// At the end of the program a compiler may run; nobody waits for what it makes.
    void end() {
        std::jthread last;
        {
            const std::lock_guard guard(mutex);
            ended = true;
            last = std::move(thread);
        }
        if (last.joinable()) last.request_stop();
    }

    void lock() {
        mutex.lock();
        if (library != nullptr) library->before_fork();
        variants.mutex().lock();
    }
    void unlock(bool child) {
        if (library != nullptr) library->after_fork(child);
        variants.mutex().unlock();
        mutex.unlock();
    }
    /// The thread is the parent's, and what it was at never ends here: the child begins anew with what has no code yet.
    void after_fork() {
        if (thread.joinable()) thread.detach();
        queue.clear();
        new (&wake) std::condition_variable_any;  // the thread may have been about to wait
        variants.each_locked([](Variant& each) {
            if (each.state_ == Variant::State::Queued) each.state_ = Variant::State::Interpreted;
            new (&each.making_) std::mutex;
        });
        unlock(true);
    }

    const Code* run(Variant& variant, std::int64_t elements) {
        const JitMode now = mode.load(std::memory_order_relaxed);
        if (now == JitMode::off || elements < least_elements.load(std::memory_order_relaxed)) return nullptr;
        if (const Code* code = variant.code()) {
            runs.fetch_add(1, std::memory_order_relaxed);
            return code;
        }
        if (variant.state_.load(std::memory_order_relaxed) != Variant::State::Interpreted) return nullptr;
        {
            const std::lock_guard guard(mutex);
            const std::int64_t sightings = variant.runs_.fetch_add(1) + 1;
            const std::int64_t all = variant.elements_.fetch_add(elements) + elements;
            if (now == JitMode::background) {
                const bool often = sightings >= options.runs || all >= options.elements;
                if (often || sightings == 1) enqueue(variant, !often);
                return nullptr;
            }
        }
        make(variant, false, {});
        return variant.code();
    }

    /// What is in the cache is found before anything is compiled.
    void enqueue(Variant& variant, bool only_find) {
        if (ended || (only_find && builder)) return;
        if (!only_find) {
            auto expected = Variant::State::Interpreted;
            if (!variant.state_.compare_exchange_strong(expected, Variant::State::Queued)) return;
        }
        if (only_find)
            queue.push_front({&variant, true});
        else
            queue.push_back({&variant, false});
        if (!thread.joinable()) {
            try {
                thread = std::jthread([this](std::stop_token stop) { work(stop); });
            } catch (const std::system_error&) {
                queue.clear();  // no thread, no code
            }
        }
        wake.notify_one();
    }

    void work(std::stop_token stop) {
        // Compilers run beside the program's own threads, not before them.
        setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
        while (!stop.stop_requested()) {
            Task next{};
            {
                std::unique_lock guard(mutex);
                if (!wake.wait(guard, stop, [&] { return !queue.empty(); })) return;
                next = queue.front();
                queue.pop_front();
            }
            try {
                make(*next.variant, next.only_find, stop);
            } catch (const std::exception& error) {
                refuse(*next.variant, error.what());
            }
        }
    }

    /// Emits, builds and publishes, unless somebody else has.
    void make(Variant& variant, bool only_find, std::stop_token stop) {
        const std::lock_guard guard(variant.making_);
        if (variant.code() != nullptr || variant.state_ == Variant::State::Refused) return;
        const std::optional<Source> source = emit(variant.form_, CpuDialect(variant.isa_), kFunction);
        if (!source) return refuse(variant, kNoText);
        const std::uint64_t begin = timeline_now();
        const Built built = build({source->text, variant.isa_, source->cxx, false, variant.subject_}, only_find, stop);
        const std::uint64_t end = timeline_now();
        nanoseconds += static_cast<std::int64_t>(end - begin);
        if (const TimelineSink sink = timeline()) {
            const SpanDetail details[] = {{"of", variant.subject_}};
            const char* const what = built.owner == nullptr ? "look for code" : built.loaded ? "load" : "compile";
            sink({"compile", what, begin, end, details});
        }
        if (built.owner != nullptr)
            publish(variant, *source, built, kFunction);
        else if (!only_find)
            refuse(variant, built.error);
    }

    /// The mutex is held.
    void need_library() {
        if (library == nullptr) library = std::make_unique<KernelLibrary>(library_options(options));
    }

    Built build(const Unit& unit, bool only_find, std::stop_token stop) {
        Builder use;
        {
            const std::lock_guard guard(mutex);
            use = builder;
            if (!use) need_library();
        }
        return use ? use(unit, stop) : build_in_library(*library, unit, only_find, stop);
    }

    void publish(Variant& variant, const Source& source, const Built& built, const std::string& name) {
        auto code = std::make_unique<Code>();
        code->function = reinterpret_cast<KernelFunction>(built.find(name));
        code->owner = built.owner;
        for (const HostCall& call : source.calls) {
            code->calls.push_back(routine_of(call, variant.isa_));
            if (code->calls.back() == nullptr) return refuse(variant, "a routine that it calls is missing");
        }
        if (code->function == nullptr) return refuse(variant, "its code lacks the function");
        ++(built.loaded ? loaded : compiled);
        trace(fmt::format("kernel of {} ops {}", variant.kernel_.ops.size(), built.loaded ? "loaded" : "compiled"));
        variant.state_ = Variant::State::Compiled;
        variant.code_.store(code.release(), std::memory_order_release);
    }

    void refuse(Variant& variant, const std::string& why) {
        variant.state_ = Variant::State::Refused;
        ++refused;
        trace(fmt::format("kernel of {} ops stays interpreted: {}", variant.kernel_.ops.size(), why));
    }

    void trace(const std::string& line) {
        std::function<void(const std::string&)> sink;
        {
            const std::lock_guard guard(mutex);
            sink = options.trace;
        }
        if (sink) sink(line);
    }

    std::size_t make_seen(std::size_t most) {
        std::vector<Variant*> waiting = variants.those([](const Variant& each) {
            return each.state_ == Variant::State::Interpreted && each.runs_.load(std::memory_order_relaxed) > 0;
        });
        if (waiting.size() > most) waiting.resize(most);
        std::ranges::sort(waiting, {}, &Variant::isa_);
        std::size_t made = 0;
        for (std::size_t first = 0; first < waiting.size();) {
            std::size_t end = first;
            while (end < waiting.size() && end < first + kTogether && waiting[end]->isa_ == waiting[first]->isa_) ++end;
            made += make_together({waiting.data() + first, end - first});
            first = end;
        }
        return made;
    }

    /// Each kernel's unit becomes a namespace of one unit.
    std::size_t make_together(std::span<Variant* const> kernels) {
        Unit unit{{}, kernels[0]->isa_, true, true, {}};
        std::vector<std::optional<Source>> sources;
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            const std::optional<Source>& source =
                sources.emplace_back(emit(kernels[i]->form_, CpuDialect(unit.isa), fmt::format("{}_{}", kFunction, i)));
            if (source) unit.text += fmt::format("namespace n{} {{\n{}}}\n", i, source->text);
        }
        const Built built = build(unit, false, {});
        std::size_t made = 0;
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            if (!sources[i])
                refuse(*kernels[i], kNoText);
            else if (built.owner == nullptr)
                refuse(*kernels[i], built.error);
            else
                publish(*kernels[i], *sources[i], built, fmt::format("{}_{}", kFunction, i));
            made += kernels[i]->code() != nullptr;
        }
        return made;
    }
};

Variant* find_variant(const bc::Kernel& kernel, std::span<const AccessForm> accesses, Folding scanning, bool looks,
                      const bc::Program* program) {
    Tiers& tiers = Tiers::get();
    if (tiers.mode.load(std::memory_order_relaxed) == JitMode::off) return nullptr;
    return &tiers.variants.find(kernel, accesses, scanning, looks, current_isa(), program);
}

const Code* code_for_run(Variant& variant, std::int64_t elements) { return Tiers::get().run(variant, elements); }

void set_builder(Builder builder) {
    Tiers& tiers = Tiers::get();
    const std::lock_guard guard(tiers.mutex);
    tiers.builder = std::move(builder);
}

}  // namespace xlazy::be::jit

namespace xlazy::be {

void set_jit(JitOptions options) {
    jit::Tiers& tiers = jit::Tiers::get();
    const std::lock_guard guard(tiers.mutex);
    tiers.mode.store(options.mode, std::memory_order_relaxed);
    tiers.least_elements.store(options.least_elements, std::memory_order_relaxed);
    tiers.options = std::move(options);
}

std::size_t compile_seen_kernels(std::size_t most) { return jit::Tiers::get().make_seen(most); }

std::vector<jc::Entry> compiled_kernels() {
    jit::Tiers& tiers = jit::Tiers::get();
    const std::lock_guard guard(tiers.mutex);
    return tiers.library == nullptr ? std::vector<jc::Entry>() : tiers.library->entries();
}

void offer_kernels(std::vector<jc::Entry> entries) {
    jit::Tiers& tiers = jit::Tiers::get();
    if (tiers.mode.load(std::memory_order_relaxed) == JitMode::off) return;
    const std::lock_guard guard(tiers.mutex);
    tiers.need_library();
    tiers.library->offer(std::move(entries));
}

JitCounts jit_counts() noexcept {
    const jit::Tiers& tiers = jit::Tiers::get();
    return {tiers.compiled, tiers.loaded, tiers.refused, tiers.runs,
            static_cast<double>(tiers.nanoseconds.load()) * 1e-9};
}

}  // namespace xlazy::be
