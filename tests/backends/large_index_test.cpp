// SPDX-License-Identifier: BSD-3-Clause
// Positions, offsets and strides beyond 32 bits: nothing wraps, and no tail is left unwritten.
#include "test_kernel.hpp"

#include <sys/mman.h>

#include <gtest/gtest.h>

namespace xlazy {
namespace {

using bc::DType;
using bc::MicroOp;
using bc::Op;

/// Zeros, that take memory only where they are touched.
class Zeros {
public:
    explicit Zeros(std::size_t bytes)
        : bytes_(bytes),
          data_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
        if (data_ == MAP_FAILED) throw std::bad_alloc();
    }
    ~Zeros() { ::munmap(data_, bytes_); }
    Zeros(const Zeros&) = delete;
    Zeros& operator=(const Zeros&) = delete;
    std::uint8_t* data() const noexcept { return static_cast<std::uint8_t*>(data_); }

private:
    std::size_t bytes_;
    void* data_;
};

class LargeIndices : public testing::Test {
protected:
    std::uint32_t base(std::int64_t size) {
        program_.bases.push_back({DType::u8, true, true, size});
        memory_.push_back(std::make_unique<Zeros>(static_cast<std::size_t>(size)));
        return static_cast<std::uint32_t>(memory_.size() - 1);
    }
    std::uint8_t* data(std::uint32_t base) const { return memory_[base]->data(); }
    bc::ValueId add(MicroOp op) {
        kernel_.ops.push_back(op);
        return static_cast<bc::ValueId>(kernel_.ops.size() - 1);
    }
    MicroOp of(MicroOp::Kind kind, std::uint32_t index, bc::ValueId value = bc::kNoValue) const {
        MicroOp op;
        op.kind = kind;
        op.type = op.result = DType::u8;
        op.in[0] = value;
        op.index = index;
        return op;
    }
    void run(be::Backend& backend) {
        std::vector<void*> pointers;
        for (const auto& each : memory_) pointers.push_back(each->data());
        be::Traps traps;
        backend.run(kernel_, {&program_, &plan_, pointers, {}}, traps);
    }

    bc::Program program_;
    bc::Plan plan_;
    bc::Kernel kernel_;
    std::vector<std::unique_ptr<Zeros>> memory_;
};

constexpr std::int64_t kBeyond = (std::int64_t{1} << 32) + 5;

TEST_F(LargeIndices, StridesAndOffsets) {
    const std::uint32_t from = base(3 * kBeyond), to = base(3 * kBeyond);
    const std::vector<bc::Dim> dims = {{3, kBeyond - 2}};
    kernel_.domain = program_.intern_domain(std::vector<std::int64_t>{3});
    const std::vector<bc::Dim> reversed = {{3, -(kBeyond - 2)}};
    const bc::ValueId value =
        add(of(MicroOp::Kind::LoadView, program_.add_view(from, 2 * (kBeyond - 2) + 3, reversed)));
    add(of(MicroOp::Kind::StoreView, program_.add_view(to, 1, dims), value));
    for (std::uint8_t i = 0; i < 3; ++i) data(from)[i * (kBeyond - 2) + 3] = static_cast<std::uint8_t>(10 + i);
    for (const auto& backend : {be::make_interpreter(), be::make_openmp(2, 0)}) {
        run(*backend);
        for (std::uint8_t i = 0; i < 3; ++i) {
            std::uint8_t& got = data(to)[i * (kBeyond - 2) + 1];
            EXPECT_EQ(got, 12 - i) << backend->name();
            got = 0;
        }
    }
}

/// A row repeated: more elements than 2^31, the largest of which is the last one of the row.
TEST_F(LargeIndices, ReductionOfMoreThan31Bits) {
    constexpr std::int64_t kRows = 65536, kColumns = 32769;
    const std::uint32_t row = base(kColumns), most = base(kColumns);
    kernel_.domain = program_.intern_domain(std::vector<std::int64_t>{kRows, kColumns});
    const bc::ValueId value =
        add(of(MicroOp::Kind::LoadView, program_.add_view(row, 0, std::vector<bc::Dim>{{kRows, 0}, {kColumns, 1}})));
    MicroOp reduce =
        of(MicroOp::Kind::ReduceView, program_.add_view(most, 0, std::vector<bc::Dim>{{kColumns, 1}}), value);
    reduce.op = Op::amax;
    add(reduce);
    data(row)[0] = 3;
    data(row)[kColumns - 1] = 7;
    run(*be::make_openmp(2));
    EXPECT_EQ(data(most)[0], 3);
    EXPECT_EQ(data(most)[1], 0);
    EXPECT_EQ(data(most)[kColumns - 1], 7);
}

/// Column + row, more elements than 2^31: the last one is written.
TEST_F(LargeIndices, ResultsOfMoreThan31Bits) {
    constexpr std::int64_t kRows = 65536, kColumns = 32769;
    const std::uint32_t column = base(kRows), row = base(kColumns), sum = base(kRows * kColumns);
    kernel_.domain = program_.intern_domain(std::vector<std::int64_t>{kRows, kColumns});
    MicroOp op = of(MicroOp::Kind::Compute, 0);
    op.op = Op::add;
    op.in[0] = add(of(MicroOp::Kind::LoadView, program_.add_view(column, 0, std::vector<bc::Dim>{{kRows, 1}, {1, 0}})));
    op.in[1] = add(of(MicroOp::Kind::LoadView, program_.add_view(row, 0, std::vector<bc::Dim>{{kColumns, 1}})));
    const bc::ValueId value = add(op);
    const std::vector<bc::Dim> dims = {{kRows, kColumns}, {kColumns, 1}};
    add(of(MicroOp::Kind::StoreView, program_.add_view(sum, 0, dims), value));
    data(column)[kRows - 1] = 100;
    data(row)[kColumns - 1] = 23;
    run(*be::make_openmp(2));
    EXPECT_EQ(data(sum)[kRows * kColumns - 1], 123);
    EXPECT_EQ(data(sum)[kRows * kColumns - 2], 100);
    EXPECT_EQ(data(sum)[kColumns - 1], 23);
    EXPECT_EQ(data(sum)[(std::int64_t{1} << 31) - 1], 0);
}

}  // namespace
}  // namespace xlazy
