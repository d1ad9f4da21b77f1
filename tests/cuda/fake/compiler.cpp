// SPDX-License-Identifier: BSD-3-Clause
// A library that pretends to be NVRTC: it has the host's compiler make a shared library of the text, behind the header
// that pretends to be a GPU. Code: the library's size, and its bytes.
#include "recorder.hpp"

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

struct Program {
    std::string text, log, code;
};

std::string contents(const std::string& file) {
    std::ostringstream out;
    out << std::ifstream(file, std::ios::binary).rdbuf();
    return out.str();
}

int call(const char* name) { return fake::Recorder::get().call(name); }

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
    *major = 12;
    *minor = 99;
    return call("nvrtcVersion");
}
int nvrtcGetNumSupportedArchs(int* count) {
    *count = 2;
    return 0;
}
int nvrtcGetSupportedArchs(int* all) {
    all[0] = 80;
    all[1] = 90;
    return 0;
}
int nvrtcCreateProgram(Program** program, const char* text, const char*, int, const char* const*, const char* const*) {
    *program = new Program{text, {}, {}};
    return call("nvrtcCreateProgram");
}
int nvrtcDestroyProgram(Program** program) {
    delete *program;
    return call("nvrtcDestroyProgram");
}
int nvrtcCompileProgram(Program* program, int, const char* const*) {
    if (const int result = call("nvrtcCompileProgram")) return result;
    std::string folder = (std::filesystem::temp_directory_path() / "xlazy-cuda-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) return 1;
    std::ofstream(folder + "/program.cpp") << "#include \"" XLAZY_EMULATION "\"\nnamespace program {\n"
                                           << program->text << "}\n";
    const std::string command = XLAZY_TEST_CXX " " XLAZY_EMULATION_FLAGS " -o " + folder + "/program.so " + folder +
                                "/program.cpp > " + folder + "/log 2>&1";
    const int status = std::system(command.c_str());
    program->log = contents(folder + "/log");
    const std::string library = contents(folder + "/program.so");
    const std::uint64_t size = library.size();
    program->code.assign(reinterpret_cast<const char*>(&size), sizeof size);
    program->code += library;
    std::filesystem::remove_all(folder);
    return status == 0 ? 0 : 6;
}
int nvrtcGetProgramLogSize(Program* program, std::size_t* size) {
    *size = program->log.size() + 1;
    return 0;
}
int nvrtcGetProgramLog(Program* program, char* log) {
    std::memcpy(log, program->log.c_str(), program->log.size() + 1);
    return 0;
}
int nvrtcGetCUBINSize(Program* program, std::size_t* size) {
    *size = program->code.size();
    return call("nvrtcGetCUBINSize");
}
int nvrtcGetCUBIN(Program* program, char* code) {
    std::memcpy(code, program->code.data(), program->code.size());
    return call("nvrtcGetCUBIN");
}
int nvrtcGetPTXSize(Program*, std::size_t*) { return 1; }
int nvrtcGetPTX(Program*, char*) { return 1; }
}
