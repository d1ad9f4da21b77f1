// SPDX-License-Identifier: BSD-3-Clause
#include "jit/kernel_library.hpp"

#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace xlazy::be::jit {

namespace {

constexpr std::string_view kCompilerVersion = "compiler version";
// A compiler that fails this often, and never succeeds in between, is not asked again.
constexpr unsigned kFailuresInARow = 3;

struct HashOfHash {
    std::size_t operator()(const jc::Hash128& hash) const noexcept { return hash.low; }
};

jc::Key key_of(const KernelText& text) {
    jc::Key key{std::string(jc::kKernel), text.source, {}, text.isa};
    for (const std::string& flag : text.flags) key.flags.append(flag).push_back('\n');
    return key;
}

class Stopwatch {
public:
    explicit Stopwatch(std::atomic<std::uint64_t>& total) : total_(total) {}
    ~Stopwatch() {
        total_ += static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count());
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

private:
    using Clock = std::chrono::steady_clock;
    std::atomic<std::uint64_t>& total_;
    Clock::time_point start_ = Clock::now();
};

}  // namespace

struct KernelLibrary::Impl {
    struct Loaded {
        std::shared_ptr<const jc::Entry> entry;  ///< whose key it is
        std::weak_ptr<const Module> module;
    };

    explicit Impl(LibraryOptions given);

    std::shared_ptr<const jc::Entry> offer_for(const jc::Hash128& hash, const jc::Key& key);
    std::shared_ptr<const Module> loaded(const jc::Hash128& hash, const jc::Key& key);
    Result keep(const jc::Hash128& hash, std::shared_ptr<const jc::Entry> entry, std::shared_ptr<const Module> module);
    Result load(const jc::Hash128& hash, const jc::Lookup& found);
    std::optional<jc::Made> compile(const KernelText& text, const std::stop_token& stop, Result& result);
    void note_failure(const CompileResult& compiled, const std::string& error, const std::string& subject);
    void warn_compiler(const std::string& text);

    const std::function<void(const std::string&)> warn;
    jc::Cache cache;
    std::string compiler_reason;
    std::unique_ptr<Compiler> compiler;
    std::mutex mutex;
    std::unordered_map<jc::Hash128, Loaded, HashOfHash> modules;
    std::size_t modules_before_cleaning = 64;
    std::unordered_map<jc::Hash128, std::shared_ptr<const jc::Entry>, HashOfHash> offered;
    bool warned = false;
    std::atomic<bool> usable{false};
    std::atomic<unsigned> failures_in_a_row{0};
    std::atomic<std::uint64_t> compiled{0}, from_disk{0}, failed{0}, compiling{0}, loading{0};
};

KernelLibrary::Impl::Impl(LibraryOptions given)
    : warn(std::move(given.warn)), cache([&] {
          given.cache.warn = [this](const std::string& why) {
              if (warn) warn(fmt::format("compiled kernels are not kept: {}", why));
          };
          return given.cache;
      }()) {
    CompilerOptions options = given.compiler;
    const auto key_of_stamp = [](const std::string& stamp) {
        return jc::Key{std::string(kCompilerVersion), stamp, {}, {}};
    };
    options.recall = [this, key_of_stamp](const std::string& stamp) -> std::optional<std::string> {
        const jc::Lookup found = cache.find(key_of_stamp(stamp), std::string_view());
        if (!found) return std::nullopt;
        return std::string(reinterpret_cast<const char*>(found.entry->object.data()), found.entry->object.size());
    };
    options.remember = [this, key_of_stamp](const std::string& stamp, const std::string& version) {
        const auto bytes = std::as_bytes(std::span(version));
        cache.insert({key_of_stamp(stamp), {}, std::time(nullptr), {bytes.begin(), bytes.end()}});
    };
    CompilerChoice choice = choose_compiler(options);
    compiler = std::move(choice.compiler);
    compiler_reason = std::move(choice.reason);
    usable = compiler != nullptr;
}

std::shared_ptr<const jc::Entry> KernelLibrary::Impl::offer_for(const jc::Hash128& hash, const jc::Key& key) {
    const std::scoped_lock lock(mutex);
    const auto it = offered.find(hash);
    return it != offered.end() && it->second->key == key ? it->second : nullptr;
}

std::shared_ptr<const Module> KernelLibrary::Impl::loaded(const jc::Hash128& hash, const jc::Key& key) {
    const std::scoped_lock lock(mutex);
    const auto it = modules.find(hash);
    return it != modules.end() && it->second.entry->key == key ? it->second.module.lock() : nullptr;
}

KernelLibrary::Result KernelLibrary::Impl::keep(const jc::Hash128& hash, std::shared_ptr<const jc::Entry> entry,
                                                std::shared_ptr<const Module> module) {
    const std::scoped_lock lock(mutex);
    if (modules.size() >= modules_before_cleaning) {
        std::erase_if(modules, [](const auto& item) { return item.second.module.expired(); });
        modules_before_cleaning = std::max<std::size_t>(64, 2 * modules.size());
    }
    Loaded& slot = modules[hash];
    if (slot.entry != nullptr && slot.entry->key == entry->key) {
        if (auto other = slot.module.lock()) return {std::move(other), {}, false};  // two threads loaded it
    }
    slot = {std::move(entry), module};
    return {std::move(module), {}, false};
}

KernelLibrary::Result KernelLibrary::Impl::load(const jc::Hash128& hash, const jc::Lookup& found) {
    const Stopwatch watch(loading);
    LoadResult result = load_object(found.entry->object);
    if (result.module == nullptr) return {nullptr, std::move(result.error), false};
    if (found.where == jc::Found::disk) ++from_disk;
    return keep(hash, found.entry, std::move(result.module));
}

void KernelLibrary::Impl::warn_compiler(const std::string& text) {
    {
        const std::scoped_lock lock(mutex);
        if (std::exchange(warned, true)) return;
    }
    if (warn) warn(text);
}

void KernelLibrary::Impl::note_failure(const CompileResult& compiled_result, const std::string& error,
                                       const std::string& subject) {
    ++failed;
    // One that hangs would keep a processor busy for the whole limit each time.
    if (++failures_in_a_row >= kFailuresInARow || compiled_result.timed_out) usable = false;
    warn_compiler(fmt::format("a kernel was not compiled and stays interpreted{}: {}",
                              subject.empty() ? "" : fmt::format(" ({})", subject), error));
}

std::optional<jc::Made> KernelLibrary::Impl::compile(const KernelText& text, const std::stop_token& stop,
                                                     Result& result) {
    CompileResult made;
    {
        const Stopwatch watch(compiling);
        made = compiler->compile({text.source, text.flags, stop});
    }
    if (made.stopped) {
        result.error = made.error;
        return std::nullopt;
    }
    // What cannot be loaded must not get into the cache.
    LoadResult loaded_result;
    if (made) loaded_result = load_object(made.object);
    if (loaded_result.module == nullptr) {
        result.error = made
                           ? fmt::format("{} made an object that is refused: {}", compiler->name(), loaded_result.error)
                           : made.error;
        note_failure(made, result.error, text.subject);
        return std::nullopt;
    }
    failures_in_a_row = 0;
    ++compiled;
    result.module = std::move(loaded_result.module);
    return jc::Made{std::move(made.object), std::move(made.compiler)};
}

KernelLibrary::KernelLibrary(LibraryOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
KernelLibrary::~KernelLibrary() = default;

KernelLibrary::Result KernelLibrary::find(const KernelText& text) {
    const jc::Key key = key_of(text);
    const jc::Hash128 hash = jc::hash_of(key);
    if (auto module = impl_->loaded(hash, key)) return {std::move(module), {}, false};
    if (auto entry = impl_->offer_for(hash, key)) {
        if (Result found = impl_->load(hash, {std::move(entry), jc::Found::disk}); found.module != nullptr)
            return found;
    }
    std::optional<std::string> identity;
    if (impl_->compiler != nullptr) {
        identity = impl_->compiler->known_identity();
        if (!identity) return {};
    }
    const jc::Lookup found = impl_->cache.find(key, identity);
    return found ? impl_->load(hash, found) : Result{};
}

KernelLibrary::Result KernelLibrary::build(const KernelText& text, std::stop_token stop) {
    if (Result found = find(text); found.module != nullptr) return found;
    Result result;
    if (!usable()) {
        if (impl_->compiler == nullptr) {
            result.error = impl_->compiler_reason;
            impl_->warn_compiler(fmt::format("kernels are not compiled: {}", result.error));
        } else {
            result.error = "the compiler failed before";
        }
        return result;
    }
    const jc::Key key = key_of(text);
    const jc::Hash128 hash = jc::hash_of(key);
    const std::string identity = impl_->compiler->identity(stop);
    if (stop.stop_requested()) return {nullptr, "stopped", false};
    const auto make = [&] { return impl_->compile(text, stop, result); };
    const jc::Lookup found = impl_->cache.find_or_make(key, identity, make, stop);
    if (!found) return result;
    const auto keep_compiled = [&](std::shared_ptr<const jc::Entry> entry) {
        Result kept = impl_->keep(hash, std::move(entry), std::move(result.module));
        kept.compiled = true;
        return kept;
    };
    if (result.module != nullptr) return keep_compiled(found.entry);
    Result from_cache = impl_->load(hash, found);
    if (from_cache.module != nullptr) return from_cache;
    // A whole entry that cannot be loaded here, say by way of a bundle from elsewhere: it is made again.
    std::optional<jc::Made> made = make();
    if (!made) return result;
    auto entry = std::make_shared<const jc::Entry>(
        jc::Entry{key, std::move(made->compiler), std::time(nullptr), std::move(made->object)});
    impl_->cache.insert(*entry);
    return keep_compiled(std::move(entry));
}

void KernelLibrary::offer(std::vector<jc::Entry> entries) {
    const std::scoped_lock lock(impl_->mutex);
    for (jc::Entry& entry : entries) {
        const jc::Hash128 hash = jc::hash_of(entry.key);
        impl_->offered[hash] = std::make_shared<const jc::Entry>(std::move(entry));
    }
}

std::vector<jc::Entry> KernelLibrary::entries() {
    const std::scoped_lock lock(impl_->mutex);
    std::vector<jc::Entry> all;
    for (const auto& [hash, loaded] : impl_->modules) {
        if (!loaded.module.expired()) all.push_back(*loaded.entry);
    }
    return all;
}

bool KernelLibrary::usable() const { return impl_->usable; }

void KernelLibrary::before_fork() {
    impl_->mutex.lock();
    if (impl_->compiler != nullptr) impl_->compiler->before_fork();
    impl_->cache.before_fork();
}

void KernelLibrary::after_fork(bool child) {
    impl_->cache.after_fork(child);
    if (impl_->compiler != nullptr) impl_->compiler->after_fork();
    impl_->mutex.unlock();
}

LibraryCounts KernelLibrary::counts() const {
    return {impl_->compiled, impl_->from_disk, impl_->failed, impl_->compiling, impl_->loading};
}

std::string KernelLibrary::compiler_state() {
    return impl_->compiler != nullptr && !usable() ? fmt::format("{}, which failed", impl_->compiler_reason)
                                                   : impl_->compiler_reason;
}

std::string KernelLibrary::cache_state() const { return impl_->cache.state(); }

}  // namespace xlazy::be::jit
