// SPDX-License-Identifier: BSD-3-Clause
// xlazy-cache: looks at the directory of compiled kernels, and tends it.
#include "bundle.hpp"
#include "progress.hpp"
#include "xlazy/jit-cache/cache.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace xlazy::jc;

constexpr const char* kHelp =
    "usage: xlazy-cache [--dir DIR] COMMAND\n"
    "Looks at the directory of compiled kernels, and tends it. Programs may use it meanwhile.\n"
    "  list              every entry: name, size, last use, instruction set, compiler\n"
    "  info              where the directory is and why, how full it is\n"
    "  info NAME         one entry, by the beginning of its name: what it is a function of, with its source\n"
    "  verify            reads every entry whole; names the damaged ones and changes nothing\n"
    "  prune [SIZE]      removes damaged entries, what killed processes left behind, and then what was not used for\n"
    "                    longest until the rest fits SIZE (default: XLAZY_CACHE_SIZE, else 512M)\n"
    "  clear             removes every entry\n"
    "  export FILE       all kernels into one file (tar, zstd)\n"
    "  import FILE       the kernels of such a file. They are code that programs will run: only from people you "
    "trust.\n"
    "                    A machine without a compiler uses them as they are; one that has a compiler uses those that\n"
    "                    the same compiler made.\n"
    "  --dir DIR         instead of XLAZY_CACHE_DIR, or xlazy in XDG_CACHE_HOME, or .cache/xlazy in HOME\n"
    "  --help\n"
    "Exit status: 0; 1: something is damaged, or could not be done; 2: wrong use.\n";

/// What is wrong with the directory, a file or the way of calling; ends the program.
struct Failure {
    int status;
    std::string text;
};

struct Call {
    Place place;
    std::string command;
    std::vector<std::string> arguments;
};

Call parse(int count, char** words) {
    Call call;
    call.place = default_place([](const char* name) -> const char* { return std::getenv(name); });
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--help" || word == "-h") {
            fmt::print("{}", kHelp);
            std::exit(0);
        }
        if (word == "--dir") {
            if (++i == count) throw Failure{2, "--dir lacks its directory"};
            call.place = {words[i], "--dir"};
        } else if (word.starts_with("--")) {
            throw Failure{2, fmt::format("unknown option {}; see --help", word)};
        } else if (call.command.empty()) {
            call.command = word;
        } else {
            call.arguments.push_back(word);
        }
    }
    if (call.command.empty()) throw Failure{2, "which command? See --help"};
    return call;
}

std::shared_ptr<Directory> open(const Call& call, bool create = false) {
    if (call.place.path.empty()) throw Failure{1, call.place.why};
    Directory::Opened opened = Directory::open(call.place.path, create);
    if (opened.directory == nullptr) throw Failure{1, opened.why};
    return opened.directory;
}

std::string time_text(std::int64_t seconds) {
    const auto time = static_cast<std::time_t>(seconds);
    return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(time));
}

// The version is the part of the identity that people know.
std::string compiler_text(const std::string& identity) {
    std::size_t start = 0;
    for (int part = 0; part < 3 && start != std::string::npos; ++part) start = identity.find(' ', start + 1);
    return start == std::string::npos ? identity : identity.substr(start + 1);
}

std::vector<Directory::Item> by_use(const Directory& directory) {
    std::vector<Directory::Item> items = directory.list();
    std::ranges::sort(items, {}, [](const Directory::Item& item) { return std::pair(-item.used, item.name); });
    return items;
}

int list(const Call& call) {
    const auto directory = open(call);
    bool damaged = false;
    fmt::print("{:<16}  {:>9}  {:<16}  {:<10}  {}\n", "name", "bytes", "last use", "isa", "compiler");
    for (const Directory::Item& item : by_use(*directory)) {
        const Directory::ReadResult read = directory->read(item.name);
        if (read.status == Directory::Status::absent) continue;
        const std::string name = item.name.substr(0, 16);
        if (!read.entry) {
            fmt::print("{}  {:>9}  {:<16}  {}\n", name, item.bytes, time_text(item.used), read.why);
            damaged = true;
            continue;
        }
        const Entry& entry = *read.entry;
        if (entry.key.kind != kKernel) continue;
        fmt::print("{}  {:>9}  {:<16}  {:<10}  {}\n", name, item.bytes, time_text(item.used), entry.key.isa,
                   compiler_text(entry.compiler));
    }
    return damaged ? 1 : 0;
}

int info_of_entry(const Directory& directory, const std::string& beginning) {
    std::vector<Directory::Item> found;
    for (Directory::Item& item : by_use(directory)) {
        if (item.name.starts_with(beginning)) found.push_back(std::move(item));
    }
    if (found.empty()) throw Failure{1, fmt::format("no entry's name begins with {}", beginning)};
    bool first = true, damaged = false;
    for (const Directory::Item& item : found) {
        const Directory::ReadResult read = directory.read(item.name);
        fmt::print("{}name      {}\nbytes     {}\nlast use  {}\n", first ? "" : "\n", item.name, item.bytes,
                   time_text(item.used));
        first = false;
        if (!read.entry) {
            fmt::print("damaged   {}\n", read.why);
            damaged = true;
            continue;
        }
        const Entry& entry = *read.entry;
        std::string flags = entry.key.flags;
        std::ranges::replace(flags, '\n', ' ');
        fmt::print(
            "kind      {}\nmade      {}\ncompiler  {}\nisa       {}\nflags     {}\nobject    {} bytes\nsource\n{}",
            entry.key.kind, time_text(entry.created), entry.compiler, entry.key.isa, flags, entry.object.size(),
            entry.key.source);
    }
    return damaged ? 1 : 0;
}

std::uint64_t size_limit() {
    const char* const text = std::getenv("XLAZY_CACHE_SIZE");
    if (text == nullptr || *text == '\0') return kDefaultSizeLimit;
    const std::optional<std::uint64_t> size = parse_bytes(text);
    if (!size) throw Failure{2, fmt::format("XLAZY_CACHE_SIZE is no size: {}", text)};
    return *size;
}

int info(const Call& call) {
    if (!call.arguments.empty()) return info_of_entry(*open(call), call.arguments[0]);
    if (call.place.path.empty()) throw Failure{1, call.place.why};
    fmt::print("directory  {} (by {})\n", call.place.path, call.place.why);
    const Directory::Opened opened = Directory::open(call.place.path, false);
    if (opened.absent) {
        fmt::print("state      not there yet\n");
        return 0;
    }
    if (opened.directory == nullptr) {
        fmt::print("state      not used: {}\n", opened.why);
        return 1;
    }
    const std::vector<Directory::Item> items = by_use(*opened.directory);
    std::uint64_t bytes = 0;
    for (const Directory::Item& item : items) bytes += item.bytes;
    fmt::print("entries    {}\nsize       {} of {}\n", items.size(), format_bytes(bytes), format_bytes(size_limit()));
    if (!items.empty()) {
        fmt::print("last use   {} to {}\n", time_text(items.back().used), time_text(items.front().used));
    }
    return 0;
}

// @return the names of the damaged ones
std::vector<std::string> check_all(const Directory& directory, std::size_t& entries) {
    std::vector<std::string> damaged;
    const std::vector<Directory::Item> items = by_use(directory);
    entries = items.size();
    Progress progress("verified", items.size());
    for (const Directory::Item& item : items) {
        progress.step();
        const Directory::ReadResult read = directory.read(item.name);
        if (read.entry || read.status == Directory::Status::absent) continue;
        damaged.push_back(read.status == Directory::Status::damaged ? item.name : std::string());
        fmt::print("{}: {}\n", item.name, read.why);
    }
    return damaged;
}

int verify(const Call& call) {
    std::size_t entries = 0;
    const std::size_t damaged = check_all(*open(call), entries).size();
    fmt::print("{} entries, {} damaged\n", entries, damaged);
    return damaged == 0 ? 0 : 1;
}

int prune(const Call& call) {
    std::uint64_t limit = size_limit();
    if (!call.arguments.empty()) {
        const std::optional<std::uint64_t> size = parse_bytes(call.arguments[0]);
        if (!size) throw Failure{2, fmt::format("no size: {}", call.arguments[0])};
        limit = *size;
    }
    const auto directory = open(call);
    std::size_t entries = 0;
    const std::vector<std::string> damaged = check_all(*directory, entries);
    for (const std::string& name : damaged) directory->remove(name);
    const std::size_t left_over = directory->sweep();
    const Directory::Pruned pruned = directory->prune(limit);
    fmt::print("removed {} damaged entries, {} unfinished files, {} entries ({}) that were not used for longest\n",
               damaged.size(), left_over, pruned.entries, format_bytes(pruned.bytes));
    fmt::print("left    {} entries ({})\n", pruned.entries_left, format_bytes(pruned.bytes_left));
    return 0;
}

int clear(const Call& call) {
    const auto directory = open(call);
    directory->sweep();
    const Directory::Pruned pruned = directory->prune(0);
    fmt::print("removed {} entries ({})\n", pruned.entries, format_bytes(pruned.bytes));
    const std::size_t left = directory->list().size();
    if (left != 0) throw Failure{1, fmt::format("{} entries could not be removed, or are new", left)};
    return 0;
}

int export_to(const Call& call) {
    const Exported done = export_bundle(*open(call), call.arguments[0]);
    fmt::print("exported {} kernels ({})", done.entries, format_bytes(done.bytes));
    fmt::print("{}\n", done.damaged == 0 ? "" : fmt::format("; {} damaged entries are left out", done.damaged));
    return done.damaged == 0 ? 0 : 1;
}

int import_from(const Call& call) {
    const Imported done = import_bundle(*open(call, true), call.arguments[0]);
    fmt::print("imported {} kernels ({}); {} were there already", done.entries, format_bytes(done.bytes), done.present);
    fmt::print("{}\n",
               done.damaged == 0 ? "" : fmt::format("; {} are damaged or no kernels, and refused", done.damaged));
    return done.damaged == 0 ? 0 : 1;
}

struct Command {
    std::string_view name;
    std::size_t least, most;  // arguments
    int (*run)(const Call&);
};
constexpr Command kCommands[]{{"list", 0, 0, list},         {"info", 0, 1, info},   {"verify", 0, 0, verify},
                              {"prune", 0, 1, prune},       {"clear", 0, 0, clear}, {"export", 1, 1, export_to},
                              {"import", 1, 1, import_from}};

int run(const Call& call) {
    const auto* const command = std::ranges::find(kCommands, call.command, &Command::name);
    if (command == std::end(kCommands)) throw Failure{2, fmt::format("unknown command {}; see --help", call.command)};
    if (call.arguments.size() < command->least) throw Failure{2, fmt::format("{} needs a file", call.command)};
    if (call.arguments.size() > command->most) {
        throw Failure{2, fmt::format("{} does not take {}", call.command, call.arguments.back())};
    }
    return command->run(call);
}

}  // namespace

int main(int count, char** words) {
    try {
        const int status = run(parse(count, words));
        if (std::fflush(stdout) != 0) throw Failure{1, "the output cannot be written"};
        return status;
    } catch (const Failure& failure) {
        fmt::print(stderr, "xlazy-cache: {}\n", failure.text);
        return failure.status;
    } catch (const std::exception& error) {
        fmt::print(stderr, "xlazy-cache: {}\n", error.what());
        return 1;
    }
}
