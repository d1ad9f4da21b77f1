// SPDX-License-Identifier: BSD-3-Clause
// The list of calls. No xtensor here: both builds of the calls and the test that compares them share it.
#pragma once

#include "frontend/programs/result.hpp"

namespace coverage {

/// Is told when a call starts, and when it has its value: elements are read after that.
class Watch {
public:
    virtual void start() {}
    virtual void stop() {}
    virtual ~Watch() = default;
};

struct Call {
    std::string header, function, form;
    std::vector<programs::Result> (*run)(Watch&);
};

/// The calls of this build.
inline std::vector<Call>& registry() {
    static std::vector<Call> all;
    return all;
}

struct Registration {
    explicit Registration(Call call) { registry().push_back(std::move(call)); }
};

/// The same calls compiled against xtensor alone, in a library of its own.
__attribute__((visibility("default"))) const std::vector<Call>& stock_registry();

}  // namespace coverage
