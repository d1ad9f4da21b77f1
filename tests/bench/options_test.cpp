// SPDX-License-Identifier: BSD-3-Clause
#include "driver/measure.hpp"
#include "driver/options.hpp"
#include "driver/worker_process.hpp"

#include <gtest/gtest.h>

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
