// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/bytecode/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace xlazy::bc {
namespace {

constexpr std::string_view kStepNames[] = {"run k", "alloc b", "free b", "alloc x", "free x"};
constexpr std::string_view kRelationNames[] = {"disjoint", "identical", "overlap"};

std::string value_name(ValueId value) { return value == kNoValue ? std::string("none") : fmt::format("%{}", value); }

/// "add.f64", "cast.f64.i32"
std::string typed_name(const MicroOp& op) {
    std::string name = fmt::format("{}.{}", name_of(op.op), name_of(op.type));
    if (op.result != op.type) name += fmt::format(".{}", name_of(op.result));
    return name;
}

std::string print_call(const MicroOp& op) {
    std::string text = fmt::format("call {} axis={} v{} <-", typed_name(op), op.axis, op.index);
    for (unsigned i = 0; i < info(op.op).arity; ++i) text += ' ' + value_name(op.in[i]);
    return text;
}

std::string print_reduction(const MicroOp& op, char target) {
    const bool keep = (op.flags & Instruction::kKeepAxis) != 0;
    return fmt::format("reduce {} axis={}{} {}{} <- {}", typed_name(op), op.axis, keep ? " keep" : "", target, op.index,
                       value_name(op.in[0]));
}

std::string print_compute(const MicroOp& op, std::size_t position) {
    std::string text = fmt::format("%{} = {}", position, typed_name(op));
    const bool masked = (op.flags & Instruction::kMasked) != 0;
    for (unsigned i = 0; i < info(op.op).arity; ++i) text += ' ' + value_name(op.in[i]);
    if (masked) text += " mask=" + value_name(op.in[2]);
    if (has_axis(op.op)) text += fmt::format(" axis={}", op.axis);
    return text;
}

std::string print_micro_op(const MicroOp& op, std::size_t position) {
    switch (op.kind) {
        case MicroOp::Kind::LoadView: return fmt::format("%{} = load.{} v{}", position, name_of(op.type), op.index);
        case MicroOp::Kind::LoadScratch: return fmt::format("%{} = load.{} x{}", position, name_of(op.type), op.index);
        case MicroOp::Kind::LoadScalar:
            return fmt::format("%{} = scalar.{} s{}{}{}", position, name_of(op.type), op.index,
                               op.form == ScalarForm::Value ? "" : " ",
                               op.form == ScalarForm::Value ? "" : kScalarFormNames[static_cast<std::size_t>(op.form)]);
        case MicroOp::Kind::Compute: return print_compute(op, position);
        case MicroOp::Kind::StoreView:
            return fmt::format("store.{} v{} <- {}", name_of(op.type), op.index, value_name(op.in[0]));
        case MicroOp::Kind::StoreScratch:
            return fmt::format("store.{} x{} <- {}", name_of(op.type), op.index, value_name(op.in[0]));
        case MicroOp::Kind::ReduceView:
            return info(op.op).kind == OpKind::Library ? print_call(op) : print_reduction(op, 'v');
        case MicroOp::Kind::ReduceScratch: return print_reduction(op, 'x');
        case MicroOp::Kind::GatherView:
            return fmt::format("%{} = gather.{} v{} {}", position, name_of(op.type), op.index, value_name(op.in[0]));
        case MicroOp::Kind::ScatterView:
            return fmt::format("scatter.{} v{} <- {} {}", name_of(op.type), op.index, value_name(op.in[0]),
                               value_name(op.in[1]));
    }
    return "unknown";
}

std::string print_step(const Step& step) {
    std::string text = fmt::format("{}{}", kStepNames[static_cast<std::size_t>(step.kind)], step.index);
    if (step.donor.kind != Storage::Kind::None) {
        text += fmt::format(" in {}{}", step.donor.kind == Storage::Kind::Base ? 'b' : 'x', step.donor.index);
    }
    return text + '\n';
}

/// "region k1 local x0 b2", then the kernels with their axes, and with their distances if they are not at its position.
std::string print_region(const Region& region) {
    std::string text = fmt::format("region k{} to k{}", region.first, region.end() - 1);
    if (!region.locals.empty()) text += " local";
    for (const Storage& local : region.locals)
        text += fmt::format(" {}{}", local.kind == Storage::Kind::Base ? 'b' : 'x', local.index);
    for (std::uint32_t i = 0; i < region.kernels.size(); ++i) {
        const RegionKernel& kernel = region.kernels[i];
        text += fmt::format("\n    k{} axis={}", region.first + i, kernel.axis);
        if (kernel.low != 0 || kernel.high != 0) text += fmt::format(" {:+} to {:+}", kernel.low, kernel.high);
    }
    return text + '\n';
}

std::string print_guard(const Guard& guard) {
    const std::string other = guard.view_b == Guard::kWholeBase ? "whole"
                              : guard.view_b == Guard::kDense   ? "dense"
                                                                : fmt::format("v{}", guard.view_b);
    return fmt::format("guard v{} {} {}\n", guard.view_a, other,
                       kRelationNames[static_cast<std::size_t>(guard.relation)]);
}

}  // namespace

std::uint64_t bytes_of(const Plan& plan, const Program& program, Storage storage) noexcept {
    if (storage.kind == Storage::Kind::None) return 0;
    if (storage.kind == Storage::Kind::Base) {
        const BaseInfo& base = program.bases[storage.index];
        return static_cast<std::uint64_t>(base.size) * size_of(base.type);
    }
    const Scratch& scratch = plan.scratch[storage.index];
    return static_cast<std::uint64_t>(element_count(shape_of(program, scratch).span())) * size_of(scratch.type);
}

bool takes_over(const Plan& plan, const Program& program, const Step& step) noexcept {
    return step.donor.kind != Storage::Kind::None &&
           bytes_of(plan, program, step.donor) == bytes_of(plan, program, step.storage());
}

const Dispatch* dispatch_at(const Plan& plan, std::uint32_t kernel) noexcept {
    const auto place = std::ranges::lower_bound(plan.dispatches, kernel, {}, &Dispatch::first);
    return place != plan.dispatches.end() && place->first == kernel ? &*place : nullptr;
}

std::string print(const Plan& plan) {
    std::string text;
    const auto out = std::back_inserter(text);
    for (std::size_t i = 0; i < plan.scratch.size(); ++i) {
        const Scratch& scratch = plan.scratch[i];
        fmt::format_to(out, "scratch x{} {} d{}", i, name_of(scratch.type), scratch.domain);
        if (scratch.axis != Scratch::kNoAxis) {
            fmt::format_to(out, " axis={}{}", scratch.axis, scratch.keep_axis ? " keep" : "");
        }
        text += '\n';
    }
    for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
        fmt::format_to(out, "kernel k{} d{}\n", i, plan.kernels[i].domain);
        for (const Version& version : plan.kernels[i].versions) {
            fmt::format_to(out, "    new version of b{} but for what v{} leaves out\n", version.base, version.view);
        }
        const std::vector<MicroOp>& ops = plan.kernels[i].ops;
        for (std::size_t position = 0; position < ops.size(); ++position) {
            fmt::format_to(out, "    {:<40} ; i{}\n", print_micro_op(ops[position], position),
                           ops[position].instruction);
        }
    }
    for (const Step& step : plan.steps) text += print_step(step);
    for (const Region& region : plan.regions) text += print_region(region);
    for (const Dispatch& dispatch : plan.dispatches)
        fmt::format_to(out, "together k{} to k{}\n", dispatch.first, dispatch.end() - 1);
    for (const Guard& guard : plan.guards) text += print_guard(guard);
    for (const Spread& spread : plan.spreads) {
        const std::uint32_t groups = spread.groups.empty() ? 0 : spread.groups.back() - spread.groups.front() + 1;
        fmt::format_to(out, "guard b{} {} views in {} groups\n", spread.base, spread.views.size(), groups);
    }
    for (const ScalarGuard& guard : plan.scalar_guards) {
        fmt::format_to(out, "guard s{} {}\n", guard.slot,
                       guard.fact ? std::string(kScalarFactNames[static_cast<std::size_t>(*guard.fact)])
                                  : fmt::format("same as s{}", guard.same_as));
    }
    for (const Merge& merge : plan.merged) fmt::format_to(out, "merged i{} into i{}\n", merge.instruction, merge.into);
    fmt::format_to(out, "contracted {} temporaries, {} arrays", plan.contracted_temps, plan.contracted_bases);
    for (const std::uint32_t base : plan.contracted) fmt::format_to(out, " b{}", base);
    text += '\n';
    return text;
}

}  // namespace xlazy::bc
