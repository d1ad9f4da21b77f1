// SPDX-License-Identifier: BSD-3-Clause
#include "driver/catalog.hpp"

#include <utility>

namespace xlazy_bench {

void add_capture_cases(std::vector<Case>& all) {
    struct Body {
        const char *name, *title, *dtype;
        int operations;
        double fused_bytes, max_ulps;
    };
    const Body bodies[] = {{"polynomial", "iteration: polynomial", "f32", 20, 2 * 4.0, 8},
                           {"heat", "iteration: heat equation", "f64", 5, 2 * 8.0, 8},
                           {"black-scholes", "iteration: Black-Scholes", "f64", 54, 2 * 8.0, 64},
                           {"lstm", "iteration: gates of an LSTM cell", "f32", 20, 7 * 4.0, 64},
                           {"gradient", "iteration: conjugate gradients", "f64", 13, 8 * 8.0, 1 << 20}};
    const std::pair<std::size_t, const char*> sizes[] = {
        {10, "1e1"}, {100, "1e2"}, {1000, "1e3"}, {10000, "1e4"}, {100000, "1e5"}, {1000000, "1e6"}, {10000000, "1e7"}};
    for (const Body& body : bodies) {
        for (const auto& [size, name] : sizes) {
            Case c;
            c.job = std::string("b13.") + body.name;
            c.id = c.job + '.' + name;
            c.title = body.title;
            c.dtype = body.dtype;
            c.sizes = {size};
            if (size <= 10000) c.quick_sizes = {size};
            c.operations = body.operations;
            c.fused_bytes = c.op_by_op_bytes = body.fused_bytes;
            c.floor = 64.0;
            c.max_ulps = body.max_ulps;
            c.captured = true;
            c.kind = Kind::overhead;
            all.push_back(c);
        }
    }
}

}  // namespace xlazy_bench
