// SPDX-License-Identifier: BSD-3-Clause
#include "bundle.hpp"

#include "progress.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <unistd.h>

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

namespace xlazy::jc {

namespace {

using Reader = std::unique_ptr<archive, decltype(&archive_read_free)>;
using Writer = std::unique_ptr<archive, decltype(&archive_write_free)>;
using Header = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;

[[noreturn]] void fail(const std::string& file, archive* source) {
    const char* const text = archive_error_string(source);
    throw BundleError(fmt::format("{}: {}", file, text != nullptr ? text : "unknown error"));
}

void check(int status, const std::string& file, archive* source) {
    // A warning says, for zstd, that an external program would be used: that is no library we can rely on.
    if (status != ARCHIVE_OK) fail(file, source);
}

// The file under a temporary name, removed unless it is kept.
class NewFile {
public:
    explicit NewFile(std::string target)
        : target_(std::move(target)), name_(fmt::format("{}.{}.new", target_, getpid())) {}
    ~NewFile() {
        if (!kept_) std::remove(name_.c_str());
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    const std::string& name() const { return name_; }
    void keep() {
        if (std::rename(name_.c_str(), target_.c_str()) != 0) {
            throw BundleError(fmt::format("{}: {}", target_, std::generic_category().message(errno)));
        }
        kept_ = true;
    }

private:
    std::string target_, name_;
    bool kept_ = false;
};

void add(archive* writer, const std::string& file, const std::string& name, const Entry& entry, const Bytes& bytes) {
    const Header header(archive_entry_new(), archive_entry_free);
    constexpr int kMode = 0600;
    archive_entry_set_pathname(header.get(), name.c_str());
    archive_entry_set_size(header.get(), static_cast<la_int64_t>(bytes.size()));
    archive_entry_set_filetype(header.get(), AE_IFREG);
    archive_entry_set_perm(header.get(), kMode);
    archive_entry_set_mtime(header.get(), entry.created, 0);
    check(archive_write_header(writer, header.get()), file, writer);
    if (archive_write_data(writer, bytes.data(), bytes.size()) != static_cast<la_ssize_t>(bytes.size())) {
        fail(file, writer);
    }
}

Bytes data_of(archive* reader, const std::string& file, std::size_t size) {
    Bytes bytes(size);
    std::size_t filled = 0;
    while (filled < size) {
        const la_ssize_t got = archive_read_data(reader, bytes.data() + filled, size - filled);
        if (got < 0) fail(file, reader);
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    bytes.resize(filled);
    return bytes;
}

}  // namespace

Exported export_bundle(const Directory& directory, const std::string& file) {
    NewFile target(file);
    const Writer writer(archive_write_new(), archive_write_free);
    check(archive_write_set_format_pax_restricted(writer.get()), file, writer.get());
    check(archive_write_add_filter_zstd(writer.get()), file, writer.get());
    check(archive_write_open_filename(writer.get(), target.name().c_str()), file, writer.get());
    const auto items = directory.list();
    Exported result;
    Progress progress("exported", items.size());
    for (const Directory::Item& item : items) {
        progress.step();
        const Directory::ReadResult read = directory.read(item.name);
        if (!read.entry) {
            result.damaged += read.status == Directory::Status::absent ? 0 : 1;
            continue;
        }
        if (read.entry->key.kind != kKernel) continue;
        const Bytes bytes = encode(*read.entry);
        add(writer.get(), file, item.name, *read.entry, bytes);
        ++result.entries;
        result.bytes += bytes.size();
    }
    check(archive_write_close(writer.get()), file, writer.get());
    target.keep();
    return result;
}

Imported import_bundle(const Directory& directory, const std::string& file) {
    constexpr std::size_t kBlock = 64 << 10;
    const Reader reader(archive_read_new(), archive_read_free);
    check(archive_read_support_format_tar(reader.get()), file, reader.get());
    check(archive_read_support_filter_zstd(reader.get()), file, reader.get());
    check(archive_read_open_filename(reader.get(), file.c_str(), kBlock), file, reader.get());
    Imported result;
    Progress progress("imported", 0);
    archive_entry* header = nullptr;
    int status;
    while ((status = archive_read_next_header(reader.get(), &header)) == ARCHIVE_OK) {
        progress.step();
        const char* const path = archive_entry_pathname(header);
        const std::string name = path != nullptr ? path : "";
        const la_int64_t size = archive_entry_size(header);
        std::optional<Entry> entry;
        if (is_file_name(name) && archive_entry_filetype(header) == AE_IFREG && size >= 0 &&
            static_cast<std::uint64_t>(size) <= kMaxEntryBytes) {
            std::string why;
            entry = decode(data_of(reader.get(), file, static_cast<std::size_t>(size)), why);
        }
        if (!entry || entry->key.kind != kKernel || file_name(entry->key, entry->compiler) != name) {
            ++result.damaged;
            continue;
        }
        if (directory.read(name).status == Directory::Status::ok) {
            ++result.present;
            continue;
        }
        const Directory::WriteResult written = directory.write(*entry);
        if (written.error != 0) throw BundleError(written.why);
        ++result.entries;
        result.bytes += static_cast<std::uint64_t>(size);
    }
    if (status != ARCHIVE_EOF) fail(file, reader.get());
    return result;
}

}  // namespace xlazy::jc
