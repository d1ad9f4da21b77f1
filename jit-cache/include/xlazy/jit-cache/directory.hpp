// SPDX-License-Identifier: BSD-3-Clause
// The entries on disk. Works on an open directory, so that no path is looked up twice; survives that any process dies
// at any moment. Prints and throws nothing but std::bad_alloc.
#pragma once

#include "xlazy/jit-cache/entry.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xlazy::jc {

/// A file descriptor, closed with the object.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) noexcept : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() { static_cast<void>(close()); }
    /// The descriptor; negative for none.
    int number() const noexcept { return number_; }
    explicit operator bool() const noexcept { return number_ >= 0; }
    /// Gives the descriptor away, unclosed.
    int release() noexcept { return std::exchange(number_, -1); }
    /// @return 0 or errno: some file systems tell only here that a file could not be written
    int close() noexcept;

private:
    int number_ = -1;
};

/// Where entries go.
struct Place {
    std::string path;  ///< empty: nowhere
    std::string why;   ///< the variable that chose it, or what is missing
};
/// By XLAZY_CACHE_DIR, XDG_CACHE_HOME/xlazy or HOME/.cache/xlazy.
/// @param lookup value of a variable, or null
Place default_place(const std::function<const char*(const char* name)>& lookup);

/// "0", "1000", "64K", "1.5G": bytes, in powers of 1024. @return nothing for any other text
std::optional<std::uint64_t> parse_bytes(std::string_view text);
/// "1.5 GiB"
std::string format_bytes(std::uint64_t bytes);

/// The folder with its entries, opened once.
class Directory {
public:
    /// What open() found: a directory, or why there is none.
    struct Opened {
        std::shared_ptr<Directory> directory;  ///< null: see the rest
        bool absent = false;                   ///< it does not exist, and was not to be created
        std::string why;
    };
    /// @param create makes it and its parents, mode 0700, where they are missing
    /// Refuses what is no directory, belongs to another user, or can be written by others: entries are code.
    static Opened open(const std::string& path, bool create);

    /// As it was given to open.
    const std::string& path() const noexcept { return path_; }

    /// What came of reading a file.
    enum class Status : std::uint8_t { ok, absent, damaged, unreadable };
    /// An entry, or why there is none.
    struct ReadResult {
        Status status = Status::absent;
        std::optional<Entry> entry;
        std::string why;
    };
    /// Never mapped, always read: a mapping of a network file can fail later. Removes nothing, and is no use of the
    /// entry.
    ReadResult read(const std::string& name) const;
    /// The entry for a key. Damaged files are removed; those that cannot be read stay.
    /// @param compiler nullopt: any compiler's, the newest first
    ReadResult find(const Key& key, std::optional<std::string_view> compiler) const;

    /// 0, or why the entry was not written.
    struct WriteResult {
        int error = 0;  ///< errno
        std::string why;
    };
    /// Under a temporary name first: the entry is seen whole or not at all.
    WriteResult write(const Entry& entry) const;
    /// Removes an entry's file, if it is there.
    void remove(const std::string& name) const noexcept;

    /// An entry as the folder lists it.
    struct Item {
        std::string name;
        std::uint64_t bytes = 0;
        std::int64_t used = 0;  ///< seconds since 1970, within kUseGranularity
    };
    /// All entries, in no order. Files of other kinds are never listed, nor touched by anything here.
    std::vector<Item> list() const;
    static constexpr std::chrono::seconds kUseGranularity{600};

    /// What prune() did.
    struct Pruned {
        std::uint64_t entries = 0, bytes = 0;  ///< removed
        std::uint64_t entries_left = 0, bytes_left = 0;
    };
    /// Removes what was not used for longest until at most `limit` bytes are left.
    Pruned prune(std::uint64_t limit) const;
    /// Removes what processes left behind that died while they wrote.
    /// @param age younger files stay, their writers may be just beginning
    /// @return how many
    std::size_t sweep(std::chrono::seconds age = std::chrono::seconds(60)) const;

    /// Held as long as the object lives; the system lets go when the process dies.
    class Lock {
    public:
        Lock() = default;
        Lock(Lock&&) = default;
        Lock& operator=(Lock&&) = default;
        ~Lock() { release(); }
        /// This object has the lock.
        bool held() const noexcept { return static_cast<bool>(file_); }
        bool busy() const noexcept { return busy_; }  ///< somebody else holds it

    private:
        friend class Directory;
        void release() noexcept;
        Descriptor file_;
        bool busy_ = false;
    };
    /// One lock a key, in one file. Where the file system has no locks, it is neither held nor busy.
    Lock try_lock(const Hash128& hash) const;

private:
    Directory(std::string path, Descriptor root) : path_(std::move(path)), root_(std::move(root)) {}
    ReadResult read_for_use(const std::string& name) const;
    void note_use(const std::string& name) const noexcept;

    std::string path_;
    Descriptor root_;
};

}  // namespace xlazy::jc
