// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/frontend/statements.hpp"

#include <exception>

namespace xlazy::fuzz::XLAZY_FUZZ_LIBRARY {
namespace {

const std::vector<Statement>& statements() {
    static const std::vector<Statement> table = [] {
        std::vector<Statement> all = value_statements();
        for (const Statement& one : array_statements()) all.push_back(one);
        for (const Statement& one : layout_statements()) all.push_back(one);
        for (const Statement& one : type_statements()) all.push_back(one);
        return all;
    }();
    return table;
}

}  // namespace

#ifndef XLAZY_FUZZ_STOCK
const std::vector<std::string>& statement_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> found;
        for (const Statement& one : statements()) found.emplace_back(one.name);
        return found;
    }();
    return names;
}
#endif

__attribute__((visibility("default"))) Trace run(const Setup& setup, const std::vector<Call>& calls) {
    Trace trace;
    World world(setup, trace);
    for (const Call& call : calls) {
        world.random = Random(call.seed);
        try {
            statements()[call.statement].run(world);
            if (world.random.percent(15)) world.show_some();
        } catch (const std::exception& error) {
            world.show_text("exception", error.what());
        }
        ++world.call;
    }
    world.show_all();
    return trace;
}

}  // namespace xlazy::fuzz::XLAZY_FUZZ_LIBRARY
