// SPDX-License-Identifier: BSD-3-Clause
// Ids come from one table behind a mutex; what a thread saw lately, it finds again by address without a lock.
#include "xlazy/bytecode/origin.hpp"

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <functional>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace xlazy::bc {
namespace {

struct Key {
    std::string_view file;
    std::uint32_t line;
    std::string_view function;
    friend bool operator==(const Key&, const Key&) = default;
};

struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
        const std::hash<std::string_view> hash;
        return (hash(key.file) * 31 + key.line) * 31 + hash(key.function);
    }
};

/// Origins never move, so that they are read without the lock: chunk k holds kFirstChunk << k of them.
class Table {
public:
    /// Never destroyed: static arrays of the user's may be used after the library's own statics are gone.
    static Table& instance() {
        static Table* const table = new Table;
        return *table;
    }

    OriginId intern(std::string_view file, std::uint32_t line, std::string_view function) {
        const std::lock_guard lock(mutex_);
        const auto found = ids_.find(Key{file, line, function});
        if (found != ids_.end()) return found->second;
        const char* const own_file = own_text(file);
        const char* const own_function = function.empty() ? nullptr : own_text(function);
        const OriginId id = count_;
        Origin* const place = slot(id);
        *place = {own_file, line, own_function};
        ids_.emplace(Key{own_file, line, function.empty() ? std::string_view() : own_function}, id);
        ++count_;
        return id;
    }

    Origin at(OriginId id) const noexcept {
        const auto [chunk, index] = locate(id);
        const Origin* const origins = chunks_[chunk].load(std::memory_order_acquire);
        return origins == nullptr || origins[index].file == nullptr ? Origin{"?", 0, nullptr} : origins[index];
    }

    const void* chunks() const noexcept { return chunks_; }

private:
    static constexpr std::uint32_t kFirstChunk = kFirstOriginChunk;
    static constexpr unsigned kChunks = 23;  // enough for 2^32 ids

    Table() {
        // A child of fork() must not find the lock taken by a thread that it does not have.
        pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                       [] { instance().mutex_.unlock(); });
    }

    static std::pair<unsigned, std::uint32_t> locate(OriginId id) noexcept {
        const std::uint64_t position = std::uint64_t{id} + kFirstChunk;
        const auto chunk = static_cast<unsigned>(63 - __builtin_clzll(position)) - 10u;
        return {chunk, static_cast<std::uint32_t>(position - (std::uint64_t{kFirstChunk} << chunk))};
    }

    Origin* slot(OriginId id) {
        const auto [chunk, index] = locate(id);
        Origin* origins = chunks_[chunk].load(std::memory_order_relaxed);
        if (origins == nullptr) {
            origins = new Origin[std::size_t{kFirstChunk} << chunk]();
            chunks_[chunk].store(origins, std::memory_order_release);
        }
        return origins + index;
    }

    const char* own_text(std::string_view text) { return texts_.emplace(text).first->c_str(); }

    std::mutex mutex_;
    std::unordered_map<Key, OriginId, KeyHash> ids_;
    std::unordered_set<std::string> texts_;
    std::atomic<Origin*> chunks_[kChunks] = {};
    std::uint32_t count_ = 1;  // 0 is no origin
};

/// The table is there before main: a child of fork() could not finish what another thread had begun to construct.
[[maybe_unused]] const Table& kTable = Table::instance();

/// What was interned from an address. It may be another text by now: a shared object can be unloaded, and another one
/// loaded in its place.
struct Cached {
    const char* file;
    const char* function;
    std::uint32_t line;
    OriginId id;
    Origin origin;
};
constexpr std::size_t kCacheSize = 256;
constinit thread_local Cached cache[kCacheSize] = {};

std::string_view text_or_empty(const char* text) noexcept { return text == nullptr ? std::string_view() : text; }

}  // namespace

OriginId intern_origin(const char* file, std::uint32_t line, const char* function) {
    const auto address = reinterpret_cast<std::uintptr_t>(file);
    Cached& cached = cache[(address / 16 + line) % kCacheSize];
    if (cached.file == file && cached.line == line && cached.function == function && cached.id != 0 &&
        std::strcmp(file, cached.origin.file) == 0 &&
        (function == nullptr || std::strcmp(function, cached.origin.function) == 0)) {
        return cached.id;
    }
    const OriginId id = Table::instance().intern(text_or_empty(file), line, text_or_empty(function));
    if (file != nullptr && (function == nullptr || *function != '\0'))
        cached = {file, function, line, id, Table::instance().at(id)};
    return id;
}

OriginId intern_origin_copy(const std::string& file, std::uint32_t line, const std::string& function) {
    return Table::instance().intern(file, line, function);
}

Origin origin(OriginId id) noexcept { return id == 0 ? Origin{"?", 0, nullptr} : Table::instance().at(id); }

const void* origin_chunks() noexcept { return Table::instance().chunks(); }

std::string to_string(OriginId id) {
    if (id == 0) return "unknown place";
    const Origin place = origin(id);
    return place.line == 0 ? place.file : std::string(place.file) + ':' + std::to_string(place.line);
}

}  // namespace xlazy::bc
