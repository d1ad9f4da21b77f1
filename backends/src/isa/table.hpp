// SPDX-License-Identifier: BSD-3-Clause
// Builds the tables of one instruction set, which files that are compiled for it define by XLAZY_TYPE_KERNELS and
// XLAZY_PAIR_LOOPS, a few element types each. They define XLAZY_ISA.
#pragma once

#include "isa/division.hpp"
#include "isa/finite.hpp"
#include "isa/loops.hpp"
#include "isa/moves.hpp"
#include "isa/panels.hpp"
#include "isa/reductions.hpp"
#include "isa/scans.hpp"
#include "isa/stream.hpp"
#include "maths/maths_functions.hpp"

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

/// Is the result's bit pattern the same for signed and unsigned integers?
constexpr bool ignores_sign(bc::Op op) {
    switch (op) {
        case bc::Op::copy:
        case bc::Op::add:
        case bc::Op::sub:
        case bc::Op::mul:
        case bc::Op::neg:
        case bc::Op::bit_and:
        case bc::Op::bit_or:
        case bc::Op::bit_xor:
        case bc::Op::bit_not:
        case bc::Op::eq:
        case bc::Op::ne:
        case bc::Op::shl:
        case bc::Op::sum:
        case bc::Op::prod:
        case bc::Op::cumsum:
        case bc::Op::cumprod: return true;
        default: return false;
    }
}

template <class T>
struct UnsignedOf {
    using type = T;
};
template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
struct UnsignedOf<T> : std::make_unsigned<T> {};
/// Integers of one size share loops where they may.
template <class T, bool IgnoresSign = true>
using Shared = typename std::conditional_t<IgnoresSign, UnsignedOf<T>, std::type_identity<T>>::type;

/// The kernel type of an op's result.
template <bc::Op Op, class T>
using Result = KernelType<bc::CType<bc::result_of(Op, kDType<T>)>>;

template <bc::Op Op, class T>
constexpr void enter_exact(TypeKernels& table) {
    using R = Result<Op, T>;
    auto& forms = table.map[static_cast<std::size_t>(Op)];
    if constexpr (bc::info(Op).arity == 1) {
        forms[0] = unary_loop<Op, R, T>;
    } else if constexpr (is_complex<T> && (Op == bc::Op::mul || Op == bc::Op::div)) {
        forms[static_cast<std::size_t>(Form::vv)] = complex_loop<Op, T, Form::vv>;
        forms[static_cast<std::size_t>(Form::vs)] = complex_loop<Op, T, Form::vs>;
        if constexpr (!commutes(Op)) forms[static_cast<std::size_t>(Form::sv)] = complex_loop<Op, T, Form::sv>;
    } else if constexpr (bc::info(Op).arity == 3) {
        forms[static_cast<std::size_t>(Form::vv)] = ternary_loop<Op, R, T, Form::vv>;
        forms[static_cast<std::size_t>(Form::vs)] = ternary_loop<Op, R, T, Form::vs>;
        forms[static_cast<std::size_t>(Form::sv)] = ternary_loop<Op, R, T, Form::sv>;
        forms[static_cast<std::size_t>(Form::ss)] = ternary_loop<Op, R, T, Form::ss>;
    } else if constexpr (bc::info(Op).arity == 2) {
        forms[static_cast<std::size_t>(Form::vv)] = binary_loop<Op, R, T, Form::vv>;
        forms[static_cast<std::size_t>(Form::vs)] = binary_loop<Op, R, T, Form::vs>;
        if constexpr (Op == bc::Op::div && std::is_floating_point_v<T>)
            forms[static_cast<std::size_t>(Form::vs)] = divide_by_one<T>;
        if constexpr (!commutes(Op)) forms[static_cast<std::size_t>(Form::sv)] = binary_loop<Op, R, T, Form::sv>;
    }
}

template <bc::Op Op, class T>
constexpr void enter_vector(TypeKernels& table) {
    auto& forms = table.map[static_cast<std::size_t>(Op)];
    forms[static_cast<std::size_t>(Form::vv)] = maths_loop<Op, T, Form::vv>;
    if constexpr (bc::info(Op).arity == 2) {
        forms[static_cast<std::size_t>(Form::vs)] = maths_loop<Op, T, Form::vs>;
        forms[static_cast<std::size_t>(Form::sv)] = maths_loop<Op, T, Form::sv>;
    }
}

template <bc::Op Op, class T>
constexpr void enter_op(TypeKernels& table) {
    constexpr bc::OpKind kind = bc::info(Op).kind;
    constexpr bc::Maths maths = bc::maths_of(Op, kDType<T>);
    if constexpr (kind == bc::OpKind::Reduce) {
        table.fold[static_cast<std::size_t>(Op)] = fold_values<Op, Shared<T, ignores_sign(Op)>>;
        table.segments[static_cast<std::size_t>(Op)] = segments_of_values<Op, Shared<T, ignores_sign(Op)>>;
        using F = Folded<Op, Shared<T, ignores_sign(Op)>>;
        if constexpr (F::parts == 1 && !is_complex<T>) {
            table.leaves[static_cast<std::size_t>(Op)] = leaves_of_values<Op, typename F::type>;
            table.tree[static_cast<std::size_t>(Op)] = tree_of_values<Op, typename F::type>;
        }
    } else if constexpr (kind == bc::OpKind::Scan) {
        table.scan[static_cast<std::size_t>(Op)] = scan_values<Op, Shared<T, ignores_sign(Op)>>;
    } else if constexpr (kind == bc::OpKind::Library) {
        // no loops
    } else if constexpr (bc::can_fail(Op, kDType<T>)) {
        auto& forms = table.fault[static_cast<std::size_t>(Op)];
        forms[static_cast<std::size_t>(Form::vv)] = fault_loop<Op, T, Form::vv>;
        forms[static_cast<std::size_t>(Form::vs)] = fault_loop<Op, T, Form::vs>;
        forms[static_cast<std::size_t>(Form::sv)] = fault_loop<Op, T, Form::sv>;
    } else if constexpr (kind == bc::OpKind::Map && maths == bc::Maths::Exact && Op != bc::Op::cast &&
                         Op != bc::Op::select) {
        enter_exact<Op, Shared<T, ignores_sign(Op)>>(table);
    } else if constexpr (maths == bc::Maths::Vector) {
        enter_vector<Op, T>(table);
    }
}

template <class T, class R>
constexpr void enter_cast(TypeKernels& table, std::size_t to) {
    constexpr bool integers = std::is_integral_v<T> && std::is_integral_v<R>;
    table.cast[to] = unary_loop<bc::Op::cast, Shared<R, integers>, Shared<T, integers && sizeof(R) <= sizeof(T)>>;
}

template <class T>
constexpr TypeKernels make_type() {
    TypeKernels table{};
#define XLAZY_OP(id, arity, kind, in, result, fault, maths, expression, doc) \
    if constexpr (bc::accepts(bc::Op::id, kDType<T>)) enter_op<bc::Op::id, T>(table);
#include "xlazy/bytecode/ops.def"
#undef XLAZY_OP
#define XLAZY_DTYPE(id, name, to, kind, enabled) \
    if constexpr (enabled != 0) enter_cast<T, KernelType<to>>(table, static_cast<std::size_t>(bc::DType::id));
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
    return table;
}

template <class T>
constexpr void enter_size(KernelTable& table) {
    constexpr std::size_t size = size_index(sizeof(T));
    table.gather[size] = gather<T>;
    table.scatter[size] = scatter<T>;
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8) table.panel[size] = transpose_panel<T>;
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
    enter_pair<First, PairSecond::square, T>(pairs);
}

template <class T>
constexpr PairLoops make_pairs() {
    PairLoops pairs{};
    enter_pairs_of<PairFirst::add, T>(pairs);
    enter_pairs_of<PairFirst::sub, T>(pairs);
    enter_pairs_of<PairFirst::mul, T>(pairs);
    return pairs;
}

#define XLAZY_DTYPE(id, name, type, kind, enabled) extern const TypeKernels kKernels_##id;
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
extern const PairLoops kPairs_f32, kPairs_f64;

#define XLAZY_TYPE_KERNELS(id) \
    constinit const TypeKernels kKernels_##id = make_type<KernelType<bc::CType<bc::DType::id>>>();
#define XLAZY_PAIR_LOOPS(id) constinit const PairLoops kPairs_##id = make_pairs<bc::CType<bc::DType::id>>();

constexpr KernelTable make_table() {
    KernelTable table{};
#define XLAZY_DTYPE(id, name, type, kind, enabled) \
    if constexpr (enabled != 0) table.types[static_cast<std::size_t>(bc::DType::id)] = &kKernels_##id;
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
    enter_size<std::uint8_t>(table);
    enter_size<std::uint16_t>(table);
    enter_size<std::uint32_t>(table);
    enter_size<std::uint64_t>(table);
    enter_size<Wide>(table);
    table.not_finite[size_index(sizeof(float))] = first_not_finite<float>;
    table.not_finite[size_index(sizeof(double))] = first_not_finite<double>;
    table.stream = stream_copy;
    table.pairs_f32 = &kPairs_f32;
    table.pairs_f64 = &kPairs_f64;
    return table;
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
