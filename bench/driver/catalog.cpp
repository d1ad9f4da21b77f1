// SPDX-License-Identifier: BSD-3-Clause
#include "driver/catalog.hpp"

#include "xlazy/optimizer/optimizer.hpp"

#include <limits>

namespace xlazy_bench {
namespace {

constexpr int kAnyNumber = std::numeric_limits<int>::max();

/// glibc keeps freed memory and asks for huge pages: without that, fresh pages for every temporary array would be most
/// of what stock xtensor's times show.
Environment pooled() {
    return {{"GLIBC_TUNABLES",
             "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=17179869184:glibc.malloc.top_pad=268435456:"
             "glibc.malloc.hugetlb=1"}};
}

std::vector<Variant> make_variants() {
    const std::string prefix = "xlazy-bench-";
    std::vector<Variant> all = {
        {"op-by-op", Group::op_by_op, prefix + "op-by-op", "", 1, kAnyNumber, pooled(),
         "xtensor, every operation into an array of its own; xsimd, OpenMP"},
        {"xtensor", Group::idiomatic, prefix + "xtensor", "", 1, 1, pooled(), "xtensor as it comes"},
        {"xtensor-xsimd", Group::idiomatic, prefix + "xsimd", "", 1, 1, pooled(), "xtensor with xsimd"},
        {"xtensor-openmp", Group::idiomatic, prefix + "openmp", "", 2, kAnyNumber, pooled(),
         "xtensor with xsimd and OpenMP"},
        {"xlazy-eager",
         Group::xlazy,
         prefix + "xlazy",
         "",
         1,
         kAnyNumber,
         {{"XLAZY_MODE", "eager"}},
         "xlazy, every statement at once"},
        {"xlazy-no-passes",
         Group::xlazy,
         prefix + "xlazy",
         "",
         1,
         kAnyNumber,
         {{"XLAZY_PASSES", "none"}},
         "xlazy without optional passes"},
        {"xlazy-lazy", Group::xlazy, prefix + "xlazy", "", 1, kAnyNumber, {}, "xlazy as it comes"},
        {"xlazy-captured", Group::xlazy, prefix + "xlazy", ".captured", 1, kAnyNumber, {}, "xlazy, captured once"},
        {"eigen", Group::eigen, prefix + "eigen", "", 1, 1, pooled(), "Eigen, as its users write it; no threads"},
    };
    for (const xlazy::opt::PassInfo& pass : xlazy::opt::pass_table()) {
        if (pass.mandatory) continue;
        const std::string name(pass.name);
        all.push_back({"xlazy-without-" + name,
                       Group::ablation,
                       prefix + "xlazy",
                       "",
                       1,
                       1,
                       {{"XLAZY_PASSES", "all,-" + name}},
                       "xlazy without the pass " + name});
    }
    const std::vector<std::pair<std::string, std::string>> hand = {
        {"hand", "one fused loop, strict arithmetic"},
        {"hand-fast", "the same with -ffast-math: libmvec, fused multiply-add, reordering"},
        {"hand-fast-wide", "the same with 512-bit vectors"},
    };
    for (const auto& [name, about] : hand) {
        all.push_back({name, Group::hand, prefix + name, "", 1, kAnyNumber, {}, about});
        all.push_back({name + "-stream",
                       Group::hand,
                       prefix + name,
                       ".stream",
                       1,
                       kAnyNumber,
                       {},
                       about + "; non-temporal stores"});
    }
    return all;
}

Case reduction(const std::string& reducer, int passes, const std::string& shape, std::vector<std::size_t> sizes,
               std::vector<std::size_t> quick_sizes, const std::string& axis, bool column_major) {
    Case c;
    c.id = "b11." + reducer + '.' + shape + '.' + axis;
    c.job = "b11." + reducer + '.' + axis + (column_major ? ".column" : "");
    c.title = reducer + " over " + (axis == "all" ? "all" : "axis " + axis.substr(4)) +
              (column_major ? ", column-major" : "");
    c.dtype = "f64";
    c.sizes = std::move(sizes);
    c.quick_sizes = std::move(quick_sizes);
    c.operations = passes;
    c.fused_bytes = c.op_by_op_bytes = 8.0 * passes;
    c.reads_only = true;
    c.one_statement = true;
    // Sums of that many positive numbers, in two orders that both are better than one after the other.
    c.max_ulps = reducer == "amax" ? 0 : 512;
    return c;
}

void add_reductions(std::vector<Case>& all) {
    struct Shape {
        const char* name;
        std::vector<std::size_t> sizes, quick_sizes;
        bool column_major;
    };
    const std::vector<Shape> shapes = {{"square", {4000, 4000}, {500, 500}, false},
                                       {"tall", {10000000, 3}, {100000, 3}, false},
                                       {"wide", {3, 10000000}, {3, 100000}, false},
                                       {"column", {4000, 4000}, {500, 500}, true}};
    const std::vector<std::pair<std::string, int>> reducers = {{"sum", 1}, {"mean", 1}, {"amax", 1}, {"var", 2}};
    for (const auto& [reducer, passes] : reducers)
        for (const Shape& shape : shapes)
            for (const char* const axis : {"all", "axis0", "axis1"})
                // In quick runs two of them stand for all.
                all.push_back(
                    reduction(reducer, passes, shape.name, shape.sizes,
                              reducer == "sum" || reducer == "var" ? shape.quick_sizes : std::vector<std::size_t>(),
                              axis, shape.column_major));
}

Case named(const std::string& id, const std::string& title, const std::string& dtype, int operations,
           std::vector<std::size_t> sizes, std::vector<std::size_t> quick_sizes) {
    Case c;
    c.id = c.job = id;
    c.title = title;
    c.dtype = dtype;
    c.operations = operations;
    c.sizes = std::move(sizes);
    c.quick_sizes = std::move(quick_sizes);
    return c;
}

// Bytes of one loop an operation: arrays that it reads and one that it writes; numbers are free.

void add_polynomial(std::vector<Case>& all) {
    Case c = named("b01", "polynomial, every operation a statement", "f32", 20, {20000000}, {200000});
    c.fused_bytes = 2 * 4.0;
    c.op_by_op_bytes = (6 * 2 + 14 * 3) * 4.0;
    c.floor = 8.0;
    c.max_ulps = 8;
    all.push_back(c);
}

void add_black_scholes(std::vector<Case>& all) {
    constexpr double kNormal = 15 * 2 + 6 * 3 + 1 + 3;  // the last two: comparison and choice, without the bools
    constexpr double kArrays = 5 * 2 + 2 * kNormal + 2 * 3 + 2;
    constexpr double kBools = 2 * 2;
    for (const std::string dtype : {"f32", "f64", "mean"}) {
        const bool mean = dtype == "mean";
        const double size = dtype == "f32" ? 4.0 : 8.0;
        Case c = named("b05." + dtype, mean ? "Black-Scholes, mean only" : "Black-Scholes, all prices",
                       mean ? "f64" : dtype, mean ? 55 : 54, {5000000}, {100000});
        c.fused_bytes = (mean ? 1 : 2) * size;
        c.op_by_op_bytes = (kArrays + (mean ? 1 : 0)) * size + kBools;
        c.floor = 64.0;
        c.max_ulps = 64;
        all.push_back(c);
    }
}

void add_ocean(std::vector<Case>& all) {
    Case state = named("b02", "equation of state of sea water", "f64", 257, {204, 204, 26}, {32, 32, 8});
    state.fused_bytes = 3 * 8.0;  // pressure is a line
    state.op_by_op_bytes = 655 * 8.0;
    state.floor = 1.0;
    // The two logarithms nearly cancel, so their last bits count: xtensor with xsimd and without differ by 2e5.
    state.max_ulps = 1 << 20;
    all.push_back(state);
    // op-by-op is left out: in views of different shapes its bytes are not those of one array an operation.
    Case mixing = named("b03", "isoneutral mixing in an ocean", "f64", 427, {204, 204, 26}, {32, 32, 8});
    mixing.fused_bytes = 59 * 8.0;
    mixing.op_by_op_bytes = 929 * 8.0;
    mixing.floor = 1.0;
    mixing.max_ulps = 1 << 16;
    all.push_back(mixing);
}

void add_turbulence(std::vector<Case>& all) {
    // 9 operations a level are on planes; op-by-op is left out, as for mixing.
    Case c = named("b04", "turbulent kinetic energy in an ocean", "f64", 385, {204, 204, 26}, {32, 32, 8});
    c.fused_bytes = 11 * 8.0;
    c.op_by_op_bytes = 500 * 8.0;
    c.floor = 1.0;
    c.max_ulps = 1 << 16;
    all.push_back(c);
}

void add_expressions(std::vector<Case>& all) {
    struct Expression {
        const char *name, *text;
        int operations;
        double fused_bytes, op_by_op_bytes;
        double max_ulps;
    };
    const Expression expressions[] = {{"scaled", "2 a + 3 b", 3, 24, 56, 1},
                                      {"powers", "2 a + b^10", 3, 24, 56, 16},
                                      {"compared", "a b - 4.1 a > 2.5 b", 5, 17, 97, 1},
                                      {"waves", "sin(a) + sinh(a / b)", 4, 24, 80, 16}};
    for (const Expression& each : expressions) {
        Case c = named(std::string("b08.") + each.name, each.text, "f64", each.operations, {20000000}, {200000});
        c.fused_bytes = each.fused_bytes;
        c.op_by_op_bytes = each.op_by_op_bytes;
        c.one_statement = true;
        c.floor = 1.0;
        c.max_ulps = each.max_ulps;
        all.push_back(c);
    }
}

void add_lstm(std::vector<Case>& all) {
    Case c = named("b09", "gates of an LSTM cell", "f32", 20, {64, 512}, {16, 128});
    c.fused_bytes = 7 * 4.0;
    c.op_by_op_bytes = 44 * 4.0;
    c.floor = 1.0;
    c.max_ulps = 64;
    all.push_back(c);
}

void add_heat(std::vector<Case>& all) {
    Case c = named("b06", "heat equation, one step and its change", "f64", 9, {2000, 2000}, {300, 300});
    c.fused_bytes = 2 * 8.0;
    c.op_by_op_bytes = (5 * 3 + 3 * 2 + 1) * 8.0;
    c.max_ulps = 512;
    all.push_back(c);
}

void add_chains(std::vector<Case>& all) {
    Case dot = named("b11.dot", "sum(a * b)", "f32", 2, {33000000}, {300000});
    dot.fused_bytes = 2 * 4.0;
    dot.op_by_op_bytes = 4 * 4.0;
    dot.reads_only = true;
    dot.max_ulps = 64;
    all.push_back(dot);
    Case softmax = named("b11.softmax", "softmax of rows", "f32", 5, {4096, 8192}, {128, 1024});
    softmax.fused_bytes = 2 * 4.0;
    softmax.op_by_op_bytes = 8 * 4.0;
    softmax.max_ulps = 64;
    all.push_back(softmax);
    Case argmin = named("b11.argmin", "place of the smallest", "f32", 1, {33000000}, {300000});
    argmin.fused_bytes = argmin.op_by_op_bytes = 4.0;
    argmin.reads_only = true;
    argmin.one_statement = true;
    all.push_back(argmin);
}

/// Programs of the cases before, from arrays that fit the first cache to such as fit none.
void add_sizes(std::vector<Case>& all) {
    constexpr std::size_t kMostQuick = 200000;
    const std::vector<Case> large = all;
    for (const Case& program : large) {
        if (program.id != "b01" && program.id != "b05.f64" && program.id != "b08.scaled") continue;
        for (const std::size_t size : {100u, 1000u, 10000u, 100000u, 1000000u, 10000000u}) {
            Case c = program;
            c.id = "size." + program.id + '.' + std::to_string(size);
            c.kind = Kind::size;
            c.sizes = {size};
            c.quick_sizes = size <= kMostQuick ? c.sizes : std::vector<std::size_t>();
            c.is_example = false;
            all.push_back(c);
        }
    }
}

/// bench/programs; the sizes are those of the program, then its steps.
void add_programs(std::vector<Case>& all) {
    struct Program {
        const char *name, *title;
        std::size_t size, steps, quick_size;
    };
    const Program programs[] = {{"black_scholes", "Black-Scholes", 1000000, 5, 20000},
                                {"game_of_life", "game of life", 1000, 20, 100},
                                {"gauss", "Gauss elimination", 200, 1, 40},
                                {"heat_2d", "heat equation, whole run", 1000, 20, 100},
                                {"heat_3d", "heat equation in space", 100, 20, 24},
                                {"jacobi_stencil", "Jacobi iteration", 1000, 20, 100},
                                {"k_nearest", "nearest neighbours", 1000, 5, 100},
                                {"lattice_boltzmann", "lattice Boltzmann", 300, 10, 50},
                                {"leibnitz_pi", "pi by Leibniz", 1000000, 10, 20000},
                                {"lu", "LU decomposition", 200, 1, 40},
                                {"mandelbrot", "Mandelbrot set", 500, 50, 60},
                                {"montecarlo_pi", "pi by random points", 1000000, 10, 20000},
                                {"nbody", "bodies that attract each other", 300, 5, 40},
                                {"rosenbrock", "Rosenbrock function", 1000000, 10, 20000},
                                {"shallow_water", "shallow water", 1000, 20, 100},
                                {"synthetic", "a synthetic chain", 1000000, 10, 20000},
                                {"wireworld", "Wireworld", 1000, 20, 100}};
    for (const Program& each : programs) {
        Case c = named(std::string("program.") + each.name, each.title, "f64", 0, {each.size, each.steps},
                       {each.quick_size, each.steps});
        c.job = each.name;
        c.workers = "-programs";
        c.kind = Kind::overhead;
        // Whole runs add up what their operations differ by; random numbers are others than xtensor's.
        c.floor = 1.0;
        c.max_ulps = std::numeric_limits<double>::infinity();
        all.push_back(c);
    }
}

std::vector<Case> make_cases() {
    std::vector<Case> all;
    add_polynomial(all);
    add_ocean(all);
    add_turbulence(all);
    add_black_scholes(all);
    add_heat(all);
    add_expressions(all);
    add_lstm(all);
    add_overhead_cases(all);
    add_capture_cases(all);
    add_chains(all);
    add_reductions(all);
    for (Case& each : all) {
        for (const char* const id : {"b01", "b02", "b03", "b05.f64", "b06", "b09", "b11.softmax"})
            each.is_example = each.is_example || each.id == id;
    }
    add_sizes(all);
    add_programs(all);
    return all;
}

}  // namespace

const char* name_of(Group group) {
    switch (group) {
        case Group::op_by_op: return "op-by-op";
        case Group::idiomatic: return "idiomatic";
        case Group::xlazy: return "xlazy";
        case Group::ablation: return "ablation";
        case Group::eigen: return "eigen";
        case Group::hand: return "hand";
    }
    return "";
}

const std::vector<Variant>& variants() {
    static const std::vector<Variant> all = make_variants();
    return all;
}

const Variant* find_variant(const std::string& name) {
    for (const Variant& variant : variants())
        if (variant.name == name) return &variant;
    return nullptr;
}

std::size_t Case::elements(bool quick) const {
    std::size_t count = 1;
    for (const std::size_t size : quick ? quick_sizes : sizes) count *= size;
    return count;
}

const std::vector<Case>& cases() {
    static const std::vector<Case> all = make_cases();
    return all;
}

}  // namespace xlazy_bench
