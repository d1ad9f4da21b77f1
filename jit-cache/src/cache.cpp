// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/jit-cache/cache.hpp"

#include "memory_level.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

namespace xlazy::jc {

namespace {

using Clock = std::chrono::steady_clock;

// One entry in the making, in this process.
struct Flight {
    std::shared_ptr<const Entry> entry;
    bool done = false;
};

// Errors that concern one file and say nothing about the next one.
bool is_of_one_entry(int error) {
    return error == EISDIR || error == ENOTDIR || error == ENOTEMPTY || error == EEXIST || error == ENOENT;
}

}  // namespace

struct Cache::Impl {
    explicit Impl(Options given) : options(std::move(given)), memory(options.memory_limit) {
        if (options.size_limit == 0) disk_off = "the size limit is 0";
        if (options.place.path.empty() && disk_off.empty()) disk_off = options.place.why;
    }

    std::shared_ptr<Directory> directory(bool create);
    void give_up(bool writing_only, std::string why);
    Lookup find(const Hash128& hash, const Key& key, std::optional<std::string_view> compiler);
    Lookup make_alone(const Hash128& hash, const Key& key, std::string_view compiler,
                      const std::function<std::optional<Made>()>& make, const std::stop_token& stop);
    void insert(const Hash128& hash, const std::shared_ptr<const Entry>& entry);
    void store(const Entry& entry);
    void keep_within_limit(const Directory& place, std::uint64_t written);

    const Options options;
    mutable std::mutex mutex;
    std::condition_variable flight_done;
    MemoryLevel memory;
    std::unordered_map<Hash128, std::shared_ptr<Flight>, HashOfHash> flights;
    std::shared_ptr<Directory> open_directory;
    std::string disk_off, writing_off;  // why; empty: not off
    bool warned = false;
    bool measured = false;            // whether `bytes_on_disk` is known
    std::uint64_t bytes_on_disk = 0;  // when it was measured, and what this process wrote since
    std::uint64_t written_since = 0;
    Counts counts;
};

// Once something about the disk is wrong it stays off for this process: no error is met twice.
void Cache::Impl::give_up(bool writing_only, std::string why) {
    bool tell = false;
    {
        const std::scoped_lock lock(mutex);
        std::string& off = writing_only ? writing_off : disk_off;
        if (off.empty()) off = why;
        tell = !std::exchange(warned, true);
    }
    if (tell && options.warn) options.warn(why);
}

std::shared_ptr<Directory> Cache::Impl::directory(bool create) {
    {
        const std::scoped_lock lock(mutex);
        if (!disk_off.empty() || (create && !writing_off.empty())) return nullptr;
        if (open_directory != nullptr) return open_directory;
    }
    Directory::Opened opened = Directory::open(options.place.path, create);
    if (opened.directory == nullptr) {
        if (!opened.absent) give_up(false, std::move(opened.why));
        return nullptr;
    }
    const std::scoped_lock lock(mutex);
    if (open_directory == nullptr) open_directory = std::move(opened.directory);
    return open_directory;
}

Lookup Cache::Impl::find(const Hash128& hash, const Key& key, std::optional<std::string_view> compiler) {
    {
        const std::scoped_lock lock(mutex);
        if (auto entry = memory.find(hash, key, compiler)) {
            ++counts.hits_memory;
            return {std::move(entry), Found::memory};
        }
    }
    Directory::ReadResult read;
    if (const auto place = directory(false)) read = place->find(key, compiler);
    const std::scoped_lock lock(mutex);
    if (read.status == Directory::Status::damaged) ++counts.damaged;
    if (!read.entry) {
        ++counts.misses;
        return {};
    }
    ++counts.hits_disk;
    auto entry = std::make_shared<const Entry>(std::move(*read.entry));
    memory.insert(hash, entry);
    return {std::move(entry), Found::disk};
}

void Cache::Impl::insert(const Hash128& hash, const std::shared_ptr<const Entry>& entry) {
    {
        const std::scoped_lock lock(mutex);
        memory.insert(hash, entry);
    }
    store(*entry);
}

void Cache::Impl::store(const Entry& entry) {
    std::shared_ptr<Directory> place = directory(true);
    if (place == nullptr) {
        // Nowhere to write to is worth a warning only now that there is something to write.
        if (options.place.path.empty() && options.size_limit != 0) give_up(false, options.place.why);
        return;
    }
    const std::uint64_t bytes = entry.object.size() + entry.key.source.size() + entry.key.flags.size();
    if (bytes > options.size_limit) return;
    Directory::WriteResult written = place->write(entry);
    if (written.error == ENOENT) {
        // Somebody removed the directory while it was in use.
        {
            const std::scoped_lock lock(mutex);
            if (open_directory == place) open_directory = nullptr;
        }
        place = directory(true);
        if (place == nullptr) return;
        written = place->write(entry);
    }
    if (written.error != 0) {
        if (!is_of_one_entry(written.error)) give_up(true, std::move(written.why));
        return;
    }
    {
        const std::scoped_lock lock(mutex);
        ++counts.stored;
    }
    keep_within_limit(*place, bytes);
}

// Measures the directory at the first write, then whenever this process alone may have filled the limit, or has
// written a part of it: other processes write as well.
void Cache::Impl::keep_within_limit(const Directory& place, std::uint64_t written) {
    constexpr std::uint64_t kPart = 8;
    bool first = false;
    {
        const std::scoped_lock lock(mutex);
        bytes_on_disk += written;
        written_since += written;
        first = !std::exchange(measured, true);
        if (!first && bytes_on_disk <= options.size_limit && written_since <= options.size_limit / kPart) return;
        written_since = 0;
    }
    if (first) place.sweep();
    std::uint64_t total = 0;
    for (const Directory::Item& item : place.list()) total += item.bytes;
    if (total > options.size_limit) total = place.prune(options.size_limit - options.size_limit / kPart).bytes_left;
    const std::scoped_lock lock(mutex);
    bytes_on_disk = total;
}

// The other processes are kept out by a lock, as far as the file system can lock; without, two may make the same.
Lookup Cache::Impl::make_alone(const Hash128& hash, const Key& key, std::string_view compiler,
                               const std::function<std::optional<Made>()>& make, const std::stop_token& stop) {
    Directory::Lock lock;
    if (const auto place = directory(true)) {
        const Clock::time_point end = Clock::now() + options.wait_limit;
        std::chrono::milliseconds pause{1};
        while ((lock = place->try_lock(hash)).busy()) {
            if (stop.stop_requested()) return {};
            if (Clock::now() >= end) break;
            std::this_thread::sleep_for(pause);
            pause = std::min(pause * 2, std::chrono::milliseconds(20));
            if (Lookup found = find(hash, key, compiler)) return found;
        }
        if (Lookup found = find(hash, key, compiler)) return found;
    }
    std::optional<Made> made = make();
    if (!made) return {};
    auto entry = std::make_shared<const Entry>(
        Entry{key, std::move(made->compiler), std::time(nullptr), std::move(made->object)});
    {
        const std::scoped_lock guard(mutex);
        ++counts.made;
    }
    insert(hash, entry);
    return {std::move(entry), Found::made};
}

Cache::Cache(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Cache::~Cache() = default;

Lookup Cache::find(const Key& key, std::optional<std::string_view> compiler) {
    return impl_->find(hash_of(key), key, compiler);
}

Lookup Cache::find_or_make(const Key& key, std::string_view compiler, const std::function<std::optional<Made>()>& make,
                           std::stop_token stop) {
    const Hash128 hash = hash_of(key);
    if (Lookup found = impl_->find(hash, key, compiler)) return found;
    std::shared_ptr<Flight> flight;
    {
        std::unique_lock lock(impl_->mutex);
        if (const auto it = impl_->flights.find(hash); it != impl_->flights.end()) {
            flight = it->second;
            const Clock::time_point end = Clock::now() + impl_->options.wait_limit;
            constexpr std::chrono::milliseconds kLook{20};
            while (!flight->done && !stop.stop_requested() && Clock::now() < end) {
                impl_->flight_done.wait_for(lock, kLook);
            }
            if (flight->done && flight->entry != nullptr && flight->entry->key == key) {
                ++impl_->counts.hits_memory;
                return {flight->entry, Found::memory};
            }
            return {};
        }
        flight = std::make_shared<Flight>();
        impl_->flights.emplace(hash, flight);
    }
    const auto land = [&](std::shared_ptr<const Entry> entry) {
        {
            const std::scoped_lock lock(impl_->mutex);
            flight->entry = std::move(entry);
            flight->done = true;
            impl_->flights.erase(hash);
        }
        impl_->flight_done.notify_all();
    };
    Lookup found;
    try {
        found = impl_->make_alone(hash, key, compiler, make, stop);
    } catch (...) {
        land(nullptr);
        throw;
    }
    land(found.entry);
    return found;
}

void Cache::insert(Entry entry) {
    const Hash128 hash = hash_of(entry.key);
    impl_->insert(hash, std::make_shared<const Entry>(std::move(entry)));
}

void Cache::before_fork() { impl_->mutex.lock(); }

void Cache::after_fork(bool child) {
    if (child) impl_->flights.clear();  // whoever makes them is in the parent
    impl_->mutex.unlock();
}

Counts Cache::counts() const {
    const std::scoped_lock lock(impl_->mutex);
    return impl_->counts;
}

std::string Cache::state() const {
    const std::scoped_lock lock(impl_->mutex);
    if (!impl_->disk_off.empty()) return fmt::format("in memory only: {}", impl_->disk_off);
    const std::string& path = impl_->options.place.path;
    if (!impl_->writing_off.empty()) return fmt::format("{}, only read from: {}", path, impl_->writing_off);
    return fmt::format("{} (by {})", path, impl_->options.place.why);
}

}  // namespace xlazy::jc
