// SPDX-License-Identifier: BSD-3-Clause
// Where a worker that uses xlazy leaves its statistics when it ends.
#pragma once

#include <optional>
#include <string>

namespace xlazy_bench {

/// A file without a name; goes away with the object. @throws std::runtime_error if the system has none
class StatsFile {
public:
    StatsFile();
    ~StatsFile();
    StatsFile(const StatsFile&) = delete;
    StatsFile& operator=(const StatsFile&) = delete;

    /// For XLAZY_STATS of a process that ends before this object does.
    std::string path() const;
    /// A number among the statistics; nothing if the process left none.
    std::optional<double> read(const std::string& name) const;

private:
    int file_;
};

}  // namespace xlazy_bench
