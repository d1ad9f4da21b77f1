// SPDX-License-Identifier: BSD-3-Clause
#include "jit/loader.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace xlazy::be::jit {

namespace {

constexpr std::size_t kStubBytes = 16, kGotBytes = 8;
constexpr std::size_t kMaxModuleBytes = std::size_t{64} << 20;
constexpr std::size_t kNotLoaded = std::numeric_limits<std::size_t>::max();

// Never leaves load_object.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <typename... Arguments>
[[noreturn]] void refuse(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    throw Refused(fmt::format(text, std::forward<Arguments>(arguments)...));
}

std::size_t round_up(std::size_t value, std::size_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

// Copies, since the file's tables need not be aligned in memory.
template <typename T>
std::vector<T> table(std::span<const std::byte> file, std::uint64_t offset, std::uint64_t bytes) {
    if (offset > file.size() || bytes > file.size() - offset || bytes % sizeof(T) != 0) refuse("a table lies outside");
    std::vector<T> result(bytes / sizeof(T));
    std::memcpy(result.data(), file.data() + offset, bytes);
    return result;
}

}  // namespace

// One load: places the sections, resolves the symbols, applies the relocations.
struct ModuleBuilder {
    ModuleBuilder(std::span<const std::byte> object, const SymbolResolver& resolver)
        : file(object), resolve(resolver) {}

    std::shared_ptr<const Module> build();

private:
    struct Symbol {
        std::string_view name;
        std::uintptr_t address = 0;
        bool foreign = false;
        std::size_t stub = kNotLoaded, got = kNotLoaded;  // offsets in the module
    };

    void read_tables();
    std::string_view text_at(const std::vector<char>& texts, std::uint64_t offset) const;
    bool wanted(const Elf64_Shdr& section) const;
    void place_sections();
    void map();
    void resolve_symbols();
    void relocate(const Elf64_Shdr& relocations);
    void apply(const Elf64_Rela& relocation, std::size_t place, std::size_t room);
    std::uintptr_t stub_of(Symbol& symbol);
    std::uintptr_t got_of(Symbol& symbol);
    void protect();
    std::uintptr_t base() const { return reinterpret_cast<std::uintptr_t>(module->memory_); }

    std::span<const std::byte> file;
    const SymbolResolver& resolve;
    std::vector<Elf64_Shdr> sections;
    std::vector<char> section_names, symbol_names;
    std::vector<Elf64_Sym> raw_symbols;
    std::vector<Symbol> symbols;
    std::vector<std::size_t> placed;  // a section's offset in the module
    std::size_t next_stub = 0, constant_end = 0, end = 0;
    std::shared_ptr<Module> module;
};

std::shared_ptr<const Module> ModuleBuilder::build() {
    read_tables();
    place_sections();
    map();
    resolve_symbols();
    for (const Elf64_Shdr& section : sections) {
        if (section.sh_type == SHT_RELA || section.sh_type == SHT_REL) relocate(section);
    }
    protect();
    return module;
}

void ModuleBuilder::read_tables() {
    Elf64_Ehdr header;
    if (file.size() < sizeof header) refuse("no object file");
    std::memcpy(&header, file.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_REL) {
        refuse("no object file");
    }
    if (header.e_machine != EM_X86_64) refuse("an object for another machine");
    if (header.e_shentsize != sizeof(Elf64_Shdr)) refuse("section headers of another size");
    sections = table<Elf64_Shdr>(file, header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
    const auto names_of = [&](std::uint64_t index) {
        if (index >= sections.size()) refuse("a table of names is missing");
        return table<char>(file, sections[index].sh_offset, sections[index].sh_size);
    };
    section_names = names_of(header.e_shstrndx);
    for (const Elf64_Shdr& section : sections) {
        if (section.sh_type != SHT_SYMTAB) continue;
        raw_symbols = table<Elf64_Sym>(file, section.sh_offset, section.sh_size);
        symbol_names = names_of(section.sh_link);
    }
}

std::string_view ModuleBuilder::text_at(const std::vector<char>& texts, std::uint64_t offset) const {
    if (offset >= texts.size()) refuse("a name lies outside");
    const auto end_of_text = std::find(texts.begin() + static_cast<std::ptrdiff_t>(offset), texts.end(), '\0');
    if (end_of_text == texts.end()) refuse("a name has no end");
    return {texts.data() + offset, static_cast<std::size_t>(end_of_text - texts.begin()) - offset};
}

bool ModuleBuilder::wanted(const Elf64_Shdr& section) const {
    if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_size == 0 || section.sh_type == SHT_NOTE) return false;
    // No exception passes through a kernel.
    const std::string_view name = text_at(section_names, section.sh_name);
    if (name == ".eh_frame") return false;
    if ((section.sh_flags & SHF_TLS) != 0) refuse("thread-local data");
    if (section.sh_type == SHT_INIT_ARRAY || section.sh_type == SHT_FINI_ARRAY ||
        section.sh_type == SHT_PREINIT_ARRAY || name.starts_with(".ctors")) {
        refuse("code that runs at the start");
    }
    return true;
}

// Code and constants first, then what can be written, on pages of its own.
void ModuleBuilder::place_sections() {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    placed.assign(sections.size(), kNotLoaded);
    for (const bool writable : {false, true}) {
        for (std::size_t index = 0; index < sections.size(); ++index) {
            const Elf64_Shdr& section = sections[index];
            if (!wanted(section) || ((section.sh_flags & SHF_WRITE) != 0) != writable) continue;
            const std::uint64_t alignment = std::max<std::uint64_t>(section.sh_addralign, 1);
            if (!std::has_single_bit(alignment) || alignment > page) refuse("an alignment of {} bytes", alignment);
            if (section.sh_size > kMaxModuleBytes) refuse("a section of {} bytes", section.sh_size);
            placed[index] = round_up(end, alignment);
            end = placed[index] + section.sh_size;
            if (end > kMaxModuleBytes) refuse("more than {} bytes", kMaxModuleBytes);
        }
        if (!writable) {
            // A stub and a slot of the global offset table for every symbol: few have one, most objects have few.
            next_stub = round_up(end, kStubBytes);
            constant_end = end = round_up(next_stub + raw_symbols.size() * (kStubBytes + kGotBytes), page);
        }
    }
    end = round_up(end, page);
}

void ModuleBuilder::map() {
    void* const memory = mmap(nullptr, end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) refuse("no memory for code: {}", std::generic_category().message(errno));
    module.reset(new Module);
    module->memory_ = static_cast<std::byte*>(memory);
    module->bytes_ = end;
    for (std::size_t index = 0; index < sections.size(); ++index) {
        const Elf64_Shdr& section = sections[index];
        if (placed[index] == kNotLoaded || section.sh_type == SHT_NOBITS) continue;
        if (section.sh_offset > file.size() || section.sh_size > file.size() - section.sh_offset) {
            refuse("a section lies outside");
        }
        std::memcpy(module->memory_ + placed[index], file.data() + section.sh_offset, section.sh_size);
    }
}

void ModuleBuilder::resolve_symbols() {
    symbols.resize(raw_symbols.size());
    for (std::size_t index = 1; index < raw_symbols.size(); ++index) {
        const Elf64_Sym& raw = raw_symbols[index];
        Symbol& symbol = symbols[index];
        symbol.name = text_at(symbol_names, raw.st_name);
        const unsigned type = ELF64_ST_TYPE(raw.st_info), binding = ELF64_ST_BIND(raw.st_info);
        if (type == STT_TLS || type == STT_GNU_IFUNC) refuse("{}: an unsupported kind of symbol", symbol.name);
        if (raw.st_shndx == SHN_UNDEF) {
            symbol.foreign = true;  // looked up when it is used: some are only named
        } else if (raw.st_shndx == SHN_ABS) {
            symbol.address = raw.st_value;
        } else if (raw.st_shndx >= sections.size()) {
            refuse("{}: a symbol in no section", symbol.name);
        } else if (placed[raw.st_shndx] != kNotLoaded) {
            if (raw.st_value > sections[raw.st_shndx].sh_size) refuse("{}: a symbol outside", symbol.name);
            symbol.address = base() + placed[raw.st_shndx] + raw.st_value;
            if (binding != STB_LOCAL) {
                module->symbols_.emplace_back(symbol.name, reinterpret_cast<void*>(symbol.address));
            }
        }
    }
}

std::uintptr_t ModuleBuilder::stub_of(Symbol& symbol) {
    if (symbol.stub == kNotLoaded) {
        symbol.stub = next_stub;
        next_stub += kStubBytes;
        // jmp *0(%rip), and the address behind it
        constexpr std::array<unsigned char, 6> kJump{0xff, 0x25, 0, 0, 0, 0};
        std::memcpy(module->memory_ + symbol.stub, kJump.data(), kJump.size());
        std::memcpy(module->memory_ + symbol.stub + kJump.size(), &symbol.address, sizeof symbol.address);
    }
    return base() + symbol.stub;
}

std::uintptr_t ModuleBuilder::got_of(Symbol& symbol) {
    if (symbol.got == kNotLoaded) {
        symbol.got = next_stub;
        next_stub += kGotBytes;
        std::memcpy(module->memory_ + symbol.got, &symbol.address, sizeof symbol.address);
    }
    return base() + symbol.got;
}

void ModuleBuilder::relocate(const Elf64_Shdr& relocations) {
    const std::size_t target = relocations.sh_info;
    if (target >= sections.size() || placed[target] == kNotLoaded) return;
    if (relocations.sh_type == SHT_REL) refuse("relocations without addends");
    for (const Elf64_Rela& relocation : table<Elf64_Rela>(file, relocations.sh_offset, relocations.sh_size)) {
        const std::uint64_t size = sections[target].sh_size;
        if (relocation.r_offset >= size) refuse("a relocation outside");
        apply(relocation, placed[target] + relocation.r_offset, size - relocation.r_offset);
    }
}

void ModuleBuilder::apply(const Elf64_Rela& relocation, std::size_t place, std::size_t room) {
    const std::size_t index = ELF64_R_SYM(relocation.r_info);
    const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(relocation.r_info));
    if (type == R_X86_64_NONE) return;
    if (index >= symbols.size()) refuse("a relocation without a symbol");
    Symbol& symbol = symbols[index];
    if (symbol.foreign && symbol.address == 0) {
        const std::string name(symbol.name);
        symbol.address = reinterpret_cast<std::uintptr_t>(resolve(name.c_str()));
        if (symbol.address == 0) refuse("unknown function {}", name);
    }
    const std::uintptr_t here = base() + place;
    const auto put = [&](auto value) {
        if (sizeof value > room) refuse("a relocation outside");
        std::memcpy(module->memory_ + place, &value, sizeof value);
    };
    const auto distance = [&](std::uintptr_t address) {
        return static_cast<std::int64_t>(address + static_cast<std::uint64_t>(relocation.r_addend) - here);
    };
    const auto put_distance = [&](std::uintptr_t address) {
        const std::int64_t value = distance(address);
        if (value != static_cast<std::int32_t>(value)) refuse("{} is too far away", symbol.name);
        put(static_cast<std::int32_t>(value));
    };
    switch (type) {
        case R_X86_64_64: return put(symbol.address + static_cast<std::uint64_t>(relocation.r_addend));
        case R_X86_64_PC64: return put(distance(symbol.address));
        case R_X86_64_PC32: return put_distance(symbol.address);
        case R_X86_64_PLT32: return put_distance(symbol.foreign ? stub_of(symbol) : symbol.address);
        case R_X86_64_GOTPCREL:
        case R_X86_64_GOTPCRELX:
        case R_X86_64_REX_GOTPCRELX: return put_distance(got_of(symbol));
        default: refuse("relocation type {}", type);
    }
}

void ModuleBuilder::protect() {
    if (mprotect(module->memory_, constant_end, PROT_READ | PROT_EXEC) != 0) {
        refuse("the system allows no new code: {}", std::generic_category().message(errno));
    }
}

Module::~Module() {
    if (memory_ != nullptr) munmap(memory_, bytes_);
}

void* Module::symbol(std::string_view name) const noexcept {
    const auto it = std::ranges::find(symbols_, name, &std::pair<std::string, void*>::first);
    return it == symbols_.end() ? nullptr : it->second;
}

// As seen from this library, so what it depends on is found even where the process does not see it.
void* resolve_in_process(const char* name) { return dlsym(RTLD_DEFAULT, name); }

LoadResult load_object(std::span<const std::byte> object, const SymbolResolver& resolve) {
    try {
        return {ModuleBuilder(object, resolve).build(), {}};
    } catch (const Refused& refused) {
        return {nullptr, refused.what()};
    }
}

}  // namespace xlazy::be::jit
