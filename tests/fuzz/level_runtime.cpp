// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/level_runtime.hpp"

#include "fuzz/poison_model.hpp"
#include "fuzz/recording.hpp"
#include "fuzz/variant.hpp"
#include "xlazy/backends/memory_pool.hpp"
#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"
#include "xlazy/optimizer/optimizer.hpp"
#include "xlazy/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace xlazy::fuzz {
namespace {

constexpr const char* kFile = "fuzz.cpp";

/// The library did not do what it promises.
class Broken : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What happens between the statements.
enum class Between {
    Anything,
    Nothing,  ///< the whole program is one batch
    Releases  ///< arrays go when nobody needs them any more; all inputs are there from the beginning
};

/// One run of the program in one mode.
class Run {
public:
    Run(const Case& c, std::uint64_t choice, mode wanted, Between between)
        : between_(between),
          program_(c.program),
          choice_(choice),
          eager_(wanted == mode::eager),
          oracle_(c),
          poison_(c.program),
          arrays_(c.program.bases.size(), nullptr),
          pins_(c.program.bases.size(), nullptr),
          pinned_writable_(c.program.bases.size(), false),
          last_use_(c.program.bases.size(), 0),
          scope_(wanted, line()) {
        for (const bc::Instruction& instruction : program_.instructions) {
            note_use(instruction, instruction.out);
            for (bc::Operand operand : instruction.in) note_use(instruction, operand);
        }
        if (between_ != Between::Releases) return;
        for (std::uint32_t i = 0; i < arrays_.size(); ++i)
            if (program_.bases[i].initialised) ensure(i);
    }
    ~Run() {
        for (std::uint32_t i = 0; i < arrays_.size(); ++i) {
            unpin(i);
            if (arrays_[i] != nullptr) rt::base_release(arrays_[i]);
        }
        try {
            flush(line());
        } catch (const std::exception&) {
            // What this run has to say, it has said.
        }
    }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    void run() {
        for (std::size_t first = 0, last = 0; first < program_.instructions.size(); first = last) {
            const std::uint32_t number = program_.instructions[first].statement;
            while (last < program_.instructions.size() && program_.instructions[last].statement == number) ++last;
            statement(first, last, number);
            Random random(mix(choice_, number));
            if (between_ == Between::Anything) actions(random, number);
            if (between_ == Between::Releases) release_dead(number);
        }
        flush_now();
        flushed();
        for (std::uint32_t i = 0; i < arrays_.size(); ++i) {
            if (arrays_[i] == nullptr) continue;
            read(i);
            if (poison_.may_throw_when_read(i)) heal(i);
        }
        if (const auto error = attempt([&] { flush(line()); }))
            throw Broken(fmt::format("the error of line {} was thrown again", error->line));
    }

    /// Called when everything has run, and nothing was read yet.
    std::function<void()> flushed = [] {};

private:
    struct Thrown {
        std::uint32_t line;
        std::string operation;
    };

    here line() const noexcept { return {kFile, line_}; }

    void note_use(const bc::Instruction& instruction, bc::Operand operand) {
        if (operand.is_view()) last_use_[program_.views[operand.index()].base] = instruction.statement;
    }

    template <class Action>
    std::optional<Thrown> attempt(Action&& action) {
        try {
            action();
            return std::nullopt;
        } catch (const deferred_error& error) {
            if (error.origins().empty() || error.origins()[0].file != kFile)
                throw Broken(fmt::format("an error without the user's line: {}", error.what()));
            return Thrown{error.origins()[0].line, error.operation()};
        }
    }

    void accept(std::uint32_t base, const Thrown& thrown) {
        const std::string wrong = poison_.thrown(base, thrown.line, thrown.operation);
        if (!wrong.empty()) throw Broken(wrong);
    }

    void ensure(std::uint32_t base) {
        if (arrays_[base] != nullptr) return;
        const bc::BaseInfo& info = program_.bases[base];
        arrays_[base] = rt::base_new(info.type, static_cast<std::size_t>(info.size));
        if (!info.initialised) return;
        const Bytes& bytes = oracle_.outcome().bases[base];
        std::copy(bytes.begin(), bytes.end(), static_cast<std::byte*>(rt::base_fill(arrays_[base])));
    }

    void statement(std::size_t first, std::size_t last, std::uint32_t number) {
        line_ = number + 1;
        for (std::size_t i = first; i < last; ++i) {
            const bc::Instruction& instruction = program_.instructions[i];
            for (bc::Operand operand : {instruction.in[0], instruction.in[1], instruction.in[2], instruction.out})
                if (operand.is_view()) ensure(program_.views[operand.index()].base);
        }
        const std::size_t traps = oracle_.outcome().traps.size();
        for (std::size_t i = first; i < last; ++i) oracle_.execute(static_cast<std::uint32_t>(i));
        poison_.statement(first, last, std::span(oracle_.outcome().traps).subspan(traps), line_);
        const auto error = attempt([&] { record_statement(program_, first, last, arrays_, line()); });
        if (error)
            accept(PoisonModel::kNoBase, *error);
        else if (eager_ && poison_.report_due())
            throw Broken("eager: a statement failed without an error");
        for (std::uint32_t i = 0; i < arrays_.size(); ++i)
            if (pins_[i] != nullptr && !poison_.may_throw_when_read(i))
                compare(i, pins_[i], "through the pinned pointer");
    }

    void actions(Random& random, std::uint32_t number) {
        line_ = 100000 + number;
        if (random.percent(12)) with_array(random, [&](std::uint32_t base) { read(base); });
        if (random.percent(7)) with_array(random, [&](std::uint32_t base) { write(base, random); });
        if (random.percent(5)) flush_now();
        if (random.percent(6)) with_array(random, [&](std::uint32_t base) { pin(base, random.percent(50)); });
        for (std::uint32_t i = 0; i < arrays_.size(); ++i) {
            if (pins_[i] != nullptr && random.percent(30)) unpin(i);
            if (arrays_[i] == nullptr || program_.bases[i].live || last_use_[i] > number || !random.percent(60))
                continue;
            unpin(i);
            rt::base_release(std::exchange(arrays_[i], nullptr));
        }
    }

    void release_dead(std::uint32_t number) {
        for (std::uint32_t i = 0; i < arrays_.size(); ++i)
            if (arrays_[i] != nullptr && !program_.bases[i].live && last_use_[i] <= number)
                rt::base_release(std::exchange(arrays_[i], nullptr));
    }

    template <class Action>
    void with_array(Random& random, Action&& action) {
        const auto base = static_cast<std::uint32_t>(random.below(static_cast<std::int64_t>(arrays_.size())));
        if (arrays_[base] != nullptr) action(base);
    }

    void flush_now() {
        const bool due = poison_.report_due();
        const auto error = attempt([&] { flush(line()); });
        if (error)
            accept(PoisonModel::kNoBase, *error);
        else if (due)
            throw Broken("a flush after a failed statement threw nothing");
    }

    void read(std::uint32_t base) {
        bool due = poison_.report_due_when_read(base);
        // The first error may be another statement's, which this read reports; the second one is the array's own.
        for (int tries = 0; tries < 3; ++tries) {
            const void* memory = nullptr;
            const auto error = attempt([&] { memory = rt::readable(arrays_[base], rt::Reason::element, line()); });
            if (!error) {
                if (due) throw Broken(fmt::format("reading b{} flushed a failed statement without an error", base));
                if (poison_.must_throw_when_read(base)) throw Broken(fmt::format("b{} is poisoned and was read", base));
                compare(base, static_cast<const std::byte*>(memory), "as read");
                return;
            }
            accept(base, *error);
            due = false;
        }
        if (!poison_.may_throw_when_read(base)) throw Broken(fmt::format("b{} is healthy and cannot be read", base));
    }

    /// An array of which elements have no value: the others have theirs, and overwriting heals all.
    void heal(std::uint32_t base) {
        Random random(mix(choice_, base));
        const bc::BaseInfo& info = program_.bases[base];
        for (int tries = 0; tries < 8 && info.size > 0; ++tries) look_at(base, random.below(info.size));
        const auto size = static_cast<std::size_t>(info.size);
        const std::ptrdiff_t stride = 1;
        {
            rt::Statement statement(line());
            statement.store({arrays_[base], 0, 1, &size, &stride}, statement.scalar(std::int8_t{1}));
        }
        if (attempt([&] { rt::readable(arrays_[base], rt::Reason::element, line()); }))
            throw Broken(fmt::format("b{} was overwritten and cannot be read", base));
    }

    void look_at(std::uint32_t base, std::int64_t at) {
        const void* memory = nullptr;
        const auto error =
            attempt([&] { memory = rt::base_read_element(arrays_[base], static_cast<std::size_t>(at), line()); });
        if (error) return accept(base, *error);
        if (poison_.has_no_value(base, at))
            throw Broken(fmt::format("b{} element {} has no value, and was read", base, at));
        const bc::DType type = program_.bases[base].type;
        const Outcome& expected = oracle_.outcome();
        if (!expected.defined[base].empty() && expected.defined[base][static_cast<std::size_t>(at)] == 0) return;
        const std::size_t offset = static_cast<std::size_t>(at) * bc::size_of(type);
        if (!same_element(type, expected.bases[base].data() + offset, static_cast<const std::byte*>(memory) + offset))
            throw Broken(fmt::format("b{} element {}, in an array with errors: expected {}", base, at,
                                     show(type, expected.bases[base], at)));
    }

    void compare(std::uint32_t base, const std::byte* memory, const char* how) {
        const bc::BaseInfo& info = program_.bases[base];
        const Outcome& expected = oracle_.outcome();
        const Bytes got(memory, memory + expected.bases[base].size());
        const auto at = first_difference(info.type, expected.bases[base], got, expected.defined[base]);
        if (at < 0 || poison_.may_throw_when_read(base)) return;
        throw Broken(fmt::format("b{} element {} {}: expected {}, got {}", base, at, how,
                                 show(info.type, expected.bases[base], at), show(info.type, got, at)));
    }

    void write(std::uint32_t base, Random& random) {
        const bc::BaseInfo& info = program_.bases[base];
        if (info.size == 0 || poison_.may_throw_when_read(base)) return;
        void* memory = nullptr;
        for (int tries = 0; tries < 2 && memory == nullptr; ++tries) {
            const auto error = attempt([&] { memory = rt::writable(arrays_[base], rt::Reason::element, line()); });
            if (error) accept(base, *error);
        }
        if (memory == nullptr) throw Broken(fmt::format("b{} is healthy and cannot be written", base));
        const auto at = static_cast<std::size_t>(random.below(info.size));
        const bc::Scalar value = random_scalar(info.type, Flavour::Small, random.word());
        const std::size_t size = bc::size_of(info.type);
        std::memcpy(static_cast<std::byte*>(memory) + at * size, value.bits, size);
        std::memcpy(oracle_.outcome().bases[base].data() + at * size, value.bits, size);
        if (!oracle_.outcome().defined[base].empty()) oracle_.outcome().defined[base][at] = 1;
    }

    void pin(std::uint32_t base, bool writable) {
        if (pins_[base] != nullptr || poison_.may_throw_when_read(base)) return;
        const auto error = attempt([&] {
            pins_[base] =
                static_cast<const std::byte*>(writable ? rt::writable(arrays_[base], rt::Reason::data, line())
                                                       : rt::readable(arrays_[base], rt::Reason::data, line()));
        });
        if (error) return accept(base, *error);
        pinned_writable_[base] = writable;
        rt::base_pin(arrays_[base], writable);
    }

    void unpin(std::uint32_t base) {
        if (pins_[base] == nullptr) return;
        pins_[base] = nullptr;
        rt::base_unpin(arrays_[base], pinned_writable_[base]);
    }

    Between between_;
    const bc::Program& program_;
    std::uint64_t choice_;
    bool eager_;
    Oracle oracle_;
    PoisonModel poison_;
    std::vector<rt::Base*> arrays_;
    std::vector<const std::byte*> pins_;
    std::vector<bool> pinned_writable_;
    std::vector<std::uint32_t> last_use_;
    std::uint32_t line_ = 1;
    mode_scope scope_;
};

std::string run_in(const Case& c, std::uint64_t choice, mode wanted, const char* name,
                   Between between = Between::Anything) {
    try {
        Run(c, choice, wanted, between).run();
        return "";
    } catch (const std::exception& error) {
        return fmt::format("{}: {}", name, error.what());
    }
}

/// The run time refuses the extremum of nothing at the statement.
bool has_extremum_of_nothing(const bc::Program& program) {
    return std::any_of(program.instructions.begin(), program.instructions.end(),
                       [&](const bc::Instruction& instruction) {
                           return (instruction.op == bc::Op::amin || instruction.op == bc::Op::amax) &&
                                  program.domain_extents(instruction.domain)[instruction.axis] == 0;
                       });
}

/// A batch of equal structure for which the plan of the first is wrong: the plan cache must see that.
std::string run_variants(const Case& c, std::uint64_t choice, Random& random) {
    const bc::Plan plan = opt::make_plan(c.program, {});
    for (int tries = 0; tries < 12; ++tries) {
        const Case other = variant_of(c, random);
        if (!bc::verify(other.program, bc::Strictness::Recorded).empty()) continue;
        if (bc::guards_hold(plan, other.program) && !random.percent(5)) continue;
        if (has_extremum_of_nothing(other.program) || run_oracle(other).read_undefined) continue;
        std::string wrong = run_in(c, choice, mode::lazy, "lazy, one batch", Between::Nothing);
        if (!wrong.empty()) return wrong;
        wrong = run_in(other, choice, mode::lazy, "lazy, after a batch of another geometry", Between::Nothing);
        return wrong.empty() ? "" : fmt::format("{}\n{}", wrong, bc::print(other.program));
    }
    return "";
}

bool has_leaves(const bc::Program& program) {
    return std::any_of(program.instructions.begin(), program.instructions.end(), [](const bc::Instruction& each) {
        const bc::OpKind kind = bc::info(each.op).kind;
        return kind == bc::OpKind::Reduce || kind == bc::OpKind::Scan;
    });
}

/// As one batch, with no more memory than its statements need one after the other.
std::string run_with_little_memory(const Case& c, std::uint64_t choice) {
    if (!run_oracle(c).traps.empty()) return "";
    try {
        std::uint64_t most = 0;
        {
            Run eager(c, choice, mode::eager, Between::Releases);
            const std::uint64_t before = be::pool_stats().bytes_in_use;
            be::pool_reset_peak();
            eager.flushed = [&] { most = be::pool_stats().bytes_in_use_peak - before; };
            eager.run();
        }
        if (has_leaves(c.program)) most += 64 << 10;  // for what is kept for every leaf
        const std::uint64_t usual = be::pool_stats().limit;
        struct Restore {
            std::uint64_t limit;
            ~Restore() { be::pool_set_limit(limit); }
        } const restore{usual};
        Run lazy(c, choice, mode::lazy, Between::Releases);
        be::pool_set_limit(be::pool_stats().bytes_in_use + most);
        lazy.flushed = [&] { be::pool_set_limit(usual); };
        lazy.run();
        return "";
    } catch (const std::exception& error) {
        return fmt::format("with little memory: {}", error.what());
    }
}

/// The same program on several threads of the user at once, each with arrays of its own.
std::string run_together(const Case& c, std::uint64_t choice) {
    constexpr std::size_t kUsers = 3;
    std::array<std::string, kUsers> wrong;
    std::array<std::thread, kUsers> users;
    for (std::size_t i = 0; i < kUsers; ++i)
        users[i] = std::thread([&, i] { wrong[i] = run_in(c, mix(choice, i), mode::lazy, "on several threads"); });
    for (std::thread& user : users) user.join();
    const auto found = std::find_if(wrong.begin(), wrong.end(), [](const std::string& text) { return !text.empty(); });
    return found == wrong.end() ? "" : *found;
}

}  // namespace

std::string check_run(const Case& c, std::uint64_t choice) {
    const std::string wrong = run_in(c, choice, mode::lazy, "lazy");
    return wrong.empty() ? run_in(c, choice, mode::eager, "eager") : wrong;
}

std::string check_runtime(const Case& c, std::uint64_t choice) {
    const std::string illegal = bc::verify(c.program);
    if (!illegal.empty()) return "illegal batch: " + illegal;
    if (run_oracle(c).read_undefined) return "";
    Random random(choice);
    const be::Isa before = be::current_isa();
    if (random.percent(50)) be::set_isa(random.percent(50) ? be::Isa::baseline : be::Isa::avx2);
    set_num_threads(static_cast<int>(random.between(1, 8)));
    std::string wrong = check_run(c, choice);
    if (wrong.empty()) wrong = run_variants(c, choice, random);
    if (wrong.empty() && random.percent(40)) wrong = run_with_little_memory(c, choice);
    if (wrong.empty() && random.percent(15)) wrong = run_together(c, choice);
    set_num_threads(0);
    be::set_isa(before);
    return wrong;
}

}  // namespace xlazy::fuzz
