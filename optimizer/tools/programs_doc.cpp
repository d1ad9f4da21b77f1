// SPDX-License-Identifier: BSD-3-Clause
// Prints docs/programs.md: what the optimizer makes of the batches of real programs, beside the least possible.
// usage: xlazy_programs_doc FOLDER (of *.txt, the text form of batches)
#include "xlazy/bytecode/text.hpp"
#include "xlazy/optimizer/explain.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace xlazy;

struct Row {
    std::string file, title;
};
const std::vector<Row> kRows = {
    {"b01", "polynomial, an operation a statement (b01)"},
    {"b02", "equation of state of sea water (b02)"},
    {"b03", "isoneutral mixing in an ocean (b03)"},
    {"b05.f64", "Black-Scholes prices (b05)"},
    {"b05.mean", "Black-Scholes, their mean (b05)"},
    {"b06", "heat equation, one step and its change (b06)"},
    {"b09", "gates of an LSTM cell (b09)"},
    {"b11.dot", "sum(a * b) (b11)"},
    {"b11.mean.axis0", "means of columns (b11)"},
    {"b11.mean.axis1", "means of rows (b11)"},
    {"b11.softmax", "softmax of rows (b11)"},
    {"b11.var.all", "variance of all (b11)"},
    {"b11.var.axis0", "variances of columns (b11)"},
    {"b11.var.axis1", "variances of rows (b11)"},
    {"layer_norm", "layer normalisation of rows"},
    {"mandelbrot", "Mandelbrot, 16 iterations under a mask"},
    {"shallow_water", "shallow water, one step"},
    {"standardise", "columns to mean 0 and deviation 1"},
    {"by_value", "Laplacian of an array passed by value"},
    {"rows_in_variables", "differences from 16 profiles, rows in variables"},
    {"some_results", "a summary, two of its five results used"},
    {"helper_functions", "moments by functions that call each other"},
    {"written_out", "field of a charge, formulas in full"},
    {"integer_grid", "tiles by integer division and remainder"},
    {"cumulative", "wealth from returns, by cumsum"},
    {"wind", "stress of the wind, its speed in every formula"},
    {"tracks", "speed and its sum along 40 tracks of 40 lengths"},
    {"new_state", "a step to a new array, which replaces the old"},
    {"array_a_step", "preparing a matrix, an array a step"},
};

bc::Program read(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error(file + " cannot be read");
    return bc::parse(std::string{std::istreambuf_iterator<char>(in), {}});
}

double mega(std::uint64_t number) { return static_cast<double>(number) * 1e-6; }

struct Case {
    Row row;
    bc::Program program;
};

struct Cost : opt::PlanCost {
    std::uint64_t operations = 0;
    std::size_t starts = 0;  ///< kernels, those that run at once as one
};

/// What a set of passes makes of a batch.
Cost cost_of(const bc::Program& program, const std::string& passes) {
    std::vector<std::string> unknown;
    const bc::Plan plan = opt::make_plan(program, {opt::parse_passes(passes, unknown), false, {}});
    Cost cost{{plan.kernels.size(), opt::traffic_of(program, plan), opt::footprint_of(program, plan).peak},
              opt::operations_of(program, plan),
              plan.kernels.size()};
    for (const bc::Dispatch& dispatch : plan.dispatches) cost.starts -= dispatch.count - 1;
    return cost;
}

std::string reached(const std::vector<Case>& cases) {
    std::string text =
        "| program | statements | instructions | kernels | Mop | MB moved | least | ratio | MB peak | least |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
    for (const auto& [row, program] : cases) {
        const Cost before = cost_of(program, "none"), after = cost_of(program, "all");
        const std::uint64_t least = opt::least_traffic(program).total();
        text += fmt::format(
            "| {} | {} | {} | {} → {} | {:.0f} → {:.0f} | {:.1f} → {:.1f} | {:.1f} | {:.2f} | {:.1f} → {:.1f} | {:.1f} "
            "|\n",
            row.title, program.statement_count, program.instructions.size(), before.kernels, after.kernels,
            mega(before.operations), mega(after.operations), mega(before.traffic.total()), mega(after.traffic.total()),
            mega(least), static_cast<double>(after.traffic.total()) / static_cast<double>(least), mega(before.peak),
            mega(after.peak), mega(opt::least_peak(program)));
    }
    return text;
}

std::string ablation(const std::vector<Case>& cases) {
    std::vector<std::string> passes;
    for (const opt::PassInfo& pass : opt::pass_table()) {
        if (!pass.mandatory) passes.emplace_back(pass.name);
    }
    std::string text = "| program |", rule = "|---|";
    for (const std::string& pass : passes) {
        text += fmt::format(" `-{}` |", pass);
        rule += "---:|";
    }
    text += '\n' + rule + '\n';
    for (const auto& [row, program] : cases) {
        const Cost all = cost_of(program, "all");
        text += fmt::format("| {} |", row.title);
        for (const std::string& pass : passes) {
            const Cost without = cost_of(program, "all,-" + pass);
            std::string cell;
            if (without.kernels != all.kernels) cell += fmt::format("{} kernels ", without.kernels);
            if (without.kernels == all.kernels && without.starts != all.starts)
                cell += fmt::format("{} starts ", without.starts);
            if (without.operations != all.operations) cell += fmt::format("{:.0f} Mop ", mega(without.operations));
            if (without.traffic != all.traffic) cell += fmt::format("{:.1f} MB ", mega(without.traffic.total()));
            if (without.peak != all.peak) cell += fmt::format("peak {:.1f} ", mega(without.peak));
            text += fmt::format(" {}|", cell);
        }
        text += '\n';
    }
    return text;
}

std::string document(const std::string& folder) {
    std::vector<Case> cases;
    for (const Row& row : kRows) cases.push_back({row, read(folder + '/' + row.file + ".txt")});
    return "# What the optimizer makes of real programs\n\n"
           "Made by `xlazy_programs_doc` from the batches in `tests/optimizer/batches`, which the library recorded "
           "from the\n"
           "programs (the target `xlazy_batches` records them anew); a test compares.\n\n"
           "Without optional passes → with all of them. *Mop*: millions of operations on elements. *Moved*: bytes "
           "that\n"
           "kernels load from memory and store to it, each element of an array once a kernel. *Least*: every input "
           "read "
           "once in\n"
           "each sweep that the sums need, every result written once (`optimizer/include/xlazy/optimizer/traffic.hpp` "
           "says it\n"
           "exactly). *Peak*: arrays and temporaries together; its least takes every result into the memory of an "
           "input that\n"
           "dies.\n\n" +
           reached(cases) +
           "\n## Each pass\n\n"
           "What changes if one pass is left out; empty: nothing. *Starts*: kernels, those that run at once as "
           "one.\n\n" +
           ablation(cases);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 2) throw std::runtime_error("usage: xlazy_programs_doc FOLDER");
        const std::string text = document(argv[1]);
        return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0 ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "xlazy_programs_doc: %s\n", error.what());
        return 1;
    }
}
