// SPDX-License-Identifier: BSD-3-Clause
#include "jit-cache/support.hpp"

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace xlazy::jc {
namespace {

class CacheTest : public testing::Test {
protected:
    Options options() {
        Options result;
        result.place = {path.string(), "the test"};
        result.warn = [this](const std::string& text) {
            const std::scoped_lock lock(mutex);
            warnings.push_back(text);
        };
        return result;
    }
    /// Makes an object of the text.
    auto maker(std::string_view text, std::string_view compiler = "gcc") {
        return [this, text = std::string(text), compiler = std::string(compiler)]() -> std::optional<Made> {
            ++made;
            return Made{bytes_of(text), compiler};
        };
    }

    /// A thread that is making the entry of "a", until its end.
    class InTheMaking {
    public:
        InTheMaking(CacheTest& test, Cache& cache)
            : thread_([&] {
                  cache.find_or_make(key_of("a"), "gcc", [&]() -> std::optional<Made> {
                      making_ = true;
                      while (!go_on_) std::this_thread::sleep_for(1ms);
                      return test.maker("object")();
                  });
              }) {
            while (!making_) std::this_thread::sleep_for(1ms);
        }
        ~InTheMaking() { go_on_ = true; }
        void end() {
            go_on_ = true;
            thread_.join();
        }

    private:
        std::atomic<bool> making_{false}, go_on_{false};
        std::jthread thread_;
    };

    Folder folder;
    fs::path path = folder / "cache";
    std::mutex mutex;
    std::vector<std::string> warnings;
    std::atomic<int> made{0};
};

TEST_F(CacheTest, MemoryThenDisk) {
    const Key key = key_of("a");
    {
        Cache cache(options());
        EXPECT_FALSE(cache.find(key, "gcc"));
        EXPECT_FALSE(fs::exists(path)) << "looking makes no directory";
        const Lookup lookup = cache.find_or_make(key, "gcc", maker("object"));
        EXPECT_EQ(lookup.where, Found::made);
        EXPECT_EQ(lookup.entry->object, bytes_of("object"));
        EXPECT_EQ(cache.find(key, "gcc").where, Found::memory);
        EXPECT_EQ(cache.find(key, std::nullopt).where, Found::memory);
    }
    Cache cache(options());
    EXPECT_EQ(cache.find_or_make(key, "gcc", maker("other")).where, Found::disk);
    EXPECT_EQ(cache.find(key, "gcc").where, Found::memory);
    EXPECT_EQ(cache.counts().hits_disk, 1u);
    EXPECT_EQ(made, 1);
    EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheTest, ANewerCompilerMakesItAgainAndTheOldEntryStaysForTheOldOne) {
    const Key key = key_of("a");
    Cache(options()).find_or_make(key, "gcc 12", maker("old", "gcc 12"));
    const Lookup lookup = Cache(options()).find_or_make(key, "gcc 13", maker("new", "gcc 13"));
    EXPECT_EQ(lookup.where, Found::made);
    EXPECT_EQ(lookup.entry->object, bytes_of("new"));
    Cache cache(options());
    EXPECT_EQ(cache.find(key, "gcc 12").entry->object, bytes_of("old"));
    EXPECT_EQ(cache.find(key, "gcc 13").entry->object, bytes_of("new"));
    EXPECT_FALSE(cache.find(key, "gcc 14"));
    EXPECT_TRUE(cache.find(key, std::nullopt)) << "where there is no compiler, any will do";
}

TEST_F(CacheTest, OtherFlagsAndInstructionSetsAreOtherKernels) {
    Cache cache(options());
    Key key = key_of("a");
    cache.find_or_make(key, "gcc", maker("object"));
    key.isa = "avx512";
    EXPECT_FALSE(cache.find(key, "gcc"));
    EXPECT_FALSE(Cache(options()).find(key, std::nullopt));
    key = key_of("a");
    key.flags += "-g\n";
    EXPECT_FALSE(cache.find(key, "gcc"));
}

TEST_F(CacheTest, FailuresAreNotRemembered) {
    const Key key = key_of("a");
    Cache cache(options());
    EXPECT_FALSE(cache.find_or_make(key, "gcc", []() -> std::optional<Made> { return std::nullopt; }));
    EXPECT_THROW(
        cache.find_or_make(key, "gcc", []() -> std::optional<Made> { throw std::runtime_error("no compiler"); }),
        std::runtime_error);
    EXPECT_TRUE(cache.find_or_make(key, "gcc", maker("object")));
    EXPECT_EQ(debris(path), 0u);
}

TEST_F(CacheTest, ThreadsMakeAnEntryOnce) {
    Cache cache(options());
    std::vector<std::jthread> threads;
    std::atomic<int> right{0};
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            const Lookup lookup = cache.find_or_make(key_of("a"), "gcc", [&]() -> std::optional<Made> {
                std::this_thread::sleep_for(50ms);
                return maker("object")();
            });
            right += lookup && lookup.entry->object == bytes_of("object") ? 1 : 0;
        });
    }
    threads.clear();
    EXPECT_EQ(right, 8);
    EXPECT_EQ(made, 1);
}

TEST_F(CacheTest, WhoWaitsCanBeStopped) {
    Cache cache(options());
    InTheMaking first(*this, cache);
    std::jthread waiting(
        [&](std::stop_token stop) { EXPECT_FALSE(cache.find_or_make(key_of("a"), "gcc", maker("object"), stop)); });
    waiting.request_stop();
    waiting.join();
    // Another process that makes the same, as another cache: its lock is waited for, and can be stopped as well.
    Cache other(options());
    std::jthread outside(
        [&](std::stop_token stop) { EXPECT_FALSE(other.find_or_make(key_of("a"), "gcc", maker("object"), stop)); });
    std::this_thread::sleep_for(20ms);
    outside.request_stop();
    outside.join();
    first.end();
    EXPECT_EQ(made, 1);
}

TEST_F(CacheTest, AChildOfForkMakesWhatItsParentIsMaking) {
    Cache cache(options());
    InTheMaking first(*this, cache);
    cache.before_fork();
    const pid_t child = start_process([&] {
        cache.after_fork(true);
        return cache.find_or_make(key_of("a"), "gcc", maker("object")) ? 0 : 1;
    });
    cache.after_fork(false);
    std::this_thread::sleep_for(20ms);
    first.end();  // the child waits for the lock of its parent
    EXPECT_EQ(wait_for(child), 0);
}

TEST_F(CacheTest, AMakerThatNeverEndsIsNotWaitedForForEver) {
    Options impatient = options();
    impatient.wait_limit = 50ms;
    const auto held = open_new(path.string())->try_lock(hash_of(key_of("a")));
    ASSERT_TRUE(held.held());
    Cache cache(impatient);
    EXPECT_EQ(cache.find_or_make(key_of("a"), "gcc", maker("object")).where, Found::made);
}

TEST_F(CacheTest, DamageHealsWithoutAWord) {
    const Key key = key_of("a");
    Cache(options()).find_or_make(key, "gcc", maker("object"));
    Entry entry{key, "gcc", 0, {}};
    overwrite(file_of(path, entry), "damaged");
    Cache cache(options());
    EXPECT_EQ(cache.find_or_make(key, "gcc", maker("object")).where, Found::made);
    EXPECT_EQ(cache.counts().damaged, 1u);
    EXPECT_EQ(Cache(options()).find(key, "gcc").where, Found::disk);
    EXPECT_TRUE(warnings.empty());
}

// Wherever the directory is of no use, everything works from memory, and there is one warning.
TEST_F(CacheTest, WithoutADirectoryThereIsMemory) {
    overwrite(folder / "file", "");
    fs::create_directories(folder / "open");
    fs::permissions(folder / "open", fs::perms::all);
    const Place nowhere{{}, "neither XLAZY_CACHE_DIR nor HOME is set"};
    for (const Place& place : {Place{folder / "file", "test"}, Place{folder / "file/below", "test"},
                               Place{folder / "open", "test"}, Place{"/proc/nothing/here", "test"}, nowhere}) {
        warnings.clear();
        Options broken = options();
        broken.place = place;
        Cache cache(broken);
        for (int round = 0; round < 3; ++round) {
            for (const std::string source : {"a", "b"}) {
                const Lookup lookup = cache.find_or_make(key_of(source), "gcc", maker(source));
                ASSERT_TRUE(lookup);
                EXPECT_EQ(lookup.entry->object, bytes_of(source));
                EXPECT_EQ(lookup.where, round == 0 ? Found::made : Found::memory);
            }
        }
        EXPECT_EQ(warnings.size(), 1u) << place.path;
        EXPECT_NE(cache.state().find("in memory only"), std::string::npos) << cache.state();
    }
}

TEST_F(CacheTest, ALimitOfNothingIsNoDisk) {
    Options none = options();
    none.size_limit = 0;
    Cache cache(none);
    EXPECT_TRUE(cache.find_or_make(key_of("a"), "gcc", maker("object")));
    EXPECT_EQ(cache.find(key_of("a"), "gcc").where, Found::memory);
    EXPECT_FALSE(fs::exists(path));
    EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheTest, TheDirectoryStaysWithinItsLimit) {
    Options little = options();
    little.size_limit = 20'000;
    little.memory_limit = 5'000;
    Cache cache(little);
    for (int i = 0; i < 100; ++i) {
        cache.find_or_make(key_of("source " + std::to_string(i)), "gcc", maker(std::string(1000, 'x')));
        std::uint64_t bytes = 0;
        for (const auto& item : open_new(path.string())->list()) bytes += item.bytes;
        EXPECT_LE(bytes, little.size_limit + 2000);
    }
    EXPECT_GT(open_new(path.string())->list().size(), 5u);
    EXPECT_EQ(cache.find(key_of("source 99"), "gcc").where, Found::memory);
    EXPECT_NE(cache.find(key_of("source 90"), "gcc").where, Found::memory);
    // What is larger than everything together is not written at all, and evicts nothing.
    const std::size_t before = open_new(path.string())->list().size();
    EXPECT_TRUE(cache.find_or_make(key_of("huge"), "gcc", maker(std::string(30'000, 'x'))));
    EXPECT_EQ(open_new(path.string())->list().size(), before);
    EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheTest, ADirectoryThatIsRemovedComesBack) {
    Cache cache(options());
    cache.find_or_make(key_of("a"), "gcc", maker("object"));
    fs::remove_all(path);
    cache.find_or_make(key_of("b"), "gcc", maker("object"));
    EXPECT_EQ(Cache(options()).find(key_of("b"), "gcc").where, Found::disk);
    EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheTest, WritingIsGivenUpAtTheFirstErrorAndReadingGoesOn) {
    Cache(options()).find_or_make(key_of("before"), "gcc", maker("object"));
    XLAZY_EXPECT_CHILD([&] {
        const std::string mounted = folder / "mounted";
        if (!own_mounts() || !mount_small(mounted, "size=1m")) return kNotPossible;
        Options here = options();
        here.place.path = mounted + "/cache";
        Cache(here).find_or_make(key_of("before"), "gcc", maker("object"));
        if (mount(nullptr, mounted.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) return kNotPossible;
        Cache cache(here);
        for (int i = 0; i < 5; ++i) {
            if (!cache.find_or_make(key_of(std::to_string(i)), "gcc", maker("object"))) return 1;
        }
        if (warnings.size() != 1) return 2;
        if (cache.find(key_of("before"), "gcc").where != Found::disk) return 3;
        return cache.state().find("only read from") != std::string::npos ? 0 : 4;
    });
}

TEST_F(CacheTest, AFullDiskIsOneWarning) {
    XLAZY_EXPECT_CHILD([&] {
        const std::string mounted = folder / "mounted";
        if (!own_mounts() || !mount_small(mounted, "size=64k")) return kNotPossible;
        Options here = options();
        here.place.path = mounted + "/cache";
        Cache cache(here);
        for (int round = 0; round < 2; ++round) {
            for (int i = 0; i < 50; ++i) {
                const std::string text(3000 + static_cast<std::size_t>(i), 'x');
                const Lookup lookup = cache.find_or_make(key_of(std::to_string(i)), "gcc", maker(text));
                if (!lookup || lookup.entry->object != bytes_of(text)) return 1;
            }
        }
        if (debris(here.place.path) != 0) return 2;
        return warnings.size() == 1 ? 0 : 3;
    });
}

}  // namespace
}  // namespace xlazy::jc
