// SPDX-License-Identifier: BSD-3-Clause
// xlazy-info: what xlazy found on this machine, and what the environment makes of it.
#include "env.hpp"
#include "free_memory.hpp"
#include "xlazy/backends/backend.hpp"
#include "xlazy/backends/compiler_check.hpp"
#include "xlazy/backends/cuda.hpp"
#include "xlazy/backends/maths_table.hpp"
#include "xlazy/backends/memory_pool.hpp"
#include "xlazy/jit-cache/directory.hpp"

#include <fmt/core.h>
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <thread>

namespace {

using namespace xlazy;

constexpr const char* kHelp =
    "usage: xlazy-info [--math]\n"
    "Prints what xlazy found on this machine, and what the environment makes of it: instruction set, threads, back "
    "ends,\n"
    "memory, the compiler of kernels, which is tried, and their cache.\n"
    "  --math   the mathematical functions instead: errors in units in the last place, and what an element costs here\n"
    "  --help\n"
    "Exit status: 0; 1: kernels cannot be compiled, or not be kept; 2: wrong use.\n";

void line(std::string_view name, std::string_view text) { fmt::print("{:<12}{}\n", name, text); }

std::string processor() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string text; std::getline(file, text);) {
        if (text.starts_with("model name")) return text.substr(text.find(':') + 2);
    }
    return "unknown processor";
}

std::string threads() {
    const int chosen = rt::settings().threads;
    if (chosen > 0) return fmt::format("{} (by XLAZY_NUM_THREADS)", chosen);
    const char* const variable = std::getenv("OMP_NUM_THREADS");
    return fmt::format("{} ({})", omp_get_max_threads(),
                       variable != nullptr ? "by OMP_NUM_THREADS" : "all that this process may use");
}

std::string memory() {
    const std::uint64_t free = rt::free_memory(""), limit = be::pool_stats().limit;
    return fmt::format("arrays may hold {}; {} are free now", limit == 0 ? "anything" : jc::format_bytes(limit),
                       free == 0 ? "unknown amounts" : jc::format_bytes(free));
}

std::string_view jit_mode() {
    switch (rt::settings().jit) {
        case be::JitMode::off: return "off: all kernels are interpreted (XLAZY_JIT)";
        case be::JitMode::background: return "background: what runs often is compiled meanwhile (XLAZY_JIT)";
        case be::JitMode::block: break;
    }
    return "block: a kernel's first run waits for the compiler (XLAZY_JIT)";
}

bool print_compiler() {
    const be::CompilerCheck check = be::check_compiler(rt::settings().compiler);
    line("compiler", check.choice);
    if (!check.version.empty()) line("", check.version);
    if (check.error.empty()) {
        line("", fmt::format("it compiled a small kernel in {:.0f} ms, which loaded in {:.0f} us",
                             check.compile_milliseconds, check.load_microseconds));
    } else {
        line("", fmt::format("kernels stay interpreted: {}", check.error));
    }
    return check.error.empty();
}

bool print_cache() {
    const jc::Place& place = rt::settings().cache_place;
    const std::string limit = jc::format_bytes(rt::settings().cache_size);
    if (rt::settings().cache_size == 0) {
        line("cache", "off: XLAZY_CACHE_SIZE is 0");
        return true;
    }
    if (place.path.empty()) {
        line("cache", fmt::format("none: {}", place.why));
        return false;
    }
    line("cache", fmt::format("{} (by {})", place.path, place.why));
    const jc::Directory::Opened opened = jc::Directory::open(place.path, false);
    if (opened.absent) {
        line("", fmt::format("not there yet; at most {}", limit));
        return true;
    }
    if (opened.directory == nullptr) {
        line("", fmt::format("not used: {}", opened.why));
        return false;
    }
    std::uint64_t bytes = 0;
    const auto items = opened.directory->list();
    for (const jc::Directory::Item& item : items) bytes += item.bytes;
    line("", fmt::format("{} entries, {} of {}", items.size(), jc::format_bytes(bytes), limit));
    return true;
}

std::string_view chosen_backend() {
    switch (rt::settings().backend) {
        case rt::BackendChoice::openmp: return "openmp";
        case rt::BackendChoice::interp: return "interp";
        case rt::BackendChoice::cuda: return "cuda";
        case rt::BackendChoice::automatic: break;
    }
    return "auto";
}

void print_gpu() {
    const be::CudaState state = be::cuda_state();
    line("gpu", fmt::format("driver: {}", state.driver));
    line("", fmt::format("compiler: {}", state.compiler));
    int number = 0;
    for (const be::CudaDevice& device : state.devices) {
        line("", fmt::format("device {}: {}, compute capability {}.{}, {} multiprocessors, {}{}", number, device.name,
                             device.major, device.minor, device.multiprocessors, jc::format_bytes(device.bytes),
                             number == rt::settings().device ? " (XLAZY_DEVICE)" : ""));
        ++number;
    }
}

void print_environment() {
    bool any = false;
    for (const rt::EnvVariable& variable : rt::kEnvironment) {
        const char* const value = std::getenv(std::string(variable.name).c_str());
        if (value == nullptr) continue;
        line(any ? "" : "environment", fmt::format("{}={}", variable.name, value));
        any = true;
    }
    if (!any) line("environment", "no variable of xlazy is set (docs/env.md lists them)");
}

int print_all() {
    rt::settings();  // their warnings come first
    line("xlazy", XLAZY_VERSION);
    line("machine", fmt::format("{}, {} processors", processor(), std::thread::hardware_concurrency()));
    line("isa", fmt::format("{} ({})", be::name_of(be::current_isa()),
                            be::current_isa() == be::best_isa() ? "the best of this machine"
                                                                : "by XLAZY_ISA; this machine has better"));
    line("threads", threads());
    line("back ends", fmt::format("{} (XLAZY_BACKEND); openmp, interp, cuda", chosen_backend()));
    print_gpu();
    line("memory", memory());
    line("jit", jit_mode());
    const bool compiles = print_compiler(), keeps = print_cache();
    print_environment();
    return compiles && keeps ? 0 : 1;
}

/// A line a function and type: its greatest error found, and its cost in cache.
int print_maths() {
    fmt::print("{:<11}{:<6}{:>6}{:>15}   ({}, elements in the first-level cache)\n", "function", "type", "ULP",
               "ns an element", be::name_of(be::current_isa()));
    for (const be::MathsRow& row : be::maths_table()) {
        fmt::print("{:<11}{:<6}{:>6.2f}{:>15.2f}\n", bc::name_of(row.op), bc::name_of(row.type), row.error,
                   be::maths_cost(row.op, row.type, 100));
    }
    return 0;
}

}  // namespace

int main(int count, char** words) {
    const std::string_view option = count > 1 ? words[1] : "";
    if (count > 2 || (count == 2 && option != "--help" && option != "-h" && option != "--math")) {
        fmt::print(stderr, "xlazy-info: unknown option {}; see --help\n", words[count - 1]);
        return 2;
    }
    if (option == "--help" || option == "-h") {
        fmt::print("{}", kHelp);
        return 0;
    }
    const int status = option == "--math" ? print_maths() : print_all();
    return std::fflush(stdout) == 0 ? status : 1;
}
