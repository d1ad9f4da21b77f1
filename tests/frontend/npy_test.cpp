// SPDX-License-Identifier: BSD-3-Clause
// npy files, whole and damaged.
#include "support.hpp"

#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xnpy.hpp>
#include <xtensor/xtensor.hpp>

#include <filesystem>
#include <fstream>

namespace {

using support::contains;
using support::text_of;
using support::values;
using Npy = support::Frontend;

using array = xt::xarray<double>;
using ints = xt::xarray<int>;
using list = std::vector<double>;

std::string here(unsigned line) { return support::place(__FILE__, line); }

std::string temporary(const char* name) { return testing::TempDir() + name; }

void write(const std::string& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}
std::string read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

TEST_F(Npy, ThereAndBack) {
    const std::string file = temporary("there_and_back.npy");
    const array a = xt::arange<double>(12.0) * 0.5;
    xt::dump_npy(file, a);
    EXPECT_EQ(xt::load_npy<double>(file), a);
    const xt::xtensor<float, 3> f = xt::ones<float>({2, 3, 4}) * 1.5f;
    xt::dump_npy(file, f);
    const xt::xtensor<float, 3> back = xt::load_npy<float>(file);
    EXPECT_EQ(back, f);
    const xt::xarray<bool> b = {true, false};
    xt::dump_npy(file, b);
    EXPECT_EQ(xt::load_npy<bool>(file), b);
    const array empty = xt::zeros<double>({0, 3});
    xt::dump_npy(file, empty);
    EXPECT_EQ(support::shape_of(xt::load_npy<double>(file)), (std::vector<std::size_t>{0, 3}));
    std::filesystem::remove(file);
}

/// load_npy fails with one message that names the file, the user's line, and these words.
void expect_load_error(const std::string& file, std::initializer_list<const char*> words) {
    const array pending = xt::ones<double>({2}) * 3.0;
    std::string text;
    unsigned line = 0;
    try {
        line = __LINE__ + 1;
        const array a = xt::load_npy<double>(file);
        ADD_FAILURE() << file << " was read";
    } catch (const std::runtime_error& error) {
        text = error.what();
    }
    EXPECT_PRED2(contains, text, file);
    EXPECT_PRED2(contains, text, here(line));
    for (const char* word : words) EXPECT_PRED2(contains, text, word);
    EXPECT_EQ(pending(1), 3.0);
    std::filesystem::remove(file);
}

TEST_F(Npy, MissingFile) { expect_load_error(temporary("no_such_file.npy"), {}); }

TEST_F(Npy, NotNpy) {
    const std::string file = temporary("not_npy.npy");
    write(file, "x,y\n1,2\n3,4\n and some more text that goes on and on\n");
    expect_load_error(file, {});
    write(file, "");
    expect_load_error(file, {});
    write(file, "\x93NUMPY");
    expect_load_error(file, {});
}

TEST_F(Npy, WrongType) {
    const std::string file = temporary("wrong_type.npy");
    const ints n = {1, 2, 3};
    xt::dump_npy(file, n);
    expect_load_error(file, {"i4", "f8"});
}

TEST_F(Npy, Truncated) {
    const std::string file = temporary("truncated.npy");
    const array a = xt::ones<double>({100});
    xt::dump_npy(file, a);
    const std::string whole = read(file);
    for (const std::size_t kept : {whole.size() - 1, whole.size() - 800, std::size_t(60), std::size_t(9)}) {
        write(file, whole.substr(0, kept));
        expect_load_error(file, {});
    }
}

TEST_F(Npy, HeaderThatLies) {
    const std::string file = temporary("lies.npy");
    const array a = xt::ones<double>({100});
    xt::dump_npy(file, a);
    const std::string whole = read(file);
    const auto with_shape = [&](const std::string& shape) {
        std::string changed = whole;
        const auto at = changed.find("(100,)");
        changed.replace(at, 6, shape);
        changed.erase(changed.find("          ", at + shape.size()), shape.size() - 6);
        write(file, changed);
    };
    with_shape("(1000000000000000,)");
    expect_load_error(file, {});
    with_shape("(4611686018427387904,4,)");
    expect_load_error(file, {});
    with_shape("(99999999999999999999999,)");
    expect_load_error(file, {});
    write(file, whole.substr(0, 8) + "\xff\xff" + whole.substr(10));
    expect_load_error(file, {});
    write(file, whole.substr(0, 6) + "\x02" + whole.substr(7, 1) + "\xff\xff\xff\xff" + whole.substr(10));
    expect_load_error(file, {});
    write(file, whole.substr(0, 8) + std::string(2, '\0') + whole.substr(10));
    expect_load_error(file, {});
}

TEST_F(Npy, LongHeader) {
    const std::string file = temporary("long_header.npy");
    const array a = {1, 2, 3};
    xt::dump_npy(file, a);
    std::string whole = read(file);
    const std::size_t length = static_cast<unsigned char>(whole[8]) + 128;
    whole[8] = static_cast<char>(length);
    whole.insert(whole.find("\n"), 128, ' ');
    write(file, whole);
    EXPECT_EQ(values(xt::load_npy<double>(file)), (list{1, 2, 3}));
    std::filesystem::remove(file);
}

TEST_F(Npy, CannotBeWritten) {
    const array a = {1, 2};
    const std::string file = temporary("no_such_folder/a.npy");
    const std::string text = text_of<std::runtime_error>([&] { xt::dump_npy(file, a); });
    EXPECT_PRED2(contains, text, file);
    EXPECT_PRED2(contains, text, here(__LINE__ - 2));
}

TEST_F(Npy, SavingAPoisonedArray) {
    SKIP_IF_EAGER();
    const std::string file = temporary("poisoned.npy");
    const ints n = {6, 7}, z = {1, 0};
    const ints q = n / z;
    EXPECT_THROW(xlazy::flush(), xlazy::deferred_error);
    EXPECT_THROW(xt::dump_npy(file, q), xlazy::deferred_error);
    EXPECT_THROW(xt::dump_npy(file, q + 1), xlazy::deferred_error);
    std::filesystem::remove(file);
}

}  // namespace
