// SPDX-License-Identifier: BSD-3-Clause
// Printing and files.
#include "../call.hpp"

#include <xtensor/xcsv.hpp>
#include <xtensor/xinfo.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xnpy.hpp>

#include <cstdio>
#include <sstream>

#include <unistd.h>

namespace {
std::string temporary_file() { return "/tmp/xlazy_coverage_" + std::to_string(getpid()); }
}  // namespace

CALL(xcsv, dump_csv, "dump_csv") {
    std::ostringstream text;
    xt::dump_csv(text, in.a);
    out.text(text.str());
}
CALL(xcsv, load_csv, "load_csv") {
    std::istringstream text("1,2,3\n4,5,6\n");
    out(xt::load_csv<double>(text));
}
CALL(xcsv, dump_file, "dump_file") {
    std::ostringstream text;
    xt::dump_file(text, in.a, xt::xcsv_config());
    out.text(text.str());
}
CALL(xcsv, load_file, "load_file") {
    std::istringstream text("1,2,3\n4,5,6\n");
    xt::xarray<double> values;
    xt::load_file(text, values, xt::xcsv_config());
    out(values);
}
CALL(xnpy, dump_npy, "dump_npy") { out.text(xt::dump_npy(in.a)); }
CALL(xnpy, load_npy, "load_npy") {
    const std::string name = temporary_file();
    xt::dump_npy(name, in.a);
    out(xt::load_npy<double>(name));
    std::remove(name.c_str());
}
CALL(xio, operator_output, "operator<<") {
    std::ostringstream text;
    text << in.a;
    out.text(text.str());
}
CALL(xio, pretty_print, "pretty_print") {
    std::ostringstream text;
    std::ostream& stream = text;
    xt::pretty_print(in.a, stream);
    out.text(text.str());
}
CALL(xio, set_line_width, "print_options::set_line_width") { xt::print_options::set_line_width(75); }
CALL(xio, set_threshold, "print_options::set_threshold") { xt::print_options::set_threshold(1000); }
CALL(xio, set_edge_items, "print_options::set_edge_items") { xt::print_options::set_edge_items(3); }
CALL(xio, set_precision, "print_options::set_precision") { xt::print_options::set_precision(-1); }
CALL(xinfo, info, "info") { out(xt::info(in.a).empty()); }
CALL(xinfo, type_name, "type_name") { out(xt::type_name<double>().size); }
