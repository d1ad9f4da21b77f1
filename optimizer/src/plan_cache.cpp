// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/optimizer/plan_cache.hpp"

#include "excerpt.hpp"
#include "pass_set.hpp"
#include "plan_store.hpp"
#include "repeats.hpp"

#include <algorithm>
#include <array>
#include <mutex>

namespace xlazy::opt {

namespace {

/// The numbers of iterations with which loops ran lately. Most loops have one number or two, and each of them gets a
/// plan. Of those that have more, a number that comes back soon does; but not ever more of them, or a program whose
/// numbers come back at random would plan for ever.
class Loops {
public:
    /// @param unit hash of an iteration
    /// @param batch hash of the whole batch
    bool worth_a_plan(std::uint64_t unit, std::uint64_t batch) noexcept {
        Loop* loop = std::ranges::find(loops_, unit, &Loop::unit);
        if (loop == loops_.end()) {
            loop = &loops_[next_];
            next_ = (next_ + 1) % loops_.size();
            *loop = {unit, {}, 0, 0};
        }
        if (std::ranges::find(loop->batches, batch) != loop->batches.end()) {
            if (loop->came_back == kMaxCameBack) return false;
            ++loop->came_back;
            return true;
        }
        loop->batches[loop->seen++ % kBatches] = batch;
        return loop->seen <= kMaxAtOnce;
    }

private:
    static constexpr std::size_t kLoops = 64, kBatches = 8;
    static constexpr unsigned kMaxAtOnce = 2, kMaxCameBack = 8;
    struct Loop {
        std::uint64_t unit = 0;
        std::array<std::uint64_t, kBatches> batches{};
        unsigned seen = 0, came_back = 0;
    };
    std::array<Loop, kLoops> loops_;
    std::size_t next_ = 0;
};

}  // namespace

struct PlanCache::Impl {
    std::mutex mutex;
    PlanStore store;
    Loops loops;
    std::vector<std::unique_ptr<Keys>> spare_keys;

    std::unique_ptr<Keys> take_keys();
    void give_back(std::unique_ptr<Keys> keys);
    Planned find(const bc::Program& program, const Keys& keys, PassSet passes);
    Planned make(const bc::Program& program, const Keys& keys, const PlanOptions& options);
    bool worth_a_plan(const Repeats& repeats, const Keys& keys);
    Planned in_pieces(const bc::Program& program, const Repeats& repeats, const PlanOptions& options);
};

/// Room for keys, used again, so that a batch whose size was seen before allocates nothing. Not kept by threads: arrays
/// may be used when a thread's own variables are gone.
std::unique_ptr<Keys> PlanCache::Impl::take_keys() {
    const std::lock_guard lock(mutex);
    if (spare_keys.empty()) return std::make_unique<Keys>();
    std::unique_ptr<Keys> keys = std::move(spare_keys.back());
    spare_keys.pop_back();
    return keys;
}

void PlanCache::Impl::give_back(std::unique_ptr<Keys> keys) {
    const std::lock_guard lock(mutex);
    spare_keys.push_back(std::move(keys));
}

Planned PlanCache::Impl::find(const bc::Program& program, const Keys& keys, PassSet passes) {
    const std::lock_guard lock(mutex);
    return store.find(program, keys, passes);
}

/// Plans outside the lock: another thread may plan the same batch meanwhile; the first one's plan is kept.
Planned PlanCache::Impl::make(const bc::Program& program, const Keys& keys, const PlanOptions& options) {
    auto plan = std::make_shared<const bc::Plan>(make_plan(program, options));
    const PassSet passes = normalised(options.passes);
    const std::lock_guard lock(mutex);
    Planned planned = store.find(program, keys, passes);
    if (planned.plan == nullptr) planned = store.insert(std::move(plan), keys, passes);
    planned.made = 1;
    return planned;
}

bool PlanCache::Impl::worth_a_plan(const Repeats& repeats, const Keys& keys) {
    const std::lock_guard lock(mutex);
    return loops.worth_a_plan(repeats.unit, keys.structure.hash);
}

Planned PlanCache::Impl::in_pieces(const bc::Program& program, const Repeats& repeats, const PlanOptions& options) {
    auto whole = std::make_shared<bc::Plan>();
    unsigned made = 0;
    Excerpt excerpt(program);
    std::unique_ptr<Keys> keys = take_keys();
    for (std::size_t i = 0; i + 1 < repeats.cuts.size(); ++i) {
        excerpt.take(repeats.cuts[i], repeats.cuts[i + 1]);
        keys->set(excerpt.program());
        Planned piece = find(excerpt.program(), *keys, normalised(options.passes));
        if (piece.plan == nullptr) piece = make(excerpt.program(), *keys, options);
        excerpt.append(*whole, *piece.plan);
        made += piece.made;
    }
    give_back(std::move(keys));
    return {std::move(whole), made, 0};
}

PlanCache::PlanCache() : impl_(std::make_unique<Impl>()) {}
PlanCache::~PlanCache() = default;

Planned PlanCache::get(const bc::Program& program, const PlanOptions& options) {
    std::unique_ptr<Keys> keys = impl_->take_keys();
    keys->set(program);
    Planned planned = impl_->find(program, *keys, normalised(options.passes));
    if (planned.plan == nullptr) {
        const Repeats repeats = find_repeats(program);
        const bool whole = repeats.cuts.empty() || impl_->worth_a_plan(repeats, *keys);
        planned = whole ? impl_->make(program, *keys, options) : impl_->in_pieces(program, repeats, options);
    }
    impl_->give_back(std::move(keys));
    return planned;
}

void PlanCache::clear() noexcept {
    const std::lock_guard lock(impl_->mutex);
    impl_->store.clear();
    impl_->loops = {};
}

std::size_t PlanCache::size() const noexcept {
    const std::lock_guard lock(impl_->mutex);
    return impl_->store.size();
}

std::size_t PlanCache::bytes() const noexcept {
    const std::lock_guard lock(impl_->mutex);
    return impl_->store.bytes();
}

}  // namespace xlazy::opt
