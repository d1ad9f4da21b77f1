// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/optimizer/optimizer.hpp"

#include "batch.hpp"
#include "pass_hook.hpp"

#include <gtest/gtest.h>

namespace xlazy::opt {
namespace {

using Words = std::vector<std::string>;

const Words kOptional{"algebra", "copies",    "values",   "dce",     "version",  "fuse",
                      "cse",     "recompute", "contract", "regions", "together", "donate"};

unsigned row(std::string_view name) {
    const auto table = pass_table();
    for (unsigned i = 0; i < table.size(); ++i) {
        if (table[i].name == name) return i;
    }
    ADD_FAILURE() << "no pass " << name;
    return 31;
}

/// The optional passes of the set.
Words passes_of(std::string_view text, Words* unknown_words = nullptr) {
    Words unknown;
    const PassSet passes = parse_passes(text, unknown);
    if (unknown_words != nullptr)
        *unknown_words = unknown;
    else
        EXPECT_TRUE(unknown.empty());
    Words names;
    const auto table = pass_table();
    for (unsigned i = 0; i < table.size(); ++i) {
        if (!table[i].mandatory && passes.has(i)) names.emplace_back(table[i].name);
    }
    return names;
}

TEST(PassTable, HasTheDocumentedRows) {
    Words mandatory, optional;
    for (const PassInfo& pass : pass_table()) {
        (pass.mandatory ? mandatory : optional).emplace_back(pass.name);
        EXPECT_FALSE(pass.doc.empty());
    }
    EXPECT_EQ(mandatory, (Words{"separate", "lower", "memory"}));
    EXPECT_EQ(optional, kOptional);
}

TEST(PassTable, ListsOfNames) {
    EXPECT_EQ(passes_of("all"), kOptional);
    EXPECT_EQ(passes_of(""), kOptional);
    EXPECT_EQ(passes_of("none"), Words{});
    Words without = kOptional;
    std::erase(without, "dce");
    EXPECT_EQ(passes_of("all,-dce"), without);
    EXPECT_EQ(passes_of("-dce"), without);
    EXPECT_EQ(passes_of("none, +fuse"), Words{"fuse"});
    EXPECT_EQ(passes_of("dce,fuse"), (Words{"dce", "fuse"}));
    EXPECT_EQ(passes_of("dce,-dce"), Words{});
}

TEST(PassTable, UnknownWordsAreToldAndIgnored) {
    Words unknown;
    EXPECT_EQ(passes_of("dce,-gvn,nonsense,fuse", &unknown), (Words{"dce", "fuse"}));
    EXPECT_EQ(unknown, (Words{"-gvn", "nonsense"}));
    EXPECT_EQ(passes_of("nonsense", &unknown), passes_of("all"));
}

TEST(PassTable, MandatoryPassesCannotBeSwitchedOff) {
    test::Batch batch;
    const std::uint32_t d = batch.domain({3});
    const std::uint32_t base = batch.base(4, test::Batch::Use::Kept);
    batch.add(bc::Op::copy, d, batch.view(base, 1, {{3, 1}}), {batch.view(base, 0, {{3, 1}})});
    PlanOptions options;
    options.passes = PassSet{0};
    EXPECT_EQ(make_plan(batch.program, options).kernels.size(), 2u);
    EXPECT_FALSE(options.passes.has(row("separate")));
}

TEST(PassTable, DumpsEveryPassThatRuns) {
    test::Batch batch;
    const std::uint32_t d = batch.domain({3});
    batch.add(bc::Op::neg, d, batch.array(3, test::Batch::Use::Live), {batch.array(3, test::Batch::Use::Input)});
    Words ran;
    PlanOptions options;
    options.passes = parse_passes("contract", ran);
    options.dump = [&](std::string_view pass, const std::string& text) {
        ran.emplace_back(pass);
        EXPECT_FALSE(text.empty());
    };
    make_plan(batch.program, options);
    EXPECT_EQ(ran, (Words{"separate", "fuse", "lower", "contract", "memory"}));
}

TEST(PassTable, TheVerifierSeesAWrongPass) {
    test::Batch batch;
    const std::uint32_t d = batch.domain({3});
    batch.add(bc::Op::neg, d, batch.array(3, test::Batch::Use::Live), {batch.array(3, test::Batch::Use::Input)});
    PlanOptions options;
    options.verify = true;
    for (const PassInfo& pass : pass_table()) {
        static std::string_view broken;
        broken = pass.name;
        pass_hook = [](std::string_view name, Draft& draft) {
            if (name != broken) return;
            for (bc::Instruction& instruction : draft.code.instructions) instruction.type = bc::DType::i8;
            for (bc::Kernel& kernel : draft.plan.kernels) kernel.ops.front().type = bc::DType::i8;
        };
        try {
            make_plan(batch.program, options);
            ADD_FAILURE() << pass.name;
        } catch (const std::logic_error& error) {
            EXPECT_EQ(std::string(error.what()).find("pass " + std::string(pass.name)), 0u) << error.what();
        }
        pass_hook = nullptr;
    }
}

TEST(PassTable, TheVerifierSeesAWrongBatch) {
    test::Batch batch;
    const std::uint32_t d = batch.domain({3});
    batch.add(bc::Op::neg, d, batch.array(3, test::Batch::Use::Live), {batch.array(4, test::Batch::Use::Input)});
    PlanOptions options;
    options.verify = true;
    EXPECT_THROW(make_plan(batch.program, options), std::logic_error);
}

}  // namespace
}  // namespace xlazy::opt
