// SPDX-License-Identifier: BSD-3-Clause
#include "jit-cache/support.hpp"

#include <sys/resource.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <random>

namespace xlazy::jc {
namespace {

using Status = Directory::Status;

class DirectoryTest : public testing::Test {
protected:
    Directory::ReadResult find(const Entry& entry) { return directory->find(entry.key, entry.compiler); }
    void set_age(const fs::path& path, std::chrono::seconds age) {
        fs::last_write_time(path, fs::file_time_type::clock::now() - age);
    }

    Folder folder;
    fs::path path = folder / "cache";
    std::shared_ptr<Directory> directory = open_new(path.string());
};

TEST_F(DirectoryTest, WritesAndFinds) {
    const Entry entry = entry_of("a");
    EXPECT_EQ(find(entry).status, Status::absent);
    EXPECT_EQ(directory->write(entry).error, 0);
    const auto found = find(entry);
    ASSERT_EQ(found.status, Status::ok) << found.why;
    EXPECT_EQ(found.entry->object, entry.object);
    EXPECT_EQ(directory->find(entry.key, "clang 16").status, Status::absent);
    EXPECT_EQ(directory->find(key_of("a", "avx512"), entry.compiler).status, Status::absent);
    EXPECT_EQ(directory->find(key_of("b"), entry.compiler).status, Status::absent);
    EXPECT_EQ(debris(path), 0u);
}

TEST_F(DirectoryTest, IsPrivate) {
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    const Entry entry = entry_of("a");
    directory->write(entry);
    EXPECT_EQ(fs::status(file_of(path, entry)).permissions() & (fs::perms::group_all | fs::perms::others_all),
              fs::perms::none);
}

TEST_F(DirectoryTest, WithoutACompilerTheNewestEntryOfAnyCompilerIsFound) {
    const Entry older = entry_of("a", "gcc 12", 1), newer = entry_of("a", "clang 16", 2), other = entry_of("b");
    for (const Entry& entry : {older, newer, other}) directory->write(entry);
    set_age(file_of(path, older), 100s);
    auto found = directory->find(older.key, std::nullopt);
    ASSERT_TRUE(found.entry);
    EXPECT_EQ(found.entry->compiler, "clang 16");
    overwrite(file_of(path, newer), "damaged");
    found = directory->find(older.key, std::nullopt);
    ASSERT_TRUE(found.entry);
    EXPECT_EQ(found.entry->compiler, "gcc 12");
    EXPECT_EQ(directory->find(key_of("c"), std::nullopt).status, Status::absent);
}

// Whatever the bytes of a file are, it is refused once, and gone.
TEST_F(DirectoryTest, DamagedFilesAreRemoved) {
    const Entry entry = entry_of("a");
    directory->write(entry);
    const fs::path file = file_of(path, entry);
    const std::string good = contents(file);
    std::string random(good.size(), '\0');
    std::mt19937 generator(1);
    std::ranges::generate(random, [&] { return static_cast<char>(generator()); });
    std::string version = good;
    version[8] = 99;
    std::string flipped = good;
    flipped.back() ^= 1;
    for (const std::string& damaged : {std::string(), good.substr(0, 50), good.substr(0, good.size() - 1),
                                       std::string(good.size(), '\0'), random, version, flipped, good + "x"}) {
        overwrite(file, damaged);
        const auto found = find(entry);
        EXPECT_EQ(found.status, Status::damaged);
        EXPECT_FALSE(found.entry);
        EXPECT_FALSE(found.why.empty());
        EXPECT_FALSE(fs::exists(file));
        EXPECT_EQ(find(entry).status, Status::absent);
    }
    EXPECT_EQ(directory->write(entry).error, 0);
    EXPECT_EQ(find(entry).status, Status::ok);
}

// A whole entry under the name of another one: another source, instruction set, compiler.
TEST_F(DirectoryTest, SwappedEntriesAreRemoved) {
    const Entry entry = entry_of("a");
    Entry source = entry_of("b"), isa = entry, compiler = entry_of("a", "clang 16");
    isa.key.isa = "avx512";
    for (const Entry& other : {source, isa, compiler}) {
        directory->write(entry);
        directory->write(other);
        fs::copy_file(file_of(path, other), file_of(path, entry), fs::copy_options::overwrite_existing);
        EXPECT_EQ(find(entry).status, Status::damaged);
        EXPECT_FALSE(fs::exists(file_of(path, entry)));
        EXPECT_EQ(find(other).status, Status::ok);
    }
}

TEST_F(DirectoryTest, OtherThingsInThePlaceOfAnEntryHeal) {
    const Entry entry = entry_of("a");
    const fs::path file = file_of(path, entry);
    const auto heals = [&] {
        EXPECT_NE(find(entry).status, Status::ok);
        EXPECT_EQ(directory->write(entry).error, 0);
        EXPECT_EQ(find(entry).status, Status::ok);
        fs::remove_all(file);
    };
    fs::create_directories(file);
    heals();
    overwrite(path / "victim", "keep me");
    fs::create_symlink(path / "victim", file);
    heals();
    EXPECT_EQ(contents(path / "victim"), "keep me");
    ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);  // must not wait for a writer
    heals();
    fs::remove_all(file.parent_path());
    overwrite(file.parent_path(), "a file where a folder should be");
    heals();
    fs::remove_all(path / "xlazy-new");
    overwrite(path / "xlazy-new", "a file where a folder should be");
    heals();
}

TEST_F(DirectoryTest, TooLargeEntriesAreNeitherWrittenNorRead) {
    Entry entry = entry_of("a", "gcc", kMaxEntryBytes);
    EXPECT_EQ(directory->write(entry).error, EFBIG);
    entry.object.clear();
    directory->write(entry);
    fs::resize_file(file_of(path, entry), kMaxEntryBytes + 1);
    EXPECT_EQ(find(entry).status, Status::damaged);
}

// An error of the system says nothing about the file.
TEST_F(DirectoryTest, WhatCannotBeReadStays) {
    const Entry entry = entry_of("a");
    directory->write(entry);
    const fs::path file = file_of(path, entry);
    XLAZY_EXPECT_CHILD([&] {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_NOFILE, &none);
        return find(entry).status == Status::unreadable ? 0 : 1;
    });
    EXPECT_TRUE(fs::exists(file));
    EXPECT_EQ(find(entry).status, Status::ok);
    if (geteuid() != 0) {
        fs::permissions(file, fs::perms::none);
        EXPECT_EQ(find(entry).status, Status::unreadable);
        EXPECT_TRUE(fs::exists(file));
    }
}

TEST_F(DirectoryTest, OpensOnlyWhatIsOurs) {
    EXPECT_TRUE(Directory::open(folder / "absent", false).absent);
    EXPECT_FALSE(fs::exists(folder / "absent"));
    overwrite(folder / "file", "");
    EXPECT_NE(Directory::open(folder / "file", true).why.find("not a directory"), std::string::npos);
    EXPECT_EQ(Directory::open(folder / "file/below", true).directory, nullptr);
    for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
        fs::permissions(path, fs::perms::owner_all | others);
        EXPECT_NE(Directory::open(path.string(), true).why.find("written by others"), std::string::npos);
    }
    fs::permissions(path, fs::perms::owner_all | fs::perms::group_read | fs::perms::others_read);
    EXPECT_NE(Directory::open(path.string(), true).directory, nullptr);
    const std::string foreign = geteuid() == 0 ? path.string() : "/";
    if (geteuid() == 0) {
        ASSERT_EQ(chown(path.c_str(), 12345, 12345), 0);
    }
    EXPECT_NE(Directory::open(foreign, true).why.find("another user"), std::string::npos);
}

TEST_F(DirectoryTest, MakesItsParents) {
    const std::string deep = folder / "with space/quote's \"/\xc3\xa4\xe2\x82\xac/$(cache)";
    const auto odd = open_new(deep);
    ASSERT_NE(odd, nullptr);
    const Entry entry = entry_of("a");
    EXPECT_EQ(odd->write(entry).error, 0);
    EXPECT_EQ(odd->find(entry.key, entry.compiler).status, Status::ok);
    EXPECT_TRUE(fs::exists(file_of(deep, entry)));
}

TEST_F(DirectoryTest, PrunesWhatWasNotUsedForLongest) {
    std::uint64_t size = 0;
    for (int i = 0; i < 10; ++i) {
        const Entry entry = entry_of("source " + std::to_string(i));
        directory->write(entry);
        set_age(file_of(path, entry), 10000s - 1000s * i);
        size = fs::file_size(file_of(path, entry));
    }
    // Finding one uses it.
    EXPECT_EQ(find(entry_of("source 0")).status, Status::ok);
    const auto pruned = directory->prune(4 * size);
    EXPECT_EQ(pruned.entries, 6u);
    EXPECT_EQ(pruned.entries_left, 4u);
    EXPECT_EQ(pruned.bytes_left, 4 * size);
    for (const int kept : {0, 7, 8, 9}) {
        EXPECT_EQ(find(entry_of("source " + std::to_string(kept))).status, Status::ok) << kept;
    }
    EXPECT_EQ(directory->list().size(), 4u);
    EXPECT_EQ(directory->prune(0).entries_left, 0u);
}

TEST_F(DirectoryTest, TouchesOnlyItsOwnFiles) {
    const fs::path foreign[]{path / "notes.txt", path / "ab" / "readme", path / "xlazy-new" / "mine",
                             path / "cd" / file_name(key_of("x"), "gcc")};
    fs::create_directories(path / "ab");
    fs::create_directories(path / "cd");
    fs::create_directories(path / "xlazy-new");
    for (const fs::path& file : foreign) overwrite(file, "foreign");
    directory->write(entry_of("a"));
    EXPECT_EQ(directory->list().size(), 1u);
    directory->prune(0);
    directory->sweep(0s);
    for (const fs::path& file : foreign) EXPECT_EQ(contents(file), "foreign") << file;
}

TEST_F(DirectoryTest, SweepsWhatTheDeadLeftBehind) {
    fs::create_directories(path / "xlazy-new");
    const fs::path dead = path / "xlazy-new" / "1-2-3.xlk-new", young = path / "xlazy-new" / "4-5-6.xlk-new";
    overwrite(dead, "half");
    overwrite(young, "half");
    set_age(dead, 100s);
    EXPECT_EQ(directory->sweep(), 1u);
    EXPECT_FALSE(fs::exists(dead));
    EXPECT_TRUE(fs::exists(young));
    EXPECT_EQ(directory->sweep(0s), 1u);
}

TEST_F(DirectoryTest, LocksOneKeyAtATime) {
    const Hash128 first = hash_of(key_of("a")), second = hash_of(key_of("b"));
    {
        const auto held = directory->try_lock(first);
        ASSERT_TRUE(held.held());
        EXPECT_TRUE(directory->try_lock(first).busy());
        EXPECT_TRUE(directory->try_lock(second).held());
    }
    EXPECT_TRUE(directory->try_lock(first).held());
    // A process that is killed lets go.
    Descriptor ends[2];
    int numbers[2];
    ASSERT_EQ(pipe(numbers), 0);
    for (int i = 0; i < 2; ++i) ends[i] = Descriptor(numbers[i]);
    const pid_t child = start_process([&] {
        const auto held = directory->try_lock(first);
        const char ready = held.held() ? 'y' : 'n';
        static_cast<void>(!write(numbers[1], &ready, 1));
        while (true) pause();
        return 0;
    });
    char ready = 0;
    ASSERT_EQ(read(numbers[0], &ready, 1), 1);
    EXPECT_EQ(ready, 'y');
    EXPECT_TRUE(directory->try_lock(first).busy());
    kill(child, SIGKILL);
    EXPECT_EQ(wait_for(child), -SIGKILL);
    EXPECT_TRUE(directory->try_lock(first).held());
}

TEST_F(DirectoryTest, AChildDoesNotKeepALock) {
    const Hash128 hash = hash_of(key_of("a"));
    pid_t child = 0;
    {
        const auto held = directory->try_lock(hash);
        ASSERT_TRUE(held.held());
        child = start_process([] {
            while (true) pause();
            return 0;
        });
    }
    EXPECT_TRUE(directory->try_lock(hash).held());
    kill(child, SIGKILL);
    wait_for(child);
}

TEST_F(DirectoryTest, TheEntryIsSeenWholeOrNotAtAllOnAFullDisk) {
    XLAZY_EXPECT_CHILD([&] {
        const std::string small = folder / "small";
        if (!own_mounts() || !mount_small(small, "size=64k")) return kNotPossible;
        const auto opened = Directory::open(small + "/cache", true);
        if (opened.directory == nullptr) return 1;
        int written = 0;
        Directory::WriteResult result;
        while ((result = opened.directory->write(entry_of("s" + std::to_string(written), "gcc", 5000))).error == 0) {
            if (++written > 100) return 2;
        }
        if (result.error != ENOSPC) return 3;
        if (debris(small + "/cache") != 0) return 4;
        for (int i = 0; i < written; ++i) {
            const Entry entry = entry_of("s" + std::to_string(i), "gcc");
            if (opened.directory->find(entry.key, entry.compiler).status != Status::ok) return 5;
        }
        return opened.directory->list().size() == static_cast<std::size_t>(written) ? 0 : 6;
    });
}

TEST_F(DirectoryTest, ALimitOnFileSizesIsAnErrorNotTheEnd) {
    XLAZY_EXPECT_CHILD([&] {
        const rlimit little{2000, 2000};
        setrlimit(RLIMIT_FSIZE, &little);
        if (directory->write(entry_of("small", "gcc", 500)).error != 0) return 1;
        if (directory->write(entry_of("large", "gcc", 5000)).error != EFBIG) return 2;
        return debris(path) == 0 && directory->list().size() == 1 ? 0 : 3;
    });
}

TEST_F(DirectoryTest, AReadOnlyFileSystemIsReadFrom) {
    XLAZY_EXPECT_CHILD([&] {
        const std::string mounted = folder / "mounted";
        if (!own_mounts() || !mount_small(mounted, "size=1m")) return kNotPossible;
        const Entry entry = entry_of("a");
        if (open_new(mounted + "/cache")->write(entry).error != 0) return 1;
        if (mount(nullptr, mounted.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) return kNotPossible;
        const auto opened = Directory::open(mounted + "/cache", true);
        if (opened.directory == nullptr) return 2;
        if (opened.directory->find(entry.key, entry.compiler).status != Status::ok) return 3;
        if (opened.directory->write(entry_of("b")).error != EROFS) return 4;
        const auto lock = opened.directory->try_lock(hash_of(entry.key));
        return !lock.busy() ? 0 : 5;
    });
}

TEST(PlaceTest, FollowsTheVariablesInOrder) {
    std::map<std::string, const char*> variables{
        {"XLAZY_CACHE_DIR", "/one"}, {"XDG_CACHE_HOME", "/two"}, {"HOME", "/three"}};
    const auto place = [&] {
        return default_place([&](const char* name) { return variables.contains(name) ? variables[name] : nullptr; });
    };
    EXPECT_EQ(place().path, "/one");
    EXPECT_EQ(place().why, "XLAZY_CACHE_DIR");
    variables["XLAZY_CACHE_DIR"] = "";
    EXPECT_EQ(place().path, "/two/xlazy");
    variables["XDG_CACHE_HOME"] = "relative";
    EXPECT_EQ(place().path, "/three/.cache/xlazy");
    variables.erase("HOME");
    EXPECT_EQ(place().path, "");
    EXPECT_NE(place().why.find("HOME"), std::string::npos);
    variables["XLAZY_CACHE_DIR"] = "below";
    EXPECT_EQ(place().path, (fs::current_path() / "below").string());
}

}  // namespace
}  // namespace xlazy::jc
