// SPDX-License-Identifier: BSD-3-Clause
// A shared object that records statements and is unloaded before they run. Built twice, under two names of the source
// that have one length, so that the second one's texts come to lie where the first one's were.
#include "runtime/array.hpp"

/// target <- source / 0, which fails when it runs
extern "C" void record_division(xlazy::rt::Base* target, xlazy::rt::Base* source) {
    using namespace test;
    const std::size_t extent = source->size();
    const std::ptrdiff_t stride = 1;
#line 100 XLAZY_PLUGIN_FILE
    Statement s(here::current());
    const Value value = s.load({source, 0, 1, &extent, &stride});
    s.store({target, 0, 1, &extent, &stride}, s.apply(Op::div, value.dtype, value, s.scalar(0)));
}
