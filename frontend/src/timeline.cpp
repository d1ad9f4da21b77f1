// SPDX-License-Identifier: BSD-3-Clause
#include "timeline.hpp"

#include "log.hpp"
#include "statistics.hpp"
#include "xlazy/backends/memory_pool.hpp"
#include "xlazy/optimizer/explain.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <mutex>
#include <system_error>

namespace xlazy::rt {
namespace {

/// A JSON string.
std::string quoted(std::string_view text) {
    std::string json = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            json += {'\\', c};
        else if (static_cast<unsigned char>(c) < 0x20)
            json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            json += c;
    }
    return json + '"';
}

double microseconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-3; }

std::string_view thread_title(std::string_view category) {
    if (::gettid() == ::getpid()) return "main";
    if (category == "part") return "worker";
    return category == "compile" ? "compiler" : "thread";
}

/// Never destroyed: threads may run until the process ends.
class File {
public:
    static File& instance() {
        static File* const file = new File;
        return *file;
    }

    /// @return 0, or what failed
    int open(const std::string& name) {
        const std::lock_guard lock(mutex_);
        descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (descriptor_ < 0) return errno;
        origin_ = be::timeline_now();
        text_ = fmt::format(R"([{{"name":"process_name","ph":"M","pid":{0},"tid":{0},"args":{{"name":"xlazy"}}}})",
                            getpid());
        return 0;
    }

    void close() {
        const std::lock_guard lock(mutex_);
        if (descriptor_ < 0) return;
        text_ += "\n]\n";
        write_out();
        ::close(descriptor_);
        descriptor_ = -1;
    }

    void add(const be::Span& span) {
        std::string event = fmt::format(R"("name":{},"cat":{},"ph":"X","dur":{:.3f})", quoted(span.name),
                                        quoted(span.category), microseconds(span.end - span.begin));
        const char* separator = R"(,"args":{)";
        for (const be::SpanDetail& detail : span.details) {
            event += separator;
            event += quoted(detail.name) + ':';
            event += detail.text.data() != nullptr ? quoted(detail.text) : fmt::to_string(detail.number);
            separator = ",";
        }
        if (!span.details.empty()) event += '}';
        add(event, span.begin, span.category);
    }

    /// The value of something that a curve shows.
    void add_count(std::string_view name, std::string_view unit, std::uint64_t value, std::uint64_t time) {
        add(fmt::format(R"("name":{},"ph":"C","args":{{{}:{}}})", quoted(name), quoted(unit), value), time, "flush");
    }

private:
    static constexpr std::size_t kWrittenAtOnce = 1 << 16;

    void add(const std::string& members, std::uint64_t time, std::string_view category) {
        thread_local bool introduced = false;
        const std::lock_guard lock(mutex_);
        if (descriptor_ < 0) return;
        if (++events_ > kMostEvents) {
            if (events_ == kMostEvents + 1)
                log(fmt::format("XLAZY_TRACE: {} events are written; the rest is left out", kMostEvents));
            return;
        }
        if (!std::exchange(introduced, true))
            fmt::format_to(std::back_inserter(text_),
                           ",\n"
                           R"({{"name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":"{}"}}}})",
                           getpid(), gettid(), thread_title(category));
        fmt::format_to(std::back_inserter(text_), ",\n{{{},\"ts\":{:.3f},\"pid\":{},\"tid\":{}}}", members,
                       microseconds(time - std::min(time, origin_)), getpid(), gettid());
        if (text_.size() > kWrittenAtOnce) write_out();
    }

    void write_out() noexcept {
        std::string_view rest = text_;
        while (!rest.empty()) {
            const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) break;  // the disk is full: the beginning is kept
            rest.remove_prefix(static_cast<std::size_t>(written));
        }
        text_.clear();
    }

    std::mutex mutex_;
    int descriptor_ = -1;
    std::uint64_t origin_ = 0, events_ = 0;
    std::string text_;
};

void write_span(const be::Span& span) noexcept {
    try {
        File::instance().add(span);
    } catch (const std::exception&) {
        // A trace is no reason to fail.
    }
}

/// The last part of a path, with the line.
std::string short_place(bc::OriginId line) {
    const std::string place = bc::to_string(line);
    return place.substr(place.rfind('/') + 1);
}

/// The lines of the kernel's operations, each once, in the order of the batch.
opt::Lines lines_of(const bc::Program& program, const bc::Plan& plan, std::uint32_t first, std::uint32_t end) {
    std::vector<std::uint32_t> instructions;
    for (std::uint32_t k = first; k < end; ++k)
        for (const bc::MicroOp& op : plan.kernels[k].ops)
            if (op.kind != bc::MicroOp::Kind::LoadScalar) instructions.push_back(op.instruction);
    std::ranges::sort(instructions);
    opt::Lines lines;
    for (const std::uint32_t instruction : instructions) {
        const bc::OriginId line = program.origins[instruction];
        if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    }
    return lines;
}

std::int64_t elements_of(const bc::Program& program, const bc::Kernel& kernel) {
    std::int64_t elements = 1;
    for (const std::int64_t extent : program.domain_extents(kernel.domain)) elements *= extent;
    return elements;
}

}  // namespace

void open_timeline(const std::string& file) noexcept {
    try {
        if (const int problem = File::instance().open(file); problem == 0)
            be::set_timeline(write_span);
        else
            log(fmt::format("warning: XLAZY_TRACE: cannot write to \"{}\": {}", file,
                            std::generic_category().message(problem)));
    } catch (const std::exception&) {
        log("warning: XLAZY_TRACE: out of memory for the timeline");
    }
}

void close_timeline() noexcept {
    if (be::timeline() == nullptr) return;
    be::set_timeline(nullptr);
    try {
        File::instance().close();
    } catch (const std::exception&) {
        // The end is missing; the format allows that.
    }
}

void leave_timeline() noexcept { be::set_timeline(nullptr); }

void write_statement_span(const Queue& queue, bc::OriginId line) noexcept {
    if (queue.span_began == 0) return;  // nobody asked when it began
    try {
        const std::string place = bc::to_string(line);
        const be::SpanDetail details[] = {{"line", place}};
        write_span({"record", short_place(line), queue.span_began, be::timeline_now(), details});
    } catch (const std::exception&) {
        // As above.
    }
}

void write_batch_spans(const Queue& queue, const bc::Plan& plan, FlushInfo flush, BatchTimes times, bool known) {
    if (be::timeline() == nullptr) return;
    write_span({"plan", known ? "plan, known" : "plan", times.begin, times.planned});
    const std::string line = bc::to_string(flush.line);
    const be::SpanDetail details[] = {
        {"reason", doing(flush.reason)},
        {"line", line},
        {"statements", {}, queue.program.statement_count},
        {"instructions", {}, static_cast<std::int64_t>(queue.program.instructions.size())},
        {"kernels", {}, static_cast<std::int64_t>(plan.kernels.size())}};
    write_span({"flush", fmt::format("flush: {}", key_of(flush.reason)), times.begin, times.end, details});
    File::instance().add_count("memory of arrays", "bytes", be::pool_stats().bytes_in_use, times.end);
}

void KernelSpan::begin(const bc::Program& program, const bc::Plan& plan, std::uint32_t first,
                       std::uint32_t end) noexcept {
    try {
        std::int64_t elements = 0, operations = 0;
        for (std::uint32_t k = first; k < end; ++k) {
            elements += elements_of(program, plan.kernels[k]);
            operations += std::ranges::count(plan.kernels[k].ops, bc::MicroOp::Kind::Compute, &bc::MicroOp::kind);
        }
        std::string name = opt::lines_text(lines_of(program, plan, first, end), 4);
        told_.reset(new Told{std::move(name), first, end - first, elements, operations});
    } catch (const std::exception&) {
        // Without a span then.
    }
}

void KernelSpan::tell() noexcept {
    const be::SpanDetail details[] = {{"kernel", {}, told_->kernel},
                                      {"kernels", {}, told_->kernels},
                                      {"elements", {}, told_->elements},
                                      {"operations", {}, told_->operations}};
    write_span({"kernel", told_->name, told_->began, be::timeline_now(), details});
}

}  // namespace xlazy::rt
