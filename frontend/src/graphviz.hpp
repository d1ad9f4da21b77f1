// SPDX-License-Identifier: BSD-3-Clause
// Files of pictures.
#pragma once

#include <string>

namespace xlazy::rt {

/// Writes a file anew. @return the empty string, or what is wrong
std::string write_file(const std::string& file, const std::string& text);

/// Makes an SVG of a graph by Graphviz's program `dot`, which is found by PATH. Without it, if it fails, or if it
/// takes longer than 10 seconds, the graph's own text goes to FILE.dot. @return the empty string, or what is wrong
std::string draw_svg(const std::string& file, const std::string& dot_text);

}  // namespace xlazy::rt
