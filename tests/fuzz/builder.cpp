// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/builder.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xlazy::fuzz {
namespace {

using bc::DType;
using bc::Instruction;
using bc::Op;
using bc::Operand;
using bc::OpKind;

constexpr std::size_t kMaxArrays = 14;
constexpr int kDepth = 3;

/// The cells that make a value of this type.
const std::vector<OpCell>& cells_of_result(DType type) {
    static const std::vector<std::vector<OpCell>> cells = [] {
        std::vector<std::vector<OpCell>> found(bc::kDTypeCount);
        for (const OpCell& cell : op_cells()) found[static_cast<std::size_t>(cell.result)].push_back(cell);
        return found;
    }();
    return cells[static_cast<std::size_t>(type)];
}

}  // namespace

Builder::Builder(Random& random, SizeProfile profile) : random_(random), profile_(profile) {
    master_ = fresh_shape();
    scalars_ = static_cast<Flavour>(random_.below(kFlavours));
}

Shape Builder::fresh_shape() {
    static constexpr int kRanks[] = {1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 0, 5, 6};
    Shape shape(static_cast<std::size_t>(random_.pick(kRanks)));
    std::int64_t left = std::max<std::int64_t>(1, random_.between(profile_.elements / 4, profile_.elements));
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool last = i + 1 == shape.size();
        std::int64_t extent = left;
        if (!last) {
            std::int64_t most = 1;
            while (most * most < left) ++most;
            extent = random_.percent(30) ? random_.between(1, 4) : random_.between(1, std::max<std::int64_t>(1, most));
        }
        extent = std::min(extent, left);
        shape[i] = extent;
        left = std::max<std::int64_t>(1, left / extent);
    }
    if (shape.size() > 1 && random_.percent(30)) std::swap(shape.front(), shape.back());
    if (!shape.empty() && random_.percent(10)) random_.percent(50) ? shape.front() = 1 : shape.back() = 1;
    return shape;
}

Shape Builder::related_shape() {
    const std::int64_t choice = random_.below(100);
    Shape shape = master_;
    const auto any_axis = [&] {
        return static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(shape.size())));
    };
    if (choice < 60 || shape.empty()) return shape;
    if (choice < 70)
        shape.erase(shape.begin());
    else if (choice < 78)
        shape[any_axis()] = 1;
    else if (choice < 88) {
        for (std::int64_t& extent : shape)
            if (extent > 1) extent -= random_.below(std::min<std::int64_t>(extent, 3));
    } else if (choice < 93)
        std::reverse(shape.begin(), shape.end());
    else if (choice < 96 && profile_.zeros)
        shape[any_axis()] = 0;
    else
        shape = fresh_shape();
    return shape;
}

std::uint32_t Builder::new_array(DType type, const Shape& natural, bool initialised) {
    const auto index = static_cast<std::uint32_t>(program_.bases.size());
    program_.bases.push_back({type, initialised, true, count_of(natural)});
    arrays_.push_back({type, natural, initialised, {}, {}});
    if (!initialised) arrays_.back().defined.assign(static_cast<std::size_t>(count_of(natural)), 0);
    return index;
}

bool Builder::readable(const Window& window) const {
    const Array& array = arrays_[window.base];
    if (array.initialised) return true;
    bool all = std::any_of(array.uses.begin(), array.uses.end(), [](const Use& use) { return use.write; });
    for_each_element(window, [&](std::int64_t at) { all = all && array.defined[static_cast<std::size_t>(at)] != 0; });
    return all;
}

Window Builder::any_output(const Shape& shape) {
    if (random_.percent(60)) {
        for (int tries = 0; tries < 6 && !arrays_.empty(); ++tries) {
            const auto base = static_cast<std::uint32_t>(random_.below(static_cast<std::int64_t>(arrays_.size())));
            const auto found = place(random_, base, arrays_[base].natural, shape, kAnyKind);
            if (found) return *found;
        }
    }
    if (random_.percent(60)) {
        return whole_window(new_array(random_type(), shape, random_.percent(15)), shape);
    }
    const auto kind =
        static_cast<ViewKind>(random_.between(static_cast<int>(ViewKind::Reverse), static_cast<int>(ViewKind::Whole)));
    const Shape natural = natural_for(random_, shape, kind);
    const std::uint32_t base = new_array(random_type(), natural, random_.percent(90));
    const auto found = place(random_, base, natural, shape, kind);
    return found ? *found : whole_window(new_array(random_type(), shape, true), shape);
}

std::uint32_t Builder::view(const Window& window) {
    // Often the same window again is the same view, as a container caches its own.
    if (random_.percent(70)) {
        for (std::size_t i = program_.views.size(); i-- > 0;) {
            const bc::View& known = program_.views[i];
            const auto dims = program_.dims_of(known);
            if (known.base == window.base && known.offset == window.offset &&
                std::equal(dims.begin(), dims.end(), window.dims.begin(), window.dims.end()))
                return static_cast<std::uint32_t>(i);
        }
    }
    return program_.add_view(window.base, window.offset, window.dims);
}

std::optional<Window> Builder::find_window(DType type, const Shape& shape) {
    for (int tries = 0; tries < 8 && !arrays_.empty(); ++tries) {
        const auto base = static_cast<std::uint32_t>(random_.below(static_cast<std::int64_t>(arrays_.size())));
        if (arrays_[base].type != type) continue;
        const ViewKind kind = random_.percent(12) ? ViewKind::Repeat : random_.percent(50) ? ViewKind::Whole : kAnyKind;
        const auto found = place(random_, base, arrays_[base].natural, shape, kind);
        if (found && readable(*found)) return found;
    }
    return std::nullopt;
}

Window Builder::read_window(DType type, const Shape& shape) {
    if (const auto found = find_window(type, shape)) return *found;
    const auto kind =
        static_cast<ViewKind>(random_.between(static_cast<int>(ViewKind::Reverse), static_cast<int>(ViewKind::Whole)));
    Shape natural = arrays_.size() < kMaxArrays ? natural_for(random_, shape, kind) : shape;
    if (count_of(natural) > profile_.most) natural = shape;
    const std::uint32_t base = new_array(type, natural, true);
    if (natural != shape)
        if (const auto found = place(random_, base, natural, shape, kind)) return *found;
    arrays_[base].natural = shape;
    program_.bases[base].size = count_of(shape);
    return whole_window(base, shape);
}

Operand Builder::read(const Window& window) {
    reads_.push_back(window);
    return Operand::view(view(window));
}

Operand Builder::scalar(DType type) {
    bc::Scalar scalar = random_scalar(type, scalars_, random_.word());
    if ((bc::is_float(type) || bc::is_complex(type)) && random_.percent(15))
        scalar = bc::convert_scalar(bc::make_scalar(2.0), type);
    program_.scalars.push_back(scalar);
    return Operand::scalar(static_cast<std::uint32_t>(program_.scalars.size() - 1));
}

Operand Builder::leaf(DType type, const Shape& shape) {
    const std::int64_t choice = random_.below(100);
    if (choice < 15) return scalar(type);
    if (choice < 25) {
        for (std::size_t i = temps_.size(); i-- > 0;)
            if (temps_[i].type == type && broadcasts(temps_[i].shape, shape))
                return Operand::temp(first_temp_ + static_cast<std::uint32_t>(i));
    }
    return read(read_window(type, random_.percent(15) ? narrower(shape) : shape));
}

Shape Builder::narrower(const Shape& shape) {
    Shape result = shape;
    if (!result.empty() && random_.percent(40)) result.erase(result.begin());
    for (std::int64_t& extent : result)
        if (random_.percent(35)) extent = 1;
    return result;
}

bool Builder::pending_fits(const Shape& shape, bool exact) const {
    if (!pending_) return false;
    const Shape mine = shape_of(*pending_);
    return exact ? mine == shape : broadcasts(mine, shape);
}

Operand Builder::take_pending(DType type) {
    const Window window = *pending_;
    pending_.reset();
    const Operand operand = read(window);
    const DType mine = arrays_[window.base].type;
    if (mine == type) return operand;
    Instruction cast;
    cast.op = Op::cast;
    cast.type = mine;
    cast.result = type;
    cast.in[0] = operand;
    return emit(cast, shape_of(window), shape_of(window));
}

Operand Builder::value(DType type, const Shape& shape, int depth) {
    if (random_.percent(50) && pending_fits(shape, false)) return take_pending(type);
    if (depth <= 0 || random_.percent(45)) return leaf(type, shape);
    return random_op(type, random_.percent(15) ? narrower(shape) : shape, depth);
}

Operand Builder::exact(DType type, const Shape& shape, int depth) {
    if (random_.percent(50) && pending_fits(shape, true)) return take_pending(type);
    if (depth <= 0 || random_.percent(45)) return read(read_window(type, shape));
    return random_op(type, shape, depth);
}

Operand Builder::random_op(DType type, const Shape& shape, int depth) {
    return apply(random_.pick(cells_of_result(type)), shape, depth);
}

/// The domain of a reduction with this result.
Shape Builder::widened(const Shape& shape, const OpCell& cell, std::size_t axis, bool keep) {
    const std::int64_t room = std::max<std::int64_t>(1, profile_.most / std::max<std::int64_t>(1, count_of(shape)));
    std::int64_t extent = random_.between(1, std::min<std::int64_t>(room, 6));
    if (random_.percent(35)) extent = random_.between(1, std::min<std::int64_t>(room, profile_.elements));
    if (random_.percent(profile_.deep ? 70 : 5)) extent = random_.between(std::max<std::int64_t>(1, room / 2), room);
    if (bc::identity_of(cell.op) != bc::Identity::None && profile_.zeros && random_.percent(4)) extent = 0;
    Shape domain = shape;
    if (keep)
        domain[axis] = extent;
    else
        domain.insert(domain.begin() + static_cast<std::ptrdiff_t>(axis), extent);
    return domain;
}

Operand Builder::apply(const OpCell& cell, const Shape& shape, int depth) {
    const bc::OpInfo& op = bc::info(cell.op);
    Instruction instruction;
    instruction.op = cell.op;
    instruction.type = cell.type;
    instruction.result = cell.result;
    if (op.kind == OpKind::Generate) {
        if (shape.empty()) return scalar(cell.result);
        instruction.axis = static_cast<std::uint8_t>(random_.below(static_cast<std::int64_t>(shape.size())));
        return emit(instruction, shape, shape);
    }
    if (op.kind == OpKind::Reduce) {
        std::vector<std::size_t> kept;
        for (std::size_t i = 0; i < shape.size(); ++i)
            if (shape[i] == 1) kept.push_back(i);
        const bool keep = !kept.empty() && random_.percent(50);
        if (!keep && shape.size() + 1 > bc::kMaxRank) return leaf(cell.result, shape);
        const std::size_t axis =
            keep ? random_.pick(kept)
                 : static_cast<std::size_t>(random_.between(0, static_cast<std::int64_t>(shape.size())));
        const Shape domain = widened(shape, cell, axis, keep);
        instruction.axis = static_cast<std::uint8_t>(axis);
        instruction.flags = keep ? Instruction::kKeepAxis : std::uint8_t{0};
        instruction.in[0] = exact(cell.type, domain, depth - 1);
        return emit(instruction, domain, shape);
    }
    if (op.kind == OpKind::Scan) {
        if (shape.empty()) return leaf(cell.result, shape);
        instruction.axis = static_cast<std::uint8_t>(random_.below(static_cast<std::int64_t>(shape.size())));
        instruction.in[0] = exact(cell.type, shape, depth - 1);
        return emit(instruction, shape, shape);
    }
    if (op.kind == OpKind::Scatter) return random_op(cell.type, shape, depth);  // only a statement can be one
    if (op.kind == OpKind::Gather) {
        const Window table = read_window(cell.type, related_shape());
        instruction.in[1] = numbers(count_of(table), shape, depth - 1);
        instruction.in[0] = read(table);
        return emit(instruction, shape, shape);
    }
    if (cell.op == Op::in_range && random_.percent(80)) {
        const std::int64_t extent = random_.between(1, 300);
        instruction.in[0] = numbers(extent, shape, depth - 1);
        program_.scalars.push_back(bc::make_scalar(extent + random_.below(300)));
        instruction.in[1] = Operand::scalar(static_cast<std::uint32_t>(program_.scalars.size() - 1));
        instruction.flags = 0;
        if (cell.masked) {
            instruction.flags = Instruction::kMasked;
            instruction.in[2] = value(DType::boolean, shape, depth - 1);
        }
        return emit(instruction, shape, shape);
    }
    for (unsigned i = 0; i < op.arity; ++i) {
        const DType type = cell.op == Op::select && i == 0 ? DType::boolean : cell.type;
        instruction.in[i] = value(type, shape, depth - 1);
    }
    if (cell.masked) {
        instruction.flags = Instruction::kMasked;
        instruction.in[2] = value(DType::boolean, shape, depth - 1);
    }
    return emit(instruction, shape, shape);
}

/// Values of which most, often all, are numbers below `count`.
Operand Builder::numbers(std::int64_t count, const Shape& shape, int depth) {
    std::int64_t mask = 1;
    while (2 * mask <= count) mask *= 2;
    if (random_.percent(20)) mask *= 2;
    Instruction low;
    low.op = Op::bit_and;
    low.type = low.result = DType::i64;
    low.in[0] = value(DType::i64, shape, depth);
    program_.scalars.push_back(bc::make_scalar(mask - 1));
    low.in[1] = Operand::scalar(static_cast<std::uint32_t>(program_.scalars.size() - 1));
    return emit(low, shape, shape);
}

/// A statement that sets some elements. @return false if it cannot be: the window has no value, or another type
bool Builder::scatter(const OpCell& cell, const Window& output) {
    if (arrays_[output.base].type != cell.type || !readable(output)) return false;
    const Shape shape = related_shape();
    Instruction instruction;
    instruction.op = cell.op;
    instruction.type = instruction.result = cell.type;
    instruction.in[1] = numbers(count_of(output), shape, static_cast<int>(random_.between(0, kDepth - 1)));
    instruction.in[0] = value(cell.type, shape, static_cast<int>(random_.between(0, kDepth - 1)));
    instruction.in[2] = read(output);
    emit(instruction, shape, shape_of(output));
    temps_.pop_back();
    program_.instructions.back().out = instruction.in[2];
    return true;
}

Operand Builder::emit(Instruction instruction, const Shape& domain, const Shape& result) {
    instruction.statement = program_.statement_count;
    instruction.domain = program_.intern_domain(domain);
    instruction.out = Operand::temp(first_temp_ + static_cast<std::uint32_t>(temps_.size()));
    temps_.push_back({instruction.result, result});
    program_.instructions.push_back(instruction);
    program_.origins.push_back(bc::intern_origin_copy("fuzz.cpp", program_.statement_count + 1, ""));
    return instruction.out;
}

void Builder::statement(const OpCell& cell, const Window& output, const std::optional<Window>& leaf) {
    temps_.clear();
    reads_.clear();
    first_temp_ = program_.temp_count;
    pending_ = leaf;
    const bool scatters = bc::info(cell.op).kind == OpKind::Scatter && scatter(cell, output);
    if (!scatters) expression(cell, output);
    program_.temp_count += static_cast<std::uint32_t>(temps_.size());
    ++program_.statement_count;
    for (const Window& window : reads_) use(window, false);
    use(output, true);
}

void Builder::expression(const OpCell& cell, const Window& output) {
    const Shape shape = shape_of(output);
    Operand result = apply(cell, shape, static_cast<int>(random_.between(1, kDepth)));
    DType type = cell.result;
    if (pending_) {
        Instruction combine;
        combine.op = random_.percent(50) ? Op::max : Op::min;
        if (bc::is_complex(type)) combine.op = Op::sub;
        combine.type = combine.result = type;
        combine.in[random_.percent(50) ? 1 : 0] = result;
        combine.in[combine.in[0] ? 1 : 0] = take_pending(type);
        result = emit(combine, shape, shape);
    }
    store(result, type, output);
}

void Builder::store(Operand operand, DType type, const Window& output) {
    const Shape shape = shape_of(output);
    const DType wanted = arrays_[output.base].type;
    const bool last = operand.is_temp() && operand.index() + 1 == first_temp_ + temps_.size();
    if (type != wanted || !last || temps_.back().shape != shape || random_.percent(20)) {
        Instruction copy;
        copy.op = type == wanted ? Op::copy : Op::cast;
        copy.type = type;
        copy.result = wanted;
        copy.in[0] = operand;
        emit(copy, shape, shape);
    }
    // The last instruction writes the view in place of its temporary.
    temps_.pop_back();
    program_.instructions.back().out = Operand::view(view(output));
}

void Builder::use(const Window& window, bool write) {
    Array& array = arrays_[window.base];
    array.uses.push_back({window, write});
    if (!write || array.initialised) return;
    for_each_element(window, [&](std::int64_t at) { array.defined[static_cast<std::size_t>(at)] = 1; });
}

void Builder::repeat_from(std::uint32_t first) {
    const std::uint32_t shift = program_.statement_count - first, temps = program_.temp_count;
    std::uint32_t low = temps;
    const std::size_t end = program_.instructions.size();
    for (std::size_t i = 0; i < end; ++i) {
        Instruction copy = program_.instructions[i];
        if (copy.statement < first) continue;
        if (copy.out.is_temp()) low = std::min(low, copy.out.index());
        const auto moved = [&](Operand operand) {
            return operand.is_temp() ? Operand::temp(operand.index() - low + temps) : operand;
        };
        copy.out = moved(copy.out);
        for (Operand& operand : copy.in) operand = moved(operand);
        copy.statement += shift;
        program_.instructions.push_back(copy);
        program_.origins.push_back(program_.origins[i]);
        if (copy.out.is_temp()) program_.temp_count = std::max(program_.temp_count, copy.out.index() + 1);
    }
    program_.statement_count += shift;
}

}  // namespace xlazy::fuzz
