// SPDX-License-Identifier: BSD-3-Clause
// Elements of an array by a list of indices: gathered and scattered by the queue, where an index that the array does
// not have is found late. Whoever asks xtensor for such an element instead gets the error at once.
#pragma once

#include "xlazy/detail/assign.hpp"

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xindex_view.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// Indices of elements of one array.
struct index_list {
    std::size_t count = 0;
    std::vector<std::int64_t> extents;  ///< of the array
    std::vector<std::int64_t> values;   ///< of all axes, the first one's first
    bool inside = true;                 ///< the array has them all

    std::int64_t at(std::size_t axis, std::size_t number) const { return values[axis * count + number]; }
    /// Lists without repetition that have the same elements: the first one all, the second one those that are there
    /// twice, and so on.
    std::vector<index_list> rounds() const;
    /// @throws std::out_of_range with the user's line if the array does not have index `number`
    void check(std::size_t number) const;
};

/// Where an index begins and ends: a number is one of the last axis.
template <class I>
auto bounds_of(const I& index) {
    if constexpr (std::is_integral_v<I>)
        return std::pair(&index, &index + 1);
    else
        return std::pair(index.cbegin(), index.cend());
}

/// Missing axes in front are 0, indices beyond the last axis mean nothing, as in xtensor.
template <class S, class I>
index_list listed(const S& shape, const I& indices) {
    const std::size_t rank = shape.size();
    index_list list{indices.size(), {shape.begin(), shape.end()}, {}, true};
    list.values.assign(rank * list.count, 0);
    std::size_t number = 0;
    for (const auto& index : indices) {
        auto [each, end] = bounds_of(index);
        const auto length = static_cast<std::size_t>(std::distance(each, end));
        std::size_t axis = rank - std::min(rank, length);
        for (; axis < rank; ++axis, ++each) {
            const auto value = static_cast<std::int64_t>(*each);
            list.values[axis * list.count + number] = value;
            list.inside = list.inside && value >= 0 && value < list.extents[axis];
        }
        ++number;
    }
    return list;
}

template <class E>
std::vector<std::size_t> plain_shape(const E& e) {
    return {e.shape().begin(), e.shape().end()};
}
/// @throws xt::broadcast_error: a condition must have the shape of the array whose elements it chooses
[[noreturn]] void throw_other_shape(const char* function, const std::vector<std::size_t>& array,
                                    const std::vector<std::size_t>& condition);

inline constexpr std::size_t kMostRounds = 64;

/// The list as a new array of i64, [axis][number].
window indices_of(const index_list& list, leaves& memory);
/// Row-major numbers of the elements of `table`.
Value numbers_of(rt::Statement& statement, const window& table, const window& indices);
/// Records the elements of `table` as a dense array.
void gather(const window& table, const index_list& list, const window& to);

/// The list of which copies are made now goes there, if somebody asks.
inline constinit thread_local const index_list** copied_list = nullptr;

/// Indices as xtensor's view holds them: shared, and looked at where the array does not have them all.
template <class I>
class checked_indices {
public:
    checked_indices(I indices, index_list list)
        : data_(std::make_shared<const data>(data{std::move(indices), std::move(list)})) {}
    checked_indices(const checked_indices& other) : data_(other.data_) {
        if (copied_list != nullptr) *copied_list = &data_->list;
    }
    ~checked_indices() = default;
    checked_indices& operator=(const checked_indices&) = delete;

    std::size_t size() const noexcept { return data_->list.count; }
    decltype(auto) operator[](std::size_t number) const {
        if (!data_->list.inside) data_->list.check(number);
        return data_->indices[number];
    }

private:
    struct data {
        I indices;
        index_list list;
    };
    std::shared_ptr<const data> data_;
};

template <class CT, class I>
using indexed_elements = xt::xindex_view<CT, checked_indices<I>>;

/// xtensor's view keeps its indices to itself, but hands a copy on.
template <class CT, class I>
const index_list& list_of(const indexed_elements<CT, I>& view) {
    const index_list* list = nullptr;
    copied_list = &list;
    (void)view.build_index_view(view.expression());
    copied_list = nullptr;
    return *list;
}

template <class CT, class I>
inline constexpr bool is_written_through<indexed_elements<CT, I>> = true;

template <class CT, class I>
struct fallback_name<indexed_elements<CT, I>> {
    static const char* get() noexcept { return "index_view"; }
};

template <class CT, class I>
struct lowering<indexed_elements<CT, I>> {
    using V = indexed_elements<CT, I>;
    using parent = std::decay_t<CT>;
    using T = typename V::value_type;
    static constexpr bool native = recorded_value<parent> && lowering<parent>::native;
    static constexpr bool has_leaves = true;
    static constexpr bool can_fail = false;
    static constexpr bool operand_can_fail = any_failure<parent>;
    static void prepare(const V& view, leaves& evaluated) {
        const index_list& list = list_of(view);
        const auto add = [&](const window& table) {
            gather(table, list, evaluated.add(bc::dtype_of<T>(), 1, &list.count, false));
        };
        if constexpr (viewed<parent>::ok) {
            add(viewed<parent>::get(view.expression()));
        } else {
            leaves whole;
            record_leaf<T, xt::layout_type::row_major>(view.expression(), whole);
            add(whole.next());
        }
    }
    static Value run(const V&, recording& r) { return r.evaluated.load_next(r.statement); }
};

template <class CT, class I>
struct indexed_target<indexed_elements<CT, I>> {
    static constexpr bool ok = viewed<std::decay_t<CT>>::ok;
};

template <assignment O, class D, class E>
void record_elements(D& d, const E& e, const index_list& list) {
    using types = compound_types<O, value_of<D>, value_of<E>>;
    using T = typename types::value_type;
    using parent = std::decay_t<decltype(d.expression())>;
    const window target = viewed<parent>::get(d.expression());
    leaves evaluated, memory;
    prepare_as<T>(e, evaluated);
    const window indices = indices_of(list, memory);
    {
        rt::Statement statement(rt::LineScope::current());
        recording r{statement, evaluated};
        Value value = lower_as<T>(e, r);
        const Value numbers = numbers_of(statement, target, indices);
        if constexpr (O != assignment::set)
            value = combine<O, types>(statement, statement.gather(target.ref(), numbers), value);
        statement.scatter(target.ref(), value, numbers);
    }
    evaluated.end_statement();
}

/// A number is combined with the elements one by one: with one that is listed twice, twice.
/// @return false, and nothing has happened, if one is listed so often that xtensor's own loop is shorter
template <assignment O, class D, class E>
bool record_indexed(D& d, const E& e) {
    const index_list& list = list_of(d);
    if constexpr (is_scalar<E> && O != assignment::set) {
        // That loop would end the program where an integer is divided by zero.
        constexpr bool kDivides =
            (O == assignment::divide || O == assignment::modulo) && std::is_integral_v<value_of<D>>;
        const std::vector<index_list> rounds = list.inside ? list.rounds() : std::vector<index_list>();
        if (!kDivides && rounds.size() > kMostRounds) return false;
        for (const index_list& round : rounds) record_elements<O>(d, e, round);
        if (!rounds.empty()) return true;
    }
    record_elements<O>(d, e, list);
    return true;
}

template <class E, class I>
auto index_elements(E&& e, I indices) {
    index_list list = listed(e.shape(), indices);
    using view = indexed_elements<xt::xclosure_t<E>, I>;
    return make_lazy_view(view(std::forward<E>(e), checked_indices<I>(std::move(indices), std::move(list))));
}

}  // namespace xlazy::detail
