// SPDX-License-Identifier: BSD-3-Clause
// Entries in one file, to be carried to other machines: a tar archive, compressed with zstd, of the files as they are.
#pragma once

#include "xlazy/jit-cache/directory.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace xlazy::jc {

struct BundleError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Exported {
    std::uint64_t entries = 0, bytes = 0, damaged = 0;
};
/// All kernels of the directory. The file is there whole or not at all.
/// @throws BundleError
Exported export_bundle(const Directory& directory, const std::string& file);

struct Imported {
    std::uint64_t entries = 0, bytes = 0, present = 0, damaged = 0;
};
/// Takes every entry that is whole and stands under its own name; those that are there already stay as they are.
/// @throws BundleError where the file is no bundle or ends early, or where the directory cannot be written
Imported import_bundle(const Directory& directory, const std::string& file);

}  // namespace xlazy::jc
