// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace xlazy::be::cuda {
namespace {

/// Memory that comes and goes in the order of a stream.
constexpr int kOldestDriver = 11020;

/// Names from the newest on; the linker's own places are looked through.
void* open_first(std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    }
    return nullptr;
}

template <class Function>
void find(void* library, const char* symbol, Function& function, std::string& problem) {
    void* const address = ::dlsym(library, symbol);
    if (address == nullptr && problem.empty()) problem = fmt::format("it is too old: it has no {}", symbol);
    std::memcpy(&function, &address, sizeof address);
}

Driver load_driver() {
    Driver table;
    void* const library = open_first({"libcuda.so.1", "libcuda.so"});
    if (library == nullptr) {
        table.problem = "no driver: libcuda.so.1 is not found";
        return table;
    }
    table.present = true;
#define XLAZY_FIND(symbol, member, parameters) find(library, #symbol, table.member, table.problem);
    XLAZY_DRIVER_FUNCTIONS(XLAZY_FIND)
    if (!table.problem.empty()) {
        table.problem = "the driver cannot be used: " + table.problem;
        return table;
    }
    if (const int result = table.init(0); result != kSuccess) {
        const char* text = nullptr;
        table.error_text(result, &text);
        table.problem = fmt::format("the driver cannot be used: cuInit: {}", text != nullptr ? text : "unknown error");
        return table;
    }
    if (table.driver_version(&table.version_number) != kSuccess || table.version_number < kOldestDriver) {
        table.problem =
            fmt::format("the driver is too old: it supports CUDA {}.{}, {}.{} is needed", table.version_number / 1000,
                        table.version_number % 1000 / 10, kOldestDriver / 1000, kOldestDriver % 1000 / 10);
    }
    return table;
}

Nvrtc load_nvrtc() {
    Nvrtc table;
    void* const library =
        open_first({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"});
    if (library == nullptr) {
        table.problem = "no compiler: libnvrtc.so.13, libnvrtc.so.12 and libnvrtc.so are not found";
        return table;
    }
    XLAZY_NVRTC_FUNCTIONS(XLAZY_FIND)
#undef XLAZY_FIND
    int major = 0, minor = 0;
    if (table.problem.empty() && table.version(&major, &minor) != kSuccess) table.problem = "it has no version";
    if (table.problem.empty() && major < 12)
        table.problem = fmt::format("it is too old: {}.{}, 12.0 is needed", major, minor);
    if (!table.problem.empty()) {
        table.problem = "the compiler libnvrtc cannot be used: " + table.problem;
        return table;
    }
    table.identity = fmt::format("nvrtc {}.{}", major, minor);
    return table;
}

std::string text_of(ProgramHandle* program, int (*size_of)(ProgramHandle*, std::size_t*),
                    int (*get)(ProgramHandle*, char*)) {
    std::size_t size = 0;
    if (size_of(program, &size) != kSuccess || size == 0) return {};
    std::string text(size, '\0');
    if (get(program, text.data()) != kSuccess) return {};
    return text;
}

}  // namespace

const Driver& driver() {
    static const Driver* const table = new Driver(load_driver());
    return *table;
}

const Nvrtc& nvrtc() {
    static const Nvrtc* const table = new Nvrtc(load_nvrtc());
    return *table;
}

std::string describe(const char* call, int result) {
    const char *name = nullptr, *text = nullptr;
    driver().error_name(result, &name);
    driver().error_text(result, &text);
    return fmt::format("{}: {} ({})", call, text != nullptr ? text : "unknown error",
                       name != nullptr ? name : std::to_string(result));
}

Target target_for(const std::vector<int>& known, int major, int minor) {
    const int wanted = 10 * major + minor;
    if (std::ranges::find(known, wanted) != known.end()) return {fmt::format("sm_{}", wanted), true};
    int below = 0;
    for (const int each : known) {
        if (each <= wanted) below = std::max(below, each);
    }
    if (below == 0) return {{}, false};
    return {fmt::format("compute_{}", below), false};
}

std::vector<int> known_architectures() {
    int count = 0;
    if (!nvrtc().problem.empty() || nvrtc().architecture_count(&count) != kSuccess || count <= 0) return {};
    std::vector<int> known(static_cast<std::size_t>(count));
    if (nvrtc().architectures(known.data()) != kSuccess) return {};
    std::ranges::sort(known);
    return known;
}

std::vector<std::string> nvrtc_options(const Target& target) {
    return {"--fmad=false",       "-ftz=false",          "-prec-div=true",
            "-prec-sqrt=true",    "--std=c++20",         "--device-as-default-execution-space",
            "-diag-suppress=177", "-arch=" + target.flag};
}

Compiled compile(const std::string& text, const Target& target, const std::vector<std::string>& more) {
    const Nvrtc& table = nvrtc();
    Compiled result;
    if (!table.problem.empty()) return {{}, {}, table.problem};
    ProgramHandle* program = nullptr;
    if (table.create(&program, text.c_str(), "xlazy.cu", 0, nullptr, nullptr) != kSuccess)
        return {{}, {}, "nvrtcCreateProgram failed"};
    std::vector<std::string> options = nvrtc_options(target);
    options.insert(options.end(), more.begin(), more.end());
    std::vector<const char*> words;
    for (const std::string& option : options) words.push_back(option.c_str());
    const int status = table.compile(program, static_cast<int>(words.size()), words.data());
    result.log = text_of(program, table.log_size, table.log);
    if (status != kSuccess) {
        result.error = fmt::format("nvrtcCompileProgram ({}, with {}): error {}: {}", table.identity,
                                   fmt::join(options, " "), status, result.log.substr(0, 2000));
    } else {
        const std::string object = target.binary ? text_of(program, table.cubin_size, table.cubin)
                                                 : text_of(program, table.ptx_size, table.ptx);
        result.object.resize(object.size());
        if (!object.empty()) std::memcpy(result.object.data(), object.data(), object.size());
        if (object.empty()) result.error = "NVRTC gave no code";
    }
    table.destroy(&program);
    return result;
}

}  // namespace xlazy::be::cuda
