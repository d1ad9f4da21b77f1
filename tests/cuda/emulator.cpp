// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/emulator.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace xlazy::test {

std::string EmulatedProgram::compile(const std::string& text) {
    std::string folder = (std::filesystem::temp_directory_path() / "xlazy-cuda-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) return "no temporary folder";
    const std::string source = folder + "/program.cpp", library = folder + "/program.so", log = folder + "/log";
    std::ofstream(source) << "#include \"" XLAZY_SOURCE_DIR "/tests/cuda/emulation.hpp\"\nnamespace program {\n"
                          << text << "}\n";
    const std::string command =
        fmt::format("'{}' " XLAZY_EMULATION_FLAGS " -o {} {} > {} 2>&1", XLAZY_TEST_CXX, library, source, log);
    std::string error;
    if (std::system(command.c_str()) != 0) {
        std::ostringstream out;
        out << std::ifstream(log).rdbuf();
        error = out.str().substr(0, 3000);
    } else {
        library_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) error = ::dlerror();
    }
    if (std::getenv("XLAZY_KEEP_CUDA_TEXT") == nullptr) std::filesystem::remove_all(folder);
    return error;
}

bool EmulatedProgram::launch(const be::CudaLaunch& launch) const {
    using Kernel = void (*)(const void*);
    using Launch = void (*)(Kernel, const void*, unsigned, unsigned, bool);
    const auto run = reinterpret_cast<Launch>(::dlsym(library_, "emulation_launch"));
    const auto kernel = reinterpret_cast<Kernel>(::dlsym(library_, launch.function.c_str()));
    if (run == nullptr || kernel == nullptr) return false;
    const void* const words = launch.words.data();
    run(kernel, launch.by_pointer ? &words : words, launch.blocks, launch.threads, launch.by_warps);
    return true;
}

EmulatedProgram::~EmulatedProgram() {
    if (library_ != nullptr) ::dlclose(library_);
}

}  // namespace xlazy::test
