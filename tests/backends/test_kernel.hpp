// SPDX-License-Identifier: BSD-3-Clause
// A kernel made by hand, its batch and its memory, run on copies of that memory by any back end.
#pragma once

#include "xlazy/backends/backend.hpp"
#include "xlazy/bytecode/region.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <random>
#include <sstream>

namespace xlazy::test {

using bc::DType;
using bc::MicroOp;
using bc::Op;
using bc::ValueId;
using Extents = std::vector<std::int64_t>;
using Memory = std::vector<std::vector<std::byte>>;

template <class F>
void with_type(DType type, F&& f) {
    switch (type) {
#define XLAZY_DTYPE(id, name, type, kind, enabled) \
    case DType::id: return f(std::type_identity<type>{});
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
        case DType::none: FAIL() << "no such type here";
    }
}

inline std::vector<DType> enabled_types() {
    std::vector<DType> types;
    for (std::size_t i = 0; i < bc::kDTypeCount; ++i) {
        if (bc::kDTypes[i].enabled) types.push_back(static_cast<DType>(i));
    }
    return types;
}

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

/// Equal bits; any NaN equals any other, as a part of a complex number, too.
template <class T>
bool same_value(T a, T b) {
    if constexpr (is_complex<T>) return same_value(a.real(), b.real()) && same_value(a.imag(), b.imag());
    if constexpr (std::is_floating_point_v<T>) {
        if (a != a) return b != b;
    }
    return std::memcmp(&a, &b, sizeof a) == 0;
}

class TestKernel {
public:
    bc::Program program;
    bc::Plan plan;
    bc::Kernel kernel;
    Memory bases, scratch;

    explicit TestKernel(const Extents& domain) { kernel.domain = program.intern_domain(domain); }

    std::uint32_t base(DType type, std::int64_t size) {
        program.bases.push_back({type, true, true, size});
        bases.emplace_back(static_cast<std::size_t>(size) * bc::size_of(type));
        return static_cast<std::uint32_t>(bases.size() - 1);
    }
    template <class T>
    std::uint32_t base_of(const std::vector<T>& values) {
        const std::uint32_t index = base(bc::dtype_of<T>(), static_cast<std::int64_t>(values.size()));
        for (std::size_t i = 0; i < values.size(); ++i) {
            const T value = values[i];
            std::memcpy(bases[index].data() + i * sizeof(T), &value, sizeof(T));
        }
        return index;
    }
    std::uint32_t view(std::uint32_t base, std::int64_t offset, const std::vector<bc::Dim>& dims) {
        return program.add_view(base, offset, dims);
    }
    /// All of a base, with that shape.
    std::uint32_t dense(std::uint32_t base, const Extents& extents) {
        std::vector<bc::Dim> dims(extents.size());
        std::int64_t stride = 1;
        for (std::size_t axis = extents.size(); axis-- > 0; stride *= extents[axis])
            dims[axis] = {extents[axis], stride};
        return view(base, 0, dims);
    }
    std::uint32_t new_scratch(DType type, const Extents& extents) {
        plan.scratch.push_back({type, program.intern_domain(extents)});
        scratch.emplace_back(static_cast<std::size_t>(bc::element_count(extents)) * bc::size_of(type));
        return static_cast<std::uint32_t>(scratch.size() - 1);
    }

    ValueId load(std::uint32_t view) {
        MicroOp op;
        op.kind = MicroOp::Kind::LoadView;
        op.type = op.result = program.bases[program.views[view].base].type;
        op.index = view;
        return append(op);
    }
    ValueId load_scratch(std::uint32_t index) {
        MicroOp op;
        op.kind = MicroOp::Kind::LoadScratch;
        op.type = op.result = plan.scratch[index].type;
        op.index = index;
        return append(op);
    }
    template <class T>
    ValueId scalar(T value) {
        MicroOp op;
        op.kind = MicroOp::Kind::LoadScalar;
        op.type = op.result = bc::dtype_of<T>();
        op.index = static_cast<std::uint32_t>(program.scalars.size());
        program.scalars.push_back(bc::make_scalar(value));
        return append(op);
    }
    /// `mask`: of ops that can fail.
    ValueId compute(Op code, DType type, std::initializer_list<ValueId> in, DType result = DType::none,
                    ValueId mask = bc::kNoValue, unsigned axis = 0) {
        MicroOp op;
        op.kind = MicroOp::Kind::Compute;
        op.op = code;
        op.type = type;
        op.result = result != DType::none ? result : bc::result_of(code, type);
        std::copy(in.begin(), in.end(), op.in);
        op.axis = static_cast<std::uint8_t>(axis);
        op.instruction = next_instruction_++;
        if (mask != bc::kNoValue) {
            op.in[2] = mask;
            op.flags = bc::Instruction::kMasked;
        }
        return append(op);
    }
    void store(std::uint32_t view, ValueId value) { put(MicroOp::Kind::StoreView, view, value); }
    void store_scratch(std::uint32_t index, ValueId value) { put(MicroOp::Kind::StoreScratch, index, value); }
    void reduce(Op code, unsigned axis, bool keep, std::uint32_t view, ValueId value) {
        MicroOp op;
        op.kind = MicroOp::Kind::ReduceView;
        op.op = code;
        op.type = op.result = kernel.ops[value].result;
        op.flags = keep ? bc::Instruction::kKeepAxis : std::uint8_t{0};
        op.axis = static_cast<std::uint8_t>(axis);
        op.in[0] = value;
        op.index = view;
        append(op);
    }

    struct Outcome {
        Memory bases, scratch;
        be::Traps traps;
    };
    Outcome run(be::Backend& backend) const {
        Outcome outcome{bases, scratch, {}};
        std::vector<void*> base_pointers, scratch_pointers;
        for (auto& bytes : outcome.bases) base_pointers.push_back(bytes.data());
        for (auto& bytes : outcome.scratch) scratch_pointers.push_back(bytes.data());
        backend.run(kernel, {&program, &plan, base_pointers, scratch_pointers}, outcome.traps);
        return outcome;
    }

    /// "" or where the outcomes differ.
    std::string difference(const Outcome& a, const Outcome& b) const {
        for (std::size_t i = 0; i < bases.size(); ++i) {
            const std::string text = difference(program.bases[i].type, a.bases[i], b.bases[i]);
            if (!text.empty()) return "base " + std::to_string(i) + text;
        }
        for (std::size_t i = 0; i < scratch.size(); ++i) {
            const std::string text = difference(plan.scratch[i].type, a.scratch[i], b.scratch[i]);
            if (!text.empty()) return "scratch " + std::to_string(i) + text;
        }
        if (a.traps.size() != b.traps.size()) return "number of traps";
        for (std::size_t i = 0; i < a.traps.size(); ++i) {
            if (a.traps[i].instruction != b.traps[i].instruction || a.traps[i].index != b.traps[i].index)
                return "traps";
            for (int operand = 0; operand < 2; ++operand) {
                if (a.traps[i].operands[operand].bits[0] != b.traps[i].operands[operand].bits[0] ||
                    a.traps[i].operands[operand].type != b.traps[i].operands[operand].type) {
                    return "operands of a trap";
                }
            }
        }
        return "";
    }

    template <class T>
    static std::vector<T> values(const std::vector<std::byte>& bytes) {
        std::vector<T> result(bytes.size() / sizeof(T));
        for (std::size_t i = 0; i < result.size(); ++i) {
            T value;
            std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
            result[i] = value;
        }
        return result;
    }

private:
    ValueId append(const MicroOp& op) {
        kernel.ops.push_back(op);
        return static_cast<ValueId>(kernel.ops.size() - 1);
    }
    void put(MicroOp::Kind kind, std::uint32_t index, ValueId value) {
        MicroOp op;
        op.kind = kind;
        op.type = op.result = kernel.ops[value].result;
        op.in[0] = value;
        op.index = index;
        append(op);
    }
    static std::string difference(DType type, const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
        std::string text;
        with_type(type, [&]<class T>(std::type_identity<T>) {
            const auto x = values<T>(a), y = values<T>(b);
            for (std::size_t i = 0; i < x.size() && text.empty(); ++i) {
                if (!same_value<T>(x[i], y[i])) {
                    std::ostringstream out;
                    out << " element " << i << ": " << +x[i] << " and " << +y[i];
                    text = out.str();
                }
            }
        });
        return text;
    }

    std::uint32_t next_instruction_ = 0;
};

/// The reference, and the threaded back end with 1, 2 and 3 threads, however small the kernels.
inline std::vector<std::unique_ptr<be::Backend>> all_backends() {
    std::vector<std::unique_ptr<be::Backend>> backends;
    backends.push_back(be::make_interpreter());
    for (int threads = 1; threads <= 3; ++threads) backends.push_back(be::make_openmp(threads, 0));
    return backends;
}

/// As many threads, however small the kernels, and pieces of regions of so many bytes.
inline be::OpenMpOptions always_threaded(int threads, std::int64_t piece_bytes = be::kPieceBytes) {
    be::OpenMpOptions result;
    result.threads = threads;
    result.serial_nanoseconds = 0;
    result.piece_bytes = piece_bytes;
    return result;
}

/// All kernels of a plan as one region, each along the first axis along which it can be; nothing if there is none.
template <class IsLocal>
std::optional<bc::Region> region_of_all(const bc::Plan& plan, const bc::Program& program, unsigned first_axis,
                                        IsLocal is_local) {
    bc::RegionMap map(program, plan, 0);
    std::optional<bc::Region> region;
    for (const bc::Kernel& kernel : plan.kernels) {
        const auto rank = static_cast<unsigned>(program.domain_extents(kernel.domain).size());
        region.reset();
        for (unsigned axis = map.size() == 0 ? first_axis : 0; axis < rank && !region; ++axis) {
            if (!map.add(axis)) continue;
            region = map.region(is_local);
            if (!region) map.remove_last();
        }
        if (!region) return std::nullopt;
    }
    return region;
}

}  // namespace xlazy::test
