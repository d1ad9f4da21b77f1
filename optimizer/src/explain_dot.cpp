// SPDX-License-Identifier: BSD-3-Clause
// Batches as pictures. Statements and kernels are boxes; arrays that come from before the batch, or live on after it,
// are ellipses; an edge is what one box hands to another through memory.
#include "kernel_uses.hpp"
#include "xlazy/optimizer/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace xlazy::opt {

using bc::Instruction;
using bc::MicroOp;
using bc::Operand;

namespace {

constexpr std::uint32_t kMostDrawn = 200;  ///< boxes of one half of the picture; more is no picture
constexpr std::size_t kMostLines = 8;      ///< of a kernel, in its box

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result;
}

std::string array_text(const bc::BaseInfo& base) {
    const auto bytes = static_cast<std::uint64_t>(base.size) * bc::size_of(base.type);
    return fmt::format("{}[{}]\\n{}", bc::name_of(base.type), base.size, bytes_text(bytes));
}

/// One half of the picture: boxes in order, and what each reads and writes.
class Half {
public:
    Half(const bc::Program& program, std::string prefix, const std::string& label)
        : program_(program),
          prefix_(std::move(prefix)),
          writers_(program.bases.size()),
          replaced_(program.bases.size()) {
        text_ = fmt::format("  subgraph cluster_{} {{\n    label=\"{}\";\n", prefix_, escaped(label));
    }

    /// @return false: the picture is full
    bool box(std::string_view label) {
        if (count_ == kMostDrawn) return false;
        text_ += fmt::format("    {}{} [label=\"{}\"];\n", prefix_, count_++, label);
        return true;
    }
    /// What the latest box reads, and writes: all of a base, or a part.
    void read(std::uint32_t base) {
        const std::vector<std::uint32_t>& writers = writers_[base];
        if (writers.empty() || (program_.bases[base].initialised && !replaced_[base])) {
            inputs_.insert(base);
            edge(fmt::format("{}in{}", prefix_, base), {});
        }
        for (const std::uint32_t writer : writers) {
            if (writer != latest()) edge(fmt::format("{}{}", prefix_, writer), array_text(program_.bases[base]));
        }
    }
    void write(std::uint32_t view) {
        const std::uint32_t base = program_.views[view].base;
        std::vector<std::uint32_t>& writers = writers_[base];
        if (bc::guard_relation(program_, view, bc::Guard::kWholeBase) == bc::Relation::Identical) {
            writers.clear();
            replaced_[base] = true;
        }
        if (writers.empty() || writers.back() != latest()) writers.push_back(latest());
    }
    void read_from(std::uint32_t box, std::string_view what) { edge(fmt::format("{}{}", prefix_, box), what); }
    std::uint32_t latest() const noexcept { return count_ - 1; }

    std::string finish(std::size_t left_out, std::string_view thing) {
        for (const std::uint32_t base : inputs_) {
            text_ += fmt::format("    {}in{} [shape=ellipse, label=\"{}\"];\n", prefix_, base,
                                 array_text(program_.bases[base]));
        }
        for (std::uint32_t base = 0; base < writers_.size(); ++base) {
            if (!program_.bases[base].live || writers_[base].empty()) continue;
            text_ += fmt::format("    {}out{} [shape=ellipse, label=\"{}\"];\n", prefix_, base,
                                 array_text(program_.bases[base]));
            for (const std::uint32_t writer : writers_[base])
                text_ += fmt::format("    {0}{1} -> {0}out{2};\n", prefix_, writer, base);
        }
        if (left_out != 0) {
            text_ += fmt::format("    {}more [shape=plaintext, label=\"and {} more {}\"];\n", prefix_, left_out, thing);
        }
        return text_ + edges_ + "  }\n";
    }

private:
    void edge(const std::string& from, std::string_view what) {
        const std::string line = fmt::format("    {} -> {}{}{};\n", from, prefix_, count_ - 1,
                                             what.empty() ? "" : fmt::format(" [label=\"{}\"]", what));
        if (known_.insert(line).second) edges_ += line;
    }

    const bc::Program& program_;
    std::string prefix_, text_, edges_;
    std::set<std::string> known_;
    std::set<std::uint32_t> inputs_;
    std::vector<std::vector<std::uint32_t>> writers_;  ///< by base: the boxes that wrote what it holds
    std::vector<bool> replaced_;                       ///< by base: nothing is left of its value before the batch
    std::uint32_t count_ = 0;
};

std::string draw_before(const bc::Program& program, const std::string& label) {
    Half half(program, "s", label);
    const std::vector<Instruction>& all = program.instructions;
    std::size_t left_out = 0;
    for (std::size_t begin = 0; begin < all.size();) {
        std::size_t end = begin;
        std::string ops;
        while (end < all.size() && all[end].statement == all[begin].statement) {
            ops += fmt::format("{}{}", ops.empty() ? "" : " ", bc::name_of(all[end++].op));
        }
        if (left_out != 0 || !half.box(fmt::format("{}\\n{}", escaped(bc::to_string(program.origins[begin])), ops))) {
            ++left_out;
            begin = end;
            continue;
        }
        for (std::size_t i = begin; i < end; ++i) {
            for (unsigned k = 0; k < bc::operand_count(all[i]); ++k) {
                if (all[i].in[k].is_view()) half.read(program.views[all[i].in[k].index()].base);
            }
        }
        for (std::size_t i = begin; i < end; ++i) {
            if (all[i].out.is_view()) half.write(all[i].out.index());
        }
        begin = end;
    }
    return half.finish(left_out, "statements");
}

std::string kernel_label(const KernelNote& note, std::uint32_t number) {
    std::string label = fmt::format("k{} ({})", number, fmt::join(note.extents, ","));
    for (std::size_t i = 0; i < std::min(note.lines.size(), kMostLines); ++i) {
        label += "\\n" + escaped(bc::to_string(note.lines[i]));
    }
    if (note.lines.size() > kMostLines) label += fmt::format("\\nand {} more lines", note.lines.size() - kMostLines);
    return label +
           fmt::format("\\n{} read, {} written", bytes_text(note.traffic.read), bytes_text(note.traffic.written));
}

std::string draw_after(const bc::Program& program, const bc::Plan& plan, const Explanation& notes,
                       const std::string& label) {
    Half half(program, "k", label);
    std::map<std::uint32_t, std::uint32_t> scratch_writer;
    std::size_t left_out = 0;
    for (std::uint32_t k = 0; k < plan.kernels.size(); ++k) {
        if (!half.box(kernel_label(notes.kernels[k], k))) {
            left_out = plan.kernels.size() - k;
            break;
        }
        const KernelUses uses(plan.kernels[k]);
        for (const MicroOp* op : uses.loads) half.read(program.views[op->index].base);
        for (const MicroOp* op : uses.scratch_loads) {
            const bc::Scratch& scratch = plan.scratch[op->index];
            half.read_from(scratch_writer[op->index],
                           fmt::format("temporary {}({})", bc::name_of(scratch.type),
                                       fmt::join(bc::shape_of(program, scratch).span(), ",")));
        }
        for (const auto* list : {&uses.stores, &uses.reductions}) {
            for (const MicroOp* op : *list) half.write(op->index);
        }
        for (const auto* list : {&uses.scratch_stores, &uses.scratch_reductions}) {
            for (const MicroOp* op : *list) scratch_writer[op->index] = half.latest();
        }
    }
    return half.finish(left_out, "kernels");
}

std::string summary(std::string_view when, const PlanCost& cost) {
    return fmt::format("{}: {} kernels, {} moved, peak {}", when, cost.kernels, bytes_text(cost.traffic.total()),
                       bytes_text(cost.peak));
}

}  // namespace

std::string to_dot(const bc::Program& program, const bc::Plan& plan, const std::string& title,
                   const std::vector<std::uint32_t>& stay) {
    const Explanation notes = explain(program, plan, {}, stay);
    return fmt::format("digraph xlazy {{\n  label=\"{}\";\n  node [shape=box];\n", escaped(title)) +
           draw_before(program, summary("before", notes.before)) +
           draw_after(program, plan, notes, summary("after", notes.after)) + "}\n";
}

}  // namespace xlazy::opt
