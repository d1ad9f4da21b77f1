// SPDX-License-Identifier: BSD-3-Clause
#include "run_saved.hpp"

#include "elements.hpp"
#include "log.hpp"
#include "npy.hpp"
#include "npy_input.hpp"
#include "statistics.hpp"
#include "xlazy/save_kernels.hpp"
#include "xlazy/saved_function.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <fstream>

using namespace xlazy;

namespace {

using Memory = std::vector<std::byte>;

std::string described(const array_signature& array) {
    return fmt::format("{}({})", bc::name_of(array.type), fmt::join(array.extents, ","));
}

void check_counts(const saved_function& f, const Options& options) {
    const auto check = [](const char* option, std::size_t given, std::size_t most) {
        if (given > most) throw Failure{2, fmt::format("{}: {} are given, the function has {}", option, given, most)};
    };
    check("--in", options.in.size(), f.inputs().size());
    check("--number", options.numbers.size(), f.numbers().size());
    check("--out", options.out.size(), f.outputs().size());
}

Memory input(const saved_function& f, const Options& options, std::size_t index) {
    const array_signature& array = f.inputs()[index];
    Memory memory(array.bytes);
    if (index >= options.in.size()) {
        fill(array.type, memory.data(), array.bytes / bc::size_of(array.type), options.seed * 1000003 + index);
        return memory;
    }
    const std::string problem = read_npy(options.in[index], array, memory.data());
    if (problem == kNoFile) throw Failure{1, options.in[index] + ": cannot be read"};
    if (!problem.empty()) throw Failure{1, problem};
    return memory;
}

bc::Scalar number(const saved_function& f, const Options& options, std::size_t index) {
    const number_signature& wanted = f.numbers()[index];
    if (index >= options.numbers.size()) return wanted.only.value_or(bc::make_scalar(1.0));
    const std::string& text = options.numbers[index];
    const char* const end = text.data() + text.size();
    if (bc::is_integer(wanted.type)) {
        std::int64_t value = 0;
        const auto read = std::from_chars(text.data(), end, value);
        if (read.ec == std::errc() && read.ptr == end) return bc::make_scalar(value);
    }
    double value = 0;
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end) throw Failure{2, fmt::format("--number: '{}' is no number", text)};
    return bc::make_scalar(value);
}

void write_output(const std::string& file, const array_signature& array, const Memory& memory) {
    std::ofstream out(file, std::ios::binary);
    const std::string header = rt::npy_header(array.type, array.extents, array.column_major);
    out.write(header.data(), static_cast<std::streamsize>(header.size()));
    out.write(reinterpret_cast<const char*>(memory.data()), static_cast<std::streamsize>(memory.size()));
    if (!out.flush()) throw Failure{1, file + ": cannot be written"};
}

/// The arguments of a call, and where its results go.
class Call {
public:
    Call(const saved_function& f, const Options& options) : f_(f) {
        for (std::size_t i = 0; i < f.inputs().size(); ++i) {
            memory_.push_back(input(f, options, i));
            in_.push_back({memory_.back().data(), f.inputs()[i].type, f.inputs()[i].extents});
        }
        for (std::size_t i = 0; i < f.numbers().size(); ++i) numbers_.push_back(number(f, options, i));
        for (const array_signature& array : f.outputs()) {
            results_.emplace_back(array.bytes);
            out_.push_back({results_.back().data(), array.type, array.extents});
        }
    }

    /// @return seconds
    double run() {
        const std::uint64_t start = rt::nanoseconds_now();
        f_.run(in_, numbers_, out_);
        return static_cast<double>(rt::nanoseconds_now() - start) * 1e-9;
    }

    const std::vector<Memory>& results() const noexcept { return results_; }

private:
    const saved_function& f_;
    std::vector<Memory> memory_, results_;
    std::vector<input_array> in_;
    std::vector<output_array> out_;
    std::vector<bc::Scalar> numbers_;
};

}  // namespace

bool is_saved_function(const std::string& file) {
    char start[8] = {};
    std::ifstream in(file, std::ios::binary);
    return in.read(start, sizeof start) && std::string_view(start, sizeof start) == "xlazy-fn";
}

void run_saved(const Options& options) {
    const saved_function f(options.file, options.kernels);
    if (options.text) {
        fmt::print("{}", f.text());
        return;
    }
    check_counts(f, options);
    fmt::print("function {}\n", f.name().empty() ? f.captured_at() : f.name());
    Call call(f, options);
    const double first = call.run();
    for (std::size_t i = 0; i < f.outputs().size(); ++i) {
        const array_signature& array = f.outputs()[i];
        fmt::print("output {} {} {:016x}\n", i, described(array),
                   checksum(array.type, call.results()[i].data(), array.bytes / bc::size_of(array.type)));
        if (i < options.out.size()) write_output(options.out[i], array, call.results()[i]);
    }
    if (options.save_kernels) {
        call.run();
        fmt::print("{} kernels saved\n", save_kernels(options.file));
    }
    if (!options.time) return;
    fmt::print("first run, with planning: {:.1f} us\n", first * 1e6);
    rt::set_log_sink([](std::string_view) {});
    std::vector<double> seconds;
    for (int i = 0; i < options.rounds; ++i) seconds.push_back(call.run());
    std::ranges::sort(seconds);
    fmt::print("{} runs: median {:.1f} us, least {:.1f} us\n", options.rounds, seconds[seconds.size() / 2] * 1e6,
               seconds.front() * 1e6);
}
