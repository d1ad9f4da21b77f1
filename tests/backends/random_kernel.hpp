// SPDX-License-Identifier: BSD-3-Clause
// Legal kernels of random ops, types, shapes, views and reductions, a function of the seed.
#pragma once

#include "backends/test_kernel.hpp"

namespace xlazy::test {

/// Ordinary values, and those on which mistakes show.
template <class T, class Random>
T random_value(Random& random) {
    const std::uint64_t bits = random();
    if constexpr (std::is_same_v<T, bool>) {
        return (bits & 1) != 0;
    } else if constexpr (std::is_integral_v<T>) {
        constexpr T special[] = {0, 1, T(-1), 2, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
        if (bits % 8 == 0) return special[bits / 8 % 6];
        return bits % 8 < 5 ? static_cast<T>(static_cast<int>(bits / 8 % 200) - 100) : static_cast<T>(bits >> 8);
    } else if constexpr (is_complex<T>) {
        const auto real = random_value<typename T::value_type>(random);
        return {real, random_value<typename T::value_type>(random)};
    } else {
        constexpr T special[] = {T(0),
                                 T(-0.0),
                                 T(1),
                                 T(-1),
                                 T(2),
                                 T(0.5),
                                 std::numeric_limits<T>::infinity(),
                                 -std::numeric_limits<T>::infinity(),
                                 std::numeric_limits<T>::quiet_NaN(),
                                 std::numeric_limits<T>::denorm_min(),
                                 std::numeric_limits<T>::max(),
                                 T(2147483648.0),
                                 T(-2147483649.0),
                                 T(9.3e18),
                                 T(-32769)};
        if (bits % 8 == 0) return special[bits / 8 % 15];
        const double unit = static_cast<double>(bits >> 12) / static_cast<double>(1ull << 52);
        return bits % 8 < 6 ? static_cast<T>(unit * 4 - 2) : static_cast<T>(std::exp(unit * 80 - 40));
    }
}

class RandomKernel {
public:
    explicit RandomKernel(std::uint64_t seed) : random_(seed * 7919 + 13), kernel_({}) {}

    TestKernel make() {
        choose_domain();
        layout_ = pick(3);
        kernel_ = TestKernel(domain_);
        const int loads = 1 + pick(4);
        for (int i = 0; i < loads; ++i) add_load();
        for (int i = pick(3); i > 0; --i) add_scalar();
        if (!domain_.empty() && pick(5) == 0) {
            values_.push_back(kernel_.compute(Op::index, DType::i64, {}, DType::i64, bc::kNoValue,
                                              static_cast<unsigned>(pick(static_cast<int>(domain_.size())))));
        }
        const bool scans = !domain_.empty() && pick(4) == 0;
        if (scans) add_scans();
        const int ops = 1 + pick(12);
        for (int i = 0; i < ops; ++i) {
            add_compute();
            if (pick(8) == 0) add_store();
        }
        for (int i = 1 + pick(2); i > 0; --i) add_store();
        if (!domain_.empty() && !scans && pick(2) == 0) add_reductions();
        return std::move(kernel_);
    }

private:
    int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }
    ValueId any_value() { return values_[static_cast<std::size_t>(pick(static_cast<int>(values_.size())))]; }
    DType type_of(ValueId value) const { return kernel_.kernel.ops[value].result; }

    void choose_domain() {
        static const std::int64_t extents[] = {1,  1,  2,  3,   4,   5,   7,    8,    16,   17,   31,
                                               32, 33, 64, 100, 257, 300, 1000, 1025, 5000, 70000};
        const int rank = pick(5);
        std::int64_t count = 1;
        for (int axis = 0; axis < rank; ++axis) {
            std::int64_t extent = extents[pick(21)];
            if (pick(60) == 0) extent = 0;
            while (count * extent > 100000) extent = extents[pick(6)];
            domain_.push_back(extent);
            count *= extent == 0 ? 1 : extent;
        }
    }

    DType random_type() {
        static const auto types = enabled_types();
        return types[static_cast<std::size_t>(pick(static_cast<int>(types.size())))];
    }

    std::uint32_t filled_base(DType type, std::int64_t size) {
        const std::uint32_t base = kernel_.base(type, size);
        with_type(type, [&]<class T>(std::type_identity<T>) {
            for (std::int64_t i = 0; i < size; ++i) {
                const T value = random_value<T>(random_);
                std::memcpy(kernel_.bases[base].data() + static_cast<std::size_t>(i) * sizeof(T), &value, sizeof(T));
            }
        });
        return base;
    }

    /// A view of a new base over the extents: dense, with gaps, with negative steps or permuted. For reading it may
    /// repeat axes or lack the first ones.
    std::uint32_t random_view(DType type, Extents extents, bool repeat) {
        if (repeat && pick(3) == 0) {
            for (std::int64_t& extent : extents) {
                if (pick(2) == 0 && extent != 0) extent = 1;
            }
            while (!extents.empty() && extents[0] == 1 && pick(2) == 0) extents.erase(extents.begin());
        } else if (pick(10) == 0) {
            extents.insert(extents.begin(), 1);
        }
        std::vector<bc::Dim> dims(extents.size());
        const bool gaps = pick(2) == 0;
        std::int64_t size = 1, offset = 0;
        std::vector<std::size_t> order(extents.size());
        for (std::size_t axis = 0; axis < order.size(); ++axis) order[axis] = order.size() - 1 - axis;
        if (layout_ == 1) std::reverse(order.begin(), order.end());
        if (pick(6) == 0) std::shuffle(order.begin(), order.end(), random_);
        for (const std::size_t axis : order) {
            const std::int64_t step = size * (gaps && pick(3) == 0 ? 1 + pick(3) : 1);
            const bool backwards = gaps && pick(4) == 0 && extents[axis] > 0;
            dims[axis] = {extents[axis], backwards ? -step : step};
            if (backwards) offset += step * (extents[axis] - 1);
            size = step * std::max<std::int64_t>(extents[axis], 1) + (gaps ? pick(3) : 0);
        }
        const std::int64_t lead = pick(2) == 0 ? 0 : pick(5);
        for (bc::Dim& dim : dims) {
            if (dim.extent <= 1) dim.stride = 0;  // as xtensor has it
        }
        return kernel_.view(filled_base(type, size + lead), offset + lead, dims);
    }

    void add_load() {
        if (pick(8) == 0) {
            const std::uint32_t index = kernel_.new_scratch(DType::f64, domain_);
            std::vector<double> values(kernel_.scratch[index].size() / 8);
            for (double& value : values) value = random_value<double>(random_);
            if (!values.empty()) std::memcpy(kernel_.scratch[index].data(), values.data(), values.size() * 8);
            values_.push_back(kernel_.load_scratch(index));
            return;
        }
        const std::uint32_t view = random_view(random_type(), domain_, true);
        views_.push_back(view);
        values_.push_back(kernel_.load(view));
    }

    void add_scalar() {
        with_type(random_type(),
                  [&]<class T>(std::type_identity<T>) { values_.push_back(kernel_.scalar(random_value<T>(random_))); });
    }

    ValueId of_type(DType type) {
        const ValueId value = any_value();
        if (type_of(value) == type) return value;
        for (const ValueId other : values_) {
            if (type_of(other) == type && pick(2) == 0) return other;
        }
        return kernel_.compute(Op::cast, type_of(value), {value}, type);
    }

    void add_compute() {
        Op op;
        DType type;
        do {
            op = static_cast<Op>(pick(static_cast<int>(bc::kOpCount)));
            type = pick(3) == 0 ? random_type() : type_of(any_value());
        } while (bc::info(op).kind != bc::OpKind::Map || op == Op::in_range || !bc::accepts(op, type));
        if (op == Op::cast) return values_.push_back(kernel_.compute(op, type, {of_type(type)}, random_type()));
        if (op == Op::select) {
            const ValueId mask = of_type(DType::boolean), b = of_type(type), c = of_type(type);
            return values_.push_back(kernel_.compute(op, type, {mask, b, c}));
        }
        const ValueId a = of_type(type);
        if (bc::info(op).arity == 1) return values_.push_back(kernel_.compute(op, type, {a}));
        const ValueId b = pick(8) == 0 ? a : of_type(type);
        if (bc::info(op).arity == 3) return values_.push_back(kernel_.compute(op, type, {a, b, of_type(type)}));
        const ValueId mask = bc::can_fail(op, type) && pick(2) == 0 ? of_type(DType::boolean) : bc::kNoValue;
        values_.push_back(kernel_.compute(op, type, {a, b}, DType::none, mask));
    }

    /// Of values that no scan and no store has made yet, along one axis.
    void add_scans() {
        for (int i = pick(4); i > 0; --i) add_compute();
        const auto axis = static_cast<unsigned>(pick(static_cast<int>(domain_.size())));
        std::vector<ValueId> scanned;
        for (int i = 1 + pick(2); i > 0; --i) {
            ValueId value = any_value();
            if (type_of(value) == DType::boolean)
                value = kernel_.compute(Op::cast, DType::boolean, {value}, DType::i32);
            const Op op = pick(2) == 0 ? Op::cumsum : Op::cumprod;
            scanned.push_back(kernel_.compute(op, type_of(value), {value}, DType::none, bc::kNoValue, axis));
        }
        values_.insert(values_.end(), scanned.begin(), scanned.end());
    }

    /// To a new array, to a scratch, or back to the memory of a load (the identical view).
    void add_store() {
        const ValueId value = any_value();
        if (!views_.empty() && pick(2) == 0) {
            for (const std::uint32_t view : views_) {
                if (kernel_.program.bases[kernel_.program.views[view].base].type != type_of(value) || !writable(view))
                    continue;
                kernel_.store(view, value);
                if (pick(2) == 0) values_.push_back(kernel_.load(view));
                return;
            }
        }
        if (type_of(value) == DType::f64 && pick(4) == 0) {
            return kernel_.store_scratch(kernel_.new_scratch(DType::f64, domain_), value);
        }
        const std::uint32_t view = random_view(type_of(value), domain_, false);
        views_.push_back(view);
        kernel_.store(view, value);
    }

    /// The view has the whole domain: nothing repeats.
    bool writable(std::uint32_t view) const {
        const auto dims = kernel_.program.dims_of(kernel_.program.views[view]);
        std::int64_t count = 1;
        for (const bc::Dim& dim : dims) count *= dim.extent;
        return count == bc::element_count(domain_) && (count > 0 || dims.size() >= domain_.size());
    }

    void add_reductions() {
        const auto axis = static_cast<unsigned>(pick(static_cast<int>(domain_.size())));
        for (int i = 1 + pick(2); i > 0; --i) {
            const ValueId value = any_value();
            const DType type = type_of(value);
            Op op;
            do {
                op = static_cast<Op>(pick(static_cast<int>(bc::kOpCount)));
            } while (bc::info(op).kind != bc::OpKind::Reduce || !bc::accepts(op, type));
            const bool keep = pick(2) == 0;
            Extents result = domain_;
            if (keep)
                result[axis] = 1;
            else
                result.erase(result.begin() + axis);
            kernel_.reduce(op, axis, keep, random_view(type, result, false), value);
        }
    }

    std::mt19937_64 random_;
    int layout_ = 0;  ///< 1: most views are column-major
    Extents domain_;
    TestKernel kernel_;
    std::vector<ValueId> values_;
    std::vector<std::uint32_t> views_;
};

}  // namespace xlazy::test
