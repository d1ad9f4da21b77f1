// SPDX-License-Identifier: BSD-3-Clause
// Every golden/NAME.txt is a batch; its first lines say what is shown of it:
//     ; passes: dce        the passes that run besides the mandatory ones
//     ; show: dce          the pass whose result is compared, or "plan"
//     ; regions: anyhow    as for a large batch; also the regions that do not pay
// golden/NAME.out is what must come out. XLAZY_UPDATE_GOLDEN=1 writes it anew.
#include "byte_machine.hpp"
#include "fuzz/values.hpp"
#include "token_machine.hpp"

#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"
#include "xlazy/optimizer/optimizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace xlazy {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(XLAZY_SOURCE_DIR) / "tests/optimizer/golden";

std::string read_file(const fs::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// The rest of the line that begins with "; KEY: ".
std::string header(const std::string& text, const std::string& key) {
    const std::string begin = "; " + key + ": ";
    const std::size_t at = text.find(begin);
    if (at == std::string::npos) return {};
    return text.substr(at + begin.size(), text.find('\n', at) - at - begin.size());
}

std::vector<std::string> cases() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(kFolder)) {
        if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
    }
    std::ranges::sort(names);
    return names;
}

/// The plan gives the live arrays the bits that one instruction after the other gives them.
void expect_bits_of_interpreter(const bc::Plan& plan, const bc::Program& program) {
    std::map<std::uint32_t, test::Bytes> inputs;
    for (std::uint32_t b = 0; b < program.bases.size(); ++b) {
        const bc::BaseInfo& base = program.bases[b];
        if (base.initialised) inputs[b] = fuzz::initial_bytes(base.type, base.size, 1, b);
    }
    const auto interp = be::make_interpreter(), openmp = be::make_openmp(1);
    opt::PlanOptions none;
    none.passes = opt::PassSet{0};
    const test::ByteRun expected = test::run_bytes(opt::make_plan(program, none), program, inputs, *interp);
    const test::ByteRun got = test::run_bytes(plan, program, inputs, *openmp);
    for (std::uint32_t b = 0; b < program.bases.size(); ++b) {
        if (!program.bases[b].live) continue;
        EXPECT_EQ(fuzz::first_difference(program.bases[b].type, expected.bases[b], got.bases[b], {}), -1) << "b" << b;
    }
    EXPECT_EQ(expected.traps.size(), got.traps.size());
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, IsAsWritten) {
    const std::string text = read_file(kFolder / (GetParam() + ".txt"));
    const bc::Program program = bc::parse(text);
    ASSERT_EQ(bc::verify(program), "");

    std::vector<std::string> unknown;
    opt::PlanOptions options;
    options.passes = opt::parse_passes(header(text, "passes"), unknown);
    options.verify = true;
    options.anyhow = header(text, "regions") == "anyhow";
    if (options.anyhow) options.size_class = bc::SizeClass::Memory;
    const std::string shown = header(text, "show");
    std::string result;
    options.dump = [&](std::string_view pass, const std::string& dump) {
        if (pass == shown) result = dump;
    };
    ASSERT_TRUE(unknown.empty()) << unknown.front();
    const bc::Plan plan = opt::make_plan(program, options);
    if (shown == "plan") result = bc::print(plan);
    ASSERT_NE(result, "") << "no pass is called '" << shown << "'";
    EXPECT_EQ(test::check_plan(opt::make_plan(program, test::token_options(header(text, "passes"))), program), "");
    expect_bits_of_interpreter(plan, program);

    const fs::path expected = kFolder / (GetParam() + ".out");
    if (std::getenv("XLAZY_UPDATE_GOLDEN") != nullptr) std::ofstream(expected) << result;
    ASSERT_TRUE(fs::exists(expected)) << expected << " is missing";
    EXPECT_EQ(result, read_file(expected));
}

INSTANTIATE_TEST_SUITE_P(Optimizer, Golden, testing::ValuesIn(cases()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace xlazy
