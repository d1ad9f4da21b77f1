// SPDX-License-Identifier: BSD-3-Clause
// The oracle's element operations and reductions.
#include "fuzz/oracle.hpp"

#include "philox.hpp"

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

namespace xlazy::fuzz {
namespace {

using bc::DType;
using bc::Op;

template <class T>
T load(const Bytes& bytes, std::size_t index) {
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
}
template <class T>
void save(Bytes& bytes, std::size_t index, T value) {
    std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

/// Integer arithmetic modulo 2^n, by way of 64 unsigned bits.
template <class T, class F>
T wrapped(T a, T b, F&& f) {
    return static_cast<T>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

/// Are all bits of `value` shifted out by that count?
template <class T>
bool shifts_out(T count, T value) {
    return count < T(0) || static_cast<std::uint64_t>(count) >= 8 * sizeof value;
}

template <class T>
T integer_op(Op op, T a, T b) {
    const bool minus_one = std::is_signed_v<T> && b == T(-1);
    switch (op) {
        case Op::add: return wrapped(a, b, std::plus<>());
        case Op::sub: return wrapped(a, b, std::minus<>());
        case Op::mul: return wrapped(a, b, std::multiplies<>());
        case Op::div: return b == 0 ? T(0) : minus_one ? wrapped(T(0), a, std::minus<>()) : static_cast<T>(a / b);
        case Op::mod: return b == 0 || minus_one ? T(0) : static_cast<T>(a % b);
        case Op::neg: return wrapped(T(0), a, std::minus<>());
        case Op::abs: return a < 0 ? wrapped(T(0), a, std::minus<>()) : a;
        case Op::bit_and: return static_cast<T>(a & b);
        case Op::bit_or: return static_cast<T>(a | b);
        case Op::bit_xor: return static_cast<T>(a ^ b);
        case Op::bit_not: return static_cast<T>(~a);
        case Op::shl: return shifts_out(b, a) ? T(0) : wrapped(a, b, [](auto x, auto y) { return x << y; });
        case Op::shr: return shifts_out(b, a) ? (a < T(0) ? T(-1) : T(0)) : static_cast<T>(a >> b);
        case Op::sign: return a > 0 ? T(1) : a < 0 ? T(-1) : T(0);
        default: return a;
    }
}

template <class T>
T float_op(Op op, T a, T b) {
    switch (op) {
        case Op::add: return a + b;
        case Op::sub: return a - b;
        case Op::mul: return a * b;
        case Op::div: return a / b;
        case Op::neg: return -a;
        case Op::abs: return std::fabs(a);
        case Op::sqrt: return std::sqrt(a);
        case Op::floor: return std::floor(a);
        case Op::ceil: return std::ceil(a);
        case Op::trunc: return std::trunc(a);
        case Op::round: return std::round(a);
        case Op::rint: return std::nearbyint(a);
        // Of +0 and -0 the second operand.
        case Op::fmax: return std::isnan(b) ? a : std::isnan(a) ? b : a > b ? a : b;
        case Op::fmin: return std::isnan(b) ? a : std::isnan(a) ? b : a < b ? a : b;
        case Op::fdim: return std::isnan(a) || std::isnan(b) ? a + b : a > b ? a - b : T(0);
        case Op::sign: return std::isnan(a) || a == 0 ? a : std::signbit(a) ? T(-1) : T(1);
        case Op::pow: return a * a;  // of an exponent of 2; others come from the maths library
        default: return a;
    }
}

/// std::complex, whose products and quotients come from the compiler's runtime library.
template <class T>
std::complex<T> complex_op(Op op, std::complex<T> a, std::complex<T> b) {
    switch (op) {
        case Op::add: return a + b;
        case Op::sub: return a - b;
        case Op::mul: return a * b;
        case Op::div: return a / b;
        case Op::neg: return -a;
        case Op::conj: return std::conj(a);
        case Op::sign: return float_op(Op::sign, a.real() != 0 ? a.real() : a.imag(), T(0));
        case Op::pow: return a * a;  // of an exponent of 2
        default: return a;
    }
}

/// A part, or what is computed from the parts.
template <class T>
T part_of(Op op, std::complex<T> a) {
    return op == Op::real ? a.real() : op == Op::imag ? a.imag() : a.real() * a.real() + a.imag() * a.imag();
}

template <class T>
T real_op(Op op, T a, T b) {
    if (op == Op::min) return a < b ? a : b;
    if (op == Op::max) return a > b ? a : b;
    if constexpr (std::is_same_v<T, bool>)
        return op == Op::bit_and ? a && b : op == Op::bit_or ? a || b : a != b;
    else if constexpr (std::is_integral_v<T>)
        return integer_op(op, a, b);
    else
        return float_op(op, a, b);
}

template <class T>
T same_type_op(Op op, T a, T b) {
    if (op == Op::copy) return a;
    if constexpr (is_complex<T>)
        return complex_op(op, a, b);
    else
        return real_op(op, a, b);
}

template <class T>
bool real_predicate(Op op, T a, T b) {
    switch (op) {
        case Op::lt: return a < b;
        case Op::le: return a <= b;
        case Op::gt: return a > b;
        case Op::ge: return a >= b;
        case Op::logical_and: return a && b;
        case Op::logical_or: return a || b;
        case Op::logical_not: return !a;
        default: break;
    }
    if constexpr (std::is_floating_point_v<T>)
        return op == Op::isnan ? std::isnan(a) : op == Op::isinf ? std::isinf(a) : std::isfinite(a);
    else
        return false;
}

template <class T>
bool predicate(Op op, T a, T b) {
    if (op == Op::eq) return a == b;
    if (op == Op::ne) return a != b;
    if constexpr (is_complex<T>) {
        const auto part = typename T::value_type(0);
        if (op == Op::isfinite) return predicate(op, a.real(), part) && predicate(op, a.imag(), part);
        return predicate(op, a.real(), part) || predicate(op, a.imag(), part);
    } else {
        return real_predicate(op, a, b);
    }
}

template <class To, class From>
To converted(From value) {
    if constexpr (is_complex<From> && is_complex<To>)
        return static_cast<To>(value);
    else if constexpr (is_complex<From> && std::is_same_v<To, bool>)
        return value != From(0);
    else if constexpr (is_complex<From>)
        return converted<To>(value.real());
    else if constexpr (is_complex<To>)
        return To(static_cast<typename To::value_type>(value));
    else if constexpr (std::is_same_v<To, bool>)
        return value != From(0);
    else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
        using Limits = std::numeric_limits<To>;
        const auto whole = static_cast<long double>(std::trunc(value));
        const bool fits =
            whole >= static_cast<long double>(Limits::min()) && whole <= static_cast<long double>(Limits::max());
        return fits ? static_cast<To>(value) : Limits::min();
    } else
        return static_cast<To>(value);
}

/// Routines of the maths library, from the interpreter: one kernel over dense operands.
Dense library_maths(const OpRequest& request, const Shape& domain, std::span<const Dense> operands) {
    const std::int64_t size = count_of(domain);
    Dense result{request.result, domain, Bytes(static_cast<std::size_t>(size) * bc::size_of(request.result))};
    bc::Program program;
    bc::Plan plan;
    plan.kernels.resize(1);
    bc::Kernel& kernel = plan.kernels[0];
    const Shape flat{size};
    const bc::Dim dim{size, 1};
    kernel.domain = program.intern_domain(flat);
    std::vector<void*> memory;
    bc::MicroOp compute;
    const auto add_base = [&](DType type, const void* data) {
        program.bases.push_back({type, true, true, size});
        memory.push_back(const_cast<void*>(data));
        return program.add_view(static_cast<std::uint32_t>(memory.size() - 1), 0, {&dim, 1});
    };
    for (std::size_t i = 0; i < operands.size(); ++i) {
        bc::MicroOp load;
        load.kind = bc::MicroOp::Kind::LoadView;
        load.type = load.result = request.type;
        load.index = add_base(request.type, operands[i].bytes.data());
        kernel.ops.push_back(load);
        compute.in[i] = static_cast<bc::ValueId>(i);
    }
    compute.op = request.op;
    compute.type = request.type;
    compute.result = request.result;
    kernel.ops.push_back(compute);
    bc::MicroOp store;
    store.kind = bc::MicroOp::Kind::StoreView;
    store.type = store.result = request.result;
    store.in[0] = static_cast<bc::ValueId>(operands.size());
    store.index = add_base(request.result, result.bytes.data());
    kernel.ops.push_back(store);
    bc::Instruction instruction;
    instruction.op = request.op;
    instruction.type = request.type;
    instruction.result = request.result;
    program.instructions.push_back(instruction);
    be::Traps traps;
    be::make_interpreter()->run(kernel, {&program, &plan, memory, {}}, traps);
    return result;
}

std::int64_t power_of_two_below(std::int64_t value) {
    return value <= 0 ? 0 : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)));
}

/// Of three operands.
template <class T>
T ternary_op(Op op, T a, T b, T c) {
    if constexpr (std::is_floating_point_v<T>) {
        if (op == Op::fma) return std::fma(a, b, c);
    }
    if constexpr (std::is_same_v<T, std::uint64_t>) {
        if (op == Op::philox) return test::plain_philox(a, b, c)[0];
        if (op == Op::philox_high) return test::plain_philox(a, b, c)[1];
    }
    if constexpr (is_complex<T>)
        return a;
    else
        return a < b ? b : c < a ? c : a;  // clip
}

template <class T>
T combine(Op op, T a, T b) {
    if (op == Op::sum || op == Op::cumsum) return same_type_op(Op::add, a, b);
    if (op == Op::prod || op == Op::cumprod) return same_type_op(Op::mul, a, b);
    if (op == Op::any) return static_cast<T>(a != T(0) || b != T(0));
    if (op == Op::all) return static_cast<T>(a != T(0) && b != T(0));
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    }
    if constexpr (is_complex<T>)
        return a;
    else
        return op == Op::amin ? (b < a ? b : a) : (b > a ? b : a);
}

/// Neighbours, then neighbours of those; the last one waits where there is none beside it.
template <class T>
T by_neighbours(Op op, std::vector<T> values) {
    while (values.size() > 1) {
        std::vector<T> next;
        for (std::size_t i = 0; i < values.size(); i += 2)
            next.push_back(i + 1 < values.size() ? combine(op, values[i], values[i + 1]) : values[i]);
        values = std::move(next);
    }
    return values[0];
}

/// The fixed order of a scan: by neighbours within a block, block after block within a leaf, leaves by neighbours.
template <class T>
void scan(Op op, std::vector<T>& values, std::int64_t inner) {
    const std::int64_t lanes = std::max<std::int64_t>(1, power_of_two_below(32 / inner));
    const std::int64_t leaf = std::max<std::int64_t>(32, power_of_two_below(4096 / inner));
    std::vector<T> block, leaves;
    T before{}, last{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::int64_t place = static_cast<std::int64_t>(i) % leaf;
        if (place == 0 && i != 0) leaves.push_back(last);
        if (place % lanes == 0) {
            block.clear();
            before = last;
        }
        block.push_back(values[i]);
        last = by_neighbours(op, block);
        if (place >= lanes) last = combine(op, before, last);
        values[i] = leaves.empty() ? last : combine(op, by_neighbours(op, leaves), last);
    }
}

/// The fixed order: lanes within a leaf, then lanes by halves, then leaves by neighbours.
template <class T>
T reduced(Op op, const std::vector<T>& values, std::int64_t inner) {
    if (values.empty()) return op == Op::prod || op == Op::all ? T(1) : T(0);
    const std::int64_t lanes = std::max<std::int64_t>(1, power_of_two_below(32 / inner));
    const std::int64_t leaf = std::max<std::int64_t>(32, power_of_two_below(4096 / inner));
    const auto size = static_cast<std::int64_t>(values.size());
    std::vector<T> leaves;
    for (std::int64_t begin = 0; begin < size; begin += leaf) {
        const std::int64_t end = std::min(begin + leaf, size);
        std::vector<T> lane;
        for (std::int64_t i = begin; i < end; ++i) {
            const auto slot = static_cast<std::size_t>((i - begin) % lanes);
            const T value = values[static_cast<std::size_t>(i)];
            if (slot == lane.size())
                lane.push_back(value);
            else
                lane[slot] = combine(op, lane[slot], value);
        }
        for (auto half = static_cast<std::size_t>(lanes) / 2; half > 0; half /= 2)
            for (std::size_t l = 0; l < half && l + half < lane.size(); ++l)
                lane[l] = combine(op, lane[l], lane[l + half]);
        leaves.push_back(lane[0]);
    }
    return by_neighbours(op, leaves);
}

Dense reduce(const OpRequest& request, const Shape& domain, const Dense& operand) {
    Dense result{request.result, domain, {}};
    const std::size_t axis = request.axis;
    if (request.keep)
        result.shape[axis] = 1;
    else
        result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(axis));
    result.bytes.resize(static_cast<std::size_t>(count_of(result.shape)) * bc::size_of(request.result));
    std::int64_t inner = 1;
    for (std::size_t i = axis + 1; i < domain.size(); ++i) inner *= domain[i];
    const std::int64_t extent = domain[axis];
    with_type(request.type, [&](auto zero) {
        // Not bool: its vector has no elements to refer to.
        using T = std::conditional_t<std::is_same_v<decltype(zero), bool>, std::uint8_t, decltype(zero)>;
        std::vector<T> line(static_cast<std::size_t>(extent));
        for (std::int64_t at = 0; at < count_of(result.shape); ++at) {
            for (std::int64_t i = 0; i < extent; ++i)
                line[static_cast<std::size_t>(i)] =
                    load<T>(operand.bytes, static_cast<std::size_t>((at / inner * extent + i) * inner + at % inner));
            save(result.bytes, static_cast<std::size_t>(at), reduced(request.op, line, inner));
        }
    });
    return result;
}

Dense scan(const OpRequest& request, const Shape& domain, const Dense& operand) {
    Dense result{request.result, domain, operand.bytes};
    std::int64_t inner = 1;
    for (std::size_t i = request.axis + 1; i < domain.size(); ++i) inner *= domain[i];
    const std::int64_t extent = domain[request.axis];
    with_type(request.type, [&](auto zero) {
        using T = std::conditional_t<std::is_same_v<decltype(zero), bool>, std::uint8_t, decltype(zero)>;
        std::vector<T> line(static_cast<std::size_t>(extent));
        for (std::int64_t number = 0; extent > 0 && number < count_of(domain) / extent; ++number) {
            const auto at = [&](std::int64_t i) {
                return static_cast<std::size_t>((number / inner * extent + i) * inner + number % inner);
            };
            for (std::int64_t i = 0; i < extent; ++i) line[static_cast<std::size_t>(i)] = load<T>(operand.bytes, at(i));
            scan(request.op, line, inner);
            for (std::int64_t i = 0; i < extent; ++i) save(result.bytes, at(i), line[static_cast<std::size_t>(i)]);
        }
    });
    return result;
}

Dense index_along(const Shape& domain, std::size_t axis) {
    Dense result{DType::i64, domain, Bytes(static_cast<std::size_t>(count_of(domain)) * sizeof(std::int64_t))};
    const std::int64_t stride = dense_strides(domain)[axis];
    for (std::int64_t at = 0; at < count_of(domain); ++at)
        save(result.bytes, static_cast<std::size_t>(at), at / stride % domain[axis]);
    return result;
}

template <class T>
void map_elements(const OpRequest& request, std::span<const Dense> in, Dense& out, std::int64_t& trap) {
    const Bytes &a = in[0].bytes, &b = in[in.size() > 1 ? 1 : 0].bytes;
    const bool selects = request.op == Op::select, fails = bc::can_fail(request.op, request.type);
    for (std::int64_t at = 0; at < count_of(out.shape); ++at) {
        const auto i = static_cast<std::size_t>(at);
        if (selects) {
            save(out.bytes, i, load<bool>(a, i) ? load<T>(b, i) : load<T>(in[2].bytes, i));
        } else if (request.op == Op::cast) {
            with_type(request.result, [&](auto to) { save(out.bytes, i, converted<decltype(to)>(load<T>(a, i))); });
        } else if (bc::info(request.op).result == bc::ResultType::Bool) {
            save(out.bytes, i, predicate(request.op, load<T>(a, i), load<T>(b, i)));
        } else if (request.type != request.result) {
            if constexpr (is_complex<T>)
                save(out.bytes, i, part_of(request.op, load<T>(a, i)));
            else if constexpr (std::is_floating_point_v<T>)
                save(out.bytes, i, std::complex<T>(load<T>(a, i), load<T>(b, i)));
        } else if (in.size() == 3 && !request.masked) {
            save(out.bytes, i, ternary_op(request.op, load<T>(a, i), load<T>(b, i), load<T>(in[2].bytes, i)));
        } else if (request.masked && !load<bool>(in[2].bytes, i)) {
            save(out.bytes, i, T(0));
        } else {
            if constexpr (std::is_same_v<T, std::int64_t>) {
                if (request.op == Op::in_range) {
                    const T index = load<T>(a, i), extent = load<T>(b, i);
                    const bool inside = index >= 0 && index < extent;
                    if (!inside && trap < 0) trap = at;
                    save(out.bytes, i, inside ? index : T(0));
                    continue;
                }
            }
            if (fails && load<T>(b, i) == T(0) && trap < 0) trap = at;
            save(out.bytes, i, same_type_op(request.op, load<T>(a, i), load<T>(b, i)));
        }
    }
}

}  // namespace

Dense evaluate(const OpRequest& request, const Shape& domain, std::span<const Dense> operands, std::int64_t& trap) {
    trap = -1;
    if (bc::info(request.op).kind == bc::OpKind::Generate) return index_along(domain, request.axis);
    if (bc::info(request.op).kind == bc::OpKind::Reduce) return reduce(request, domain, operands[0]);
    if (bc::info(request.op).kind == bc::OpKind::Scan) return scan(request, domain, operands[0]);
    const bc::Maths maths = bc::maths_of(request.op, request.type);
    if (maths == bc::Maths::Vector) {
        Dense result = library_maths(request, domain, operands);
        if (request.op != Op::pow) return result;
        with_type(request.type, [&](auto zero) {
            using T = decltype(zero);
            for (std::size_t i = 0; i < result.bytes.size() / sizeof(T); ++i)
                if (load<T>(operands[1].bytes, i) == T(2))
                    save(result.bytes, i, same_type_op(Op::pow, load<T>(operands[0].bytes, i), T(2)));
        });
        return result;
    }
    Dense result{request.result, domain,
                 Bytes(static_cast<std::size_t>(count_of(domain)) * bc::size_of(request.result))};
    with_type(request.type, [&](auto zero) { map_elements<decltype(zero)>(request, operands, result, trap); });
    return result;
}

}  // namespace xlazy::fuzz
