// SPDX-License-Identifier: BSD-3-Clause
#include "driver/catalog.hpp"

#include <stdexcept>

namespace xlazy_bench {
namespace {

Case overhead(const std::string& id, const std::string& job, const std::string& title, std::vector<std::size_t> sizes,
              int operations) {
    Case c;
    c.id = "b10." + id;
    c.job = "b10." + job;
    c.title = title;
    c.dtype = "f64";
    c.quick_sizes = c.sizes = std::move(sizes);
    c.operations = operations;
    c.floor = 1.0;
    c.max_ulps = 8;
    c.kind = Kind::overhead;
    return c;
}

Case record(const std::string& name, double operations, double arrays, double views, double numbers) {
    Case c = overhead("record." + name, "record." + name, "record a statement of " + name, {1}, 1);
    c.operations = static_cast<int>(operations);
    c.kind = Kind::cost;
    c.counts = {1, operations, arrays, views, numbers};
    return c;
}

Case flush(std::size_t kernels, std::size_t instructions) {
    const std::string name = "flush." + std::to_string(kernels) + "x" + std::to_string(instructions);
    Case c = overhead(name, "flush", "flush a known batch of kernels x instructions", {kernels, instructions},
                      static_cast<int>(kernels * instructions));
    c.kind = Kind::cost;
    c.counts = {1, static_cast<double>(kernels * instructions), static_cast<double>(kernels)};
    return c;
}

}  // namespace

void add_overhead_cases(std::vector<Case>& all) {
    all.push_back(record("0ops-1view", 0, 0, 1, 0));
    all.push_back(record("4ops-1array", 4, 1, 0, 0));
    all.push_back(record("1op-1array-1number", 1, 1, 0, 1));
    all.push_back(record("1op-2arrays", 1, 2, 0, 0));
    all.push_back(record("4ops-1array-4numbers", 4, 1, 0, 4));
    all.push_back(record("4ops-5arrays", 4, 5, 0, 0));
    all.push_back(record("8ops-1array-8numbers", 8, 1, 0, 8));
    all.push_back(record("8ops-9arrays", 8, 9, 0, 0));
    all.push_back(record("1op-1view-1number", 1, 0, 1, 1));
    all.push_back(record("1op-2views", 1, 0, 2, 0));
    all.push_back(record("3ops-4views", 3, 0, 4, 0));
    for (const auto& [kernels, instructions] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {1, 10}, {1, 100}, {10, 1}, {10, 10}, {100, 1}})
        all.push_back(flush(kernels, instructions));
    all.push_back(overhead("hundred", "statements", "100 statements on 10 elements, then a read", {10, 100}, 100));
    all.push_back(overhead("read-at-once", "statements", "a statement whose result is read at once", {10, 1}, 1));
    for (const std::string name : {"same", "mixed"}) {
        Case rows = overhead("rows." + name, "rows." + name, "plan a batch of 4000 row views, " + name, {4000}, 4000);
        rows.kind = Kind::cost;
        all.push_back(rows);
    }
    for (const std::size_t size : {1u, 10u, 100u, 1000u, 4000u, 10000u, 100000u, 1000000u, 10000000u}) {
        const std::string text = std::to_string(size);
        for (const std::string name : {"ten-statements", "one-statement"}) {
            Case c = overhead(name + '.' + text, name, "ten operations as " + name, {size}, 10);
            if (size > 100000) c.quick_sizes.clear();
            all.push_back(c);
        }
    }
    for (const std::string loop : {"read", "iterate", "stencil", "write"}) {
        Case c = overhead("access." + loop, "access." + loop, "loop over elements: " + loop, {1000}, 0);
        c.quick_sizes = {100};
        all.push_back(c);
    }
}

const std::vector<CostName>& cost_names(const std::string& family) {
    static const std::vector<CostName> record = {{"record a statement", 100e-9},
                                                 {"an operation", 30e-9},
                                                 {"an array operand", 60e-9},
                                                 {"a view operand", 60e-9},
                                                 {"a number operand", 0}};
    static const std::vector<CostName> flush = {
        {"flush a known batch", 2e-6}, {"an instruction", 20e-9}, {"a kernel", 200e-9}};
    if (family == "b10.record.") return record;
    if (family == "b10.flush.") return flush;
    throw std::invalid_argument("no such family of costs: " + family);
}

}  // namespace xlazy_bench
