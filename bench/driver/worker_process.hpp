// SPDX-License-Identifier: BSD-3-Clause
// The driver's end of a worker program.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace xlazy_bench {

struct WorkerOptions {
    std::string program;
    int threads = 1;  ///< bound to as many cores
    std::vector<std::pair<std::string, std::string>> environment;
};

/// The first `count` of the cores that this process may use.
/// @throws std::invalid_argument if there are fewer
std::vector<int> cores(int count);
int core_count();

/// A running worker; ends with this object. All members throw std::runtime_error with the worker's words if it fails.
class WorkerProcess {
public:
    explicit WorkerProcess(const WorkerOptions& options);
    ~WorkerProcess();
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    /// False if the worker does not have the case.
    bool open(const std::string& job, const std::vector<std::size_t>& sizes);
    /// Seconds of the runs that open() began with: one, or two.
    const std::vector<double>& opening() const { return opening_; }
    /// Seconds a run, of up to `count` runs within `budget` seconds, at least one.
    std::vector<double> turn(double budget, int count);
    /// The same without the untimed run that a turn begins with: what a program sees that just goes on.
    std::vector<double> go_on(double budget, int count);
    /// How often the case has run so far.
    double runs();
    struct Result {
        bool single = false;
        std::vector<double> values;
    };
    Result result();
    /// Peak of resident bytes above those after the inputs were made.
    double memory();

private:
    std::string ask(const std::string& command);
    std::vector<double> times(const std::string& command);
    double number(const std::string& command);

    std::string program_;
    pid_t process_ = -1;
    int to_ = -1;
    int from_ = -1;
    std::string buffer_;
    std::vector<double> opening_;
};

}  // namespace xlazy_bench
