// SPDX-License-Identifier: BSD-3-Clause
// Prints docs/env.md from the table of environment variables.
#include "env.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

namespace {

using xlazy::rt::EnvKind;
using xlazy::rt::EnvVariable;

std::string values_of(const EnvVariable& variable) {
    std::string text;
    std::string_view rest = variable.values;
    while (!rest.empty()) {
        const std::string_view value = rest.substr(0, rest.find('|'));
        rest.remove_prefix(std::min(rest.size(), value.size() + 1));
        const bool literal = value.find(' ') == std::string_view::npos;
        text += fmt::format(fmt::runtime(literal ? "{}`{}`" : "{}{}"), text.empty() ? "" : ", ", value);
    }
    return variable.kind == EnvKind::Words ? text + ", separated by commas" : text;
}

std::string document() {
    std::string text =
        "# Environment variables\n\n"
        "Made by `xlazy_env_doc` from the table `env.def`; a test compares them.\n\n"
        "They are read once, at the first use of the library. An unknown value gets one warning that lists the legal "
        "ones,\n"
        "and the default is taken.\n\n"
        "| variable | values | default | meaning |\n|---|---|---|---|\n";
    for (const EnvVariable& variable : xlazy::rt::kEnvironment) {
        text += fmt::format("| `{}` | {} | {} | {} |\n", variable.name, values_of(variable),
                            variable.standard.empty() ? "" : fmt::format("`{}`", variable.standard), variable.doc);
    }
    return text;
}

}  // namespace

int main() {
    try {
        const std::string text = document();
        return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0 ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "xlazy_env_doc: %s\n", error.what());
        return 1;
    }
}
