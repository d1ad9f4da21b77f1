// SPDX-License-Identifier: BSD-3-Clause
#include "driver/worker_process.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace xlazy_bench {
namespace {

std::runtime_error system_error(const std::string& what) {
    return std::runtime_error(what + ": " + std::strerror(errno));
}

cpu_set_t usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) throw system_error("sched_getaffinity");
    return set;
}

/// In the child: becomes the worker.
[[noreturn]] void become(const WorkerOptions& options, const std::vector<int>& bound, int in, int out) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int core : bound) CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
    const std::string threads = std::to_string(options.threads);
    setenv("OMP_NUM_THREADS", threads.c_str(), 1);
    setenv("XLAZY_NUM_THREADS", threads.c_str(), 1);
    setenv("OMP_PROC_BIND", "true", 1);
    setenv("OMP_PLACES", "cores", 1);
    setenv("OMP_DYNAMIC", "false", 1);
    execl(options.program.c_str(), options.program.c_str(), static_cast<char*>(nullptr));
    _exit(127);
}

}  // namespace

int core_count() {
    const cpu_set_t set = usable_cores();
    return CPU_COUNT(&set);
}

std::vector<int> cores(int count) {
    const cpu_set_t set = usable_cores();
    std::vector<int> result;
    for (int core = 0; core < CPU_SETSIZE && static_cast<int>(result.size()) < count; ++core)
        if (CPU_ISSET(core, &set)) result.push_back(core);
    if (static_cast<int>(result.size()) < count)
        throw std::invalid_argument("more threads than cores: " + std::to_string(count));
    return result;
}

WorkerProcess::WorkerProcess(const WorkerOptions& options) : program_(options.program) {
    const std::vector<int> bound = cores(options.threads);
    int down[2], up[2];
    if (pipe2(down, O_CLOEXEC) != 0) throw system_error("pipe2");
    if (pipe2(up, O_CLOEXEC) != 0) throw system_error("pipe2");
    process_ = fork();
    if (process_ < 0) throw system_error("fork");
    if (process_ == 0) become(options, bound, down[0], up[1]);
    close(down[0]);
    close(up[1]);
    to_ = down[1];
    from_ = up[0];
}

WorkerProcess::~WorkerProcess() {
    close(to_);  // the worker ends with its input
    close(from_);
    int status = 0;
    waitpid(process_, &status, 0);
}

std::string WorkerProcess::ask(const std::string& command) {
    const std::string line = command + '\n';
    if (write(to_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        throw std::runtime_error(program_ + " does not run");
    std::size_t end = 0;
    while ((end = buffer_.find('\n')) == std::string::npos) {
        char part[4096];
        const ssize_t count = read(from_, part, sizeof part);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) throw std::runtime_error(program_ + " ended during: " + command);
        buffer_.append(part, static_cast<std::size_t>(count));
    }
    std::string answer = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    if (answer.rfind("error ", 0) == 0) throw std::runtime_error(answer.substr(6));
    return answer;
}

bool WorkerProcess::open(const std::string& job, const std::vector<std::size_t>& sizes) {
    std::string command = "open " + job;
    for (const std::size_t size : sizes) command += ' ' + std::to_string(size);
    std::istringstream words(ask(command));
    std::string word;
    words >> word;
    opening_.clear();
    for (double time = 0; words >> time;) opening_.push_back(time);
    return word != "missing";
}

std::vector<double> WorkerProcess::turn(double budget, int count) {
    return times("turn " + std::to_string(budget) + ' ' + std::to_string(count));
}

std::vector<double> WorkerProcess::go_on(double budget, int count) {
    return times("early " + std::to_string(budget) + ' ' + std::to_string(count));
}

std::vector<double> WorkerProcess::times(const std::string& command) {
    std::istringstream words(ask(command));
    std::string word;
    words >> word;
    std::vector<double> times;
    for (double time = 0; words >> time;) times.push_back(time);
    if (word != "times" || times.empty()) throw std::runtime_error(program_ + ": no times");
    return times;
}

WorkerProcess::Result WorkerProcess::result() {
    const int file = memfd_create("xlazy-bench", 0);
    if (file < 0) throw system_error("memfd_create");
    // The worker opens the file through this process.
    const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file);
    try {
        std::istringstream words(ask("result " + path));
        std::string word, type;
        std::size_t count = 0;
        words >> word >> count >> type;
        Result result;
        result.single = type == "single";
        result.values.resize(count);
        const std::size_t bytes = count * sizeof(double);
        if (pread(file, result.values.data(), bytes, 0) != static_cast<ssize_t>(bytes))
            throw std::runtime_error(program_ + ": result is incomplete");
        close(file);
        return result;
    } catch (...) {
        close(file);
        throw;
    }
}

double WorkerProcess::memory() { return number("memory"); }
double WorkerProcess::runs() { return number("runs"); }

double WorkerProcess::number(const std::string& command) {
    std::istringstream words(ask(command));
    std::string word;
    double value = 0;
    words >> word >> value;
    return value;
}

}  // namespace xlazy_bench
