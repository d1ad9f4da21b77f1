// SPDX-License-Identifier: BSD-3-Clause
#include "worker/worker.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace xlazy_bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kShortestTimed = 50e-6;  ///< seconds; shorter runs are timed several at once
constexpr double kRewarmed = 50e-3;       ///< seconds; longer runs do not gain by a warm cache

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Bytes of a line of /proc/self/status.
std::size_t status_bytes(const std::string& name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind(name + ":", 0) == 0) return std::stoull(line.substr(name.size() + 1)) * 1024;
    }
    return 0;
}

class Session {
public:
    explicit Session(const Cases& cases) : cases_(cases) {}

    std::string answer(const std::string& line) {
        std::istringstream words(line);
        std::string command;
        words >> command;
        if (command == "open") return open(words);
        if (command == "turn") return turn(words, last_ < kRewarmed);
        if (command == "early") return turn(words, false);
        if (command == "runs") return "runs " + std::to_string(runs_);
        if (command == "result") return result(words);
        if (command == "memory") return memory();
        throw std::invalid_argument("unknown command " + command);
    }

private:
    std::string open(std::istringstream& words) {
        std::string name;
        words >> name;
        Sizes sizes;
        for (std::size_t size; words >> size;) sizes.push_back(size);
        const auto found = cases_.find(name);
        if (found == cases_.end()) return "missing";
        job_ = Job();
        job_ = found->second(sizes);
        at_start_ = status_bytes("VmRSS");
        std::ofstream("/proc/self/clear_refs") << 5;  // the peak starts anew
        runs_at_once_ = 1;
        runs_ = 0;
        const double first = sample();
        // The second run finds memory and plans in place.
        const double second = first < 1.0 ? sample() : first;
        if (!job_.timed && second < kShortestTimed)
            runs_at_once_ = static_cast<int>(std::ceil(kShortestTimed / std::max(second, 1e-8)));
        std::ostringstream answer("ok", std::ios::ate);
        answer.precision(9);
        answer << ' ' << first << ' ' << second;
        return answer.str();
    }

    std::string turn(std::istringstream& words, bool rewarm) {
        double budget = 0;
        int count = 0;
        words >> budget >> count;
        if (rewarm) sample();
        std::ostringstream times("times", std::ios::ate);
        times.precision(9);
        const auto start = Clock::now();
        for (int i = 0; i < count && (i == 0 || seconds_since(start) < budget); ++i) times << ' ' << sample();
        return times.str();
    }

    double sample() {
        runs_ += static_cast<std::size_t>(runs_at_once_);
        if (job_.timed) return last_ = job_.timed();
        const auto start = Clock::now();
        for (int i = 0; i < runs_at_once_; ++i) job_.run();
        return last_ = seconds_since(start) / runs_at_once_;
    }

    std::string result(std::istringstream& words) {
        std::string path;
        words >> path;
        if (job_.result) ++runs_;
        const Values values = job_.result ? job_.result() : Values();
        std::ofstream file(path, std::ios::binary);
        file.write(reinterpret_cast<const char*>(values.values.data()),
                   static_cast<std::streamsize>(values.values.size() * sizeof(double)));
        if (!file.flush()) throw std::runtime_error("cannot write " + path);
        return "values " + std::to_string(values.values.size()) + (values.single ? " single" : " double");
    }

    std::string memory() const {
        const std::size_t peak = status_bytes("VmHWM");
        return "memory " + std::to_string(peak - std::min(peak, at_start_));
    }

    const Cases& cases_;
    Job job_;
    int runs_at_once_ = 1;
    std::size_t runs_ = 0;
    double last_ = 0;
    std::size_t at_start_ = 0;
};

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

}  // namespace

int serve(const Cases& cases) {
    Session session(cases);
    for (std::string line; std::getline(std::cin, line);) {
        std::string answer;
        try {
            answer = session.answer(line);
        } catch (const std::exception& e) {
            answer = std::string("error ") + e.what();
        }
        std::cout << one_line(answer) << std::endl;
    }
    return 0;
}

}  // namespace xlazy_bench
