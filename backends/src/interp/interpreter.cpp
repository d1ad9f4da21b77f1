// SPDX-License-Identifier: BSD-3-Clause
// The reference: every micro-op by itself, over the whole domain, into an array of its own. It is the meaning of a
// kernel that everything else is tested against, so it shares nothing with the fast back end but the elements'
// expressions and the vector-maths routines.
#include "finite_check.hpp"
#include "float_environment.hpp"
#include "isa/kernel_table.hpp"
#include "library/library.hpp"
#include "scalar_ops.hpp"
#include "xlazy/backends/traps.hpp"

#include <array>

namespace xlazy::be {
namespace {

using bc::DType;
using bc::MicroOp;
using bc::Op;
using Extents = std::vector<std::int64_t>;

/// Dense values of one micro-op, one an index of the domain.
struct Array {
    DType type = DType::none;
    std::vector<std::byte> bytes;

    Array() = default;
    Array(DType dtype, std::int64_t count) : type(dtype), bytes(static_cast<std::size_t>(count) * bc::size_of(dtype)) {}
    template <class T>
    T* as() noexcept {
        return reinterpret_cast<T*>(bytes.data());
    }
    template <class T>
    const T* as() const noexcept {
        return reinterpret_cast<const T*>(bytes.data());
    }
};

/// Calls f(std::type_identity<T>) with the kernel type of an enabled DType.
template <class F>
void with_type(DType type, F&& f) {
    switch (type) {
#define XLAZY_CALL_0(id, ctype)
#define XLAZY_CALL_1(id, ctype) \
    case DType::id: f(std::type_identity<KernelType<ctype>>{}); break;
#define XLAZY_DTYPE(id, name, ctype, kind, enabled) XLAZY_CALL_##enabled(id, ctype)
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
        default: break;
    }
}

/// Memory with a stride for each axis of the domain, 0 where it repeats.
struct Window {
    std::byte* start = nullptr;
    std::size_t element_size = 0;
    Extents strides;  ///< in elements
};

/// Lays `dims` over `rank` axes, aligned at the last one; extents of 1 repeat.
Extents align(std::span<const bc::Dim> dims, std::size_t rank) {
    Extents strides(rank, 0);
    for (std::size_t back = 1; back <= std::min(rank, dims.size()); ++back) {
        const bc::Dim& dim = dims[dims.size() - back];
        strides[rank - back] = dim.extent == 1 ? 0 : dim.stride;
    }
    return strides;
}

/// Calls f(position, offset in elements) for every index of the domain, in row-major order.
template <class F>
void for_each_index(const Extents& extents, const Extents& strides, F&& f) {
    const std::int64_t count = bc::element_count(extents);
    Extents index(extents.size(), 0);
    for (std::int64_t position = 0; position < count; ++position) {
        std::int64_t offset = 0;
        for (std::size_t axis = 0; axis < extents.size(); ++axis) offset += index[axis] * strides[axis];
        f(position, offset);
        for (std::size_t axis = extents.size(); axis-- > 0;) {
            if (++index[axis] < extents[axis]) break;
            index[axis] = 0;
        }
    }
}

/// Values of one run: out[i] = op(a[i], b[i], c[i]) for exact ops.
template <class T>
void map_elements(Op op, const T* pa, const T* pb, const T* pc, void* pout, std::int64_t count) {
    switch (op) {
#define XLAZY_LOOP(id, expression)                                              \
    case Op::id:                                                                \
        if constexpr (Op::id != Op::select && bc::accepts(Op::id, kDType<T>) && \
                      bc::maths_of(Op::id, kDType<T>) == bc::Maths::Exact) {    \
            using R = KernelType<bc::CType<bc::result_of(Op::id, kDType<T>)>>;  \
            for (std::int64_t i = 0; i < count; ++i) {                          \
                [[maybe_unused]] const T a = pa[i], b = pb[i], c = pc[i];       \
                static_cast<R*>(pout)[i] = static_cast<R>(expression);          \
            }                                                                   \
        }                                                                       \
        break;
#define XLAZY_MAP_0(id, expression)
#define XLAZY_MAP_1(id, expression) XLAZY_LOOP(id, expression)
#define XLAZY_MAP_2(id, expression) XLAZY_LOOP(id, expression)
#define XLAZY_MAP_3(id, expression) XLAZY_LOOP(id, expression)
#define XLAZY_MAP_Same(id, arity, maths, expression) XLAZY_MAP_##maths(id, arity, expression)
#define XLAZY_MAP_Bool(id, arity, maths, expression) XLAZY_MAP_##maths(id, arity, expression)
#define XLAZY_MAP_Real(id, arity, maths, expression) XLAZY_MAP_##maths(id, arity, expression)
#define XLAZY_MAP_Complex(id, arity, maths, expression) XLAZY_MAP_##maths(id, arity, expression)
#define XLAZY_MAP_Any(id, arity, maths, expression)
#define XLAZY_MAP_Exact(id, arity, expression) XLAZY_MAP_##arity(id, expression)
#define XLAZY_MAP_Vector(id, arity, expression)
#define XLAZY_MAP_Map(id, arity, result, maths, expression) XLAZY_MAP_##result(id, arity, maths, expression)
#define XLAZY_MAP_Generate(id, arity, result, maths, expression)
#define XLAZY_MAP_Gather(id, arity, result, maths, expression)
#define XLAZY_MAP_Scatter(id, arity, result, maths, expression)
#define XLAZY_MAP_Reduce(id, arity, result, maths, expression)
#define XLAZY_MAP_Scan(id, arity, result, maths, expression)
#define XLAZY_MAP_Library(id, arity, result, maths, expression)
#define XLAZY_OP(id, arity, kind, in, result, fault, maths, expression, doc) \
    XLAZY_MAP_##kind(id, arity, result, maths, expression)
#include "xlazy/bytecode/ops.def"
#undef XLAZY_OP
        default: break;
    }
}

template <class T>
T combine(Op op, T a, T b) {
    if constexpr (!is_complex<T>) {
        if (op == Op::amin) return nan_min(a, b);
        if (op == Op::amax) return nan_max(a, b);
    }
    if constexpr (std::is_same_v<T, bool>)
        return op == Op::all ? a && b : a || b;
    else
        return op == Op::prod || op == Op::cumprod ? wrap_mul(a, b) : wrap_add(a, b);
}

std::int64_t power_of_two_below(std::int64_t x) {
    std::int64_t power = 1;
    while (power * 2 <= x) power *= 2;
    return x < 1 ? 0 : power;
}
std::int64_t lanes_of(std::int64_t inner) { return std::max<std::int64_t>(1, power_of_two_below(32 / inner)); }
std::int64_t leaf_of(std::int64_t inner) { return std::max<std::int64_t>(32, power_of_two_below(4096 / inner)); }

/// The perfect binary tree over the values, at least one; absent ones take no part.
template <class T>
T tree(Op op, std::vector<T> values) {
    for (std::size_t step = 1; step < values.size(); step *= 2) {
        for (std::size_t k = 0; k + step < values.size(); k += 2 * step)
            values[k] = combine<T>(op, values[k], values[k + step]);
    }
    return values[0];
}

/// The reduction rule (docs/semantics.md), to the letter. `line(i)` is the value at index i of the reduced axis.
template <class T, class Line>
T reduce_line(Op op, Line&& line, std::int64_t n, std::int64_t inner) {
    const std::int64_t lanes = lanes_of(inner), leaf = leaf_of(inner);
    std::vector<T> leaves;
    for (std::int64_t begin = 0; begin < n; begin += leaf) {
        const std::int64_t end = std::min(begin + leaf, n);
        std::vector<T> sums;
        for (std::int64_t lane = 0; lane < lanes && begin + lane < end; ++lane) {
            T sum = line(begin + lane);
            for (std::int64_t i = begin + lane + lanes; i < end; i += lanes) sum = combine<T>(op, sum, line(i));
            sums.push_back(sum);
        }
        for (std::int64_t half = lanes / 2; half > 0; half /= 2) {
            const auto present = static_cast<std::int64_t>(sums.size());
            for (std::int64_t lane = 0; lane + half < present; ++lane) {
                if (lane < half)
                    sums[static_cast<std::size_t>(lane)] = combine<T>(op, sums[static_cast<std::size_t>(lane)],
                                                                      sums[static_cast<std::size_t>(lane + half)]);
            }
            sums.resize(static_cast<std::size_t>(std::min(present, half)));
        }
        leaves.push_back(sums[0]);
    }
    return leaves.empty() ? convert<T>(bc::identity_of(op) == bc::Identity::One) : tree<T>(op, leaves);
}

/// The rule of scans, to the letter. `line(i)` is the value at index i, `result(i)` where its result goes.
template <class T, class Line, class Result>
void scan_line(Op op, Line&& line, Result&& result, std::int64_t n, std::int64_t inner) {
    const std::int64_t lanes = lanes_of(inner), leaf = leaf_of(inner);
    std::vector<T> leaves;  // what each has come to
    for (std::int64_t begin = 0; begin < n; begin += leaf) {
        const std::int64_t end = std::min(begin + leaf, n);
        const T before_leaf = leaves.empty() ? T{} : tree<T>(op, leaves);
        T in_leaf{};
        for (std::int64_t block = begin; block < end; block += lanes) {
            const T before = in_leaf;
            std::vector<T> up_to_here;
            for (std::int64_t i = block; i < std::min(block + lanes, end); ++i) {
                up_to_here.push_back(line(i));
                in_leaf = tree<T>(op, up_to_here);
                if (block > begin) in_leaf = combine<T>(op, before, in_leaf);
                result(i) = leaves.empty() ? in_leaf : combine<T>(op, before_leaf, in_leaf);
            }
        }
        leaves.push_back(in_leaf);
    }
}

/// One kernel being run.
class Run {
public:
    Run(const bc::Kernel& kernel, const Bindings& bindings, Traps& traps)
        : kernel_(kernel), bindings_(bindings), program_(*bindings.program), traps_(traps) {
        const auto extents = program_.domain_extents(kernel.domain);
        extents_.assign(extents.begin(), extents.end());
        count_ = bc::element_count(extents_);
        values_.resize(kernel.ops.size());
    }

    void run() {
        for (std::size_t i = 0; i < kernel_.ops.size(); ++i) step(kernel_.ops[i], values_[i]);
    }

private:
    using Kind = MicroOp::Kind;

    void step(const MicroOp& op, Array& value) {
        switch (op.kind) {
            case Kind::LoadView: return load(view(op, extents_.size()), op.type, value);
            case Kind::LoadScratch: return load(scratch(op.index, extents_.size()), op.type, value);
            case Kind::LoadScalar: return load_scalar(op, value);
            case Kind::Compute: return compute_checked(op, value);
            case Kind::StoreView: return store(values_[op.in[0]], extents_, view(op, extents_.size()));
            case Kind::StoreScratch: return store(values_[op.in[0]], extents_, scratch(op.index, extents_.size()));
            case Kind::ReduceView:
            case Kind::ReduceScratch: return reduce(op);
            case Kind::GatherView: return gather(op, value);
            case Kind::ScatterView: return scatter(op);
        }
    }

    Window view(const MicroOp& op, std::size_t rank) const {
        const bc::View& view = program_.views[op.index];
        const std::size_t size = bc::size_of(program_.bases[view.base].type);
        std::byte* start = bindings_.memory_of(kernel_, op) + view.offset * static_cast<std::int64_t>(size);
        return {start, size, align(program_.dims_of(view), rank)};
    }

    Window scratch(std::uint32_t index, std::size_t rank) const {
        const bc::Scratch& scratch = bindings_.plan->scratch[index];
        const bc::ScratchShape shape = bc::shape_of(program_, scratch);
        std::vector<bc::Dim> dims(shape.rank);
        std::int64_t stride = 1;
        for (std::size_t axis = shape.rank; axis-- > 0; stride *= shape.extents[axis])
            dims[axis] = {shape.extents[axis], stride};
        return {static_cast<std::byte*>(bindings_.scratch[index]), bc::size_of(scratch.type), align(dims, rank)};
    }

    void load(const Window& from, DType type, Array& value) {
        value = Array(type, count_);
        for_each_index(extents_, from.strides, [&](std::int64_t position, std::int64_t offset) {
            std::memcpy(value.bytes.data() + position * static_cast<std::int64_t>(from.element_size),
                        from.start + offset * static_cast<std::int64_t>(from.element_size), from.element_size);
        });
    }

    void load_scalar(const MicroOp& op, Array& value) {
        value = Array(op.type, count_);
        const std::size_t size = bc::size_of(op.type);
        const bc::Scalar scalar = bc::form_of(program_.scalars[op.index], op.form);
        for (std::int64_t i = 0; i < count_; ++i) {
            std::memcpy(value.bytes.data() + i * static_cast<std::int64_t>(size), scalar.bits, size);
        }
    }

    void store(const Array& value, const Extents& extents, const Window& to) {
        for_each_index(extents, to.strides, [&](std::int64_t position, std::int64_t offset) {
            std::memcpy(to.start + offset * static_cast<std::int64_t>(to.element_size),
                        value.bytes.data() + position * static_cast<std::int64_t>(to.element_size), to.element_size);
        });
    }

    void compute_checked(const MicroOp& op, Array& value) {
        compute(op, value);
        if (!bindings_.check_finite || !may_lose_finiteness(op)) return;
        CheckedValues operands[3] = {};
        const unsigned arity = bc::info(op.op).arity;
        for (unsigned i = 0; i < arity; ++i) operands[i] = {values_[op.in[i]].bytes.data(), false};
        const std::int64_t at = first_made_not_finite(op.result, value.bytes.data(), count_, op.type, operands, arity);
        if (at == count_) return;
        Trap trap{op.instruction, at, {}, Trap::Kind::NotFinite, op.op, value_at(op.result, value.bytes.data(), at)};
        for (unsigned i = 0; i < std::min(arity, 2u); ++i) trap.operands[i] = value_at(op.type, operands[i].values, at);
        add_trap(traps_, trap);
    }

    void compute(const MicroOp& op, Array& value) {
        value = Array(op.result, count_);
        if (count_ == 0) return;
        if (op.op == Op::index) return generate(op, value);
        if (op.op == Op::select) return select(op, value);
        const Array& a = values_[op.in[0]];
        const Array& b = values_[bc::info(op.op).arity > 1 ? op.in[1] : op.in[0]];
        const Array& c = values_[bc::info(op.op).arity > 2 ? op.in[2] : op.in[0]];
        if (op.op == Op::cast) return cast(op, a, value);
        if (bc::info(op.op).kind == bc::OpKind::Scan) return scan(op, a, value);
        if (op.op == Op::in_range)
            check_range(op, a, b, value);
        else if (bc::can_fail(op.op, op.type))
            divide(op, a, b, value);
        else if (bc::maths_of(op.op, op.type) != bc::Maths::Exact) {
            map_kernel(op.op, op.type, Form::vv)(a.bytes.data(), b.bytes.data(), nullptr, value.bytes.data(), count_);
        } else {
            with_type(op.type, [&]<class T>(std::type_identity<T>) {
                map_elements<T>(op.op, a.as<T>(), b.as<T>(), c.as<T>(), value.bytes.data(), count_);
            });
        }
    }

    void generate(const MicroOp& op, Array& value) {
        Extents strides(extents_.size(), 0);
        strides[op.axis] = 1;
        for_each_index(extents_, strides, [&](std::int64_t position, std::int64_t coordinate) {
            value.as<std::int64_t>()[position] = coordinate;
        });
    }

    void select(const MicroOp& op, Array& value) {
        const bool* a = values_[op.in[0]].as<bool>();
        with_type(op.type, [&]<class T>(std::type_identity<T>) {
            const T* b = values_[op.in[1]].as<T>();
            const T* c = values_[op.in[2]].as<T>();
            for (std::int64_t i = 0; i < count_; ++i) value.as<T>()[i] = a[i] ? b[i] : c[i];
        });
    }

    void cast(const MicroOp& op, const Array& a, Array& value) {
        with_type(op.type, [&]<class T>(std::type_identity<T>) {
            with_type(op.result, [&]<class R>(std::type_identity<R>) {
                for (std::int64_t i = 0; i < count_; ++i) value.as<R>()[i] = convert<R>(a.as<T>()[i]);
            });
        });
    }

    void divide(const MicroOp& op, const Array& a, const Array& b, Array& value) {
        const bool* mask = (op.flags & bc::Instruction::kMasked) != 0 ? values_[op.in[2]].as<bool>() : nullptr;
        with_type(op.type, [&]<class T>(std::type_identity<T>) {
            if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
                for (std::int64_t i = count_; i-- > 0;) {
                    const T x = a.as<T>()[i], y = b.as<T>()[i];
                    const bool wanted = mask == nullptr || mask[i];
                    value.as<T>()[i] = !wanted ? T(0) : op.op == Op::div ? wrap_div(x, y) : wrap_mod(x, y);
                    if (wanted && y == 0)
                        add_trap(traps_, {op.instruction, i, {bc::make_scalar(x), bc::make_scalar(y)}});
                }
            }
        });
    }

    void check_range(const MicroOp& op, const Array& a, const Array& b, Array& value) {
        const bool* mask = (op.flags & bc::Instruction::kMasked) != 0 ? values_[op.in[2]].as<bool>() : nullptr;
        for (std::int64_t i = count_; i-- > 0;) {
            const std::int64_t index = a.as<std::int64_t>()[i], extent = b.as<std::int64_t>()[i];
            const bool wanted = mask == nullptr || mask[i], inside = index >= 0 && index < extent;
            value.as<std::int64_t>()[i] = wanted && inside ? index : 0;
            if (wanted && !inside)
                add_trap(traps_, {op.instruction, i, {bc::make_scalar(index), bc::make_scalar(extent)}});
        }
    }

    /// Calls f(position, address) for every position whose number is that of an element of the micro-op's view.
    template <class F>
    void for_each_number(const MicroOp& op, const Array& numbers, F&& f) const {
        const auto dims = program_.dims_of(program_.views[op.index]);
        const auto size = static_cast<std::int64_t>(bc::size_of(op.type));
        std::byte* const start = view(op, dims.size()).start;
        std::int64_t elements = 1;
        for (const bc::Dim& dim : dims) elements *= dim.extent;
        for (std::int64_t i = 0; i < count_; ++i) {
            std::int64_t rest = numbers.as<std::int64_t>()[i], offset = 0;
            if (rest < 0 || rest >= elements) continue;
            for (std::size_t axis = dims.size(); axis-- > 0; rest /= dims[axis].extent)
                offset += rest % dims[axis].extent * dims[axis].stride;
            f(i * size, start + offset * size);
        }
    }

    void gather(const MicroOp& op, Array& value) {
        value = Array(op.result, count_);
        for_each_number(op, values_[op.in[0]], [&](std::int64_t at, const std::byte* from) {
            std::memcpy(value.bytes.data() + at, from, bc::size_of(op.type));
        });
    }

    void scatter(const MicroOp& op) {
        const Array& values = values_[op.in[0]];
        for_each_number(op, values_[op.in[1]], [&](std::int64_t at, std::byte* to) {
            std::memcpy(to, values.bytes.data() + at, bc::size_of(op.type));
        });
    }

    /// Product of the extents behind an axis.
    std::int64_t inner_of(unsigned axis) const {
        std::int64_t inner = 1;
        for (std::size_t behind = axis + 1u; behind < extents_.size(); ++behind) inner *= extents_[behind];
        return inner;
    }

    void scan(const MicroOp& op, const Array& a, Array& value) {
        const std::int64_t n = extents_[op.axis], inner = inner_of(op.axis);
        with_type(op.type, [&]<class T>(std::type_identity<T>) {
            for (std::int64_t line = 0; line < count_ / n; ++line) {
                const std::int64_t first = line / inner * n * inner + line % inner;
                const T* from = a.as<T>() + first;
                T* to = value.as<T>() + first;
                scan_line<T>(
                    op.op, [&](std::int64_t i) { return from[i * inner]; },
                    [&](std::int64_t i) -> T& { return to[i * inner]; }, n, inner);
            }
        });
        if (bindings_.check_finite && is_inexact(op.result)) check_scan(op, a, value);
    }

    /// The first result that is not finite although all operands up to it are.
    void check_scan(const MicroOp& op, const Array& a, const Array& value) {
        const std::int64_t n = extents_[op.axis], inner = inner_of(op.axis);
        const auto finite = [](const Array& array, std::int64_t at) {
            return first_not_finite_of(array.type,
                                       array.bytes.data() + at * static_cast<std::int64_t>(bc::size_of(array.type)),
                                       1) == 1;
        };
        std::int64_t found = count_;
        for (std::int64_t line = 0; n > 0 && line < count_ / n; ++line) {
            std::int64_t at = line / inner * n * inner + line % inner;
            for (std::int64_t i = 0; i < n && finite(a, at); ++i, at += inner) {
                if (finite(value, at)) continue;
                found = std::min(found, at);
                break;
            }
        }
        if (found == count_) return;
        add_trap(traps_, {op.instruction,
                          found,
                          {value_at(op.type, a.bytes.data(), found)},
                          Trap::Kind::NotFinite,
                          op.op,
                          value_at(op.result, value.bytes.data(), found)});
    }

    void reduce(const MicroOp& op) {
        const bool checked = bindings_.check_finite && may_lose_finiteness(op);
        if (checked && first_not_finite_of(op.type, values_[op.in[0]].bytes.data(), count_) != count_)
            add_trap(traps_, {op.instruction, 0, {}, Trap::Kind::SawNotFinite, op.op, {}});
        const std::int64_t n = extents_[op.axis], inner = inner_of(op.axis);
        Extents reduced = extents_;
        if ((op.flags & bc::Instruction::kKeepAxis) != 0)
            reduced[op.axis] = 1;
        else
            reduced.erase(reduced.begin() + op.axis);
        const Window to = op.kind == Kind::ReduceView ? view(op, reduced.size()) : scratch(op.index, reduced.size());
        Array result(op.result, bc::element_count(reduced));
        with_type(op.type, [&]<class T>(std::type_identity<T>) {
            const T* values = values_[op.in[0]].as<T>();
            const std::int64_t count = bc::element_count(reduced);
            for (std::int64_t r = 0; r < count; ++r) {
                const T* first = values + (r / inner) * n * inner + r % inner;
                result.as<T>()[r] = reduce_line<T>(
                    op.op, [&](std::int64_t i) { return first[i * inner]; }, n, inner);
            }
        });
        store(result, reduced, to);
    }

    const bc::Kernel& kernel_;
    const Bindings& bindings_;
    const bc::Program& program_;
    Traps& traps_;
    Extents extents_;
    std::int64_t count_ = 0;
    std::vector<Array> values_;
};

class Interpreter final : public Backend {
public:
    std::string_view name() const noexcept override { return "interp"; }
    void run(const bc::Kernel& kernel, const Bindings& bindings, Traps& traps) override {
        const FloatEnvironment environment;
        if (kernel.library_call() != nullptr) return run_library_call(kernel, bindings, 1, traps);
        Run(kernel, bindings, traps).run();
        if (bindings.not_finite != nullptr) bindings.not_finite->store(true, std::memory_order_relaxed);
    }
};

}  // namespace

std::unique_ptr<Backend> make_interpreter() { return std::make_unique<Interpreter>(); }

}  // namespace xlazy::be
