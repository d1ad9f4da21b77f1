// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/detail/captured.hpp"

#include "base_access.hpp"
#include "captured_scalars.hpp"
#include "function_file.hpp"
#include "function_memory.hpp"
#include "live_arrays.hpp"
#include "new_base_memory.hpp"
#include "trace.hpp"
#include "xlazy/backends/memory_pool.hpp"
#include "xlazy/bytecode/structure.hpp"
#include "xlazy/detail/capture_error.hpp"

#include <algorithm>
#include <cstring>
#include <set>

namespace xlazy::rt {

/// One recording.
struct CapturedVariant {
    std::vector<ArrayForm> arrays;
    std::vector<bc::Scalar> scalars;               ///< with which it was recorded
    std::vector<std::optional<bc::Scalar>> fixed;  ///< those of them that decide something
    TracedFunction traced;                         ///< its function has gone to the runner
    std::unique_ptr<FunctionRunner> runner;
    std::vector<void*> memory;             ///< by variable: of constants
    std::vector<bc::OriginId> written_at;  ///< by variable: of outputs and states
    std::mutex turn;                       ///< of calls that change arrays of the program
    bool has_state = false;
    std::atomic<unsigned> users{0};
    std::uint64_t last_use = 0;

    bool fits(const CapturedFunction::Call& call) const noexcept {
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            if (!arrays[i].fits(call.arrays[i])) return false;
        }
        for (std::size_t i = 0; i < fixed.size(); ++i) {
            if (fixed[i] && !bc::same_scalar(*fixed[i], call.scalars[i])) return false;
        }
        return std::ranges::all_of(traced.outer,
                                   [](const OuterArray& each) { return each.form.fits(each.array->now()); });
    }
};

namespace {

/// Ranks, and along which axes arrays have one element, are the pattern; extents are not.
std::vector<std::int64_t> pattern_of(const CapturedFunction::Call& call, const CapturedVariant& variant) {
    std::vector<std::int64_t> pattern;
    for (const ViewRef& array : call.arrays) {
        pattern.push_back(static_cast<std::int64_t>(array.rank));
        for (std::size_t i = 0; i < array.rank; ++i) pattern.push_back(array.extents[i] == 1 ? 1 : 0);
    }
    for (const std::optional<bc::Scalar>& scalar : variant.fixed) {
        pattern.push_back(scalar ? 1 : 0);
        if (scalar) pattern.push_back(static_cast<std::int64_t>(scalar->bits[0]));
    }
    return pattern;
}

/// Tables of the calling thread, kept from call to call.
struct Tables {
    std::vector<void*> memory;
    std::vector<bc::OriginId> written_at;
    std::vector<PoisonedParts*> poison;
    /// Memory that a call works on in place of an array's.
    struct Stand {
        std::uint32_t variable;
        std::size_t bytes;
    };
    std::vector<Stand> stands;
};

}  // namespace

struct CapturedFunction::Impl {
    Impl(Record how, here where) : record(std::move(how)), line(where) {}

    CapturedVariant* find(const Call& call) {
        if (last != nullptr && last->fits(call)) return last;
        for (const auto& variant : variants) {
            if (variant->fits(call)) return variant.get();
        }
        return nullptr;
    }

    TracedFunction trace(const Call& call, std::span<const bc::Scalar> scalars) const {
        Trace recording(line);
        const std::shared_ptr<const void> arrays = record(call.arrays, scalars);
        return recording.finish();
    }

    CapturedVariant& add(const Call& call) {
        auto made = std::make_unique<CapturedVariant>();
        for (const ViewRef& array : call.arrays) made->arrays.emplace_back(array);
        made->traced = trace(call, call.scalars);
        made->scalars.assign(call.scalars.begin(), call.scalars.end());
        decided.resize(call.scalars.size());
        made->fixed = bind_scalars(made->traced, call.scalars, decided,
                                   [&](std::span<const bc::Scalar> scalars) { return trace(call, scalars); });
        finish(*made);
        note_decisions(made->fixed);
        ++counts.recordings;
        if (patterns.insert(pattern_of(call, *made)).second) ++counts.captures;
        make_room();
        variants.push_back(std::move(made));
        return *variants.back();
    }

    /// What decides in one recording may have decided in the others, too.
    void note_decisions(const std::vector<std::optional<bc::Scalar>>& fixed) {
        for (std::size_t i = 0; i < fixed.size(); ++i) {
            if (!fixed[i] || decided[i]) continue;
            decided[i] = true;
            for (const auto& variant : variants) variant->fixed[i] = variant->scalars[i];
        }
    }

    void make_room() {
        while (variants.size() >= kMaxVariants) {
            const auto oldest = std::ranges::min_element(variants, {}, [](const auto& variant) {
                return variant->users.load() != 0 ? ~std::uint64_t{0} : variant->last_use;
            });
            if ((*oldest)->users.load() != 0) return;
            if (last == oldest->get()) last = nullptr;
            variants.erase(oldest);
        }
    }

    static void finish(CapturedVariant& variant) {
        TracedFunction& traced = variant.traced;
        auto function = std::make_shared<bc::Function>(std::move(traced.function));
        variant.memory.assign(function->variables.size(), nullptr);
        for (const auto& [variable, base] : traced.constants)
            variant.memory[variable] = BaseAccess::memory(*base.get());
        variant.written_at.assign(function->variables.size(), 0);
        for (const bc::Segment& segment : function->segments) {
            for (std::size_t i = 0; i < segment.batch.instructions.size(); ++i) {
                const bc::Operand out = segment.batch.instructions[i].out;
                if (!out.is_view()) continue;
                variant.written_at[segment.variables[segment.batch.views[out.index()].base]] = segment.batch.origins[i];
            }
        }
        variant.has_state = std::ranges::any_of(traced.outer, &OuterArray::written);
        variant.runner = std::make_unique<FunctionRunner>(std::move(function), traced.engine);
    }

    const Record record;
    const here line;
    mutable std::mutex mutex;
    std::vector<std::unique_ptr<CapturedVariant>> variants;
    CapturedVariant* last = nullptr;
    std::set<std::vector<std::int64_t>> patterns;
    std::vector<bool> decided;  ///< by scalar: some recording showed that it decides something
    capture_statistics counts;
};

CapturedFunction::CapturedFunction(Record record, here line) : impl_(std::make_unique<Impl>(std::move(record), line)) {}
CapturedFunction::~CapturedFunction() = default;

CapturedFunction::Ready::Ready(CapturedVariant& variant) noexcept : variant_(variant) {
    variant.users.fetch_add(1, std::memory_order_relaxed);
}
CapturedFunction::Ready::~Ready() { variant_.users.fetch_sub(1, std::memory_order_release); }
std::span<const std::size_t> CapturedFunction::Ready::extents(std::size_t output) const noexcept {
    return variant_.traced.outputs[output].extents;
}
std::span<const std::ptrdiff_t> CapturedFunction::Ready::strides(std::size_t output) const noexcept {
    return variant_.traced.outputs[output].strides;
}

bool CapturedFunction::Ready::uses(const Base* base) const noexcept {
    return std::ranges::any_of(variant_.traced.outer,
                               [&](const OuterArray& each) { return each.array->now().base == base; });
}

CapturedFunction::Ready CapturedFunction::prepare(const Call& call) {
    if (is_recording_function())
        throw capture_error(call.line, "a captured function is called inside one that is being captured");
    const std::lock_guard guard(impl_->mutex);
    CapturedVariant* variant = impl_->find(call);
    if (variant == nullptr) variant = &impl_->add(call);
    impl_->last = variant;
    variant->last_use = ++impl_->counts.calls;
    return Ready(*variant);
}

capture_statistics CapturedFunction::statistics() const {
    const std::lock_guard guard(impl_->mutex);
    capture_statistics counts = impl_->counts;
    counts.kept = impl_->variants.size();
    return counts;
}

namespace {

/// One call: from arrays to memory and back.
class Running {
public:
    Running(CapturedVariant& variant, const CapturedFunction::Call& call, std::span<Base* const> outputs)
        : variant_(variant), function_(variant.runner->function()), outputs_(outputs), line_(origin_of(call.line)) {
        const std::size_t count = variant.memory.size();
        t_.memory.assign(variant.memory.begin(), variant.memory.end());
        t_.written_at.assign(count, 0);
        t_.poison.assign(count, nullptr);
        t_.stands.clear();
        for (std::size_t i = 0; i < call.arrays.size(); ++i) take_input(function_.inputs[i], *call.arrays[i].base);
        for (const OuterArray& outer : variant.traced.outer) take_outer(outer);
        for (std::size_t i = 0; i < outputs.size(); ++i) take_output(function_.outputs[i], *outputs[i]);
        live_.memory = t_.memory;
        live_.written_at = t_.written_at;
        live_.arguments = call.scalars;
        live_.line = line_;
        live_.poison = t_.poison;
    }

    void run() {
        try {
            variant_.runner->run_live(live_);
        } catch (...) {
            give_back();
            throw;
        }
        give_back();
        if (live_.error) throw deferred_error(live_.error.error());
    }

private:
    void take_input(std::uint32_t variable, Base& base) {
        t_.memory[variable] = memory_to_read(base);
        t_.written_at[variable] = BaseAccess::origin(base);
    }

    void* memory_to_read(Base& base) const {
        const void* memory = base.readable();
        if (memory == nullptr) memory = base_read(&base, Reason::call, place());
        return const_cast<void*>(memory);
    }
    here place() const noexcept {
        const bc::Origin origin = bc::origin(line_);
        return {origin.file, origin.line};
    }

    void take_outer(const OuterArray& outer) {
        Base& base = *outer.array->now().base;
        t_.written_at[outer.variable] = BaseAccess::origin(base);
        if (!outer.written) {
            t_.memory[outer.variable] = memory_to_read(base);
            return;
        }
        void* const memory = base_write(&base, Reason::call, place());
        // A parameter that is this array keeps its value during the call; a pointer that is out stays valid.
        if (base_pinned(&base) || is_input(memory)) {
            std::memcpy(stand_in(outer.variable, byte_size(base)), memory, byte_size(base));
            return;
        }
        t_.memory[outer.variable] = memory;
    }

    bool is_input(const void* memory) const noexcept {
        return std::ranges::any_of(function_.inputs, [&](std::uint32_t input) { return t_.memory[input] == memory; });
    }

    void* stand_in(std::uint32_t variable, std::size_t bytes) {
        void* const memory = be::pool_allocate(bytes);
        t_.memory[variable] = memory;
        t_.stands.push_back({variable, bytes});
        return memory;
    }

    void take_output(std::uint32_t variable, Base& base) {
        void* const memory = memory_to_replace(base, line_);
        const bool used = std::ranges::count(t_.memory, memory) != 0;
        if (used || base_pinned(&base))
            stand_in(variable, byte_size(base));
        else
            t_.memory[variable] = memory;
    }

    void give_back() noexcept {
        // An array may be both: then it is the result that stays in it.
        for (const OuterArray& outer : variant_.traced.outer) {
            if (outer.written) settle(outer.variable, *outer.array->now().base);
        }
        for (std::size_t i = 0; i < outputs_.size(); ++i) settle(function_.outputs[i], *outputs_[i]);
    }

    void settle(std::uint32_t variable, Base& base) noexcept {
        void*& current = t_.memory[variable];
        const auto stand = std::ranges::find(t_.stands, variable, &Tables::Stand::variable);
        void*& own = BaseAccess::memory(base);
        if (stand != t_.stands.end()) {
            if (base_pinned(&base)) {
                std::memcpy(own, current, stand->bytes);
            } else {
                std::swap(own, current);
            }
            be::pool_free(current, stand->bytes);
        } else {
            own = current;
        }
        BaseAccess::readable(base).store(nullptr, std::memory_order_relaxed);
        BaseAccess::writable(base).store(nullptr, std::memory_order_relaxed);
        PoisonedParts::drop(std::exchange(BaseAccess::poison(base), std::exchange(t_.poison[variable], nullptr)));
        BaseAccess::origin(base) = variant_.written_at[variable];
        publish(base);
    }

    static Tables& tables() noexcept {
        static thread_local Tables mine;
        return mine;
    }

    Tables& t_ = tables();
    CapturedVariant& variant_;
    const bc::Function& function_;
    std::span<Base* const> outputs_;
    bc::OriginId line_;
    FunctionRunner::Live live_{};
};

}  // namespace

void CapturedFunction::run(const Ready& ready, const Call& call, std::span<Base* const> outputs) {
    throw_held();
    CapturedVariant& variant = ready.variant_;
    std::unique_lock turn(variant.turn, std::defer_lock);
    if (variant.has_state) turn.lock();
    Running(variant, call, outputs).run();
}

bc::Function CapturedFunction::with_values(const CapturedVariant& variant, here line) {
    bc::Function function = variant.runner->function();
    const auto fill = [&](std::uint32_t index, const void* memory) {
        bc::Variable& variable = function.variables[index];
        const auto* const bytes = static_cast<const std::byte*>(memory);
        variable.value.assign(bytes, bytes + variable.byte_count());
    };
    for (const auto& [variable, base] : variant.traced.constants) fill(variable, BaseAccess::memory(*base.get()));
    for (const OuterArray& outer : variant.traced.outer)
        fill(outer.variable, base_read(outer.array->now().base, Reason::save, line));
    for (std::size_t i = 0; i < variant.fixed.size(); ++i) function.arguments[i].only = variant.fixed[i];
    return function;
}

bc::Function CapturedFunction::function(const Call& call) {
    const Ready ready = prepare(call);
    return with_values(ready.variant_, call.line);
}

void CapturedFunction::save(const std::string& file, here line) {
    std::unique_lock guard(impl_->mutex);
    const Ready ready(*impl_->last);
    guard.unlock();
    FunctionFile content{with_values(ready.variant_, line), {}, 0, {}};
    const std::string fault = bc::verify(content.function);
    if (!fault.empty()) throw std::logic_error("a captured function is not legal: " + fault);
    write_function(file, content);
}

}  // namespace xlazy::rt
