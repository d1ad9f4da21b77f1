// SPDX-License-Identifier: BSD-3-Clause
#include "driver/stats_file.hpp"

#include <nlohmann/json.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace xlazy_bench {

StatsFile::StatsFile() : file_(memfd_create("xlazy-stats", MFD_CLOEXEC)) {
    if (file_ < 0) throw std::runtime_error(std::string("memfd_create: ") + std::strerror(errno));
}

StatsFile::~StatsFile() { close(file_); }

std::string StatsFile::path() const { return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_); }

std::optional<double> StatsFile::read(const std::string& name) const {
    std::ifstream stream(path());
    const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
    if (!json.is_object() || !json.contains(name)) return std::nullopt;
    return json[name].get<double>();
}

}  // namespace xlazy_bench
