// SPDX-License-Identifier: BSD-3-Clause
// What the frontend's templates share, free of types.
#include "call_site.hpp"
#include "xlazy/detail/lowering_reducer.hpp"
#include "xlazy/overlay/xreducer.hpp"

#include <fmt/format.h>

#include <cstring>
#include <mutex>
#include <typeinfo>

namespace xlazy::detail {

namespace {

template <class Extents>
std::string shape_text(const Extents& extents, std::size_t rank) {
    std::string text = "(";
    for (std::size_t i = 0; i < rank; ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", extents(i));
    return text + ")";
}

}  // namespace

std::string place_text(here line) {
    return line.line == 0 ? std::string() : fmt::format("{}:{}: ", line.file, line.line);
}

std::string with_place(here line, const std::string& text) {
    if (line.line == 0 || rt::is_library_file(line.file)) {
        const bc::Origin found = bc::origin(rt::call_site(0));
        if (found.line != 0) line = {found.file, found.line};
    }
    const std::string place = place_text(line);
    return text.starts_with(place) ? text : place + text;
}

void rethrow_with_place(here line) {
    // The exact types: what derives from them, such as a deferred error, says its line itself.
    try {
        throw;
    } catch (const rt::ShapeMismatch& e) {
        throw xt::broadcast_error(with_place(line, e.what()).c_str());
    } catch (const xt::broadcast_error& e) {
        throw xt::broadcast_error(with_place(line, e.what()).c_str());
    } catch (const xt::concatenate_error& e) {
        throw xt::concatenate_error(with_place(line, e.what()).c_str());
    } catch (const xt::transpose_error& e) {
        throw xt::transpose_error(with_place(line, e.what()).c_str());
    } catch (const std::out_of_range& e) {
        if (typeid(e) != typeid(std::out_of_range)) throw;
        throw std::out_of_range(with_place(line, e.what()));
    } catch (const std::runtime_error& e) {
        if (typeid(e) != typeid(std::runtime_error)) throw;
        throw std::runtime_error(with_place(line, e.what()));
    } catch (const std::invalid_argument& e) {
        if (typeid(e) != typeid(std::invalid_argument)) throw;
        throw std::invalid_argument(with_place(line, e.what()));
    }
}

void throw_statement_error(const std::string& text) {
    throw std::runtime_error(with_place(rt::LineScope::current(), text));
}

void settle_initial_value(std::atomic<bool>& initial, rt::Base* base) {
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    if (!initial.load(std::memory_order_relaxed)) return;
    std::memset(rt::base_fill(base), 0, base->size() * bc::size_of(base->dtype()));
    initial.store(false, std::memory_order_release);
}

void window::add(std::size_t extent, std::ptrdiff_t stride) {
    check_rank(rank + 1);
    extents[rank] = extent;
    strides[rank++] = stride;
}

void window::check() const {
    std::int64_t low = offset;
    std::int64_t high = offset;
    for (std::size_t i = 0; i < rank; ++i) {
        if (extents[i] == 0) return;
        const std::int64_t reach = static_cast<std::int64_t>(extents[i] - 1) * strides[i];
        (reach < 0 ? low : high) += reach;
    }
    if (low >= 0 && high < static_cast<std::int64_t>(base->size())) return;
    const std::string shape = shape_text([this](std::size_t i) { return extents[i]; }, rank);
    throw std::out_of_range(
        with_place(rt::LineScope::current(),
                   fmt::format("a view of shape {} reaches outside its array of {} elements", shape, base->size())));
}

bool is_dense_in(const window& w, xt::layout_type order) noexcept {
    std::ptrdiff_t stride = 1;
    for (std::size_t i = 0; i < w.rank; ++i) {
        const std::size_t axis = order == xt::layout_type::column_major ? i : w.rank - 1 - i;
        if (w.extents[axis] != 1 && w.strides[axis] != stride) return false;
        stride *= static_cast<std::ptrdiff_t>(w.extents[axis]);
    }
    return true;
}

window flattened(const window& w) {
    std::size_t size = 1;
    for (std::size_t i = 0; i < w.rank; ++i) size *= w.extents[i];
    window flat{w.base, w.offset, 0, {}, {}};
    flat.add(size, 1);
    return flat;
}

window leaves::add(rt::DType type, std::size_t rank, const std::size_t* extents, bool by_columns) {
    leaf& l = list_.emplace_back();
    std::size_t size = 1;
    for (l.rank = 0; l.rank < rank; ++l.rank) size *= l.extents[l.rank] = extents[l.rank];
    l.by_columns = by_columns;
    l.base = rt::base_new(type, size);
    return l.whole();
}

window leaves::leaf::whole() const {
    window w{base, 0, 0, {}, {}};
    for (std::size_t i = 0; i < rank; ++i) w.add(extents[i], 0);
    std::ptrdiff_t stride = 1;
    for (std::size_t i = 0; i < rank; ++i) {
        const std::size_t axis = by_columns ? i : rank - 1 - i;
        w.strides[axis] = stride;
        stride *= static_cast<std::ptrdiff_t>(extents[axis]);
    }
    return w;
}

window leaves::next() { return list_[used_++].whole(); }

void leaves::end_statement() const {
    if (large_foreign_) rt::flush(rt::Reason::foreign, rt::LineScope::current());
}

leaves::~leaves() {
    for (const leaf& l : list_) {
        if (l.base != nullptr) rt::base_release(l.base);
    }
}

bool reduces_nothing(const rt::Statement& statement, Value operand, std::uint32_t axes) {
    for (std::size_t i = 0; i < statement.rank_of(operand); ++i) {
        if ((axes >> i & 1) != 0 && statement.extent_of(operand, i) == 0) return true;
    }
    return false;
}

Value with_initial(rt::Statement& statement, Op op, bool numbers, Value initial, Value reduced) {
    const Op lower = numbers ? Op::fmin : Op::min;
    const Op higher = numbers ? Op::fmax : Op::max;
    const Op combine = op == Op::sum ? Op::add : op == Op::prod ? Op::mul : op == Op::amin ? lower : higher;
    return statement.apply(combine, reduced.dtype, initial, reduced);
}

void check_reduced_extents(Op op, const rt::Statement& statement, Value operand, std::uint32_t axes, bool keep_dims) {
    bool nothing_reduced = false;
    bool result_empty = false;
    const std::size_t rank = statement.rank_of(operand);
    for (std::size_t i = 0; i < rank; ++i) {
        if (statement.extent_of(operand, i) != 0) continue;
        ((axes >> i & 1) != 0 ? nothing_reduced : result_empty) = true;
    }
    if (!nothing_reduced || result_empty) return;
    static_cast<void>(keep_dims);
    const std::string shape = shape_text([&](std::size_t i) { return statement.extent_of(operand, i); }, rank);
    throw_statement_error(
        fmt::format("{} of an array of shape {}: there is no value for an empty axis", bc::name_of(op), shape));
}

void normalise_axes(std::ptrdiff_t* axes, std::size_t count, std::size_t rank) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::ptrdiff_t axis = axes[i] < 0 ? axes[i] + static_cast<std::ptrdiff_t>(rank) : axes[i];
        if (axis < 0 || axis >= static_cast<std::ptrdiff_t>(rank)) {
            throw_statement_error(
                fmt::format("axis {} is out of bounds for a reduction of {} dimensions", axes[i], rank));
        }
        axes[i] = axis;
    }
    std::sort(axes, axes + count);
    const std::ptrdiff_t* twice = std::adjacent_find(axes, axes + count);
    if (twice != axes + count) throw_statement_error(fmt::format("axis {} is named twice in a reduction", *twice));
}

}  // namespace xlazy::detail
