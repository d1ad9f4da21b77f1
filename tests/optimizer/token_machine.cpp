// SPDX-License-Identifier: BSD-3-Clause
#include "token_machine.hpp"

#include "xlazy/bytecode/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

namespace xlazy::test {

using bc::Instruction;
using bc::MicroOp;

namespace {

using Index = std::vector<std::int64_t>;
using Extents = std::span<const std::int64_t>;

Token mix(Token a, Token b) {
    Token x = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
    x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 29)) * 0x94d049bb133111ebu;
    return (x ^ (x >> 32)) | 1;  // never kUnspecified
}

Token token(std::string_view kind, std::uint64_t a, std::uint64_t b = 0) {
    return mix(mix(mix(std::hash<std::string_view>{}(kind), a), b), 7);
}

Token of_scalar(const bc::Scalar& scalar) {
    return mix(token("scalar", scalar.bits[0], scalar.bits[1]), static_cast<Token>(scalar.type));
}

/// Element of an op; an unspecified operand makes it unspecified.
Token apply(bc::Op op, bc::DType type, bc::DType result, const std::vector<Token>& operands) {
    if (op == bc::Op::copy) return operands[0];
    Token value = mix(static_cast<Token>(op), static_cast<Token>(type) * 64 + static_cast<Token>(result));
    for (const Token operand : operands) {
        if (operand == kUnspecified) return kUnspecified;
        value = mix(value, operand);
    }
    return value;
}

Token fold(bc::Op op, bc::DType type, bc::DType result, const std::vector<Token>& along_axis) {
    Token value = token("fold", along_axis.size(), static_cast<Token>(op));
    for (const Token element : along_axis) {
        if (element == kUnspecified) return kUnspecified;
        value = mix(value, element);
    }
    return mix(value, static_cast<Token>(type) * 64 + static_cast<Token>(result));
}

std::int64_t position(const Index& index, Extents extents) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) at = at * extents[i] + index[i];
    return at;
}

Index index_at(std::int64_t at, Extents extents) {
    Index index(extents.size());
    for (std::size_t i = extents.size(); i-- > 0;) {
        index[i] = at % extents[i];
        at /= extents[i];
    }
    return index;
}

/// Element of a view at an index of a shape, aligned at the last axis; extents of 1 repeat.
std::int64_t element(const bc::Program& program, std::uint32_t view, const Index& index) {
    const auto dims = program.dims_of(program.views[view]);
    std::int64_t at = program.views[view].offset;
    for (std::size_t i = 0; i < std::min(dims.size(), index.size()); ++i) {
        const bc::Dim& dim = dims[dims.size() - 1 - i];
        if (dim.extent > 1) at += dim.stride * index[index.size() - 1 - i];
    }
    return at;
}

/// The same for dense storage of a shape.
std::int64_t dense_element(Extents extents, const Index& index) {
    std::int64_t at = 0, stride = 1;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        const std::int64_t extent = extents[extents.size() - 1 - i];
        if (extent > 1 && i < index.size()) at += stride * index[index.size() - 1 - i];
        stride *= extent;
    }
    return at;
}

Index without_axis(Index index, unsigned axis, bool keep) {
    if (keep)
        index[axis] = 0;
    else
        index.erase(index.begin() + axis);
    return index;
}

/// Calls f with every element of a view, in row-major order.
template <class F>
void for_each_element(const bc::Program& program, std::uint32_t view, F f) {
    std::vector<std::int64_t> extents;
    for (const bc::Dim& dim : program.dims_of(program.views[view])) extents.push_back(dim.extent);
    const std::int64_t count = bc::element_count(extents);
    for (std::int64_t at = 0; at < count; ++at)
        f(static_cast<std::size_t>(element(program, view, index_at(at, extents))));
}

/// An element of the view whose number is not known: it is made of the number and of every element that it may be.
Token gathered(const bc::Program& program, std::uint32_t view, const std::vector<Token>& memory, Token number) {
    Token all = token("gather", program.dims_of(program.views[view]).size());
    for_each_element(program, view, [&](std::size_t at) {
        all = all == kUnspecified || memory[at] == kUnspecified ? kUnspecified : mix(all, memory[at]);
    });
    return all == kUnspecified || number == kUnspecified ? kUnspecified : mix(all, number);
}

/// What is scattered: for every index of the domain, in row-major order, the value and its number.
using Scattered = std::vector<std::pair<Token, Token>>;

/// Any element of the view may be any of the values, or what it was.
void scatter_all(const bc::Program& program, std::uint32_t view, const Scattered& values, std::vector<Token>& memory) {
    Token all = token("scatter", values.size());
    for (const auto& [value, number] : values) {
        if (value == kUnspecified || number == kUnspecified) all = kUnspecified;
        if (all != kUnspecified) all = mix(mix(all, value), number);
    }
    std::uint64_t position = 0;
    for_each_element(program, view, [&](std::size_t at) {
        Token& element = memory[at];
        element = element == kUnspecified || all == kUnspecified ? kUnspecified : mix(mix(all, position), element);
        ++position;
    });
}

std::vector<Token> initial(const bc::Program& program, std::uint32_t base) {
    std::vector<Token> elements(static_cast<std::size_t>(program.bases[base].size));
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = token("base", base, i);
    return elements;
}

class Batch {
public:
    explicit Batch(const bc::Program& program) : program_(program) {
        for (std::uint32_t b = 0; b < program.bases.size(); ++b) {
            const auto size = static_cast<std::size_t>(program.bases[b].size);
            run_.bases.push_back(program.bases[b].initialised ? initial(program, b)
                                                              : std::vector<Token>(size, kUnspecified));
        }
        temps_.resize(program.temp_count);
    }

    TokenRun run() {
        for (std::uint32_t i = 0; i < program_.instructions.size(); ++i) execute(program_.instructions[i], i);
        return std::move(run_);
    }

private:
    struct Temp {
        std::vector<std::int64_t> extents;
        std::vector<Token> elements;
    };

    Token read(bc::Operand operand, const Index& index) {
        if (operand.is_scalar()) return of_scalar(program_.scalars[operand.index()]);
        if (operand.is_view()) {
            const auto at = static_cast<std::size_t>(element(program_, operand.index(), index));
            const Token value = run_.bases[program_.views[operand.index()].base][at];
            run_.reads_unspecified = run_.reads_unspecified || value == kUnspecified;
            return value;
        }
        const Temp& temp = temps_[operand.index()];
        return temp.elements[static_cast<std::size_t>(dense_element(temp.extents, index))];
    }

    void execute(const Instruction& instruction, std::uint32_t number) {
        const Extents extents = program_.domain_extents(instruction.domain);
        const bool reduces = bc::info(instruction.op).kind == bc::OpKind::Reduce;
        std::vector<std::int64_t> shape(extents.begin(), extents.end());
        if (reduces) {
            const bool keep = (instruction.flags & Instruction::kKeepAxis) != 0;
            if (keep)
                shape[instruction.axis] = 1;
            else
                shape.erase(shape.begin() + instruction.axis);
        }
        if (bc::info(instruction.op).kind == bc::OpKind::Scatter) return scatter(instruction, extents);
        const bool scans = bc::info(instruction.op).kind == bc::OpKind::Scan;
        Temp result{shape, std::vector<Token>(static_cast<std::size_t>(bc::element_count(shape)))};
        for (std::size_t at = 0; at < result.elements.size(); ++at) {
            const Index index = index_at(static_cast<std::int64_t>(at), shape);
            result.elements[at] = reduces
                                      ? along(instruction, whole_index(instruction, index), extents[instruction.axis])
                                  : scans ? along(instruction, index, index[instruction.axis] + 1)
                                          : map(instruction, number, index);
        }
        if (instruction.out.is_temp()) {
            temps_[instruction.out.index()] = std::move(result);
            return;
        }
        const std::uint32_t view = instruction.out.index();
        for (std::size_t at = 0; at < result.elements.size(); ++at) {
            const Index index = index_at(static_cast<std::int64_t>(at), shape);
            run_.bases[program_.views[view].base][static_cast<std::size_t>(element(program_, view, index))] =
                result.elements[at];
        }
    }

    void scatter(const Instruction& instruction, Extents extents) {
        Scattered values(static_cast<std::size_t>(bc::element_count(extents)));
        for (std::size_t at = 0; at < values.size(); ++at) {
            const Index index = index_at(static_cast<std::int64_t>(at), extents);
            values[at] = {read(instruction.in[0], index), read(instruction.in[1], index)};
        }
        const std::uint32_t view = instruction.out.index();
        std::vector<Token>& memory = run_.bases[program_.views[view].base];
        if (!values.empty()) note_unspecified(view, memory);
        if (!values.empty()) scatter_all(program_, view, values, memory);
    }

    void note_unspecified(std::uint32_t view, const std::vector<Token>& memory) {
        for_each_element(program_, view, [&](std::size_t at) {
            run_.reads_unspecified = run_.reads_unspecified || memory[at] == kUnspecified;
        });
    }

    Token map(const Instruction& instruction, std::uint32_t number, const Index& index) {
        if (bc::info(instruction.op).kind == bc::OpKind::Generate) {
            return token("index", static_cast<std::uint64_t>(index[instruction.axis]));
        }
        if (bc::info(instruction.op).kind == bc::OpKind::Gather) {
            const std::uint32_t view = instruction.in[0].index();
            const std::vector<Token>& memory = run_.bases[program_.views[view].base];
            note_unspecified(view, memory);
            return gathered(program_, view, memory, read(instruction.in[1], index));
        }
        std::vector<Token> operands;
        for (unsigned i = 0; i < bc::operand_count(instruction); ++i)
            operands.push_back(read(instruction.in[i], index));
        if (bc::can_fail(instruction.op, instruction.type)) {
            run_.fallible[{number, position(index, program_.domain_extents(instruction.domain))}] = operands;
        }
        return apply(instruction.op, instruction.type, instruction.result, operands);
    }

    static Index whole_index(const Instruction& reduction, Index index) {
        if ((reduction.flags & Instruction::kKeepAxis) == 0) index.insert(index.begin() + reduction.axis, 0);
        return index;
    }

    /// The first `count` elements along the axis.
    Token along(const Instruction& instruction, Index index, std::int64_t count) {
        std::vector<Token> elements;
        for (index[instruction.axis] = 0; index[instruction.axis] < count; ++index[instruction.axis])
            elements.push_back(read(instruction.in[0], index));
        return fold(instruction.op, instruction.type, instruction.result, elements);
    }

    const bc::Program& program_;
    TokenRun run_;
    std::vector<Temp> temps_;
};

class PlanRun {
public:
    PlanRun(const bc::Plan& plan, const bc::Program& program, unsigned seed)
        : plan_(plan), program_(program), random_(seed), bases_(program.bases.size()), scratch_(plan.scratch.size()) {
        for (std::uint32_t b = 0; b < program.bases.size(); ++b) {
            if (program.bases[b].initialised) bases_[b] = made_of(initial(program, b));
        }
    }

    TokenRun run() {
        for (const bc::Merge& merge : plan_.merged) run_.merged[merge.instruction] = merge.into;
        for (std::size_t at = 0; at < plan_.steps.size();) {
            const bc::Step& step = plan_.steps[at];
            const bc::Dispatch* const dispatch =
                step.kind == bc::Step::Kind::Run ? bc::dispatch_at(plan_, step.index) : nullptr;
            std::vector<bc::Step> steps(
                plan_.steps.begin() + static_cast<std::ptrdiff_t>(at),
                plan_.steps.begin() + static_cast<std::ptrdiff_t>(at) + (dispatch != nullptr ? dispatch->count : 1));
            at += steps.size();
            std::shuffle(steps.begin(), steps.end(), random_);
            for (const bc::Step& each : steps) execute(each);
            if (!run_.fault.empty()) return std::move(run_);
        }
        for (std::uint32_t b = 0; b < bases_.size(); ++b) {
            if (bases_[b] && !program_.bases[b].live) fail(fmt::format("base {} is never freed", b));
            run_.bases.push_back(bases_[b] ? *bases_[b] : std::vector<Token>{});
        }
        for (std::size_t s = 0; s < scratch_.size(); ++s) {
            if (scratch_[s]) fail(fmt::format("scratch {} is never freed", s));
        }
        return std::move(run_);
    }

private:
    using Memory = std::shared_ptr<std::vector<Token>>;  // a donor shares it with what it gives it to
    /// The values of one reduction that are there already, by output position and by index along the axis.
    struct Accumulator {
        std::map<Index, std::map<std::int64_t, Token>> values;
    };

    void fail(const std::string& what) {
        if (run_.fault.empty()) run_.fault = what;
    }

    static Memory made_of(std::vector<Token> elements) {
        return std::make_shared<std::vector<Token>>(std::move(elements));
    }

    Memory garbage(std::int64_t size) {
        std::vector<Token> elements(static_cast<std::size_t>(size));
        for (Token& t : elements) t = random_() | 1;
        return made_of(std::move(elements));
    }

    Memory& memory_of(bc::Storage storage) {
        return (storage.kind == bc::Storage::Kind::Base ? bases_ : scratch_)[storage.index];
    }

    void execute(const bc::Step& step) {
        const bool scratch = step.storage().kind == bc::Storage::Kind::Scratch;
        if (step.kind == bc::Step::Kind::Run) {
            run_kernel(plan_.kernels[step.index]);
            return;
        }
        Memory& memory = scratch ? scratch_[step.index] : bases_[step.index];
        if (step.allocates()) {
            if (memory) fail(fmt::format("{} {} is allocated twice", scratch ? "scratch" : "base", step.index));
            if (bc::takes_over(plan_, program_, step)) {
                memory = memory_of(step.donor);
                if (!memory) fail(fmt::format("{} {} gets memory of nobody", scratch ? "scratch" : "base", step.index));
                return;
            }
            memory = garbage(scratch ? bc::element_count(bc::shape_of(program_, plan_.scratch[step.index]).span())
                                     : program_.bases[step.index].size);
            return;
        }
        if (!memory) fail(fmt::format("{} {} is freed without memory", scratch ? "scratch" : "base", step.index));
        if (!scratch && program_.bases[step.index].live) fail(fmt::format("live base {} is freed", step.index));
        memory.reset();
    }

    void run_kernel(const bc::Kernel& kernel) {
        const MicroOp* reduction = nullptr;
        for (const MicroOp& op : kernel.ops) {
            if (!is_reduction(op)) continue;
            if (reduction != nullptr && reduction->axis != op.axis) fail("a kernel reduces along two axes");
            reduction = &op;
        }
        const Extents extents = program_.domain_extents(kernel.domain);
        std::vector<std::int64_t> order(static_cast<std::size_t>(bc::element_count(extents)));
        std::iota(order.begin(), order.end(), std::int64_t{0});
        std::shuffle(order.begin(), order.end(), random_);
        accumulators_.clear();
        scattered_.clear();
        values_.assign(kernel.ops.size(), kUnspecified);
        begin_versions(kernel);
        look_ahead(kernel, order, extents);
        for (const std::int64_t at : order) {
            const Index index = index_at(at, extents);
            for (std::size_t i = 0; i < kernel.ops.size() && run_.fault.empty(); ++i) {
                values_[i] = evaluate(kernel.ops[i], i, index, extents);
            }
        }
        for (const MicroOp& op : kernel.ops) {
            if (is_reduction(op) && extents[op.axis] == 0) reduce_nothing(op, extents);
        }
        for (const bc::Version& version : kernel.versions) bases_[version.base] = std::move(versions_[version.base]);
    }

    static bool is_scan(const MicroOp& op) {
        return op.kind == MicroOp::Kind::Compute && bc::info(op.op).kind == bc::OpKind::Scan;
    }

    /// Finds out what the kernel's scans are made of, before anything is stored.
    void look_ahead(const bc::Kernel& kernel, const std::vector<std::int64_t>& order, Extents extents) {
        scanned_.clear();
        if (std::ranges::none_of(kernel.ops, is_scan)) return;
        const FallibleElements fallible = run_.fallible;
        for (const std::int64_t at : order) {
            const Index index = index_at(at, extents);
            for (std::size_t i = 0; i < kernel.ops.size() && run_.fault.empty(); ++i) {
                const MicroOp& op = kernel.ops[i];
                if (is_scan(op))
                    scanned_[{op.in[0], index}] = values_[op.in[0]];
                else if (op.kind != MicroOp::Kind::StoreView && op.kind != MicroOp::Kind::StoreScratch &&
                         op.kind != MicroOp::Kind::ScatterView)
                    values_[i] = evaluate(op, i, index, extents);
            }
        }
        run_.fallible = fallible;
    }

    Token scan(const MicroOp& op, Index index) {
        const std::int64_t last = index[op.axis];
        std::vector<Token> elements;
        for (index[op.axis] = 0; index[op.axis] <= last; ++index[op.axis])
            elements.push_back(scanned_[{op.in[0], index}]);
        return fold(op.op, op.type, op.result, elements);
    }

    void begin_versions(const bc::Kernel& kernel) {
        versions_.clear();
        for (const bc::Version& version : kernel.versions) {
            if (!bases_[version.base]) return fail(fmt::format("base {} has no old version", version.base));
            const std::vector<Token>& old = *bases_[version.base];
            Memory next = garbage(program_.bases[version.base].size);
            bc::for_each_gap(program_, version.view, [&](std::int64_t first, std::int64_t count) {
                std::copy_n(old.begin() + first, count, next->begin() + first);
            });
            versions_[version.base] = std::move(next);
        }
    }

    static bool is_reduction(const MicroOp& op) {
        return op.kind == MicroOp::Kind::ReduceView || op.kind == MicroOp::Kind::ReduceScratch;
    }

    /// Memory behind a view or a scratch; null, and the plan is wrong, if there is none.
    std::vector<Token>* elements(bool view, std::uint32_t number, bool store) {
        const std::uint32_t base = view ? program_.views[number].base : number;
        const auto version = view && store ? versions_.find(base) : versions_.end();
        Memory& memory = version != versions_.end() ? version->second : view ? bases_[base] : scratch_[base];
        if (!memory) fail(fmt::format("{} {} is used without memory", view ? "base" : "scratch", base));
        return memory.get();
    }

    Token* place(bool view, std::uint32_t number, const Index& index, bool store) {
        std::vector<Token>* const memory = elements(view, number, store);
        if (memory == nullptr) return nullptr;
        const std::int64_t at = view ? element(program_, number, index)
                                     : dense_element(bc::shape_of(program_, plan_.scratch[number]).span(), index);
        return &(*memory)[static_cast<std::size_t>(at)];
    }

    Token evaluate(const MicroOp& op, std::size_t number, const Index& index, Extents extents) {
        switch (op.kind) {
            case MicroOp::Kind::LoadView:
            case MicroOp::Kind::LoadScratch: {
                const Token* from = place(op.kind == MicroOp::Kind::LoadView, op.index, index, false);
                return from == nullptr ? kUnspecified : *from;
            }
            case MicroOp::Kind::LoadScalar: return of_scalar(bc::form_of(program_.scalars[op.index], op.form));
            case MicroOp::Kind::Compute: return compute(op, index, extents);
            case MicroOp::Kind::StoreView:
            case MicroOp::Kind::StoreScratch:
                if (Token* to = place(op.kind == MicroOp::Kind::StoreView, op.index, index, true))
                    *to = values_[op.in[0]];
                break;
            case MicroOp::Kind::ReduceView:
            case MicroOp::Kind::ReduceScratch: accumulate(op, number, index, extents); break;
            case MicroOp::Kind::GatherView: {
                const std::vector<Token>* const from = elements(true, op.index, false);
                return from == nullptr ? kUnspecified : gathered(program_, op.index, *from, values_[op.in[0]]);
            }
            case MicroOp::Kind::ScatterView: scatter(op, number, position(index, extents), extents); break;
        }
        return kUnspecified;
    }

    /// Nobody may look at the view while it is scattered to: it has its values when the last index has been there, and
    /// before that nobody's.
    void scatter(const MicroOp& op, std::size_t number, std::int64_t at, Extents extents) {
        std::vector<Token>* const memory = elements(true, op.index, true);
        if (memory == nullptr) return;
        auto [entry, first] = scattered_.try_emplace(number);
        auto& [values, before] = entry->second;
        const auto count = static_cast<std::size_t>(bc::element_count(extents));
        if (first) before = *memory;
        values[at] = {values_[op.in[0]], values_[op.in[1]]};
        if (values.size() < count) {
            for_each_element(program_, op.index, [&](std::size_t i) { (*memory)[i] = random_() | 1; });
            return;
        }
        Scattered sequence;
        for (const auto& [position, value] : values) sequence.push_back(value);
        for_each_element(program_, op.index, [&](std::size_t i) { (*memory)[i] = before[i]; });
        scatter_all(program_, op.index, sequence, *memory);
    }

    Token compute(const MicroOp& op, const Index& index, Extents extents) {
        if (bc::info(op.op).kind == bc::OpKind::Generate) {
            return token("index", static_cast<std::uint64_t>(index[op.axis]));
        }
        if (is_scan(op)) return scan(op, index);
        std::vector<Token> operands;
        for (const bc::ValueId in : op.in) {
            if (in != bc::kNoValue) operands.push_back(values_[in]);
        }
        if (bc::can_fail(op.op, op.type)) {
            const bool first =
                run_.fallible.emplace(std::pair(op.instruction, position(index, extents)), operands).second;
            if (!first) fail(fmt::format("instruction {} is computed twice", op.instruction));
        }
        return apply(op.op, op.type, op.result, operands);
    }

    void accumulate(const MicroOp& op, std::size_t number, const Index& index, Extents extents) {
        const bool keep = (op.flags & Instruction::kKeepAxis) != 0;
        const Index out = without_axis(index, op.axis, keep);
        auto& along = accumulators_[number].values[out];
        along[index[op.axis]] = values_[op.in[0]];
        if (along.size() != static_cast<std::size_t>(extents[op.axis])) return;
        std::vector<Token> sequence;
        for (const auto& [at, value] : along) sequence.push_back(value);
        if (Token* to = place(op.kind == MicroOp::Kind::ReduceView, op.index, out, true)) {
            *to = fold(op.op, op.type, op.result, sequence);
        }
    }

    void reduce_nothing(const MicroOp& op, Extents extents) {
        std::vector<std::int64_t> shape(extents.begin(), extents.end());
        shape[op.axis] = 1;
        for (std::int64_t at = 0; at < bc::element_count(shape); ++at) {
            const Index out = without_axis(index_at(at, shape), op.axis, (op.flags & Instruction::kKeepAxis) != 0);
            if (Token* to = place(op.kind == MicroOp::Kind::ReduceView, op.index, out, true)) {
                *to = fold(op.op, op.type, op.result, {});
            }
        }
    }

    const bc::Plan& plan_;
    const bc::Program& program_;
    std::mt19937_64 random_;
    std::vector<Memory> bases_, scratch_;
    std::map<std::uint32_t, Memory> versions_;  ///< by base: what the running kernel makes
    std::vector<Token> values_;
    std::map<std::size_t, Accumulator> accumulators_;
    /// By micro-op: what it scatters, by position in the domain, and what was there before.
    std::map<std::size_t, std::pair<std::map<std::int64_t, std::pair<Token, Token>>, std::vector<Token>>> scattered_;
    std::map<std::pair<bc::ValueId, Index>, Token> scanned_;  ///< what the running kernel's scans are made of
    TokenRun run_;
};

}  // namespace

TokenRun run_batch(const bc::Program& program) { return Batch(program).run(); }

TokenRun run_plan(const bc::Plan& plan, const bc::Program& program, unsigned seed) {
    return PlanRun(plan, program, seed).run();
}

}  // namespace xlazy::test
