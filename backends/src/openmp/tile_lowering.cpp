// SPDX-License-Identifier: BSD-3-Clause
// Which loop runs for each micro-op, and on what.
#include "finite_check.hpp"
#include "openmp/tile_program.hpp"
#include "reduction_rule.hpp"

#include <algorithm>
#include <utility>

namespace xlazy::be {

using bc::MicroOp;

namespace {

constexpr std::size_t index_of(bc::Op op) noexcept { return static_cast<std::size_t>(op); }
constexpr std::size_t index_of(bc::DType type) noexcept { return static_cast<std::size_t>(type); }

// Time of one element in cache, in hundredths of a nanosecond, by kind of loop: it decides about threads only.
constexpr std::int64_t kExactCost = 6, kMathsCost = 80, kComplexMathsCost = 800, kFaultCost = 100, kMoveCost = 30;
constexpr std::int64_t kMemoryCost = 15, kScanCost = 40, kNumberCost = 200;

std::int64_t cost_of(const MicroOp& op) noexcept {
    if (bc::maths_of(op.op, op.type) == bc::Maths::Exact) return kExactCost;
    return bc::is_complex(op.type) ? kComplexMathsCost : kMathsCost;
}

Form form_of(bool first_uniform, bool second_uniform) noexcept {
    if (first_uniform) return second_uniform ? Form::ss : Form::sv;
    return second_uniform ? Form::vs : Form::vv;
}

}  // namespace

void TileProgram::lower_load(std::size_t op) {
    const std::size_t access = access_of_[op];
    const auto pointer = static_cast<std::uint16_t>(access);
    const Layout layout = layouts_[access];
    const std::size_t size = size_index(bc::size_of(kernel_->ops[op].type));
    cost_ += kMemoryCost;
    if (layout != Layout::Strided && !overwritten_while_used(op)) {
        places_[op] = {pointer, layout == Layout::Uniform, false};
        return;
    }
    if (layout == Layout::Strided && can_be_panel(op)) {
        TileOp panel(TileOp::Kind::Panel);
        panel.extra = static_cast<std::uint16_t>(panels_.size());
        panels_.push_back(pointer);
        places_[op] = {pointer, false, false};
        cost_ += kMoveCost;
        ops_.push_back(panel);
        return;
    }
    TileOp copy(layout == Layout::Strided ? TileOp::Kind::Gather
                : layout == Layout::Dense ? TileOp::Kind::Copy
                                          : TileOp::Kind::GatherOne);
    copy.size_index = static_cast<std::uint8_t>(size);
    copy.extra = pointer;
    copy.a = pointer;
    copy.gather = kernels().gather[size];
    if (layout == Layout::Uniform)
        places_[op] = {new_cell(), true, false};
    else
        places_[op] = {take_slot(), false, true};
    copy.out = places_[op].pointer;
    cost_ += kMoveCost;
    ops_.push_back(copy);
}

void TileProgram::lower_index(std::size_t op) {
    const std::size_t access = access_of_[op];
    if (layouts_[access] == Layout::Uniform) {
        places_[op] = {static_cast<std::uint16_t>(access), true, false};
        return;
    }
    places_[op] = {take_slot(), false, true};
    TileOp& fill = ops_.emplace_back(TileOp::Kind::Index);
    fill.extra = static_cast<std::uint16_t>(access);
    fill.out = places_[op].pointer;
    cost_ += kMoveCost;
}

void TileProgram::lower_compute(std::size_t op) {
    const MicroOp& micro = kernel_->ops[op];
    if (micro.op == bc::Op::index) return lower_index(op);
    if (bc::info(micro.op).kind == bc::OpKind::Scan) return lower_scan(op);
    if (bc::info(micro.op).arity == 3) return lower_ternary(op);
    if (bc::can_fail(micro.op, micro.type)) return lower_fault(op);
    if (absorbed_by_[op] != kNoOp) return;  // its loop is that of its user
    if (absorbs_[op] != kNoOp) return lower_pair(op);
    const bool uniform = all_uniform(op);
    TileOp tile_op(uniform ? TileOp::Kind::MapOnce : TileOp::Kind::Map);
    tile_op.a = tile_op.b = tile_op.c = places_[micro.in[0]].pointer;
    if (micro.op == bc::Op::cast)
        tile_op.map = kernels().of(micro.type).cast[index_of(micro.result)];
    else if (bc::info(micro.op).arity == 1)
        tile_op.map = map_kernel(micro.op, micro.type, Form::vv);
    else
        lower_binary(op, tile_op);
    tile_op.out = result_place(op, uniform, !is_checked(op));
    cost_ += cost_of(micro);
    ops_.push_back(tile_op);
    if (is_checked(op)) lower_check(op, tile_op);
}

bool TileProgram::is_checked(std::size_t op) const {
    return bindings_->check_finite && may_lose_finiteness(kernel_->ops[op]);
}

/// Values that die at once are still there.
void TileProgram::add_look(std::size_t op) {
    const bc::DType type = kernel_->ops[op].result;
    TileOp look(places_[op].uniform ? TileOp::Kind::LookOnce : TileOp::Kind::Look);
    look.a = places_[op].pointer;
    look.extra = bc::is_complex(type) ? 2 : 1;
    look.size_index = static_cast<std::uint8_t>(size_index(bc::size_of(bc::real_of(type))));
    ops_.push_back(look);
    cost_ += kExactCost;
}

/// The operands must outlive their result, which is looked at now.
void TileProgram::lower_check(std::size_t op, const TileOp& computed) {
    const MicroOp& micro = kernel_->ops[op];
    TileOp check(all_uniform(op) ? TileOp::Kind::CheckOnce : TileOp::Kind::Check);
    check.out = computed.out;
    check.extra = static_cast<std::uint16_t>(checks_.size());
    CheckSite site{&micro, false, {true, true, true}};
    std::uint16_t* const operands[] = {&check.a, &check.b, &check.c};
    for (unsigned i = 0; i < bc::info(micro.op).arity; ++i) {
        *operands[i] = places_[micro.in[i]].pointer;
        site.single[i] = places_[micro.in[i]].uniform;
    }
    checks_.push_back(site);
    ops_.push_back(check);
    const std::size_t size = bc::size_of(micro.result);
    release_operands(op, size, true);
    release_operands(op, size, false);
    cost_ += kExactCost;
}

void TileProgram::check_before_fold(std::size_t op, std::uint16_t operand) {
    TileOp check(TileOp::Kind::Check);
    check.a = operand;
    check.extra = static_cast<std::uint16_t>(checks_.size());
    checks_.push_back({&kernel_->ops[op], true, {false, true, true}});
    ops_.push_back(check);
}

void TileProgram::lower_binary(std::size_t op, TileOp& tile_op) {
    const MicroOp& micro = kernel_->ops[op];
    const Place& a = places_[micro.in[0]];
    const Place& b = places_[micro.in[1]];
    tile_op.b = b.pointer;
    const Form form = a.uniform && b.uniform ? Form::vv : form_of(a.uniform, b.uniform);
    tile_op.map = map_kernel(micro.op, micro.type, form);
    if (tile_op.map == nullptr) {  // commutative ops have no form sv
        std::swap(tile_op.a, tile_op.b);
        tile_op.map = map_kernel(micro.op, micro.type, Form::vs);
    }
}

/// -1 * x has the bits of -x, but for the sign of a NaN.
std::uint16_t TileProgram::minus_one(bc::DType type) {
    static constexpr float single = -1;
    static constexpr double wide = -1;
    scalars_.push_back(type == bc::DType::f32 ? static_cast<const void*>(&single) : &wide);
    return static_cast<std::uint16_t>(scalars_begin() + scalars_.size() - 1);
}

void TileProgram::lower_pair(std::size_t op) {
    const std::size_t absorbed = absorbs_[op];
    const MicroOp& first = kernel_->ops[absorbed];
    const MicroOp& second = kernel_->ops[op];
    const bool left = second.in[0] == absorbed;  // first(a, b) is the second op's left operand
    const bool square = left && second.in[1] == absorbed;
    const auto place_of_second = [&](const MicroOp& micro, std::size_t operand) {
        return micro.op == bc::Op::neg ? Place{minus_one(micro.type), true, false} : places_[micro.in[operand]];
    };
    const Place b = place_of_second(first, 1);
    const Place c = square ? places_[first.in[0]] : place_of_second(second, left ? 1 : 0);
    TileOp tile_op(TileOp::Kind::Map);
    tile_op.a = places_[first.in[0]].pointer;
    tile_op.b = b.pointer;
    tile_op.c = c.pointer;
    Form form = form_of(places_[first.in[0]].uniform, b.uniform);
    if (form == Form::sv && first.op != bc::Op::sub) {
        std::swap(tile_op.a, tile_op.b);
        form = Form::vs;
    }
    const PairFirst first_op = first.op == bc::Op::add   ? PairFirst::add
                               : first.op == bc::Op::sub ? PairFirst::sub
                                                         : PairFirst::mul;
    const PairSecond second_op = square                     ? PairSecond::square
                                 : second.op == bc::Op::add ? PairSecond::add
                                 : second.op != bc::Op::sub ? PairSecond::mul
                                 : left                     ? PairSecond::sub
                                                            : PairSecond::reverse_sub;
    const PairLoops& pairs = second.type == bc::DType::f32 ? *kernels().pairs_f32 : *kernels().pairs_f64;
    tile_op.map = pairs.loops[static_cast<std::size_t>(first_op)][static_cast<std::size_t>(second_op)]
                             [static_cast<std::size_t>(form)][c.uniform ? 1 : 0];
    tile_op.out = result_place(op, false, true);
    cost_ += 2 * kExactCost;
    ops_.push_back(tile_op);
}

void TileProgram::lower_ternary(std::size_t op) {
    const MicroOp& micro = kernel_->ops[op];
    const bool uniform = all_uniform(op);
    TileOp tile_op(uniform ? TileOp::Kind::MapOnce : TileOp::Kind::Map);
    std::uint16_t spread = 0;
    tile_op.a = uniform ? places_[micro.in[0]].pointer : per_element(micro.in[0], spread);
    tile_op.b = places_[micro.in[1]].pointer;
    tile_op.c = places_[micro.in[2]].pointer;
    const Form form = uniform ? Form::vv : form_of(places_[micro.in[1]].uniform, places_[micro.in[2]].uniform);
    const std::size_t size = size_index(bc::size_of(micro.result));
    tile_op.map = micro.op == bc::Op::select ? kernels().select[size][static_cast<std::size_t>(form)]
                                             : map_kernel(micro.op, micro.type, form);
    tile_op.out = result_place(op, uniform, !is_checked(op));
    if (spread != 0) release(spread);
    cost_ += kExactCost;
    ops_.push_back(tile_op);
    if (is_checked(op)) lower_check(op, tile_op);
}

template <class F>
void TileProgram::for_each_shared(F f) const {
    const auto& accesses = nest_.accesses();
    for (const std::size_t op : stores_) {
        const std::size_t store = access_of_[op];
        for (std::size_t i = 0; i < accesses.size(); ++i) {
            if (i != store && accesses[i].base == accesses[store].base) f(store, i);
        }
    }
}

void TileProgram::list_shared() {
    shared_.clear();
    for_each_shared([&](std::size_t store, std::size_t other) { shared_.emplace_back(store, other); });
}

bool TileProgram::rebind(const bc::Kernel& kernel, const Bindings& bindings) noexcept {
    kernel_ = &kernel;
    bindings_ = &bindings;
    std::size_t numbered = 0;
    for (std::size_t i = 0; i < kernel_->ops.size(); ++i) {
        const MicroOp& op = kernel_->ops[i];
        if (op.kind == MicroOp::Kind::GatherView || op.kind == MicroOp::Kind::ScatterView) {
            numbered_[numbered++].start = start_of(op);
        } else if (op.kind == MicroOp::Kind::LoadScalar) {
            scalars_[places_[i].pointer - scalars_begin()] = scalar_bits(i);
        } else if (op.kind != MicroOp::Kind::Compute) {
            nest_.move(access_of_[i], start_of(op));
        }
    }
    list_code_scalars();
    std::size_t found = 0;
    bool same = true;
    for_each_shared([&](std::size_t store, std::size_t other) {
        same = same && found < shared_.size() && shared_[found] == std::pair(store, other);
        ++found;
    });
    return same && found == shared_.size();
}

void TileProgram::lower_fault(std::size_t op) {
    const MicroOp& micro = kernel_->ops[op];
    const bool masked = (micro.flags & bc::Instruction::kMasked) != 0;
    const bool uniform = all_uniform(op);
    const bool first = places_[micro.in[0]].uniform, second = places_[micro.in[1]].uniform;
    TileOp tile_op(uniform ? TileOp::Kind::FaultOnce : TileOp::Kind::Fault);
    std::uint16_t spread_a = 0, spread_mask = 0;
    // Where only the mask varies, one operand is spread: there is no loop with two uniform operands.
    const bool spread_first = !uniform && first && second;
    tile_op.a = spread_first ? per_element(micro.in[0], spread_a) : places_[micro.in[0]].pointer;
    tile_op.b = places_[micro.in[1]].pointer;
    if (!masked)
        tile_op.c = static_cast<std::uint16_t>(null_pointer());
    else
        tile_op.c = uniform ? places_[micro.in[2]].pointer : per_element(micro.in[2], spread_mask);
    const Form form = uniform ? Form::vv : form_of(first && !spread_first, second);
    tile_op.fault = kernels().of(micro.type).fault[index_of(micro.op)][static_cast<std::size_t>(form)];
    tile_op.extra = static_cast<std::uint16_t>(faults_.size());
    faults_.push_back({micro.instruction, micro.type, form});
    tile_op.out = result_place(op, uniform, false);  // never in place: its operands are reported
    const std::size_t size = bc::size_of(micro.result);
    release_operands(op, size, true);
    release_operands(op, size, false);
    if (spread_a != 0) release(spread_a);
    if (spread_mask != 0) release(spread_mask);
    cost_ += kFaultCost;
    ops_.push_back(tile_op);
}

void TileProgram::lower_store(std::size_t op) {
    const MicroOp& micro = kernel_->ops[op];
    const bc::ValueId value = micro.in[0];
    const std::size_t access = access_of_[op];
    const std::size_t size = size_index(bc::size_of(kernel_->ops[value].result));
    cost_ += kMemoryCost;
    if (direct_[value] == access && !places_[value].uniform) return;
    TileOp tile_op(TileOp::Kind::Scatter);
    tile_op.size_index = static_cast<std::uint8_t>(size);
    tile_op.extra = static_cast<std::uint16_t>(access);
    tile_op.out = static_cast<std::uint16_t>(access);
    std::uint16_t spread = 0;
    if (layouts_[access] == Layout::Strided) {
        tile_op.a = per_element(value, spread);
        tile_op.scatter = kernels().scatter[size];
    } else {
        // A store of layout Uniform has one element: its domain has.
        const bool stream = pays_to_stream(op);
        streams_ = streams_ || stream;
        tile_op.kind = stream ? TileOp::Kind::Stream : places_[value].uniform ? TileOp::Kind::Fill : TileOp::Kind::Copy;
        tile_op.a = places_[value].pointer;
        if (stream)
            tile_op.stream = kernels().stream;
        else
            tile_op.gather = kernels().gather[size];
    }
    ops_.push_back(tile_op);
    cost_ += kMoveCost;
    if (spread != 0) release(spread);
    release_operands(op, 0, false);
}

void TileProgram::lower_fold(std::size_t op) {
    const MicroOp& micro = kernel_->ops[op];
    std::uint16_t spread = 0;
    TileOp tile_op(TileOp::Kind::Fold);
    tile_op.extra = static_cast<std::uint16_t>(reductions_.size());
    tile_op.a = per_element(micro.in[0], spread);
    if (is_checked(op)) check_before_fold(op, tile_op.a);
    ops_.push_back(tile_op);
    if (spread != 0) release(spread);
    release_operands(op, 0, false);
    cost_ += kExactCost;

    const std::size_t access = access_of_[op];
    const Access& result = nest_.accesses()[access];
    bool dense = true;
    std::int64_t step = result.element_size;
    for (int axis = static_cast<int>(nest_.rank()) - 1; axis >= 0; --axis) {
        if (axis == nest_.reduced()) continue;
        dense = dense && (result.strides[axis] == step || nest_.extent(static_cast<unsigned>(axis)) == 1);
        step *= nest_.extent(static_cast<unsigned>(axis));
    }
    const TypeKernels& loops = kernels().of(micro.type);
    reductions_.push_back({loops.fold[index_of(micro.op)], loops.segments[index_of(micro.op)],
                           loops.leaves[index_of(micro.op)], loops.tree[index_of(micro.op)], bc::size_of(micro.result),
                           access, dense, memory_to_fold(micro.in[0]), identity(micro)});
}

void TileProgram::lower_scan(std::size_t op) {
    const MicroOp& micro = kernel_->ops[op];
    std::uint16_t spread = 0;
    TileOp tile_op(TileOp::Kind::Scan);
    tile_op.extra = static_cast<std::uint16_t>(scans_.size());
    tile_op.a = per_element(micro.in[0], spread);
    tile_op.out = result_place(op, false, true);
    if (spread != 0) release(spread);
    ops_.push_back(tile_op);
    cost_ += kScanCost;
    scans_.push_back({kernels().of(micro.type).scan[index_of(micro.op)], bc::size_of(micro.result)});
}

/// The view of a micro-op, whose elements are found by their numbers.
std::uint16_t TileProgram::add_numbered(std::size_t op) {
    const MicroOp& micro = kernel_->ops[op];
    const auto size = static_cast<std::int64_t>(bc::size_of(micro.type));
    Numbered view{start_of(micro), 1, size, {}};
    bool even = true;
    const auto dims = bindings_->program->dims_of(bindings_->program->views[micro.index]);
    for (std::size_t axis = dims.size(); axis-- > 0;) {
        const bc::Dim dim{dims[axis].extent, dims[axis].stride * size};
        if (dim.extent != 1) {
            if (view.count == 1) view.step = dim.stride;
            even = even && dim.stride == view.step * view.count;
        }
        view.count *= dim.extent;
        view.dims.insert(view.dims.begin(), dim);
    }
    if (even) view.dims.clear();
    numbered_.push_back(std::move(view));
    cost_ += kNumberCost;
    return static_cast<std::uint16_t>(numbered_.size() - 1);
}

void TileProgram::lower_gather(std::size_t op) {
    const MicroOp& micro = kernel_->ops[op];
    std::uint16_t spread = 0;
    TileOp tile_op(TileOp::Kind::Pick);
    tile_op.size_index = static_cast<std::uint8_t>(size_index(bc::size_of(micro.type)));
    tile_op.extra = add_numbered(op);
    tile_op.a = per_element(micro.in[0], spread);
    tile_op.out = result_place(op, false, true);
    if (spread != 0) release(spread);
    ops_.push_back(tile_op);
}

void TileProgram::lower_scatter(std::size_t op) {
    const MicroOp& micro = kernel_->ops[op];
    std::uint16_t spread_value = 0, spread_number = 0;
    TileOp tile_op(TileOp::Kind::Put);
    tile_op.size_index = static_cast<std::uint8_t>(size_index(bc::size_of(micro.type)));
    tile_op.extra = add_numbered(op);
    tile_op.a = per_element(micro.in[0], spread_value);
    tile_op.b = per_element(micro.in[1], spread_number);
    ops_.push_back(tile_op);
    if (spread_value != 0) release(spread_value);
    if (spread_number != 0) release(spread_number);
    release_operands(op, 0, false);
}

/// Loops find elements by their numbers, check what they compute, and look at what they scan, which compiled code does
/// not.
bool TileProgram::has_code() const noexcept {
    return !bindings_->check_finite && (scans_.empty() || look_.empty()) && numbered_.empty() &&
           std::ranges::none_of(kernel_->ops, [](const MicroOp& op) {
               return op.kind == MicroOp::Kind::Compute && op.op == bc::Op::in_range;
           });
}

/// What the reduction of no elements gives; zero where it has no value, which nobody reads.
bc::Scalar TileProgram::identity(const MicroOp& reduction) {
    return bc::convert_scalar(bc::make_scalar(bc::identity_of(reduction.op) == bc::Identity::One), reduction.result);
}

std::optional<std::size_t> TileProgram::memory_to_fold(bc::ValueId value) const {
    const std::size_t access = access_of_[value];
    if (access == kNoAccess || places_[value].pointer != access || nest_.accesses()[access].base == nullptr) return {};
    if (std::find(panels_.begin(), panels_.end(), access) != panels_.end()) return {};
    const Access& source = nest_.accesses()[access];
    const auto axis = static_cast<unsigned>(nest_.reduced());
    const std::int64_t inner = reduction_shape().inner;
    if (inner == 0) return {};  // no result has an element
    const bool dense = inner == 1 ? source.strides[axis] == source.element_size || nest_.extent(axis) == 1
                                  : nest_.layout(source, axis + 1) == Layout::Dense;
    return dense ? std::optional(access) : std::nullopt;
}

}  // namespace xlazy::be
