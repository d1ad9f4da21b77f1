// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/binding.hpp"

#include "reduction_rule.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xlazy::be {
namespace {

using bc::MicroOp;
using Kind = bc::MicroOp::Kind;

bool is_load(Kind kind) noexcept { return kind == Kind::LoadView || kind == Kind::LoadScratch; }
bool is_reduce(Kind kind) noexcept { return kind == Kind::ReduceView || kind == Kind::ReduceScratch; }
bool is_store(Kind kind) noexcept { return kind == Kind::StoreView || kind == Kind::StoreScratch; }
bool is_known(Kind kind) noexcept {
    return is_load(kind) || is_reduce(kind) || is_store(kind) || kind == Kind::LoadScalar || kind == Kind::Compute;
}
bool is_scratch(Kind kind) noexcept {
    return kind == Kind::LoadScratch || kind == Kind::StoreScratch || kind == Kind::ReduceScratch;
}

int reduced_axis(const bc::Kernel& kernel) noexcept {
    for (const MicroOp& op : kernel.ops) {
        if (is_reduce(op.kind)) return op.axis;
    }
    return LoopNest::kNoAxis;
}

std::int64_t divide_up(std::int64_t a, std::int64_t b) noexcept { return (a + b - 1) / b; }

unsigned blocks_for(std::int64_t threads, const CudaLimits& limits) noexcept {
    const std::int64_t blocks = divide_up(threads, limits.threads);
    return static_cast<unsigned>(std::clamp<std::int64_t>(blocks, 1, limits.blocks));
}

constexpr std::size_t round_up(std::size_t bytes) noexcept { return (bytes + 255) / 256 * 256; }

/// Stands for memory that is not there yet: how it lies is known before.
std::byte* const kNowhere = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 46);

/// Vectors of elements that 31 bits count, with room for a grid's step.
constexpr std::int64_t kNarrow = std::int64_t{1} << 31;

}  // namespace

CudaBinding::CudaBinding(const bc::Kernel& kernel, const Bindings& bindings) : kernel_(kernel), bindings_(bindings) {
    bind_accesses();
    check();
    if (reason_.empty()) choose_form();
}

void CudaBinding::check() {
    if (nest_.count() == 0) reason_ = "it has no elements";
    if (bindings_.check_finite || bindings_.not_finite != nullptr)
        reason_ = "every value is looked at for NaN and infinity";
    for (const MicroOp& op : kernel_.ops) {
        if (is_scan(op)) reason_ = "it has a scan";
        if (!is_known(op.kind)) reason_ = "it has an op on memory that device code lacks";
        if (op.op == bc::Op::in_range) reason_ = "it looks at indices";
    }
}

void CudaBinding::bind_accesses() {
    nest_.reset(bindings_.program->domain_extents(kernel_.domain), reduced_axis(kernel_));
    bool keeps_order = nest_.reduced() != LoopNest::kNoAxis;
    for (std::size_t i = 0; i < kernel_.ops.size(); ++i) {
        const MicroOp& op = kernel_.ops[i];
        if (op.kind == Kind::LoadScalar) continue;
        if (op.kind != Kind::Compute) {
            bind_memory(i);
            continue;
        }
        if (op.op == bc::Op::index) {
            nest_.add_index(op.axis);
            targets_.push_back({i});
        }
        if (bc::can_fail(op.op, op.type)) {
            faults_.push_back(i);
            keeps_order = true;  // an element that fails is numbered in the domain's own order
        }
    }
    nest_.collapse(!keeps_order);
}

void CudaBinding::bind_memory(std::size_t i) {
    const bc::Program& program = *bindings_.program;
    const MicroOp& op = kernel_.ops[i];
    const int lacking =
        is_reduce(op.kind) && (op.flags & bc::Instruction::kKeepAxis) == 0 ? op.axis : LoopNest::kNoAxis;
    if (is_scratch(op.kind)) {
        const bc::Scratch& scratch = bindings_.plan->scratch[op.index];
        const bc::ScratchShape shape = bc::shape_of(program, scratch);
        bc::Dim dims[bc::kMaxRank];
        std::int64_t stride = 1;
        for (unsigned axis = shape.rank; axis-- > 0; stride *= shape.extents[axis])
            dims[axis] = {shape.extents[axis], stride};
        auto* memory = static_cast<std::byte*>(bindings_.scratch[op.index]);
        if (memory == nullptr) memory = kNowhere;
        const std::size_t size = bc::size_of(scratch.type);
        nest_.add(memory, size, {dims, shape.rank}, lacking);
        targets_.push_back({i, memory});
        note_operand(op, memory, static_cast<std::size_t>(stride) * size, stride, stride);
        return;
    }
    const bc::View& view = program.views[op.index];
    const auto& base = program.bases[view.base];
    const std::size_t size = bc::size_of(base.type);
    std::byte* memory = bindings_.memory_of(kernel_, op);
    if (memory == nullptr) memory = kNowhere;
    const auto dims = program.dims_of(view);
    nest_.add(memory + view.offset * static_cast<std::int64_t>(size), size, dims, lacking);
    targets_.push_back({i, memory});
    std::int64_t elements = 1;
    for (const bc::Dim& dim : dims) elements *= dim.extent;
    note_operand(op, memory, static_cast<std::size_t>(base.size) * size, elements, base.size);
}

/// A store writes each of its view's elements once, so as many as the base has are all of them.
void CudaBinding::note_operand(const MicroOp& op, std::byte* memory, std::size_t bytes, std::int64_t elements,
                               std::int64_t size) {
    auto at = std::ranges::find(operands_, memory, &CudaOperand::memory);
    if (at == operands_.end()) at = operands_.insert(at, {memory, bytes});
    at->bytes = std::max(at->bytes, bytes);
    if (is_load(op.kind)) {
        at->read = at->read || !at->overwritten;
    } else if (is_store(op.kind) || is_reduce(op.kind)) {
        at->written = true;
        at->overwritten = at->overwritten || elements == size;
    } else {
        at->read = true;
        at->written = at->written || op.kind == Kind::ScatterView;  // elements that stay are read
    }
}

unsigned CudaBinding::row_axis() const noexcept {
    return folds() ? static_cast<unsigned>(nest_.reduced()) : nest_.rank() - 1;
}

std::int64_t CudaBinding::leaves() const noexcept {
    return divide_up(nest_.extent(row_axis()), reduction_leaf(nest_.reduced_inner()));
}

std::vector<unsigned> CudaBinding::outer_axes() const {
    std::vector<unsigned> axes;
    for (unsigned axis = 0; axis < nest_.rank(); ++axis) {
        if (axis != row_axis()) axes.push_back(axis);
    }
    return axes;
}

void CudaBinding::choose_form() {
    form_.kernel.kernel = &kernel_;
    form_.outer = nest_.rank() - 1;
    const unsigned row = row_axis();
    for (std::size_t i = 0; i < targets_.size(); ++i) {
        const Access& access = nest_.accesses()[i];
        AccessForm& form = form_.kernel.accesses.emplace_back();
        if (is_reduce(kernel_.ops[targets_[i].op].kind)) {
            form.folding = Folding::Leaf;
        } else if (access.strides[row] == 0 || nest_.extent(row) == 1) {
            form.layout = Layout::Uniform;
        } else {
            form.layout =
                access.strides[row] == access.element_size && access.base != nullptr ? Layout::Dense : Layout::Strided;
        }
    }
    form_.wide = nest_.count() >= kNarrow;
}

CudaForm CudaBinding::any_form() const {
    CudaForm form = form_;
    for (AccessForm& access : form.kernel.accesses) {
        if (access.folding == Folding::None) access.layout = Layout::Strided;
    }
    form.outer = bc::kMaxRank;
    form.any_outer = form.wide = true;
    return form;
}

std::size_t CudaBinding::bytes_of_leaves(std::size_t access) const noexcept {
    if (!is_reduce(kernel_.ops[targets_[access].op].kind) || leaves() == 1) return 0;
    const std::size_t size = static_cast<std::size_t>(nest_.accesses()[access].element_size);
    std::size_t bytes = 0;
    for (std::int64_t some = leaves(); some > 1; some = divide_up(some, CudaCombineWords::kGroup))
        bytes += round_up(static_cast<std::size_t>(some * rows()) * size);
    return bytes;
}

std::size_t CudaBinding::partial_bytes() const noexcept {
    std::size_t bytes = 0;
    for (std::size_t i = 0; folds() && i < targets_.size(); ++i) bytes += bytes_of_leaves(i);
    return bytes;
}

/// Everything but addresses.
std::vector<std::int64_t> CudaBinding::common_words(const CudaForm& form) const {
    const CudaWords places = words_of(form);
    std::vector<std::int64_t> words(places.size(), 0);
    const std::vector<unsigned> outer = outer_axes();
    const unsigned row = row_axis();
    const std::int64_t columns = nest_.extent(row);
    words[CudaWords::Rows] = rows();
    words[CudaWords::Columns] = columns;
    words[CudaWords::Outer] = static_cast<std::int64_t>(outer.size());
    words[CudaWords::PerRow] = divide_up(columns, cuda_vector(form));
    if (folds()) {
        words[CudaWords::Lanes] = reduction_lanes(nest_.reduced_inner());
        words[CudaWords::Inner] = nest_.reduced_inner();
        words[CudaWords::Leaf] = reduction_leaf(nest_.reduced_inner());
        words[CudaWords::Leaves] = leaves();
    }
    for (std::size_t k = 0; k < outer.size(); ++k) words[places.extents() + k] = nest_.extent(outer[k]);
    for (unsigned i = 0; i < places.accesses; ++i) {
        const Access& access = nest_.accesses()[i];
        words[places.access(i) + 1] = access.strides[row];
        for (std::size_t k = 0; k < outer.size(); ++k) words[places.access(i) + 3 + k] = access.strides[outer[k]];
    }
    unsigned scalar = 0;
    for (const MicroOp& op : kernel_.ops) {
        if (op.kind != Kind::LoadScalar) continue;
        const bc::Scalar value = bc::form_of(bindings_.program->scalars[op.index], op.form);
        for (unsigned half = 0; half < 2; ++half)
            words[places.scalar(scalar) + half] = static_cast<std::int64_t>(value.bits[half]);
        ++scalar;
    }
    return words;
}

std::vector<CudaLaunch> CudaBinding::launches(const CudaForm& form, std::string_view function, const CudaLimits& limits,
                                              const std::function<std::uint64_t(const std::byte*)>& device_address,
                                              std::uint64_t traps, std::uint64_t partial) const {
    const CudaWords places = words_of(form);
    const unsigned vector = cuda_vector(form);
    std::vector<CudaLaunch> result(1);
    std::vector<std::int64_t> words = common_words(form);
    words[CudaWords::Traps] = static_cast<std::int64_t>(traps);
    bool aligned = true;
    for (unsigned i = 0; i < places.accesses; ++i) {
        const Access& access = nest_.accesses()[i];
        std::uint64_t pointer = 0;
        if (targets_[i].memory != nullptr) {
            pointer = device_address(targets_[i].memory) + static_cast<std::uint64_t>(access.base - targets_[i].memory);
            if (form.kernel.accesses[i].layout == Layout::Dense && form.kernel.accesses[i].folding == Folding::None) {
                const auto bytes = static_cast<std::uint64_t>(vector * access.element_size);
                aligned = aligned && pointer % bytes == 0;
                for (const unsigned axis : outer_axes())
                    aligned = aligned && static_cast<std::uint64_t>(std::abs(access.strides[axis])) % bytes == 0;
            }
        }
        words[places.access(i)] = static_cast<std::int64_t>(pointer);
        const std::size_t bytes = folds() ? bytes_of_leaves(i) : 0;
        if (bytes == 0) continue;
        words[places.access(i) + 2] = static_cast<std::int64_t>(partial);
        add_combines(result, limits, i, pointer, partial);
        partial += bytes;
    }
    words[CudaWords::Aligned] = aligned;
    CudaLaunch& main = result.front();
    main.function = function;
    main.threads = limits.threads;
    main.by_pointer = places.by_pointer();
    const bool warps = folds() && words[CudaWords::Lanes] > 1;
    main.by_warps = warps;
    const std::int64_t threads = !folds() ? rows() * words[CudaWords::PerRow]
                                 : warps  ? rows() / nest_.reduced_inner() * leaves() * 32
                                          : rows() * leaves();
    main.blocks = blocks_for(threads, limits);
    main.words = std::move(words);
    return result;
}

void CudaBinding::add_combines(std::vector<CudaLaunch>& launches, const CudaLimits& limits, std::size_t access,
                               std::uint64_t pointer, std::uint64_t partial) const {
    using Words = CudaCombineWords;
    const MicroOp& op = kernel_.ops[targets_[access].op];
    const std::size_t size = static_cast<std::size_t>(nest_.accesses()[access].element_size);
    const std::vector<unsigned> outer = outer_axes();
    for (std::int64_t some = leaves(); some > 1;) {
        const std::int64_t groups = divide_up(some, Words::kGroup);
        CudaLaunch launch{cuda_combine_name(op.op, op.type), 1, limits.threads};
        launch.words.assign(Words::Size, 0);
        launch.words[Words::Count] = rows() * groups;
        launch.words[Words::From] = static_cast<std::int64_t>(partial);
        partial += round_up(static_cast<std::size_t>(some * rows()) * size);
        launch.words[Words::To] = static_cast<std::int64_t>(partial);
        launch.words[Words::Leaves] = some;
        launch.words[Words::Groups] = groups;
        launch.words[Words::Inner] = nest_.reduced_inner();
        launch.words[Words::Pointer] = static_cast<std::int64_t>(pointer);
        launch.words[Words::Outer] = static_cast<std::int64_t>(outer.size());
        for (std::size_t k = 0; k < outer.size(); ++k) {
            launch.words[Words::Extents + k] = nest_.extent(outer[k]);
            launch.words[Words::Strides + k] = nest_.accesses()[access].strides[outer[k]];
        }
        launch.blocks = blocks_for(launch.words[Words::Count], limits);
        launches.push_back(std::move(launch));
        some = groups;
    }
}

}  // namespace xlazy::be
