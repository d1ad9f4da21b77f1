// SPDX-License-Identifier: BSD-3-Clause
#include "free_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace xlazy::rt {
namespace {

/// The number in a file that has nothing else; nothing for "max" and for missing files.
std::optional<std::uint64_t> number_in(const std::string& file) {
    std::ifstream in(file);
    std::uint64_t value = 0;
    if (in >> value) return value;
    return std::nullopt;
}

/// The number after a key, in a file of lines "key number".
std::optional<std::uint64_t> value_of(const std::string& file, const std::string& key) {
    std::ifstream in(file);
    std::string line;
    while (std::getline(in, line)) {
        std::istringstream words(line);
        std::string word;
        std::uint64_t value = 0;
        if (words >> word && word == key && words >> value) return value;
    }
    return std::nullopt;
}

struct GroupFiles {
    const char *limit, *usage, *cache;
};
constexpr GroupFiles kVersion1{"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"};
constexpr GroupFiles kVersion2{"/memory.max", "/memory.current", "inactive_file"};

/// What a group and the groups around it still allow.
std::uint64_t allowed(const std::string& mount, std::string path, const GroupFiles& files) {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    while (true) {
        const std::string folder = mount + path;
        const auto limit = number_in(folder + files.limit), usage = number_in(folder + files.usage);
        if (limit && usage) {
            const std::uint64_t cache = value_of(folder + "/memory.stat", files.cache).value_or(0);
            const std::uint64_t used = *usage - std::min(*usage, cache);
            least = std::min(least, *limit - std::min(*limit, used));
        }
        const std::size_t slash = path.rfind('/');
        if (slash == std::string::npos) return least;
        path.resize(slash);
    }
}

/// Over the groups that /proc/self/cgroup names: lines "number:controllers:path". In a container the path may be that
/// of the host; the mounted root is the process's own group then, and is looked at in any case.
std::uint64_t allowed_by_groups(const std::string& root) {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::ifstream in(root + "/proc/self/cgroup");
    std::string line;
    while (std::getline(in, line)) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        std::string path = line.substr(second + 1);
        if (path == "/") path.clear();
        if (controllers.empty())
            least = std::min(least, allowed(root + "/sys/fs/cgroup", path, kVersion2));
        else if (("," + controllers + ",").find(",memory,") != std::string::npos)
            least = std::min(least, allowed(root + "/sys/fs/cgroup/memory", path, kVersion1));
    }
    return least;
}

}  // namespace

std::uint64_t free_memory(const std::string& root) {
    const auto kilobytes = value_of(root + "/proc/meminfo", "MemAvailable:");
    const std::uint64_t machine = kilobytes ? *kilobytes * 1024 : std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t least = std::min(machine, allowed_by_groups(root));
    return least == std::numeric_limits<std::uint64_t>::max() ? 0 : least;
}

}  // namespace xlazy::rt
