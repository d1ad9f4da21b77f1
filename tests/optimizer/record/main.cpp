// SPDX-License-Identifier: BSD-3-Clause
// Writes the batches of tests/optimizer/batches: runs each program twice and keeps the longest batch that the library
// dumped the second time, when the program's arrays are those of a loop's later iterations.
// usage: xlazy_record_batches FOLDER [NAME...]
#include "record.hpp"

#include "log.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string_view>

namespace {

using xlazy::test::RecordedProgram;

/// Lines are named relative to the repository.
std::string without_build_folder(std::string text) {
    for (const std::string_view known : {"bench/bodies/", "tests/optimizer/"}) {
        for (std::size_t at = text.find(known); at != std::string::npos; at = text.find(known, at + 1)) {
            const std::size_t quote = text.rfind('"', at);
            text.erase(quote + 1, at - quote - 1);
            at = quote + 1;
        }
    }
    return text;
}

std::string record(const RecordedProgram& program) {
    std::string longest;
    program.run();
    xlazy::rt::set_log_sink([&](std::string_view message) {
        constexpr std::string_view kBatch = "batch\n";
        if (message.starts_with(kBatch) && message.size() > longest.size()) longest = message.substr(kBatch.size());
    });
    program.run();
    xlazy::rt::set_log_sink([](std::string_view) {});
    return without_build_folder(longest);
}

int run(const std::string& folder, const std::vector<std::string>& wanted) {
    std::vector<RecordedProgram> programs = xlazy::test::benchmark_programs();
    for (RecordedProgram& program : xlazy::test::small_programs()) programs.push_back(std::move(program));
    for (RecordedProgram& program : xlazy::test::habits()) programs.push_back(std::move(program));
    xlazy::rt::set_log_sink([](std::string_view) {});
    for (const RecordedProgram& program : programs) {
        if (!wanted.empty() && std::ranges::count(wanted, program.name) == 0) continue;
        std::ofstream out(folder + '/' + program.name + ".txt");
        out << record(program);
        if (!out.flush()) {
            std::fprintf(stderr, "xlazy_record_batches: %s cannot be written\n", program.name.c_str());
            return 1;
        }
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: xlazy_record_batches FOLDER [NAME...]\n");
        return 2;
    }
    setenv("XLAZY_TRACE", "batch", 1);
    try {
        return run(argv[1], {argv + 2, argv + argc});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "xlazy_record_batches: %s\n", error.what());
        return 1;
    }
}
