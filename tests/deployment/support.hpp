// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "jit-cache/support.hpp"
#include "runtime/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace test {

namespace fs = std::filesystem;
namespace jc = xlazy::jc;
using namespace std::chrono_literals;

/// One run of a program.
struct Outcome {
    std::string results;  ///< standard output
    std::string log;      ///< standard error
    int status = -1;
    std::uint64_t compiled = 0, loaded = 0;
    double seconds = 0;
    std::size_t warnings() const { return occurrences(log, "warning"); }
};

/// The value of a key in the statistics of a program.
inline std::uint64_t statistic(const std::string& json, std::string_view key) {
    const std::size_t at = json.find(fmt::format("\"{}\":", key));
    return at == std::string::npos ? 0 : std::strtoull(json.c_str() + at + key.size() + 3, nullptr, 10);
}

/// A cache and temporary files of the test's own, and programs that use them.
class Deployment : public testing::Test {
protected:
    Deployment() { fs::create_directories(temporaries); }

    /// The shell command that runs the program; standard output and error go to `name`.out and .err in the folder.
    std::string command(const std::string& name, const std::string& variables, const std::string& arguments) const {
        return fmt::format(
            "exec env -u XDG_CACHE_HOME -u XLAZY_CXX -u XLAZY_CACHE_SIZE -u XLAZY_LOG XLAZY_JIT=block "
            "XLAZY_CACHE_DIR='{0}' TMPDIR='{1}' XLAZY_STATS='{2}.json' {3} {4} {5} > '{2}.out' 2> '{2}.err'",
            cache.string(), temporaries.string(), folder / name, variables, XLAZY_KERNELS, arguments);
    }
    Outcome result(const std::string& name, int status) const {
        Outcome run;
        run.status = status;
        run.results = jc::contents(folder / (name + ".out"));
        run.log = jc::contents(folder / (name + ".err"));
        const std::string json = jc::contents(folder / (name + ".json"));
        run.compiled = statistic(json, "kernels_compiled");
        run.loaded = statistic(json, "kernels_loaded");
        return run;
    }
    pid_t start(const std::string& name, const std::string& variables = {}, const std::string& arguments = {}) const {
        return jc::start_process([&] {
            const std::string text = command(name, variables, arguments);
            execl("/bin/sh", "sh", "-c", text.c_str(), nullptr);
            return 127;
        });
    }
    Outcome run(const std::string& variables = {}, const std::string& arguments = {}) const {
        const auto begin = std::chrono::steady_clock::now();
        Outcome done = result("run", jc::wait_for(start("run", variables, arguments)));
        done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return done;
    }
    /// What the program prints without compiled kernels.
    const std::string& right() const {
        static const std::string results = run("XLAZY_JIT=off").results;
        return results;
    }
    /// A run that gives the right numbers and ends well.
    void expect_right(const Outcome& run) const {
        EXPECT_EQ(run.status, 0) << run.log;
        EXPECT_EQ(run.results, right());
    }
    std::vector<fs::path> entries() const {
        std::vector<fs::path> files;
        for (const auto& item : fs::recursive_directory_iterator(cache)) {
            if (item.is_regular_file() && jc::is_file_name(item.path().filename().string()))
                files.push_back(item.path());
        }
        std::ranges::sort(files);
        return files;
    }
    std::string script(const std::string& name, const std::string& body) const {
        const std::string path = folder / name;
        jc::overwrite(path, "#!/bin/sh\n" + body + "\n");
        fs::permissions(path, fs::perms::owner_all);
        return path;
    }

    jc::Folder folder;
    fs::path cache = folder / "cache", temporaries = folder / "tmp";
};

}  // namespace test
