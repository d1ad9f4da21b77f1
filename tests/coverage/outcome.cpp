// SPDX-License-Identifier: BSD-3-Clause
#include "outcome.hpp"

#include "xlazy/runtime.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace coverage {

namespace {

using Function = std::pair<std::string, std::string>;  ///< header, name

class StatisticsWatch final : public Watch {
public:
    void start() override { before = xlazy::stats(); }
    void stop() override { after = xlazy::stats(); }
    xlazy::statistics before, after;
};

/// The keys that have grown.
std::vector<std::string> grown(const std::map<std::string, std::uint64_t>& before,
                               const std::map<std::string, std::uint64_t>& after) {
    std::vector<std::string> keys;
    for (const auto& [key, count] : after) {
        const auto old = before.find(key);
        if (count != (old == before.end() ? 0 : old->second)) keys.push_back(key);
    }
    return keys;
}

std::string joined(const std::vector<std::string>& words, const char* separator = ", ") {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : separator) + word;
    return text;
}

/// A word of the statistics that is no type's mangled or spelled-out name.
std::string short_name(const std::string& name) { return name.substr(0, name.find_first_of("<(")); }

Outcome classify(const StatisticsWatch& watch) {
    const auto& [before, after] = std::pair(watch.before, watch.after);
    const auto fallbacks = grown(before.fallbacks, after.fallbacks);
    const auto flushes = grown(before.flushes, after.flushes);
    const bool statements = after.statements_recorded != before.statements_recorded;
    if (!fallbacks.empty()) {
        std::set<std::string> names;
        for (const auto& name : fallbacks) names.insert(short_name(name));
        return {State::FallsBack, joined({names.begin(), names.end()}), {}};
    }
    if (flushes.empty()) return {statements ? State::Recorded : State::Nothing, "", {}};
    const bool one_value =
        std::all_of(flushes.begin(), flushes.end(), [](const auto& why) { return why == "element"; });
    if (statements && one_value) return {State::ReadAtOnce, "", {}};
    return {State::Reads, joined(flushes), {}};
}

std::vector<Function> functions_of(const std::string& list) {
    std::ifstream file(list);
    if (!file) throw std::runtime_error("cannot read " + list);
    std::vector<Function> functions;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        const auto space = line.find(' ');
        functions.emplace_back(line.substr(0, space), line.substr(space + 1));
    }
    return functions;
}

std::map<Function, std::vector<const Call*>> calls_by_function() {
    std::map<Function, std::vector<const Call*>> calls;
    for (const auto& call : registry()) calls[{call.header, call.function}].push_back(&call);
    return calls;
}

std::string words_of(State state, const std::string& detail) {
    switch (state) {
        case State::Recorded: return "recorded";
        case State::ReadAtOnce: return "recorded, read at once";
        case State::FallsBack: return "falls back (" + detail + ")";
        case State::Reads: return "reads (" + detail + ")";
        case State::Nothing: return "nothing to record";
        case State::Refused: return "refused: " + detail;
    }
    return "";
}

/// The state of a function is that of its worst form.
struct Row {
    State state = State::Nothing;
    std::string text;
    std::vector<std::string> tests;
};

int severity(State state) {
    constexpr State kOrder[] = {State::Nothing, State::Recorded,  State::ReadAtOnce,
                                State::Reads,   State::FallsBack, State::Refused};
    return static_cast<int>(std::find(std::begin(kOrder), std::end(kOrder), state) - std::begin(kOrder));
}

Row row_of(const std::vector<const Call*>& calls) {
    Row row;
    std::map<std::string, std::vector<std::string>> forms;  // by what becomes of them
    for (const Call* call : calls) {
        const Outcome outcome = run_call(*call);
        forms[words_of(outcome.state, outcome.detail)].push_back(call->form);
        if (severity(outcome.state) > severity(row.state)) row.state = outcome.state;
        row.tests.push_back(call->form);
    }
    std::vector<std::string> parts;
    for (const auto& [words, names] : forms) parts.push_back(forms.size() == 1 ? words : words + ": " + joined(names));
    row.text = joined(parts, "; ");
    return row;
}

constexpr const char* kHead = R"(# Coverage

What becomes of xtensor's public functions. A test calls each of them on arrays whose values are still to be computed,
compares with xtensor alone, and reads off the statistics what happened. The list of functions is made from xtensor's
headers by tests/coverage/list_functions.py; `ctest -R coverage.HEADER.FORM` runs the test of a form.

- **recorded**: the call adds statements to the queue and nothing runs. *Read at once*: the caller gets a value of C++,
  or an array whose size depends on the elements, so what is needed runs then.
- **falls back**: xtensor computes it on data that is up to date; the statistics count it under the name in parentheses.
- **reads**: the elements are handed out, to an iterator or a file; the word is the key of the flush in the statistics.
- **nothing to record**: the call computes no elements.
- **refused**: it throws where xtensor does not.

A function is what its worst form is.

)";

}  // namespace

Outcome run_call(const Call& call) {
    StatisticsWatch watch;
    try {
        std::vector<programs::Result> results = call.run(watch);
        Outcome outcome = classify(watch);
        outcome.results = std::move(results);
        return outcome;
    } catch (const std::exception& error) {
        return {State::Refused, error.what(), {}};
    }
}

std::string page(const std::string& list) {
    const auto calls = calls_by_function();
    std::map<State, std::size_t> counts;
    std::ostringstream table;
    std::string header;
    for (const auto& function : functions_of(list)) {
        const auto found = calls.find(function);
        if (found == calls.end()) throw std::runtime_error(function.first + ' ' + function.second + " is never called");
        const Row row = row_of(found->second);
        ++counts[row.state];
        if (header != function.first) {
            header = function.first;
            table << "\n## " << header << "\n\n| function | | forms tested |\n|---|---|---|\n";
        }
        std::string name = function.second;
        for (auto bar = name.find('|'); bar != std::string::npos; bar = name.find('|', bar + 2)) name.insert(bar, "\\");
        table << "| `" << name << "` | " << row.text << " | " << joined(row.tests) << " |\n";
    }
    const std::size_t recorded = counts[State::Recorded] + counts[State::ReadAtOnce];
    const std::size_t all = recorded + counts[State::FallsBack] + counts[State::Reads] + counts[State::Refused];
    std::ostringstream text;
    text << kHead << "| | functions |\n|---|---|\n| recorded | " << recorded << " |\n| falls back | "
         << counts[State::FallsBack] << " |\n| reads | " << counts[State::Reads] << " |\n| refused | "
         << counts[State::Refused] << " |\n| nothing to record | " << counts[State::Nothing] << " |\n\nRecorded are "
         << recorded * 1000 / all / 10 << '.' << recorded * 1000 / all % 10 << " % of the " << all
         << " functions that compute or read elements.\n"
         << table.str();
    return text.str();
}

std::vector<std::string> strays(const std::string& list) {
    std::vector<std::string> found;
    auto calls = calls_by_function();
    for (const auto& function : functions_of(list)) {
        if (calls.erase(function) == 0) found.push_back("no call of " + function.first + ' ' + function.second);
    }
    for (const auto& [function, of_it] : calls) {
        found.push_back(function.first + ' ' + function.second + " is not in the list");
    }
    return found;
}

}  // namespace coverage
