// SPDX-License-Identifier: BSD-3-Clause
// xlazy-clang: clang that stays, so that a kernel does not pay for a compiler's start. Not inside the user's program:
// LLVM ends its process where it does not know how to go on, cannot be stopped, and dies of its own static objects
// where the program ends meanwhile. Ends when its standard input does. resident_compiler.hpp tells what it understands.
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/Version.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr const char* kSource = "kernel.c";
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

bool read_all(void* to, std::size_t count) {
    auto* next = static_cast<char*>(to);
    while (count != 0) {
        const ssize_t got = read(STDIN_FILENO, next, count);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        next += got;
        count -= static_cast<std::size_t>(got);
    }
    return true;
}

bool write_all(const void* from, std::size_t count) {
    const auto* next = static_cast<const char*>(from);
    while (count != 0) {
        const ssize_t put = write(STDIN_FILENO, next, count);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        next += put;
        count -= static_cast<std::size_t>(put);
    }
    return true;
}

bool read_text(std::string& text) {
    std::uint64_t size = 0;
    if (!read_all(&size, sizeof size) || size > kMostBytes) return false;
    text.resize(size);
    return read_all(text.data(), size);
}

bool answer(bool good, const char* bytes, std::size_t count) {
    const std::uint64_t head[]{good ? std::uint64_t{1} : 0, count};
    return write_all(head, sizeof head) && write_all(bytes, count);
}

/// @return whether it was compiled
bool compile(const std::string& source, const std::vector<std::string>& flags, llvm::SmallVectorImpl<char>& object,
             std::string& said) {
    llvm::raw_string_ostream messages(said);
    const llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
    const llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> diagnostics(new clang::DiagnosticsEngine(
        new clang::DiagnosticIDs, options.get(), new clang::TextDiagnosticPrinter(messages, options.get())));
    std::vector<const char*> arguments{"clang"};
    for (const std::string& flag : flags) arguments.push_back(flag.c_str());
    arguments.insert(arguments.end(), {"-c", "-o", "kernel.o", kSource});
    clang::CreateInvocationOptions create;
    create.Diags = diagnostics;
    const std::shared_ptr<clang::CompilerInvocation> invocation = clang::createInvocation(arguments, create);
    if (invocation == nullptr) return false;
    invocation->getPreprocessorOpts().addRemappedFile(kSource,
                                                      llvm::MemoryBuffer::getMemBufferCopy(source, kSource).release());
    invocation->getFrontendOpts().DisableFree = false;  // we stay
    clang::CompilerInstance compiler;
    compiler.setInvocation(invocation);
    compiler.setDiagnostics(diagnostics.get());
    compiler.setVerboseOutputStream(messages);
    compiler.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(object));
    clang::EmitObjAction action;
    return compiler.ExecuteAction(action);
}

int serve() {
    // Nobody's child: a program that waits for all its children must not wait for us.
    const pid_t child = fork();
    if (child != 0) return child < 0 ? 1 : 0;
    std::signal(SIGPIPE, SIG_IGN);
    if (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr)
        return 1;
    const auto process = static_cast<std::uint64_t>(getpid());
    if (!write_all(&process, sizeof process)) return 1;
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();  // for inline assembly
    for (std::uint64_t count = 0; read_all(&count, sizeof count);) {
        constexpr std::uint64_t kMostTexts = 10'000;
        if (count == 0 || count > kMostTexts) return 1;
        std::vector<std::string> texts(count);
        for (std::string& text : texts) {
            if (!read_text(text)) return 1;
        }
        const std::string source = std::move(texts.back());
        texts.pop_back();
        llvm::SmallVector<char, 0> object;
        std::string said;
        const bool good = compile(source, texts, object, said);
        if (!(good ? answer(true, object.data(), object.size()) : answer(false, said.data(), said.size()))) return 1;
    }
    return 0;
}

}  // namespace

int main(int count, char** words) {
    if (count == 2 && std::strcmp(words[1], "--serve") == 0) return serve();
    std::printf("%s\n", clang::getClangFullVersion().c_str());
    return 0;
}
