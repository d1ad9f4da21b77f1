// SPDX-License-Identifier: BSD-3-Clause
#include "openmp/tile_program.hpp"

#include "codegen/dialect.hpp"
#include "finite_check.hpp"
#include "reduction_rule.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace xlazy::be {

using bc::MicroOp;
using Kind = bc::MicroOp::Kind;

namespace {

/// Costs in hundredths of a nanosecond, measured: starting a row, calling a loop, gathering or scattering an element.
constexpr std::int64_t kRowCost = 2500, kCallCost = 600, kGatherCost = 35;
/// Bytes of a tile of the largest elements. Measured: tiles of 4 KiB are 2 % faster where all operands lie in the first
/// two caches, and 15 % slower where they do not, since a tile's arithmetic hides the fetching of the next one. Short
/// elements are as many as make the calls of loops cheap.
constexpr std::int64_t kTileBytes = 2048;
/// Operands of so much together are asked for ahead. Measured: at 32 MB a gain of 10 % to 40 %, where they lie in the
/// second cache a loss of 5 %.
constexpr std::int64_t kFetchedBytes = std::int64_t{16} << 20, kBeside = 256 << 10;
/// The shortest rows for which compiled code pays, and the shortest of a reduction whose leaves it folds itself.
constexpr std::int64_t kShortRow = 16, kShortLeaf = 64;
/// Transposed rows: the shortest for which a panel pays, and what a panel may take of the second cache.
constexpr std::int64_t kMinPanel = 64, kPanelBytes = 512 << 10;

bool is_load(Kind kind) noexcept { return kind == Kind::LoadView || kind == Kind::LoadScratch; }
bool is_store(Kind kind) noexcept { return kind == Kind::StoreView || kind == Kind::StoreScratch; }
bool is_reduce(Kind kind) noexcept { return kind == Kind::ReduceView || kind == Kind::ReduceScratch; }

/// Of the memory that it loads, stores or reduces to.
std::size_t bytes_of_element(const MicroOp& op) noexcept {
    return bc::size_of(is_reduce(op.kind) ? op.result : op.type);
}

int reduced_axis(const bc::Kernel& kernel) {
    int axis = LoopNest::kNoAxis;
    for (const MicroOp& op : kernel.ops) {
        if (!is_reduce(op.kind) && !is_scan(op)) continue;
        if (axis != LoopNest::kNoAxis && axis != op.axis)
            throw std::logic_error("reductions or scans along different axes in a kernel");
        axis = op.axis;
    }
    return axis;
}

}  // namespace

void TileProgram::bind(const bc::Kernel& kernel, const Bindings& bindings, const Choices& choices) {
    kernel_ = &kernel;
    bindings_ = &bindings;
    choices_ = choices;
    streams_ = in_order_ = false;
    const std::size_t count = kernel.ops.size();
    ops_.clear();
    faults_.clear();
    checks_.clear();
    reductions_.clear();
    scans_.clear();
    numbered_.clear();
    scalars_.clear();
    panels_.clear();
    free_slots_.clear();
    cells_ = slots_ = 0;
    slot_element_ = 1;
    bool forms = false;
    for (const MicroOp& op : kernel.ops) {
        slot_element_ = std::max(slot_element_, bc::size_of(op.result));
        forms = forms || op.form != bc::ScalarForm::Value;
    }
    if (forms) formed_.resize(count);
    cost_ = 0;
    bind_accesses();
    choose_block();
    cells_begin_ = scalars_begin() + count;
    slots_begin_ = cells_begin_ + count;
    look_.clear();
    if (bindings.not_finite != nullptr && !bindings.check_finite) look_ = values_to_look_at(kernel);
    find_uses();
    find_uniform_values();
    choose_pairs();
    choose_direct_stores();
    for (std::size_t op = 0; op < count; ++op) {
        const std::size_t before = ops_.size();
        lower(op);
        if (!look_.empty() && look_[op]) add_look(op);
        for (std::size_t i = before; i < ops_.size(); ++i) ops_[i].before_scan = before_scan_[op];
    }
    choose_tile();
    choose_fetched();
    find_code();
    list_shared();
}

void TileProgram::bind_memory(std::size_t op, std::byte* start, std::size_t element_size,
                              std::span<const bc::Dim> dims) {
    const MicroOp& micro = kernel_->ops[op];
    const bool lacks_axis = is_reduce(micro.kind) && (micro.flags & bc::Instruction::kKeepAxis) == 0;
    access_of_[op] = nest_.add(start, element_size, dims, lacks_axis ? micro.axis : LoopNest::kNoAxis);
}

/// Where the view or scratch of a micro-op begins.
std::byte* TileProgram::start_of(const MicroOp& op) const noexcept {
    if (op.kind == Kind::LoadScratch || op.kind == Kind::StoreScratch || op.kind == Kind::ReduceScratch)
        return static_cast<std::byte*>(bindings_->scratch[op.index]);
    const bc::View& view = bindings_->program->views[op.index];
    const auto size = static_cast<std::int64_t>(bc::size_of(bindings_->program->bases[view.base].type));
    return bindings_->memory_of(*kernel_, op) + view.offset * size;
}

/// Where the scalar of a micro-op lies: in the batch, or, if it only follows from one there, here.
const void* TileProgram::scalar_bits(std::size_t op) noexcept {
    const MicroOp& load = kernel_->ops[op];
    const bc::Scalar& slot = bindings_->program->scalars[load.index];
    if (load.form == bc::ScalarForm::Value) return slot.bits;
    formed_[op] = bc::form_of(slot, load.form);
    return formed_[op].bits;
}

void TileProgram::bind_accesses() {
    const bc::Program& program = *bindings_->program;
    nest_.reset(program.domain_extents(kernel_->domain), reduced_axis(*kernel_));
    if (choices_.cut_axis != kNotCut) nest_.cut(static_cast<unsigned>(choices_.cut_axis), choices_.cut_count);
    access_of_.assign(kernel_->ops.size(), kNoAccess);
    for (std::size_t i = 0; i < kernel_->ops.size(); ++i) {
        const MicroOp& op = kernel_->ops[i];
        const auto window = std::ranges::find(choices_.windows, i, &RowWindow::op);
        if (window != choices_.windows.end()) {
            bind_memory(i, window->start, bytes_of_element(op), window->dims);
            continue;
        }
        switch (op.kind) {
            case Kind::LoadView:
            case Kind::StoreView:
            case Kind::ReduceView: {
                const bc::View& view = program.views[op.index];
                bind_memory(i, start_of(op), bc::size_of(program.bases[view.base].type), program.dims_of(view));
                break;
            }
            case Kind::LoadScratch:
            case Kind::StoreScratch:
            case Kind::ReduceScratch: {
                const bc::Scratch& scratch = bindings_->plan->scratch[op.index];
                const bc::ScratchShape shape = bc::shape_of(program, scratch);
                bc::Dim dims[bc::kMaxRank];
                std::int64_t stride = 1;
                for (unsigned axis = shape.rank; axis-- > 0; stride *= shape.extents[axis]) {
                    dims[axis] = {shape.extents[axis], stride};
                }
                bind_memory(i, start_of(op), bc::size_of(scratch.type), {dims, shape.rank});
                break;
            }
            case Kind::Compute:
                if (op.op == bc::Op::index) access_of_[i] = nest_.add_index(op.axis);
                break;
            case Kind::ScatterView: in_order_ = true; break;
            case Kind::GatherView:
            case Kind::LoadScalar: break;
        }
    }
    choices_.windows = {};  // they are the caller's
    // An element that fails is numbered in the domain's own order; in it, too, lies a block of a scan.
    nest_.collapse(!has_lanes_to_keep() && !in_order_ && !bindings_->check_finite &&
                   std::none_of(kernel_->ops.begin(), kernel_->ops.end(), [](const MicroOp& op) {
                       return op.kind == Kind::Compute && bc::can_fail(op.op, op.type);
                   }));
}

/// Do scans have blocks of several indices, which tiles must not cut?
bool TileProgram::has_lanes_to_keep() const {
    return std::any_of(kernel_->ops.begin(), kernel_->ops.end(), is_scan) &&
           reduction_lanes(std::max<std::int64_t>(nest_.reduced_inner(), 1)) > 1;
}

/// Rows as blocks spare the gathering of operands that are not dense across rows, and cost a start and shorter loops a
/// row.
bool TileProgram::rows_pay() const {
    std::int64_t spared = 0, loops = 0;
    for (std::size_t i = 0; i < kernel_->ops.size(); ++i) {
        const Kind kind = kernel_->ops[i].kind;
        if (is_load(kind) || is_store(kind)) {
            const Access& access = nest_.accesses()[access_of_[i]];
            spared += nest_.layout(access, inner_axis_) != Layout::Strided &&
                      nest_.layout(access, inner_axis_ - 1) == Layout::Strided;
        } else {
            loops += kind != Kind::LoadScalar;
        }
    }
    return spared * block_ * kGatherCost > kRowCost + loops * kCallCost;
}

/// Do its elements lie side by side along the axis before the last one, and far apart along that?
bool TileProgram::transposed(const Access& access) const {
    const unsigned last = nest_.rank() - 1;
    if (last == 0 || access.base == nullptr || (access.element_size != 4 && access.element_size != 8)) return false;
    const std::int64_t columns = nest_.extent(last);
    return access.strides[last - 1] == access.element_size && std::abs(access.strides[last]) >= kPanelRowBytes &&
           nest_.extent(last - 1) >= kPanelRowBytes / access.element_size && columns >= kMinPanel &&
           columns * kPanelRowBytes <= kPanelBytes;
}

/// Not if the kernel writes what the panel would hold.
bool TileProgram::can_be_panel(std::size_t load) const {
    const Access& access = nest_.accesses()[access_of_[load]];
    return inner_axis_ + 1 == nest_.rank() && transposed(access) &&
           std::none_of(stores_.begin(), stores_.end(),
                        [&](std::size_t store) { return nest_.same(nest_.accesses()[access_of_[store]], access); });
}

void TileProgram::choose_block() {
    inner_axis_ = nest_.rank() - 1;
    block_ = nest_.extent(inner_axis_);
    if (has_lanes_to_keep()) {
        while (static_cast<int>(inner_axis_) > nest_.reduced()) block_ *= nest_.extent(--inner_axis_);
    }
    const bool panels = std::any_of(kernel_->ops.begin(), kernel_->ops.end(), [&](const MicroOp& op) {
        const auto access = access_of_[static_cast<std::size_t>(&op - kernel_->ops.data())];
        return is_load(op.kind) && transposed(nest_.accesses()[access]);
    });
    while (!panels && inner_axis_ > 0 && block_ < kMaxTile && !rows_pay()) block_ *= nest_.extent(--inner_axis_);
    layouts_.clear();
    for (const Access& access : nest_.accesses()) layouts_.push_back(nest_.layout(access, inner_axis_));
}

void TileProgram::find_uses() {
    last_use_.assign(kernel_->ops.size(), 0);
    uses_.assign(kernel_->ops.size(), 0);
    before_scan_.assign(kernel_->ops.size(), false);
    for (std::size_t i = kernel_->ops.size(); i-- > 0;) {
        if (is_scan(kernel_->ops[i])) before_scan_[i] = true;
        if (!before_scan_[i]) continue;
        for (const bc::ValueId value : kernel_->ops[i].in) {
            if (value != bc::kNoValue) before_scan_[value] = true;
        }
    }
    for (std::size_t i = 0; i < kernel_->ops.size(); ++i) {
        for (const bc::ValueId value : kernel_->ops[i].in) {
            if (value == bc::kNoValue) continue;
            last_use_[value] = i;
            ++uses_[value];
        }
    }
}

void TileProgram::find_uniform_values() {
    places_.assign(kernel_->ops.size(), Place{});
    for (std::size_t i = 0; i < kernel_->ops.size(); ++i) {
        const Kind kind = kernel_->ops[i].kind;
        if (access_of_[i] != kNoAccess)
            places_[i].uniform = layouts_[access_of_[i]] == Layout::Uniform;
        else if (kind == Kind::LoadScalar)
            places_[i].uniform = true;
        else if (kind == Kind::Compute)
            places_[i].uniform = !is_scan(kernel_->ops[i]) && all_uniform(i);
    }
}

/// Is it arithmetic that a pair's loop can do, its value used once, by such arithmetic?
bool TileProgram::can_pair(std::size_t first) const {
    const auto arithmetic = [&](std::size_t i) {
        const MicroOp& op = kernel_->ops[i];
        return op.kind == Kind::Compute && bc::is_float(op.type) && !places_[i].uniform && absorbs_[i] == kNoOp &&
               (op.op == bc::Op::add || op.op == bc::Op::sub || op.op == bc::Op::mul || op.op == bc::Op::neg);
    };
    const MicroOp& user = kernel_->ops[last_use_[first]];
    const bool square = user.op == bc::Op::mul && user.in[0] == first && user.in[1] == first;
    return uses_[first] == (square ? 2 : 1) && arithmetic(first) && arithmetic(last_use_[first]);
}

/// Lets the loop of an op compute an operand, too.
void TileProgram::choose_pairs() {
    absorbs_.assign(kernel_->ops.size(), kNoOp);
    absorbed_by_.assign(kernel_->ops.size(), kNoOp);
    if (!choices_.superinstructions || bindings_->check_finite) return;
    for (std::size_t i = 0; i < kernel_->ops.size(); ++i) {
        if (!can_pair(i)) continue;
        const std::size_t user = last_use_[i];
        absorbs_[user] = i;
        absorbed_by_[i] = user;
        for (const bc::ValueId value : kernel_->ops[i].in) {
            if (value != bc::kNoValue) last_use_[value] = std::max(last_use_[value], user);
        }
    }
}

/// May the compute that makes the stored value write the store's memory itself? Not if somebody still needs the old
/// value there, or finds the new one too early, or if two stores write the same place.
bool TileProgram::may_store_directly(std::size_t store) const {
    const std::size_t value = kernel_->ops[store].in[0];
    const MicroOp& source = kernel_->ops[value];
    if (source.kind != Kind::Compute || source.op == bc::Op::index || direct_[value] != kNoAccess) return false;
    // Where operands are reported, they must outlive the result.
    if (bc::can_fail(source.op, source.type) || is_checked(value)) return false;
    if (before_scan_[value] && !is_scan(source)) return false;  // it is computed twice, and stored once
    if (layouts_[access_of_[store]] != Layout::Dense) return false;
    const Access& target = nest_.accesses()[access_of_[store]];
    for (std::size_t i = 0; i < kernel_->ops.size(); ++i) {
        const Kind kind = kernel_->ops[i].kind;
        if (i == store || !(is_load(kind) || is_store(kind))) continue;
        if (!nest_.same(nest_.accesses()[access_of_[i]], target)) continue;
        if (is_store(kind)) return false;
        if (i < store && (i > value || last_use_[i] > value)) return false;
    }
    return true;
}

/// Is the store's memory so much that writing it past the caches pays? Not if the kernel reads it, too.
bool TileProgram::pays_to_stream(std::size_t store) const {
    const Access& target = nest_.accesses()[access_of_[store]];
    if (layouts_[access_of_[store]] != Layout::Dense || places_[kernel_->ops[store].in[0]].uniform) return false;
    if (nest_.count() * target.element_size < choices_.streamed_bytes) return false;
    for (std::size_t i = 0; i < kernel_->ops.size(); ++i) {
        if (i == store || access_of_[i] == kNoAccess) continue;
        if (nest_.same(nest_.accesses()[access_of_[i]], target)) return false;
    }
    return true;
}

void TileProgram::choose_direct_stores() {
    direct_.assign(kernel_->ops.size(), kNoAccess);
    stores_.clear();
    for (std::size_t i = 0; i < kernel_->ops.size(); ++i) {
        if (!is_store(kernel_->ops[i].kind)) continue;
        stores_.push_back(i);
        if (pays_to_stream(i)) continue;
        if (may_store_directly(i)) direct_[kernel_->ops[i].in[0]] = access_of_[i];
    }
}

/// Is the memory of a load that is used in place written before its last use?
bool TileProgram::overwritten_while_used(std::size_t load) const {
    const Access& source = nest_.accesses()[access_of_[load]];
    return std::any_of(stores_.begin(), stores_.end(), [&](std::size_t store) {
        return store > load && store < last_use_[load] && nest_.same(nest_.accesses()[access_of_[store]], source);
    });
}

void TileProgram::choose_tile() {
    tile_ = std::min(kTileBytes / static_cast<std::int64_t>(slot_element_), kMaxTile);
    if (nest_.count() == 0) return;
    if (reductions_.empty() && scans_.empty()) {
        const std::int64_t row = nest_.extent(nest_.rank() - 1), parts = (row + tile_ - 1) / tile_;
        if (parts == 1)
            tile_ -= tile_ % row;  // whole rows
        else
            tile_ = ((row + parts - 1) / parts + 63) & ~std::int64_t{63};  // parts of equal length
    } else {
        const ReductionShape shape = reduction_shape();
        const std::int64_t all = shape.n * shape.inner, width = shape.lanes * shape.inner;
        if (scans_.empty() && (all <= 4 * tile_ || only_folds_memory()))
            tile_ = kMaxTile;  // folds whole segments at once
        if (all * 64 <= tile_)
            tile_ -= tile_ % (all * 64);  // results begin at lines
        else if (all <= tile_)
            tile_ -= tile_ % all;
        else if (width <= tile_)
            tile_ -= tile_ % width;
    }
    tile_ = std::min(tile_, block_);
}

/// Worth it where the operands come from memory and are computed with: the machine does not foresee that much while it
/// computes. Of operands that lie beside each other, as in a stencil, the last one goes ahead of the others.
void TileProgram::choose_fetched() {
    fetched_.clear();
    const auto accesses = static_cast<std::int64_t>(nest_.accesses().size());
    if (nest_.count() * accesses * static_cast<std::int64_t>(slot_element_) < kFetchedBytes) return;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < kernel_->ops.size(); ++i) {
        if (!is_load(kernel_->ops[i].kind) || layouts_[access_of_[i]] != Layout::Dense) continue;
        const Access& access = nest_.accesses()[access_of_[i]];
        const auto beside = std::find_if(fetched_.begin(), fetched_.end(), [&](std::uint16_t other) {
            return std::abs(nest_.accesses()[other].base - access.base) < kBeside;
        });
        if (beside == fetched_.end()) {
            fetched_.push_back(static_cast<std::uint16_t>(access_of_[i]));
            bytes += nest_.count() * access.element_size;
        } else if (nest_.accesses()[*beside].base < access.base) {
            *beside = static_cast<std::uint16_t>(access_of_[i]);
        }
    }
    if (bytes < kFetchedBytes || only_folds_memory()) fetched_.clear();
}

void TileProgram::list_code_scalars() noexcept {
    std::size_t number = 0;
    for (std::size_t i = 0; i < kernel_->ops.size(); ++i) {
        if (kernel_->ops[i].kind != Kind::LoadScalar) continue;
        code_scalars_[number++] = scalars_[places_[i].pointer - scalars_begin()];
    }
}

/// Compiled code goes along the last axis; what is a panel is dense for it, too. Reductions of memory that is folded
/// where it lies have nothing to gain.
void TileProgram::find_code() {
    variant_ = nullptr;
    code_folding_ = code_scanning_ = Folding::None;
    code_scalars_.assign(static_cast<std::size_t>(std::ranges::count(kernel_->ops, Kind::LoadScalar, &MicroOp::kind)),
                         nullptr);
    list_code_scalars();
    if (!choices_.compiled || !has_code() || nest_.count() == 0) return;
    if (!scans_.empty()) {
        code_scanning_ = choose_scanning();
        if (code_scanning_ == Folding::None) return;
    }
    if (!reductions_.empty() && only_folds_memory()) return;
    code_folding_ = choose_folding();
    choose_code_axis();
    std::vector<AccessForm> accesses;
    for (std::size_t i = 0; i < kernel_->ops.size(); ++i) {
        if (access_of_[i] == kNoAccess) continue;
        const auto access = static_cast<std::uint16_t>(access_of_[i]);
        AccessForm& form = accesses.emplace_back();
        if (is_reduce(kernel_->ops[i].kind)) form.folding = code_folding_;
        form.streamed = is_store(kernel_->ops[i].kind) && pays_to_stream(i);
        if (!is_reduce(kernel_->ops[i].kind) && std::ranges::find(panels_, access) == panels_.end())
            form.layout = nest_.layout(nest_.accesses()[access], code_axis_);
    }
    variant_ = jit::find_variant(*kernel_, accesses, code_scanning_, !look_.empty(), bindings_->program);
    const bool folds = variant_ != nullptr &&
                       std::ranges::any_of(variant_->form().accesses,
                                           [](const AccessForm& form) { return form.folding != Folding::None; });
    if (!folds) code_folding_ = Folding::None;  // as the variant for all forms
}

Folding TileProgram::choose_folding() const noexcept {
    const bool possible = !reductions_.empty() && std::ranges::all_of(kernel_->ops, [](const MicroOp& op) {
        return !is_reduce(op.kind) || can_fold(op.type);
    });
    if (!possible) return Folding::None;
    const auto last = static_cast<int>(nest_.rank()) - 1;
    if (nest_.reduced() == last) {
        const bool pays = nest_.reduced_inner() == 1 && nest_.extent(nest_.rank() - 1) >= kShortLeaf;
        return pays ? Folding::Leaf : Folding::None;
    }
    const bool rows = nest_.reduced() == last - 1 && reduction_shape().lanes == 1 && faults_.empty() && panels_.empty();
    return rows ? Folding::Rows : Folding::None;
}

/// Where blocks of several indices have several columns, the interpreter's loops scan them.
Folding TileProgram::choose_scanning() const noexcept {
    const auto no_code = [](const MicroOp& op) { return is_scan(op) && !can_fold(op.type); };
    if (std::ranges::any_of(kernel_->ops, no_code) || !panels_.empty()) return Folding::None;
    const auto last = static_cast<int>(nest_.rank()) - 1;
    if (nest_.reduced() == last) {
        const bool pays = nest_.reduced_inner() == 1 && nest_.extent(nest_.rank() - 1) >= kShortLeaf;
        return pays ? Folding::Leaf : Folding::None;
    }
    const bool rows = nest_.reduced() == last - 1 && reduction_shape().lanes == 1 && faults_.empty();
    return rows ? Folding::Rows : Folding::None;
}

/// Values that are folded later lie in one line of memory, so the reduced axis is an axis like others, and one with its
/// neighbours where all operands step evenly.
void TileProgram::choose_code_axis() noexcept {
    code_axis_ = nest_.rank() - 1;
    if (reductions_.empty() || code_folding_ != Folding::None || !panels_.empty()) return;
    const auto even = [&](std::size_t op) {
        if (access_of_[op] == kNoAccess || is_reduce(kernel_->ops[op].kind)) return true;
        const Access& access = nest_.accesses()[access_of_[op]];
        return nest_.layout(access, code_axis_ - 1) == nest_.layout(access, code_axis_) &&
               nest_.layout(access, code_axis_) != Layout::Strided;
    };
    const auto all_even = [&] {
        for (std::size_t op = 0; op < kernel_->ops.size(); ++op) {
            if (!even(op)) return false;
        }
        return true;
    };
    while (code_axis_ > 0 && all_even()) --code_axis_;
}

/// Rows that are a few elements long are gathered to tiles by the interpreter, which is faster than to call code for
/// each: they do not count.
const jit::Code* TileProgram::code(std::int64_t runs) const noexcept {
    if (variant_ == nullptr) return nullptr;
    const std::int64_t columns = nest_.count(code_axis_, nest_.rank());
    return jit::code_for_run(*variant_, columns < kShortRow && columns < nest_.count() ? 0 : nest_.count() * runs);
}

ReductionShape TileProgram::reduction_shape() const noexcept {
    const auto axis = static_cast<unsigned>(nest_.reduced());
    const std::int64_t inner = std::max<std::int64_t>(nest_.reduced_inner(), 1);
    return {nest_.count(0, axis), nest_.extent(axis), nest_.count(axis + 1, nest_.rank()), reduction_lanes(inner),
            reduction_leaf(inner)};
}

bool TileProgram::only_folds_memory() const noexcept {
    return !reductions_.empty() && ops_.size() == reductions_.size() &&
           std::all_of(reductions_.begin(), reductions_.end(),
                       [](const Reduction& reduction) { return reduction.source.has_value(); });
}

void TileProgram::lower(std::size_t op) {
    switch (kernel_->ops[op].kind) {
        case Kind::LoadView:
        case Kind::LoadScratch: lower_load(op); break;
        case Kind::LoadScalar:
            places_[op] = {static_cast<std::uint16_t>(scalars_begin() + scalars_.size()), true, false};
            scalars_.push_back(scalar_bits(op));
            break;
        case Kind::Compute: lower_compute(op); break;
        case Kind::StoreView:
        case Kind::StoreScratch: lower_store(op); break;
        case Kind::ReduceView:
        case Kind::ReduceScratch: lower_fold(op); break;
        case Kind::GatherView: lower_gather(op); break;
        case Kind::ScatterView: lower_scatter(op); break;
    }
}

bool TileProgram::all_uniform(std::size_t op) const {
    return std::all_of(std::begin(kernel_->ops[op].in), std::end(kernel_->ops[op].in),
                       [&](bc::ValueId value) { return value == bc::kNoValue || places_[value].uniform; });
}

std::uint16_t TileProgram::take_slot() {
    if (free_slots_.empty()) return static_cast<std::uint16_t>(slots_begin_ + slots_++);
    const std::uint16_t slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
}

template <class F>
void TileProgram::for_each_input(std::size_t op, F&& f) const {
    for (const bc::ValueId value : kernel_->ops[op].in) {
        if (value != bc::kNoValue) f(value);
    }
    if (absorbs_[op] != kNoOp) for_each_input(absorbs_[op], f);
}

/// Gives back the slots of operands that die at `op`: those whose elements have that size, or the others.
void TileProgram::release_operands(std::size_t op, std::size_t element_size, bool of_that_size) {
    for_each_input(op, [&](bc::ValueId value) {
        if (last_use_[value] != op || !places_[value].slot) return;
        if ((bc::size_of(kernel_->ops[value].result) == element_size) != of_that_size) return;
        places_[value].slot = false;
        release(places_[value].pointer);
    });
}

std::uint16_t TileProgram::per_element(bc::ValueId value, std::uint16_t& spread) {
    if (!places_[value].uniform) return places_[value].pointer;
    spread = take_slot();
    const std::size_t size = size_index(bc::size_of(kernel_->ops[value].result));
    TileOp& fill = ops_.emplace_back(TileOp::Kind::Fill);
    fill.size_index = static_cast<std::uint8_t>(size);
    fill.a = places_[value].pointer;
    fill.out = spread;
    fill.gather = kernels().gather[size];
    return spread;
}

/// Where the value of compute `op` goes. `in_place`: it may take the slot of an operand that dies here.
std::uint16_t TileProgram::result_place(std::size_t op, bool uniform, bool in_place) {
    const std::size_t size = bc::size_of(kernel_->ops[op].result);
    Place& place = places_[op];
    place.uniform = uniform;
    if (in_place) release_operands(op, size, true);
    if (uniform) {
        place.pointer = new_cell();
    } else if (direct_[op] != kNoAccess) {
        place.pointer = static_cast<std::uint16_t>(direct_[op]);
    } else {
        place.pointer = take_slot();
        place.slot = true;
    }
    if (in_place) release_operands(op, size, false);
    return place.pointer;
}

}  // namespace xlazy::be
