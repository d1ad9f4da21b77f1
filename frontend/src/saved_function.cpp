// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/saved_function.hpp"

#include "env.hpp"
#include "function_file.hpp"
#include "log.hpp"
#include "xlazy/backends/isa.hpp"
#include "xlazy/backends/kernel_exchange.hpp"
#include "xlazy/bytecode/scalar_form.hpp"
#include "xlazy/detail/function_runner.hpp"
#include "xlazy/save_kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace xlazy {

struct saved_function::impl {
    std::string file;
    std::shared_ptr<const bc::Function> function;
    std::string captured_at;
    std::vector<array_signature> inputs, outputs;
    std::vector<number_signature> numbers;
    std::unique_ptr<rt::FunctionRunner> runner;
};

namespace {

std::vector<array_signature> signatures(const bc::Function& function, const std::vector<std::uint32_t>& variables) {
    std::vector<array_signature> result;
    for (const std::uint32_t index : variables) {
        const bc::Variable& variable = function.variables[index];
        result.push_back({variable.name, variable.type, variable.extents, variable.column_major,
                          static_cast<std::size_t>(variable.byte_count())});
    }
    return result;
}

std::string described(bc::DType type, std::span<const std::int64_t> extents) {
    return fmt::format("{}({})", bc::name_of(type), fmt::join(extents, ","));
}

std::string which(std::string_view kind, std::size_t index, const std::string& name) {
    return name.empty() ? fmt::format("{} {}", kind, index) : fmt::format("{} {} ({})", kind, index, name);
}

/// @param what "input" or "output"
template <class Pointer>
void check(const std::string& file, std::string_view what, const std::vector<array_signature>& wanted,
           std::span<const array_in_memory<Pointer>> given) {
    if (given.size() != wanted.size()) {
        throw std::invalid_argument(
            fmt::format("{}: {} {}s are given, the function has {}", file, given.size(), what, wanted.size()));
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
        const array_signature& want = wanted[i];
        if (given[i].type != want.type || !std::ranges::equal(given[i].extents, want.extents)) {
            throw std::invalid_argument(
                fmt::format("{}: {} is {}, the function was saved for {}", file, which(what, i, want.name),
                            described(given[i].type, given[i].extents), described(want.type, want.extents)));
        }
        if (given[i].data == nullptr && want.bytes != 0)
            throw std::invalid_argument(fmt::format("{}: {} has no memory", file, which(what, i, want.name)));
    }
}

/// Those for this machine; of others one line tells.
void take_kernels(const std::string& file, rt::FunctionFile& content) {
    rt::settings();  // says whether kernels are compiled at all
    const std::string_view isa = be::name_of(be::current_isa());
    std::string other;
    for (const jc::Entry& kernel : content.kernels) {
        if (kernel.key.isa != isa) other = kernel.key.isa;
    }
    const std::size_t before = content.kernels.size();
    std::erase_if(content.kernels, [&](const jc::Entry& kernel) { return kernel.key.isa != isa; });
    if (const std::size_t left_out = before - content.kernels.size(); left_out != 0) {
        rt::log(fmt::format("{}: {} of {} compiled kernels are not used: they are for {}, this machine runs {}", file,
                            left_out, before, other, isa));
    }
    if (content.damaged_kernels != 0)
        rt::log(fmt::format("{}: {} compiled kernels are damaged and not used", file, content.damaged_kernels));
    if (!content.kernels.empty()) be::offer_kernels(std::move(content.kernels));
}

}  // namespace

std::size_t save_kernels(const std::string& file) {
    rt::FunctionFile content = rt::read_function(file);
    content.kernels = be::compiled_kernels();
    rt::write_function(file, content);
    return content.kernels.size();
}

saved_function::saved_function(const std::string& file, bool use_kernels) : impl_(std::make_shared<impl>()) {
    rt::FunctionFile content = rt::read_function(file);
    if (use_kernels) take_kernels(file, content);
    impl_->file = file;
    impl_->function = std::make_shared<const bc::Function>(std::move(content.function));
    const bc::Function& function = *impl_->function;
    if (function.captured_at != 0) impl_->captured_at = bc::to_string(function.captured_at);
    impl_->inputs = signatures(function, function.inputs);
    impl_->outputs = signatures(function, function.outputs);
    for (const bc::ScalarArgument& argument : function.arguments)
        impl_->numbers.push_back({argument.name, argument.type, argument.only});
    impl_->runner = std::make_unique<rt::FunctionRunner>(impl_->function);
}

const std::string& saved_function::name() const noexcept { return impl_->function->name; }
const std::string& saved_function::captured_at() const noexcept { return impl_->captured_at; }
const std::vector<array_signature>& saved_function::inputs() const noexcept { return impl_->inputs; }
const std::vector<number_signature>& saved_function::numbers() const noexcept { return impl_->numbers; }
const std::vector<array_signature>& saved_function::outputs() const noexcept { return impl_->outputs; }
std::string saved_function::text() const { return bc::print(*impl_->function); }

void saved_function::run(std::span<const input_array> inputs, std::span<const bc::Scalar> numbers,
                         std::span<const output_array> outputs, here line) const {
    check(impl_->file, "input", impl_->inputs, inputs);
    check(impl_->file, "output", impl_->outputs, outputs);
    if (numbers.size() != impl_->numbers.size()) {
        throw std::invalid_argument(fmt::format("{}: {} numbers are given, the function has {}", impl_->file,
                                                numbers.size(), impl_->numbers.size()));
    }
    std::vector<const void*> from;
    std::vector<void*> to;
    std::vector<bc::Scalar> arguments;
    for (const input_array& input : inputs) from.push_back(input.data);
    for (const output_array& output : outputs) to.push_back(output.data);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i].type >= bc::DType::none)
            throw std::invalid_argument(
                fmt::format("{}: {} has no type", impl_->file, which("number", i, impl_->numbers[i].name)));
        arguments.push_back(bc::convert_scalar(numbers[i], impl_->numbers[i].type));
        const std::optional<bc::Scalar>& only = impl_->numbers[i].only;
        if (only && !bc::same_scalar(*only, arguments.back())) {
            throw std::invalid_argument(
                fmt::format("{}: {} decided something when the function was captured, and must have the value of then",
                            impl_->file, which("number", i, impl_->numbers[i].name)));
        }
    }
    impl_->runner->run(from, arguments, to, line);
}

}  // namespace xlazy
