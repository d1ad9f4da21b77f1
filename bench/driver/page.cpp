// SPDX-License-Identifier: BSD-3-Clause
#include "driver/report.hpp"

#include <filesystem>
#include <stdexcept>

namespace xlazy_bench {
namespace {

/// Replaces `mark`, which occurs once.
void put(std::string& text, const std::string& mark, const std::string& value) {
    const std::size_t at = text.find(mark);
    if (at == std::string::npos) throw std::runtime_error("the page lacks " + mark);
    text.replace(at, mark.size(), value);
}

/// Inside a script element nothing may look like its end, nor like a comment's beginning.
std::string inside_script(std::string text) {
    for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos; ++at) text.replace(at, 1, "\\u003c");
    return text;
}

}  // namespace

std::string page(const std::string& json, const std::string& folder) {
    const std::string library = folder + "/chart.min.js";
    if (!std::filesystem::exists(library))
        throw std::runtime_error(
            "--report needs Chart.js 3, which was not there when this program was built (Debian: "
            "libjs-chart.js); " +
            library + " is missing");
    std::string text = read_file(folder + "/page.html");
    put(text, "/*STYLE*/", read_file(folder + "/page.css"));
    put(text, "/*LIBRARY*/", read_file(library));
    put(text, "/*SCRIPT*/", read_file(folder + "/draw.js") + read_file(folder + "/page.js"));
    put(text, "/*DATA*/", inside_script(json));
    return text;
}

}  // namespace xlazy_bench
