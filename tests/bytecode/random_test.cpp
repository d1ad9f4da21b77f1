// SPDX-License-Identifier: BSD-3-Clause
// The fuzzer's random batches: the verifier accepts them, the text form keeps them, and damage to them is noticed.
#include "fuzz/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "fuzz/generator.hpp"
#include "fuzz/geometry.hpp"
#include "xlazy/bytecode/structure.hpp"
#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"

namespace xlazy::bc {
namespace {

constexpr std::uint64_t kSeed = 20;
constexpr std::uint64_t kPrograms = 200;

const Program& random_program(std::uint64_t number) {
    static const std::vector<Program> programs = [] {
        std::vector<Program> made;
        for (std::uint64_t i = 0; i < kPrograms; ++i) made.push_back(fuzz::random_case(kSeed, i).program);
        return made;
    }();
    return programs[number];
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

TEST(RandomBatches, AreLegal) {
    for (std::uint64_t number = 0; number < kPrograms; ++number) {
        const Program& program = random_program(number);
        ASSERT_EQ(verify(program, Strictness::Recorded), "") << "program " << number << "\n" << print(program);
    }
}

TEST(RandomBatches, TextKeepsEveryTable) {
    for (std::uint64_t number = 0; number < kPrograms; ++number) {
        const Program& program = random_program(number);
        const std::string text = print(program);
        const Program again = parse(text);
        ASSERT_EQ(print(again), text);
        ASSERT_TRUE(same_bytes(again.instructions, program.instructions)) << text;
        ASSERT_EQ(again.origins, program.origins);
        ASSERT_EQ(again.temp_count, program.temp_count);
        ASSERT_EQ(again.statement_count, program.statement_count);
        ASSERT_EQ(again.views.size(), program.views.size());
        for (std::size_t i = 0; i < program.views.size(); ++i) {
            ASSERT_EQ(again.views[i].base, program.views[i].base);
            ASSERT_EQ(again.views[i].offset, program.views[i].offset);
            ASSERT_TRUE(std::ranges::equal(again.dims_of(again.views[i]), program.dims_of(program.views[i])));
        }
        ASSERT_EQ(again.domains.size(), program.domains.size());
        for (std::uint32_t i = 0; i < program.domains.size(); ++i) {
            ASSERT_TRUE(std::ranges::equal(again.domain_extents(i), program.domain_extents(i)));
        }
        ASSERT_EQ(again.scalars.size(), program.scalars.size());
        for (std::size_t i = 0; i < program.scalars.size(); ++i) {
            ASSERT_EQ(again.scalars[i].type, program.scalars[i].type);
            ASSERT_EQ(again.scalars[i].bits[0], program.scalars[i].bits[0]);
        }
        ASSERT_EQ(again.bases.size(), program.bases.size());
        for (std::size_t i = 0; i < program.bases.size(); ++i) {
            ASSERT_EQ(again.bases[i].type, program.bases[i].type);
            ASSERT_EQ(again.bases[i].size, program.bases[i].size);
            ASSERT_EQ(again.bases[i].live, program.bases[i].live);
            ASSERT_EQ(again.bases[i].initialised, program.bases[i].initialised);
        }
    }
}

TEST(RandomBatches, RelationsAreTrue) {
    int pairs = 0;
    int unsure = 0;
    for (std::uint64_t number = 0; number < kPrograms; ++number) {
        const Program& program = random_program(number);
        std::int64_t elements = 0;
        for (const BaseInfo& base : program.bases) elements = std::max(elements, base.size);
        if (elements > 2000) continue;
        for (std::uint32_t a = 0; a < program.views.size(); ++a) {
            for (std::uint32_t b = 0; b < a; ++b) {
                if (program.views[a].base != program.views[b].base) continue;
                const fuzz::Window window_a = fuzz::window_of(program, program.views[a]);
                const fuzz::Window window_b = fuzz::window_of(program, program.views[b]);
                // An element may be there a thousand times.
                if (std::max(fuzz::count_of(window_a), fuzz::count_of(window_b)) > fuzz::kMaxExactElements) continue;
                ++pairs;
                const Relation found = relation(program, a, b);
                const Relation expected = fuzz::true_relation(window_a, window_b);
                if (found == expected) continue;
                ASSERT_EQ(found, Relation::Overlap) << print(program) << "v" << a << " v" << b;
                ++unsure;
            }
        }
    }
    EXPECT_GT(pairs, 2500);
    EXPECT_LT(unsure, pairs / 50);
}

/// One way of damage. @return whether the batch had a place for it
using Damage = std::function<bool(Program&, fuzz::Random&)>;

/// Damages a random entry of a table.
template <class Table, class Change>
Damage entry(Table table, Change change) {
    return [=](Program& program, fuzz::Random& random) {
        auto& entries = program.*table;
        if (entries.empty()) return false;
        change(program, entries[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(entries.size())))]);
        return true;
    };
}

template <class Change>
Damage instruction(Change change) {
    return entry(&Program::instructions, change);
}

TEST(RandomBatches, DamageIsRejected) {
    const std::pair<const char*, Damage> damages[] = {
        {"op", instruction([](Program&, Instruction& i) { i.op = static_cast<Op>(kOpCount + 7); })},
        {"type", instruction([](Program&, Instruction& i) { i.type = DType::none; })},
        {"result", instruction([](Program&, Instruction& i) { i.result = DType::none; })},
        {"flags", instruction([](Program&, Instruction& i) { i.flags |= 0x40; })},
        {"axis", instruction([](Program&, Instruction& i) { i.axis = kMaxRank; })},
        {"reserved", instruction([](Program&, Instruction& i) { i.reserved_ = 1; })},
        {"statement", instruction([](Program& p, Instruction& i) { i.statement = p.statement_count; })},
        {"domain", instruction([](Program& p, Instruction& i) { i.domain = std::uint32_t(p.domains.size()); })},
        {"output", instruction([](Program&, Instruction& i) { i.out = Operand(); })},
        {"output temp", instruction([](Program& p, Instruction& i) { i.out = Operand::temp(p.temp_count); })},
        {"operand", instruction([](Program& p, Instruction& i) { i.in[0] = Operand::temp(p.temp_count); })},
        {"operand view",
         instruction([](Program& p, Instruction& i) { i.in[0] = Operand::view(std::uint32_t(p.views.size())); })},
        {"last operand",
         instruction([](Program& p, Instruction& i) { i.in[2] = Operand::scalar(std::uint32_t(p.scalars.size())); })},
        {"origin", entry(&Program::origins, [](Program&, OriginId& id) { id = 0; })},
        {"domain's rank", entry(&Program::domains, [](Program&, Domain& d) { d.rank += kMaxRank; })},
        {"base's type", entry(&Program::bases, [](Program&, BaseInfo& b) { b.type = DType::none; })},
        {"base's size", entry(&Program::bases, [](Program&, BaseInfo& b) { b.size = -1 - b.size; })},
        {"view's base", entry(&Program::views, [](Program& p, View& v) { v.base = std::uint32_t(p.bases.size()); })},
        {"view's dims",
         entry(&Program::views, [](Program& p, View& v) { v.dims_begin = std::uint32_t(p.dims.size()) + 1; })},
        {"view's extent", entry(&Program::dims, [](Program&, Dim& d) { d.extent = -1 - d.extent; })},
        {"scalar's bits", entry(&Program::scalars,
                                [](Program&, Scalar& s) {
                                    s.bits[1] = 1;
                                    if (s.type == DType::c128) s.type = DType::f64;
                                })},
    };
    for (const auto& [name, damage] : damages) {
        int applied = 0;
        for (std::uint64_t number = 0; number < kPrograms / 2; ++number) {
            Program program = random_program(number);
            fuzz::Random random(number);
            if (!damage(program, random)) continue;
            ++applied;
            ASSERT_NE(verify(program), "") << name << " in program " << number;
        }
        EXPECT_GT(applied, 20) << name;
    }
}

TEST(RandomBatches, KeysOfDifferentBatchesDiffer) {
    std::map<std::uint64_t, std::vector<std::uint32_t>> seen;
    for (std::uint64_t number = 0; number < kPrograms; ++number) {
        StructureKey key;
        structure_key(random_program(number), key);
        const auto [place, added] = seen.emplace(key.hash, key.words);
        EXPECT_TRUE(added || place->second == key.words) << "equal hashes of unequal structures";
        StructureKey again;
        structure_key(parse(print(random_program(number))), again);
        EXPECT_EQ(key, again);
    }
    EXPECT_GT(seen.size(), kPrograms / 2);
}

}  // namespace
}  // namespace xlazy::bc
