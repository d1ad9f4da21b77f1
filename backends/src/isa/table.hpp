// SPDX-License-Identifier: BSD-3-Clause
// Builds the table of one instruction set. Included once by each of baseline.cpp, avx2.cpp and avx512.cpp, which define
// XLAZY_ISA and are compiled for it.
#pragma once

#include "isa/loops.hpp"
#include "isa/moves.hpp"
#include "isa/reductions.hpp"
#include "maths/vector_maths.hpp"

namespace xlazy::be {
inline namespace XLAZY_ISA {

constexpr bool commutes(bc::Op op) {
    switch (op) {
        case bc::Op::add:
        case bc::Op::mul:
        case bc::Op::bit_and:
        case bc::Op::bit_or:
        case bc::Op::bit_xor:
        case bc::Op::eq:
        case bc::Op::ne:
        case bc::Op::logical_and:
        case bc::Op::logical_or: return true;
        default: return false;
    }
}

template <bc::Op Op, class T>
constexpr void enter_exact(KernelTable& table, std::size_t type) {
    using R = std::conditional_t<bc::info(Op).result == bc::ResultType::Bool, bool, T>;
    auto& forms = table.map[static_cast<std::size_t>(Op)][type];
    if constexpr (bc::info(Op).arity == 1) {
        forms[0] = unary_loop<Op, R, T>;
    } else if constexpr (bc::info(Op).arity == 2) {
        forms[static_cast<std::size_t>(Form::vv)] = binary_loop<Op, R, T, Form::vv>;
        forms[static_cast<std::size_t>(Form::vs)] = binary_loop<Op, R, T, Form::vs>;
        if constexpr (!commutes(Op)) forms[static_cast<std::size_t>(Form::sv)] = binary_loop<Op, R, T, Form::sv>;
    }
}

template <bc::Op Op, class T>
constexpr void enter_vector(KernelTable& table, std::size_t type) {
    auto& forms = table.map[static_cast<std::size_t>(Op)][type];
    if constexpr (bc::info(Op).arity == 1) {
        forms[0] = vector_maths_1<Op, T>;
    } else {
        forms[static_cast<std::size_t>(Form::vv)] = vector_maths_2<Op, T, Form::vv>;
        forms[static_cast<std::size_t>(Form::vs)] = vector_maths_2<Op, T, Form::vs>;
        forms[static_cast<std::size_t>(Form::sv)] = vector_maths_2<Op, T, Form::sv>;
    }
}

template <bc::Op Op, class T>
constexpr void enter_op(KernelTable& table, std::size_t type) {
    constexpr bc::OpInfo op = bc::info(Op);
    if constexpr (op.kind == bc::OpKind::Reduce) {
        using F = Folded<Op, T>;
        table.fold[static_cast<std::size_t>(Op)][type] = fold<Op, F>;
        table.segments[static_cast<std::size_t>(Op)][type] = segments<Op, F>;
    } else if constexpr (bc::can_fail(Op, bc::dtype_of<T>())) {
        auto& forms = table.fault[static_cast<std::size_t>(Op)][type];
        forms[static_cast<std::size_t>(Form::vv)] = fault_loop<Op, T, Form::vv>;
        forms[static_cast<std::size_t>(Form::vs)] = fault_loop<Op, T, Form::vs>;
        forms[static_cast<std::size_t>(Form::sv)] = fault_loop<Op, T, Form::sv>;
    } else if constexpr (op.kind == bc::OpKind::Map && op.maths == bc::Maths::Exact && Op != bc::Op::cast &&
                         Op != bc::Op::select) {
        enter_exact<Op, T>(table, type);
    } else if constexpr (op.maths == bc::Maths::Vector) {
        enter_vector<Op, T>(table, type);
    }
}

template <class T, class R>
constexpr void enter_cast(KernelTable& table, std::size_t from, std::size_t to) {
    table.cast[from][to] = unary_loop<bc::Op::cast, R, T>;
}

#define XLAZY_IF_ENABLED_0(...)
#define XLAZY_IF_ENABLED_1(...) __VA_ARGS__

template <class T>
constexpr void enter_type(KernelTable& table) {
    constexpr bc::DType type = bc::dtype_of<T>();
    constexpr auto index = static_cast<std::size_t>(type);
#define XLAZY_OP(id, arity, kind, in, result, fault, maths, expression, doc) \
    if constexpr (bc::accepts(bc::Op::id, type)) enter_op<bc::Op::id, T>(table, index);
#include "xlazy/bytecode/ops.def"
#undef XLAZY_OP
#define XLAZY_DTYPE(id, name, to, kind, enabled) \
    XLAZY_IF_ENABLED_##enabled(enter_cast<T, to>(table, index, static_cast<std::size_t>(bc::DType::id));)
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
}

template <class T>
constexpr void enter_size(KernelTable& table) {
    constexpr std::size_t size = size_index(sizeof(T));
    table.gather[size] = gather<T>;
    table.scatter[size] = scatter<T>;
    table.select[size][static_cast<std::size_t>(Form::vv)] = select_loop<T, Form::vv>;
    table.select[size][static_cast<std::size_t>(Form::vs)] = select_loop<T, Form::vs>;
    table.select[size][static_cast<std::size_t>(Form::sv)] = select_loop<T, Form::sv>;
    table.select[size][static_cast<std::size_t>(Form::ss)] = select_loop<T, Form::ss>;
}

template <PairFirst First, PairSecond Second, class T>
constexpr void enter_pair(PairLoops& pairs) {
    auto& forms = pairs.loops[static_cast<std::size_t>(First)][static_cast<std::size_t>(Second)];
    constexpr auto vv = static_cast<std::size_t>(Form::vv), vs = static_cast<std::size_t>(Form::vs);
    constexpr auto sv = static_cast<std::size_t>(Form::sv);
    forms[vv][0] = pair_loop<First, Second, T, Form::vv, false>;
    forms[vv][1] = pair_loop<First, Second, T, Form::vv, true>;
    forms[vs][0] = pair_loop<First, Second, T, Form::vs, false>;
    forms[vs][1] = pair_loop<First, Second, T, Form::vs, true>;
    if constexpr (First == PairFirst::sub) {
        forms[sv][0] = pair_loop<First, Second, T, Form::sv, false>;
        forms[sv][1] = pair_loop<First, Second, T, Form::sv, true>;
    }
}

template <PairFirst First, class T>
constexpr void enter_pairs_of(PairLoops& pairs) {
    enter_pair<First, PairSecond::add, T>(pairs);
    enter_pair<First, PairSecond::sub, T>(pairs);
    enter_pair<First, PairSecond::reverse_sub, T>(pairs);
    enter_pair<First, PairSecond::mul, T>(pairs);
}

template <class T>
constexpr void enter_pairs(PairLoops& pairs) {
    enter_pairs_of<PairFirst::add, T>(pairs);
    enter_pairs_of<PairFirst::sub, T>(pairs);
    enter_pairs_of<PairFirst::mul, T>(pairs);
}

constexpr KernelTable make_table() {
    KernelTable table{};
#define XLAZY_DTYPE(id, name, type, kind, enabled) XLAZY_IF_ENABLED_##enabled(enter_type<type>(table);)
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
    enter_size<std::uint8_t>(table);
    enter_size<std::uint16_t>(table);
    enter_size<std::uint32_t>(table);
    enter_size<std::uint64_t>(table);
    enter_pairs<float>(table.pairs_f32);
    enter_pairs<double>(table.pairs_f64);
    return table;
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
