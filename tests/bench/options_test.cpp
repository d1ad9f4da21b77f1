// SPDX-License-Identifier: BSD-3-Clause
#include "driver/files.hpp"
#include "driver/measure.hpp"
#include "driver/options.hpp"
#include "driver/worker_process.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

namespace {

using namespace xlazy_bench;

TEST(Options, BothSpellingsOfAValue) {
    EXPECT_EQ(parse_options({"--filter", "b01"}).filter, "b01");
    EXPECT_EQ(parse_options({"--filter=b01"}).filter, "b01");
    EXPECT_EQ(parse_options({"--rounds=4"}).rounds, 4);
}

TEST(Options, ThreadsAreSortedAndUnique) {
    EXPECT_EQ(parse_options({"--threads", "1,1"}).threads, std::vector<int>{1});
    EXPECT_EQ(parse_options({}).threads.front(), 1);
    EXPECT_THROW(parse_options({"--threads", std::to_string(core_count() + 1)}), std::invalid_argument);
}

TEST(Options, APageNeedsWhatItShows) {
    const Options options = parse_options({"--report", "page.html"});
    EXPECT_TRUE(options.ablation && options.early);
    EXPECT_EQ(parse_options({"--worse=1.5"}).worse, 1.5);
    const Options plain = parse_options({"--baseline", "old.json"});
    EXPECT_FALSE(plain.ablation || plain.early);
    for (const Case& spec : cases()) {
        const bool ablated = names_of(spec, options).size() > names_of(spec, plain).size();
        EXPECT_EQ(ablated, spec.is_example && spec.kind == Kind::bandwidth) << spec.id;
    }
}

TEST(Options, WrongOnesAreNamed) {
    for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{{"--what"},
                                                                                       {"--filter"},
                                                                                       {"--filter", "("},
                                                                                       {"--threads", "0"},
                                                                                       {"--threads", "1,x"},
                                                                                       {"--rounds", "-1"},
                                                                                       {"--worse", "0.9"},
                                                                                       {"--variants", "nobody"}}) {
        try {
            parse_options(wrong);
            ADD_FAILURE() << wrong.front() << " is accepted";
        } catch (const std::invalid_argument& e) {
            EXPECT_NE(std::string(e.what()).find(wrong.front()), std::string::npos) << e.what();
        }
    }
}

/// A folder for one test.
class LookAtFiles : public testing::Test {
protected:
    LookAtFiles() { std::filesystem::create_directory(folder_); }
    ~LookAtFiles() override { std::filesystem::remove_all(folder_); }
    std::string path(const std::string& name) const { return folder_ + '/' + name; }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path(name)) << text;
        return path(name);
    }
    /// One line names option, file and reason.
    static void expect_refused(const std::string& option, const std::string& file, const std::string& reason) {
        try {
            look_at_files(parse_options({option, file}));
            ADD_FAILURE() << option << ' ' << file << " is accepted";
        } catch (const std::invalid_argument& e) {
            const std::string line = e.what();
            for (const std::string& part : {option, file, reason})
                EXPECT_NE(line.find(part), std::string::npos) << line << " lacks " << part;
            EXPECT_EQ(line.find('\n'), std::string::npos) << line;
            EXPECT_EQ(line.find("json.exception"), std::string::npos) << line;
        }
    }

private:
    std::string folder_ = testing::TempDir() + "xlazy-bench-files-" + std::to_string(::getpid());
};

TEST_F(LookAtFiles, ThatHoldSomethingElseAreRefused) {
    for (const std::string option : {"--from", "--others", "--baseline"}) {
        expect_refused(option, path("missing"), "No such file");
        expect_refused(option, path(""), "it is a folder");
        expect_refused(option, write("text", "no JSON"), "it is no JSON");
        expect_refused(option, write("empty", ""), "it is no JSON");
        expect_refused(option, write("list", "[]"), "it has no list");
        expect_refused(option, write("nothing", "{}"), "is not a result of");
    }
    expect_refused("--baseline", write("case", R"({"cases": [{"id": "b01"}]})"), "something is missing");
    expect_refused("--from", write("number", R"({"cases": [1]})"), "something is missing");
    expect_refused("--others", write("other", R"({"others": [1]})"), "names no library");
}

TEST_F(LookAtFiles, ThatCannotBeWrittenAreRefused) {
    for (const std::string option : {"--json", "--report"}) {
        expect_refused(option, path(""), "it is a folder");
        expect_refused(option, path("missing/file"), "No such file");
        expect_refused(option, write("file", "") + "/below", "is not a folder");
    }
}

TEST_F(LookAtFiles, AreReadAndLeftAsTheyAre) {
    const std::string cases = write("cases", R"({"cases": []})"), others = write("others", R"({"others": []})");
    const Files files = look_at_files(parse_options(
        {"--from", cases, "--baseline", cases, "--others", others, "--json", cases, "--report", path("new")}));
    EXPECT_EQ(files.from, R"({"cases": []})");
    EXPECT_EQ(files.baseline, files.from);
    EXPECT_EQ(files.others, R"({"others": []})");
    std::ifstream stream(cases);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), files.from);
    EXPECT_FALSE(std::filesystem::exists(path("new")));
}

TEST(Catalog, IdsAreUniqueAndTrafficMakesSense) {
    std::set<std::string> ids;
    for (const Case& c : cases()) {
        EXPECT_TRUE(ids.insert(c.id).second) << c.id;
        EXPECT_FALSE(c.sizes.empty()) << c.id;
        if (c.kind != Kind::bandwidth) continue;
        EXPECT_GE(c.op_by_op_bytes, c.fused_bytes) << c.id;
        EXPECT_GT(c.fused_bytes, 0) << c.id;
    }
}

TEST(Catalog, CostCasesCountEveryThing) {
    for (const Case& c : cases()) {
        for (const std::string family : {"b10.record.", "b10.flush."}) {
            if (c.id.rfind(family, 0) == 0) {
                EXPECT_EQ(c.counts.size(), cost_names(family).size()) << c.id;
            }
        }
    }
}

}  // namespace
