// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/jit-cache/directory.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace xlazy::jc {

Place default_place() {
    const auto value = [](const char* variable) {
        const char* text = std::getenv(variable);
        return std::string(text != nullptr ? text : "");
    };
    if (const std::string chosen = value("XLAZY_CACHE_DIR"); !chosen.empty()) {
        std::error_code error;
        const std::filesystem::path path = std::filesystem::absolute(chosen, error);
        return {error ? chosen : path.string(), "XLAZY_CACHE_DIR"};
    }
    // A relative path is to be ignored, says the XDG Base Directory Specification.
    if (const std::string cache = value("XDG_CACHE_HOME"); cache.starts_with('/')) {
        return {cache + "/xlazy", "XDG_CACHE_HOME"};
    }
    if (const std::string home = value("HOME"); home.starts_with('/')) return {home + "/.cache/xlazy", "HOME"};
    return {{}, "neither XLAZY_CACHE_DIR nor XDG_CACHE_HOME nor HOME is set"};
}

}  // namespace xlazy::jc
