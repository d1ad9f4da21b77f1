// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/jit-cache/directory.hpp"

#include "file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <ctime>

namespace xlazy::jc {

namespace {

// Names that nobody else uses, in case somebody points the cache at a directory that is used for other things as well.
constexpr const char* kTemporaries = "xlazy-new";
constexpr const char* kLockFile = "xlazy-lock";
constexpr std::string_view kTemporarySuffix = ".xlk-new";
constexpr std::size_t kKeyPart = 33;  // of a file name: the key's digits and "-"

std::string shard_of(std::string_view name) { return std::string(name.substr(0, 2)); }
std::string path_of(std::string_view name) { return fmt::format("{}/{}", name.substr(0, 2), name); }

bool is_shard(std::string_view name) {
    return name.size() == 2 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void make_with_parents(const std::string& path) {
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
        ::mkdir(path.substr(0, slash).c_str(), 0700);
    }
    ::mkdir(path.c_str(), 0700);  // what went wrong shows when it is opened
}

// A directory below `root`, made where it is missing; a file that is in the way goes.
int make_below(int root, const char* name) {
    if (mkdirat(root, name, 0700) == 0) return 0;
    if (errno != EEXIST) return errno;
    struct stat status;
    if (fstatat(root, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(status.st_mode)) return 0;
    if (unlinkat(root, name, 0) != 0 && errno != ENOENT) return errno;
    return mkdirat(root, name, 0700) == 0 || errno == EEXIST ? 0 : errno;
}

std::string temporary_name() {
    static std::atomic<unsigned> counter{0};
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return fmt::format("{}/{:x}-{:x}-{:x}{}", kTemporaries, getpid(),
                       static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec),
                       counter++, kTemporarySuffix);
}

struct flock range_of(short type) {
    struct flock range {};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    return range;
}

}  // namespace

Directory::Opened Directory::open(const std::string& path, bool create) {
    const auto try_open = [&] { return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); };
    const auto refused = [&](std::string_view why) { return Opened{nullptr, false, fmt::format("{} {}", path, why)}; };
    Descriptor root = try_open();
    if (!root && errno == ENOENT) {
        if (!create) return {nullptr, true, fmt::format("{} does not exist", path)};
        make_with_parents(path);
        root = try_open();
    }
    if (!root && errno == ENOTDIR) return refused("is not a directory");
    if (!root) return {nullptr, false, error_text(path, errno)};
    struct stat status;
    if (fstat(root.number(), &status) != 0) return {nullptr, false, error_text(path, errno)};
    if (status.st_uid != geteuid()) return refused("belongs to another user");
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return refused("can be written by others");
    return {std::shared_ptr<Directory>(new Directory(path, std::move(root))), false, {}};
}

Directory::ReadResult Directory::read(const std::string& name) const {
    if (!is_file_name(name)) return {Status::absent, {}, "no name of an entry"};
    const auto unreadable = [&](int error) {
        const bool absent = error == ENOENT || error == ENOTDIR;
        return ReadResult{absent ? Status::absent : Status::unreadable, {}, error_text(name, error)};
    };
    const Descriptor file(
        openat(root_.number(), path_of(name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file && errno == ELOOP) return {Status::damaged, {}, "a symbolic link"};
    if (!file) return unreadable(errno);
    struct stat status;
    if (fstat(file.number(), &status) != 0) return unreadable(errno);
    if (!S_ISREG(status.st_mode)) return {Status::damaged, {}, "not a file"};
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size > kMaxEntryBytes) return {Status::damaged, {}, "too large"};
    Bytes bytes;
    if (const int error = read_all(file.number(), size, bytes); error != 0) return unreadable(error);
    ReadResult result;
    result.entry = decode(bytes, result.why);
    if (result.entry && file_name(result.entry->key, result.entry->compiler) != name) {
        result.entry.reset();
        result.why = "the entry of another key";
    }
    result.status = result.entry ? Status::ok : Status::damaged;
    return result;
}

Directory::ReadResult Directory::read_for_use(const std::string& name) const {
    ReadResult result = read(name);
    if (result.status == Status::damaged) remove(name);
    if (result.status == Status::ok) note_use(name);
    return result;
}

// The time of change is the time of use, coarse, since many file systems keep no time of access.
void Directory::note_use(const std::string& name) const noexcept {
    const std::string path = path_of(name);
    struct stat status;
    if (fstatat(root_.number(), path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        std::time(nullptr) - status.st_mtim.tv_sec > kUseGranularity.count()) {
        utimensat(root_.number(), path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
    }
}

Directory::ReadResult Directory::find(const Key& key, std::optional<std::string_view> compiler) const {
    std::vector<std::string> names;
    const std::string name = file_name(key, compiler.value_or(""));
    if (compiler) {
        names.push_back(name);
    } else {
        std::vector<std::pair<std::int64_t, std::string>> found;
        for_each_name(root_.number(), shard_of(name).c_str(), [&](const char* other) {
            struct stat status;
            if (is_file_name(other) && std::string_view(other).starts_with(name.substr(0, kKeyPart)) &&
                fstatat(root_.number(), path_of(other).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
                found.emplace_back(-status.st_mtim.tv_sec, other);
            }
        });
        std::ranges::sort(found);
        for (auto& [time, other] : found) names.push_back(std::move(other));
    }
    ReadResult result;
    for (const std::string& candidate : names) {
        ReadResult read = read_for_use(candidate);
        // An equal hash of other text is no damage, it just is not what was asked for.
        const bool equal = read.entry && read.entry->key == key && (!compiler || read.entry->compiler == *compiler);
        if (read.entry && !equal) read = {};
        if (result.status != Status::damaged || equal) result = std::move(read);
        if (equal) break;
    }
    return result;
}

Directory::WriteResult Directory::write(const Entry& entry) const {
    const Bytes bytes = encode(entry);
    const std::string name = file_name(entry.key, entry.compiler);
    if (bytes.size() > kMaxEntryBytes) return {EFBIG, "an entry is too large"};
    const auto failed = [&](int error) { return WriteResult{error, error_text(path_, error)}; };
    for (const std::string& below : {std::string(kTemporaries), shard_of(name)}) {
        if (const int error = make_below(root_.number(), below.c_str()); error != 0) return failed(error);
    }
    const std::string temporary = temporary_name();
    Descriptor file(
        openat(root_.number(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return failed(errno);
    flock(file.number(), LOCK_EX | LOCK_NB);  // tells sweep() that the writer lives
    int error = write_all(file.number(), bytes);
    // No fsync: what a crash of the machine leaves half-written does not pass the checksum, and is made again.
    if (const int at_close = file.close(); error == 0) error = at_close;
    if (error == 0) {
        const std::string target = path_of(name);
        int renamed = renameat(root_.number(), temporary.c_str(), root_.number(), target.c_str());
        if (renamed != 0 && errno == EISDIR && unlinkat(root_.number(), target.c_str(), AT_REMOVEDIR) == 0) {
            renamed = renameat(root_.number(), temporary.c_str(), root_.number(), target.c_str());
        }
        if (renamed == 0) return {};
        error = errno;
    }
    unlinkat(root_.number(), temporary.c_str(), 0);
    return failed(error);
}

void Directory::remove(const std::string& name) const noexcept {
    if (!is_file_name(name)) return;
    const std::string path = path_of(name);
    if (unlinkat(root_.number(), path.c_str(), 0) != 0 && errno == EISDIR) {
        unlinkat(root_.number(), path.c_str(), AT_REMOVEDIR);
    }
}

std::vector<Directory::Item> Directory::list() const {
    std::vector<Item> items;
    for_each_name(root_.number(), ".", [&](const char* shard) {
        if (!is_shard(shard)) return;
        for_each_name(root_.number(), shard, [&](const char* name) {
            struct stat status;
            if (!is_file_name(name) || !std::string_view(name).starts_with(shard) ||
                fstatat(root_.number(), path_of(name).c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
                return;
            }
            items.push_back({name, static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec});
        });
    });
    return items;
}

Directory::Pruned Directory::prune(std::uint64_t limit) const {
    std::vector<Item> items = list();
    std::ranges::sort(items, {}, &Item::used);
    Pruned pruned;
    for (const Item& item : items) pruned.bytes_left += item.bytes;
    pruned.entries_left = items.size();
    for (const Item& item : items) {
        if (pruned.bytes_left <= limit) break;
        remove(item.name);
        ++pruned.entries, --pruned.entries_left;
        pruned.bytes += item.bytes, pruned.bytes_left -= item.bytes;
    }
    return pruned;
}

std::size_t Directory::sweep(std::chrono::seconds age) const {
    std::size_t removed = 0;
    for_each_name(root_.number(), kTemporaries, [&](const char* name) {
        if (!std::string_view(name).ends_with(kTemporarySuffix)) return;
        const std::string path = fmt::format("{}/{}", kTemporaries, name);
        const Descriptor file(openat(root_.number(), path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        struct stat status;
        if (!file || fstat(file.number(), &status) != 0 || std::time(nullptr) - status.st_mtim.tv_sec < age.count() ||
            flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
            return;
        }
        removed += unlinkat(root_.number(), path.c_str(), 0) == 0 ? 1 : 0;
    });
    return removed;
}

Directory::Lock Directory::try_lock(const Hash128& hash) const {
    Lock lock;
    Descriptor file(openat(root_.number(), kLockFile, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return lock;
    // One byte of the file for each key. The lock belongs to this descriptor, not to the process: threads exclude each
    // other as well, and no other descriptor that is closed takes it away.
    struct flock range = range_of(F_WRLCK);
    range.l_start = static_cast<off_t>(hash.low >> 2);
    range.l_len = 1;
    if (fcntl(file.number(), F_OFD_SETLK, &range) == 0) {
        lock.file_ = std::move(file);
    } else {
        lock.busy_ = errno == EAGAIN || errno == EACCES;
    }
    return lock;
}

// Not only closed: a child of fork() has the descriptor, too, and would keep the lock.
void Directory::Lock::release() noexcept {
    if (!file_) return;
    struct flock everything = range_of(F_UNLCK);
    fcntl(file_.number(), F_OFD_SETLK, &everything);
    file_.close();
}

}  // namespace xlazy::jc
