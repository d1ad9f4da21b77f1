// SPDX-License-Identifier: BSD-3-Clause
// The program xlazy-cache.
#include "jit-cache/support.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>

namespace xlazy::jc {
namespace {

struct Output {
    int status = -1;
    std::string text;
    bool has(std::string_view part) const { return text.find(part) != std::string::npos; }
};

class ProgramTest : public testing::Test {
protected:
    /// Runs the program on the cache below the test's folder.
    Output run(const std::string& arguments, const std::string& environment = {}) const {
        const std::string command =
            fmt::format("unset XDG_CACHE_HOME XLAZY_CACHE_SIZE; export XLAZY_CACHE_DIR='{}'; {} {} {} 2>&1 </dev/null",
                        path.string(), environment, XLAZY_CACHE_PROGRAM, arguments);
        const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), [](FILE*) { return 0; });
        Output output;
        std::array<char, 4096> buffer;
        while (const std::size_t got = fread(buffer.data(), 1, buffer.size(), pipe.get())) {
            output.text.append(buffer.data(), got);
        }
        const int status = pclose(pipe.get());
        output.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return output;
    }
    void fill(int entries) const {
        const auto directory = open_new(path.string());
        for (int i = 0; i < entries; ++i) {
            directory->write(entry_of(fmt::format("source {}\n", i), "/usr/bin/gcc 1 2 gcc 12.2"));
        }
    }
    std::size_t entries() const { return open_new(path.string())->list().size(); }

    Folder folder;
    fs::path path = folder / "cache";
};

TEST_F(ProgramTest, WrongUseIsExplained) {
    EXPECT_EQ(run("--help").status, 0);
    EXPECT_TRUE(run("--help").has("usage: xlazy-cache"));
    const struct {
        const char* arguments;
        const char* said;
    } cases[]{{"", "which command"},          {"shake", "unknown command shake"}, {"list more", "does not take more"},
              {"export", "needs a file"},     {"--what list", "unknown option"},  {"--dir", "lacks its directory"},
              {"prune lots", "no size: lots"}};
    for (const auto& wrong : cases) {
        const Output output = run(wrong.arguments);
        EXPECT_EQ(output.status, 2) << wrong.arguments;
        EXPECT_TRUE(output.has(wrong.said)) << output.text;
    }
}

TEST_F(ProgramTest, NothingIsThereYet) {
    EXPECT_EQ(run("info").status, 0);
    EXPECT_TRUE(run("info").has("not there yet"));
    for (const char* const command : {"list", "verify", "prune", "clear", "export file"}) {
        EXPECT_EQ(run(command).status, 1) << command;
        EXPECT_TRUE(run(command).has("does not exist")) << command;
    }
    EXPECT_FALSE(fs::exists(path)) << "looking makes no directory";
    const Output homeless = run("list", "unset XLAZY_CACHE_DIR HOME;");
    EXPECT_EQ(homeless.status, 1);
    EXPECT_TRUE(homeless.has("HOME")) << homeless.text;
}

TEST_F(ProgramTest, ListsAndDescribes) {
    fill(3);
    const Output list = run("list");
    EXPECT_EQ(list.status, 0);
    EXPECT_TRUE(list.has("gcc 12.2")) << list.text;
    EXPECT_TRUE(list.has("avx2"));
    EXPECT_EQ(std::ranges::count(list.text, '\n'), 4);
    const std::string name = open_new(path.string())->list()[0].name;
    const Output entry = run("info " + name.substr(0, 12));
    EXPECT_EQ(entry.status, 0);
    EXPECT_TRUE(entry.has("-O2")) << entry.text;
    EXPECT_TRUE(entry.has("source\nsource ")) << entry.text;
    EXPECT_EQ(run("info zzz").status, 1);
    EXPECT_TRUE(run("info").has("entries    3"));
    EXPECT_TRUE(run("info", "export XLAZY_CACHE_SIZE=3G;").has("of 3.0 GiB"));
    EXPECT_TRUE(run(fmt::format("--dir '{}' info", path.string()), "export XLAZY_CACHE_DIR=/nowhere;").has("--dir"));
}

TEST_F(ProgramTest, VerifyNamesWhatIsDamagedAndPruneRemovesIt) {
    fill(3);
    EXPECT_EQ(run("verify").status, 0);
    const std::string name = open_new(path.string())->list()[0].name;
    overwrite(path / name.substr(0, 2) / name, "damaged");
    for (int i = 0; i < 2; ++i) {
        const Output verify = run("verify");
        EXPECT_EQ(verify.status, 1);
        EXPECT_TRUE(verify.has(name)) << verify.text;
        EXPECT_TRUE(verify.has("3 entries, 1 damaged")) << verify.text;
    }
    EXPECT_EQ(run("list").status, 1);
    EXPECT_EQ(run("prune").status, 0);
    EXPECT_EQ(entries(), 2u);
    EXPECT_EQ(run("verify").status, 0);
    EXPECT_EQ(run("prune 2K").status, 0);
    EXPECT_EQ(entries(), 1u);
    EXPECT_EQ(run("clear").status, 0);
    EXPECT_EQ(entries(), 0u);
}

TEST_F(ProgramTest, BundlesCarryKernels) {
    fill(20);
    const auto directory = open_new(path.string());
    Entry version{{"compiler version", "stamp", {}, {}}, {}, 0, bytes_of("gcc 12")};
    directory->write(version);
    const std::string bundle = folder / "bundle with space.tar.zst";
    EXPECT_TRUE(run(fmt::format("export '{}'", bundle)).has("exported 20 kernels"));
    const std::string other = folder / "other";
    Output import = run(fmt::format("--dir '{}' import '{}'", other, bundle));
    EXPECT_EQ(import.status, 0) << import.text;
    EXPECT_TRUE(import.has("imported 20 kernels")) << import.text;
    EXPECT_TRUE(run(fmt::format("--dir '{}' import '{}'", other, bundle)).has("20 were there already"));
    EXPECT_EQ(debris(other), 0u);
    const auto imported = open_new(other);
    EXPECT_EQ(imported->list().size(), 20u);
    // Without a compiler they are found.
    EXPECT_EQ(imported->find(key_of("source 7\n"), std::nullopt).status, Directory::Status::ok);
    EXPECT_EQ(imported->find(key_of("source 7\n"), "another compiler").status, Directory::Status::absent);
    EXPECT_EQ(imported->find(key_of("source 7\n", "avx512"), std::nullopt).status, Directory::Status::absent);
}

TEST_F(ProgramTest, BadBundlesAreRefused) {
    fill(5);
    const std::string bundle = folder / "bundle", into = folder / "into";
    ASSERT_EQ(run(fmt::format("export '{}'", bundle)).status, 0);
    const std::string good = contents(bundle);
    const auto import = [&] { return run(fmt::format("--dir '{}' import '{}'", into, bundle)); };
    for (const std::string& bad : {std::string("no bundle"), std::string(), good.substr(0, good.size() / 2)}) {
        overwrite(bundle, bad);
        EXPECT_EQ(import().status, 1) << bad.size();
    }
    // Members under other names, outside, or of other content.
    fs::create_directories(folder / "members");
    const std::string name = open_new(path.string())->list()[0].name;
    overwrite(folder / ("members/" + name), "damaged");
    overwrite(folder / "members/readme", "a file");
    ASSERT_EQ(std::system(fmt::format("exec 2> /dev/null; cd '{}' && tar cf '{}' -P ./members/../members/{} members/{} "
                                      "members/readme 2> log && "
                                      "cd members && tar rf '{}' {}",
                                      folder.path.string(), bundle, name, name, bundle, name)
                              .c_str()),
              0);
    const Output refused = import();
    EXPECT_EQ(refused.status, 1);
    EXPECT_TRUE(refused.has("imported 0 kernels")) << refused.text;
    EXPECT_TRUE(refused.has("4 are damaged")) << refused.text;
    EXPECT_EQ(open_new(into)->find(entry_of("source 0\n").key, std::nullopt).status, Directory::Status::absent);
    EXPECT_EQ(run("export /nowhere/file").status, 1);
    EXPECT_EQ(run("import /nowhere/file").status, 1);
    EXPECT_FALSE(fs::exists(folder / "bundle.new"));
}

TEST_F(ProgramTest, RefusesADirectoryThatOthersCanWrite) {
    fill(1);
    fs::permissions(path, fs::perms::all);
    EXPECT_TRUE(run("info").has("written by others"));
    EXPECT_EQ(run("clear").status, 1);
    fs::permissions(path, fs::perms::owner_all);
    EXPECT_EQ(entries(), 1u);
}

}  // namespace
}  // namespace xlazy::jc
