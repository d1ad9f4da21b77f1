// SPDX-License-Identifier: BSD-3-Clause
// What the structure key and the geometry key tell apart, and what they do not.
#include "bytecode/sample.hpp"
#include "xlazy/bytecode/structure.hpp"
#include "xlazy/bytecode/text.hpp"

#include <gtest/gtest.h>

namespace xlazy::bc {
namespace {

StructureKey structure_of(const Program& program) {
    StructureKey key;
    structure_key(program, key);
    return key;
}

GeometryKey geometry_of(const Program& program) {
    GeometryKey key;
    geometry_key(program, key);
    return key;
}

/// The sample with one text in place of another.
Program changed(const std::string& from, const std::string& to) {
    std::string text = kSample;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return parse(text);
}

TEST(StructureKeys, DataAndLinesAreNoStructure) {
    const StructureKey sample = structure_of(parse(kSample));
    EXPECT_EQ(structure_of(changed("scalar s0 f64 0x1p+1", "scalar s0 f64 0x1p+2")), sample);
    EXPECT_EQ(structure_of(changed("\"heat.cpp\":12", "\"cold.cpp\":99")), sample);
    EXPECT_EQ(structure_of(changed("v6 b0 +10 (1,10)", "v6 b0 +20 (1,10)")), sample);
    EXPECT_EQ(structure_of(changed("v6 b0 +10 (1,10):(0,1)", "v6 b0 +0 (10,10):(10,1)")), sample);
    EXPECT_EQ(structure_of(changed("f64[100] init", "f64[900] init")), sample);
    EXPECT_EQ(structure_of(changed("domain d0 (10,10)", "domain d0 (20,7)")), sample);
    EXPECT_EQ(structure_of(changed("v0 b0 +0 (10,10):(10,1)", "v0 b0 +3 (5,2):(40,1)")), sample);
    // An axis of extent 1 or 0 counts as dense.
    EXPECT_EQ(structure_of(changed("v0 b0 +0 (10,10):(10,1)", "v0 b0 +0 (10,1):(10,0)")), sample);
    EXPECT_EQ(structure_of(changed("v0 b0 +0 (10,10):(10,1)", "v0 b0 +0 (10,0):(10,7)")), sample);
    EXPECT_EQ(structure_of(changed("v2 b0 +99 (10,10):(-10,-1)", "v2 b0 +99 (10,10):(-10,-2)")), sample);
}

TEST(StructureKeys, EverythingElseIs) {
    const StructureKey sample = structure_of(parse(kSample));
    const std::pair<const char*, const char*> changes[] = {
        {"mul.f64 t0", "add.f64 t0"},
        {"base b0 f64[100] init live", "base b0 f64[100] init"},
        {"base b1 f64[100] live", "base b1 f64[100] init live"},
        {"base b1 f64", "base b1 f32"},
        {"scalar s1 i32 -7", "scalar s1 i64 -7"},
        {"cast.i64.i32", "cast.i64.i16"},
        {"lt.f64 t6 d0 v0 v2", "lt.f64 t6 d0 v2 v0"},
        {"lt.f64 t6 d0 v0 v2", "lt.f64 t6 d1 v0 v2"},
        {"view v1 b1", "view v1 b0"},
        {"axis=1", "axis=1 keep"},
        {"axis=1", "axis=0"},
        {" mask=v4", ""},
        {"select.f64 v0 d0 t6 v0 v2 @o4 #3", "select.f64 v0 d0 t6 v0 v2 @o4 #4"},
        {"v0 b0 +0 (10,10):(10,1)", "v0 b0 +0 (10,10):(1,10)"},
        {"v0 b0 +0 (10,10):(10,1)", "v0 b0 +0 (10,10):(1,0)"},
        {"v6 b0 +10 (1,10):(0,1)", "v6 b0 +10 (10):(1)"},
        {"domain d1 (10)", "domain d1 (10,1)"},
        {"origin o1", "temps 9\norigin o1"},
        {"sqrt.f64 t1 d0 t0 @o1 #0\n", ""},
    };
    for (const auto& [from, to] : changes) {
        EXPECT_FALSE(structure_of(changed(from, to)) == sample) << from << " -> " << to;
        EXPECT_NE(structure_of(changed(from, to)).hash, sample.hash) << from << " -> " << to;
    }
}

TEST(GeometryKeys, ViewsThatMoveTogetherAreTheSame) {
    std::string rows = "xlazy-bytecode 1\nbase b0 f64[100] init live\nbase b1 f64[10] init live\n";
    const auto at = [&](const std::string& a, const std::string& b) {
        return geometry_of(
            parse(rows + "view v0 b0 +" + a + " (10):(1)\nview v1 b1 +0 (10):(1)\nview v2 b0 +" + b + " (10):(1)\n"));
    };
    EXPECT_EQ(at("0", "10"), at("30", "40"));
    EXPECT_FALSE(at("0", "10") == at("0", "11"));
    EXPECT_FALSE(at("0", "10") == at("10", "0"));
}

TEST(GeometryKeys, ExtentsStridesAndSizesCount) {
    const GeometryKey sample = geometry_of(parse(kSample));
    EXPECT_EQ(geometry_of(changed("mul.f64 t0", "add.f64 t0")), sample);
    EXPECT_EQ(geometry_of(changed("v6 b0 +10 (1,10):(0,1)", "v6 b0 +10 (1,10):(10,1)")), sample)
        << "the stride of an axis of extent 1 means nothing";
    const std::pair<const char*, const char*> changes[] = {
        {"v0 b0 +0 (10,10):(10,1)", "v0 b0 +0 (10,9):(10,1)"},
        {"v0 b0 +0 (10,10):(10,1)", "v0 b0 +0 (10,10):(9,1)"},
        {"f64[100] init", "f64[101] init"},
        {"domain d0 (10,10)", "domain d0 (10,11)"},
        {"v6 b0 +10", "v6 b0 +20"},
    };
    for (const auto& [from, to] : changes) {
        EXPECT_FALSE(geometry_of(changed(from, to)) == sample) << from << " -> " << to;
    }
}

TEST(Keys, AreRewrittenInPlace) {
    const Program large = parse(kSample);
    const Program small = parse("xlazy-bytecode 1\nbase b0 f64[9] init\nview v0 b0 +0 (3,3):(3,1)\n");
    StructureKey structure;
    GeometryKey geometry;
    structure_key(large, structure);
    geometry_key(large, geometry);
    const std::uint32_t* const words = structure.words.data();
    const std::int64_t* const numbers = geometry.words.data();
    structure_key(small, structure);
    geometry_key(small, geometry);
    EXPECT_EQ(structure, structure_of(small));
    EXPECT_EQ(geometry, geometry_of(small));
    structure_key(large, structure);
    geometry_key(large, geometry);
    EXPECT_EQ(structure, structure_of(large));
    EXPECT_EQ(geometry, geometry_of(large));
    EXPECT_EQ(structure.words.data(), words) << "no new memory";
    EXPECT_EQ(geometry.words.data(), numbers) << "no new memory";
    structure_key(Program(), structure);
    geometry_key(Program(), geometry);
    EXPECT_EQ(geometry.words.size(), 0u);
}

}  // namespace
}  // namespace xlazy::bc
