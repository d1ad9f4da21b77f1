// SPDX-License-Identifier: BSD-3-Clause
#include "maths/source.hpp"

#include <algorithm>
#include <vector>

namespace xlazy::be {
namespace maths_files {

extern const char dialect_gnu[], dialect_cuda[];
#define XLAZY_MATHS_FILE(name, needs) extern const char name[];
#include "math/functions.def"

}  // namespace maths_files
namespace {

struct File {
    std::string_view name, needs;
    const char* text;
};
constexpr File kFiles[] = {
#define XLAZY_MATHS_FILE(name, needs) {#name, needs, maths_files::name},
#include "math/functions.def"
};
constexpr std::size_t kFileCount = std::size(kFiles);

std::size_t file_named(std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(kFiles, name, &File::name) - kFiles);
}

/// The name of the file that has the op; empty if none.
std::string_view file_of(bc::Op op) noexcept {
    switch (op) {
#define XLAZY_MATHS(id, arity, file) \
    case bc::Op::id: return #file;
#include "math/functions.def"
        default: return {};
    }
}

void want(std::string_view name, std::vector<bool>& wanted) {
    const std::size_t file = file_named(name);
    if (file == kFileCount || wanted[file]) return;
    wanted[file] = true;
    for (std::string_view rest = kFiles[file].needs; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        want(rest.substr(0, end), wanted);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

}  // namespace

bool has_maths_text(bc::Op op) noexcept { return !file_of(op).empty(); }

bool has_maths_text(bc::Op op, bc::DType type) noexcept {
    if (!bc::is_complex(type)) return bc::is_float(type) && has_maths_text(op);
    switch (op) {
#define XLAZY_COMPLEX_MATHS(id, arity, result) case bc::Op::id:
#include "math/functions.def"
        return true;
        default: return false;
    }
}

std::string_view maths_dialect(MathsDialect dialect) noexcept {
    return dialect == MathsDialect::gnu ? maths_files::dialect_gnu : maths_files::dialect_cuda;
}

std::string maths_text(std::span<const bc::Op> ops, bool complex) {
    std::vector<bool> wanted(kFileCount);
    if (complex) want("complex", wanted);
    for (const bc::Op op : ops) want(file_of(op), wanted);
    std::string text;
    for (std::size_t file = 0; file < kFileCount; ++file)
        if (wanted[file]) text += kFiles[file].text;
    return text;
}

}  // namespace xlazy::be
