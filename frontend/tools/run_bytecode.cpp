// SPDX-License-Identifier: BSD-3-Clause
// xlazy-run-bytecode: runs a batch in text form, as XLAZY_TRACE=batch writes it, on inputs of its own.
#include "base_access.hpp"
#include "elements.hpp"
#include "env.hpp"
#include "log.hpp"
#include "npy_input.hpp"
#include "replay.hpp"
#include "run_options.hpp"
#include "run_saved.hpp"
#include "statistics.hpp"
#include "xlazy/backends/memory_pool.hpp"
#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"
#include "xlazy/optimizer/optimizer.hpp"
#include "xlazy/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>

namespace {

using namespace xlazy;

constexpr const char* kHelp =
    "usage: xlazy-run-bytecode FILE [options]\n"
    "Runs a batch, or a saved function (see below).\n"
    "A batch is in text form (XLAZY_TRACE=batch writes it); printed is a checksum of every array that is live "
    "after it.\n"
    "A folder that XLAZY_DUMP_ON_ERROR has made stands for the batch in it.\n"
    "An array that has a value before the batch is read from FILE.bN.npy if that is there, N its number; else it gets\n"
    "numbers that follow from the seed: 1 to 100, floating point from 0.5 to 1.5.\n"
    "  --passes LIST     optimizer passes: all, none, or a list with + and -\n"
    "  --backend NAME    auto, openmp or interp\n"
    "  --threads N       threads of the kernels\n"
    "  --seed N          of the inputs (default 1)\n"
    "  --explain         what becomes of the batch, by line; --explain=dot:OUT and svg:OUT draw it\n"
    "  --plan            the plan\n"
    "  --time            the time of a run: median and least of several\n"
    "  --rounds N        how many (default 15)\n"
    "  --help\n"
    "A saved function (docs/saved-functions.md) takes its arrays from .npy files and writes its results to such:\n"
    "  --in FILE         the next input; without, numbers that follow from the seed\n"
    "  --number X        the next number (default 1)\n"
    "  --out FILE        where the next result goes\n"
    "  --text            prints its bytecode and runs nothing\n"
    "  --kernels         takes the compiled kernels of the file: only from people whose programs you would run\n"
    "  --save-kernels    puts compiled kernels into the file; with XLAZY_JIT=block all that the function needs\n"
    "Exit status: 0; 1: the file cannot be read, is no legal batch, or failed as it ran; 2: wrong use.\n";

template <class T>
T number(const std::string& option, const std::string& text, T least) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least)
        throw Failure{2, fmt::format("{}: '{}' is no whole number from {}", option, text, least)};
    return value;
}

Options parse_arguments(const std::vector<std::string>& arguments) {
    Options options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string option = arguments[i];
        std::optional<std::string> joined;
        if (const std::size_t equals = option.find('='); option.starts_with("--") && equals != std::string::npos) {
            joined = option.substr(equals + 1);
            option.resize(equals);
        }
        const auto value = [&] {
            if (joined) return *joined;
            if (i + 1 == arguments.size()) throw Failure{2, option + " needs a value"};
            return arguments[++i];
        };
        if (option == "--passes")
            options.passes = value();
        else if (option == "--backend")
            options.backend = value();
        else if (option == "--threads")
            options.threads = number(option, value(), 1);
        else if (option == "--seed")
            options.seed = number<std::uint64_t>(option, value(), 0);
        else if (option == "--rounds")
            options.rounds = number(option, value(), 1);
        else if (option == "--in")
            options.in.push_back(value());
        else if (option == "--out")
            options.out.push_back(value());
        else if (option == "--number")
            options.numbers.push_back(value());
        else if (option == "--explain")
            options.explain = joined.value_or("1");
        else if (joined)
            throw Failure{2, fmt::format("{} takes no value, or is unknown\n{}", option, kHelp)};
        else if (option == "--plan")
            options.plan = true;
        else if (option == "--text")
            options.text = true;
        else if (option == "--kernels")
            options.kernels = true;
        else if (option == "--save-kernels")
            options.save_kernels = true;
        else if (option == "--time")
            options.time = true;
        else if (option.starts_with("-"))
            throw Failure{2, fmt::format("unknown option {}\n{}", option, kHelp)};
        else if (options.file.empty())
            options.file = option;
        else
            throw Failure{2, "more than one file"};
    }
    if (options.file.empty()) throw Failure{2, fmt::format("no file\n{}", kHelp)};
    if (std::filesystem::is_directory(options.file)) options.file = std::filesystem::path(options.file) / "batch.txt";
    constexpr std::string_view kBackends[] = {"auto", "openmp", "interp"};
    if (std::ranges::find(kBackends, options.backend) == std::end(kBackends))
        throw Failure{2, fmt::format("--backend: '{}'; there are auto, openmp and interp", options.backend)};
    if (!options.explain.empty() && !rt::parse_explain(options.explain))
        throw Failure{2, fmt::format("--explain: '{}'; there are dot:OUT and svg:OUT", options.explain)};
    return options;
}

/// Unknown names get one warning, and all passes run.
void check_passes(Options& options) {
    std::vector<std::string> unknown;
    opt::parse_passes(options.passes, unknown);
    if (unknown.empty()) return;
    std::string known;
    for (const opt::PassInfo& pass : opt::pass_table()) {
        if (!pass.mandatory) known += fmt::format(", {}", pass.name);
    }
    std::fprintf(stderr,
                 "xlazy-run-bytecode: warning: --passes: unknown pass \"%s\"; known: all, none%s. all is used\n",
                 unknown.front().c_str(), known.c_str());
    options.passes = "all";
}

/// The settings that the library reads at its first use.
void prepare_environment(const Options& options) {
    setenv("XLAZY_MODE", "lazy", 1);
    setenv("XLAZY_PASSES", options.passes.c_str(), 1);
    setenv("XLAZY_BACKEND", options.backend.c_str(), 1);
    if (options.threads != 0) setenv("XLAZY_NUM_THREADS", std::to_string(options.threads).c_str(), 1);
    setenv("XLAZY_EXPLAIN", options.explain.c_str(), 1);
    setenv("XLAZY_TRACE", options.plan ? "plan" : "", 1);
}

bc::Program read_batch(const std::string& file) {
    if (std::filesystem::is_directory(file)) throw Failure{1, file + ": a folder, not a file"};
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Failure{1, file + ": cannot be read"};
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (const std::size_t nul = text.find('\0'); nul != std::string::npos) {
        const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n');
        throw Failure{1, fmt::format("{}: line {}: a byte 0; this is no text", file, line)};
    }
    bc::Program batch;
    try {
        batch = bc::parse(text);
    } catch (const bc::ParseError& error) {
        throw Failure{1, fmt::format("{}: {}", file, error.what())};
    }
    const std::string fault = bc::verify(batch, bc::Strictness::Recorded);
    if (!fault.empty()) throw Failure{1, fmt::format("{}: no legal batch: {}", file, fault)};
    if (batch.instructions.empty()) throw Failure{1, fmt::format("{}: the batch has no instruction", file)};
    return batch;
}

/// Before memory is touched that the machine does not have.
void check_inputs(const bc::Program& batch, const Options& options) {
    double bytes = 0;
    for (const bc::BaseInfo& base : batch.bases) {
        if (base.initialised) bytes += static_cast<double>(base.size) * static_cast<double>(bc::size_of(base.type));
    }
    rt::settings();  // sets the limit
    const auto most = static_cast<double>(be::pool_stats().limit);
    if (bytes <= most) return;
    constexpr double kGiB = 1 << 30;
    throw Failure{
        1, fmt::format("{}: not enough memory: the arrays that have a value before the batch take {:.1f} GiB, and "
                       "{:.1f} GiB may be used (XLAZY_MEMORY_LIMIT)",
                       options.file, bytes / kGiB, most / kGiB)};
}

/// The arrays of a batch, with one reference each that is ours.
class Arrays {
public:
    Arrays(const bc::Program& batch, const Options& options) : batch_(batch) {
        for (std::uint32_t b = 0; b < batch.bases.size(); ++b) {
            const bc::BaseInfo& info = batch.bases[b];
            bases.push_back(rt::base_new(info.type, static_cast<std::size_t>(info.size)));
            if (!info.initialised) continue;
            void* const memory = rt::base_fill(bases.back());
            const std::string problem = read_npy(fmt::format("{}.b{}.npy", options.file, b), info, memory);
            if (problem.empty()) continue;
            if (problem != kNoFile) throw Failure{1, problem};
            fill(info.type, memory, static_cast<std::size_t>(info.size), options.seed * 1000003 + b);
        }
    }
    ~Arrays() {
        for (rt::Base* base : bases) {
            if (base != nullptr) rt::base_release(base);
        }
    }
    Arrays(const Arrays&) = delete;
    Arrays& operator=(const Arrays&) = delete;

    /// Once they are in the queue: what nobody can see afterwards is the queue's alone.
    void give_away_what_dies() {
        for (std::size_t b = 0; b < bases.size(); ++b) {
            if (!batch_.bases[b].live) rt::base_release(std::exchange(bases[b], nullptr));
        }
    }

    std::vector<rt::Base*> bases;

private:
    const bc::Program& batch_;
};

/// One run on fresh arrays. @return seconds
double run(const bc::Program& batch, const Options& options, bool print) {
    Arrays arrays(batch, options);
    rt::Queue& queue = rt::my_queue();
    {
        const rt::QueueLock lock(queue);
        rt::load_batch(queue, batch, arrays.bases);
    }
    arrays.give_away_what_dies();
    const std::uint64_t start = rt::nanoseconds_now();
    rt::flush(rt::Reason::explicit_, here{});
    const double seconds = static_cast<double>(rt::nanoseconds_now() - start) * 1e-9;
    for (std::size_t b = 0; print && b < arrays.bases.size(); ++b) {
        if (arrays.bases[b] == nullptr) continue;
        const bc::BaseInfo& info = batch.bases[b];
        const void* const memory = rt::readable(arrays.bases[b], rt::Reason::data, here{});
        fmt::print("b{} {}[{}] {:016x}\n", b, bc::name_of(info.type), info.size,
                   checksum(info.type, memory, static_cast<std::size_t>(info.size)));
    }
    return seconds;
}

void print_times(const bc::Program& batch, const Options& options) {
    std::vector<double> seconds;
    for (int i = 0; i < options.rounds; ++i) seconds.push_back(run(batch, options, false));
    std::ranges::sort(seconds);
    fmt::print("{} runs: median {:.1f} us, least {:.1f} us\n", options.rounds, seconds[seconds.size() / 2] * 1e6,
               seconds.front() * 1e6);
}

void run_tool(const std::vector<std::string>& arguments) {
    if (std::ranges::count(arguments, "--help") != 0) {
        fmt::print("{}\nPasses that --passes switches:\n", kHelp);
        for (const opt::PassInfo& pass : opt::pass_table()) {
            if (!pass.mandatory) fmt::print("  {:<12}{}\n", pass.name, pass.doc);
        }
        return;
    }
    Options options = parse_arguments(arguments);
    check_passes(options);
    if (is_saved_function(options.file)) {
        prepare_environment(options);
        rt::set_log_sink([](std::string_view message) { fmt::print("{}\n", message); });
        return run_saved(options);
    }
    const bool for_functions = !options.in.empty() || !options.out.empty() || !options.numbers.empty() ||
                               options.text || options.kernels || options.save_kernels;
    if (for_functions)
        throw Failure{
            2, options.file + " is a batch; --in, --out, --number, --text and --kernels are for saved functions"};
    const bc::Program batch = read_batch(options.file);
    prepare_environment(options);
    check_inputs(batch, options);
    rt::set_log_sink([](std::string_view message) { fmt::print("{}\n", message); });
    fmt::print("{} statements, {} instructions\n", batch.statement_count, batch.instructions.size());
    const double first = run(batch, options, true);
    const statistics all = stats();
    fmt::print("{} kernels, {} bytes of arrays contracted\n", all.kernels_run, all.bytes_contracted);
    if (!options.time) return;
    fmt::print("first run, with planning: {:.1f} us\n", first * 1e6);
    rt::set_log_sink([](std::string_view) {});
    print_times(batch, options);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        run_tool({argv + 1, argv + argc});
        return std::fflush(stdout) == 0 ? 0 : 1;
    } catch (const Failure& failure) {
        std::fprintf(stderr, "xlazy-run-bytecode: %s\n", failure.text.c_str());
        return failure.status;
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "xlazy-run-bytecode: not enough memory for the batch's arrays\n");
        return 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "xlazy-run-bytecode: %s\n", error.what());
        return 1;
    }
}
