// SPDX-License-Identifier: BSD-3-Clause
#include "queue.hpp"

#include "base_access.hpp"
#include "xlazy/bytecode/counting.hpp"

#include <algorithm>

namespace xlazy::rt {
namespace {

// A base's note of where it is in a batch: the batch's number above, the index below.
constexpr unsigned kIndexBits = 20;
constexpr std::uint64_t kIndexMask = (std::uint64_t{1} << kIndexBits) - 1;
constinit std::atomic<std::uint64_t> next_epoch{1};

std::uint64_t new_epoch() noexcept { return next_epoch.fetch_add(1, std::memory_order_relaxed) << kIndexBits; }

constinit thread_local char thread_mark = 0;

bool same_window(const bc::Program& program, const bc::View& known, const ViewRef& view) noexcept {
    if (known.offset != view.offset || known.rank != view.rank) return false;
    const bc::Dim* dims = program.dims.data() + known.dims_begin;
    for (std::size_t i = 0; i < view.rank; ++i) {
        if (dims[i].extent != static_cast<std::int64_t>(view.extents[i]) || dims[i].stride != view.strides[i])
            return false;
    }
    return true;
}

}  // namespace

std::size_t BaseIndex::slot_of(const Base* base) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    return ((address * 0x9e3779b97f4a7c15u) >> 32) & (entries_.size() - 1);
}

std::uint32_t BaseIndex::find(const Base* base, const std::vector<BaseUse>& uses) const noexcept {
    if (entries_.empty()) return kAbsent;
    for (std::size_t slot = slot_of(base); entries_[slot].batch == batch_; slot = (slot + 1) & (entries_.size() - 1)) {
        if (uses[entries_[slot].index].base == base) return entries_[slot].index;
    }
    return kAbsent;
}

void BaseIndex::insert(const Base* base, std::uint32_t index, const std::vector<BaseUse>& uses) {
    if (2 * (count_ + 1) > entries_.size()) {
        std::vector<Entry> larger(std::max<std::size_t>(64, 2 * entries_.size()), Entry{0, 0});
        entries_.swap(larger);
        count_ = 0;
        for (std::uint32_t i = 0; i < index; ++i) insert(uses[i].base, i, uses);
    }
    std::size_t slot = slot_of(base);
    while (entries_[slot].batch == batch_) slot = (slot + 1) & (entries_.size() - 1);
    entries_[slot] = {batch_, index};
    ++count_;
}

void BaseIndex::erase_last(const Base* base, std::uint32_t index) noexcept {
    std::size_t slot = slot_of(base);
    while (entries_[slot].index != index || entries_[slot].batch != batch_) slot = (slot + 1) & (entries_.size() - 1);
    entries_[slot].batch = 0;
    --count_;
}

void BaseIndex::next_batch() noexcept {
    count_ = 0;
    if (++batch_ != 0) return;
    std::ranges::fill(entries_, Entry{0, 0});
    batch_ = 1;
}

Queue::Queue() : epoch_(new_epoch()) {}

void Queue::lock() {
    mutex_.lock();
    holder_.store(&thread_mark, std::memory_order_relaxed);
}

bool Queue::try_lock() {
    if (!mutex_.try_lock()) return false;
    holder_.store(&thread_mark, std::memory_order_relaxed);
    return true;
}

void Queue::unlock() noexcept {
    holder_.store(nullptr, std::memory_order_relaxed);
    mutex_.unlock();
}

bool Queue::held_by_me() const noexcept { return holder_.load(std::memory_order_relaxed) == &thread_mark; }

std::uint32_t Queue::enroll(Base& base) {
    auto& slot = BaseAccess::batch_slot(base);
    const std::uint64_t note = slot.load(std::memory_order_relaxed);
    if ((note & ~kIndexMask) == epoch_) return static_cast<std::uint32_t>(note & kIndexMask);
    std::uint32_t index = index_.find(&base, uses);
    if (index == BaseIndex::kAbsent) {
        index = static_cast<std::uint32_t>(uses.size());
        try {
            program.bases.push_back({base.dtype(), false, false, static_cast<std::int64_t>(base.size())});
            uses.push_back({&base, 0, 0, false, false});
            index_.insert(&base, index, uses);
        } catch (...) {
            program.bases.resize(index);
            uses.resize(index);
            throw;
        }
        base_retain(&base);
        if (BaseAccess::memory(base) != nullptr) bytes_held_ += byte_size(base);
    }
    if (index < kIndexMask) slot.store(epoch_ | index, std::memory_order_relaxed);
    return index;
}

bool Queue::reads(const Base& base) const noexcept {
    const std::uint32_t index = index_.find(&base, uses);
    return index != BaseIndex::kAbsent && uses[index].read;
}

void Queue::note_read(std::uint32_t index) {
    BaseUse& use = uses[index];
    if (use.read) return;
    use.read = true;
    bc::count_up(BaseAccess::readers(*use.base));
    BaseAccess::writable(*use.base).store(nullptr, std::memory_order_relaxed);
}

void Queue::note_write(std::uint32_t index, bc::OriginId origin) {
    BaseUse& use = uses[index];
    use.written_at = origin;
    if (use.written) return;
    use.written = true;
    BaseAccess::readable(*use.base).store(nullptr, std::memory_order_relaxed);
    BaseAccess::writable(*use.base).store(nullptr, std::memory_order_relaxed);
    BaseAccess::writer(*use.base).store(this, std::memory_order_release);
}

std::uint32_t Queue::add_view(std::uint32_t base, const ViewRef& view) {
    std::uint32_t& last = uses[base].last_view;
    if (last < program.views.size() && program.views[last].base == base &&
        same_window(program, program.views[last], view)) {
        return last;
    }
    bc::Dim dims[bc::kMaxRank];
    std::int64_t extents[bc::kMaxRank];
    for (std::size_t i = 0; i < view.rank; ++i) {
        extents[i] = static_cast<std::int64_t>(view.extents[i]);
        dims[i] = {extents[i], view.strides[i]};
    }
    view_domains_.push_back(program.intern_domain({extents, view.rank}));
    last = program.add_view(base, view.offset, {dims, view.rank});
    return last;
}

void Queue::open_statement() {
    mark_ = {program.instructions.size(), program.views.size(),   program.dims.size(), program.domains.size(),
             program.extents.size(),      program.scalars.size(), uses.size(),         program.temp_count};
    run_now = false;
    in_statement = true;
}

void Queue::close_statement() noexcept { in_statement = false; }

void Queue::unenroll_last() noexcept {
    BaseUse& use = uses.back();
    const auto index = static_cast<std::uint32_t>(uses.size() - 1);
    index_.erase_last(use.base, index);
    auto& slot = BaseAccess::batch_slot(*use.base);
    std::uint64_t note = epoch_ | index;
    slot.compare_exchange_strong(note, 0, std::memory_order_relaxed);
    if (use.read) bc::count_down(BaseAccess::readers(*use.base));
    base_release(use.base);
    uses.pop_back();
    program.bases.pop_back();
}

void Queue::take_back() noexcept {
    program.instructions.resize(mark_.instructions);
    program.origins.resize(mark_.instructions);
    program.views.resize(mark_.views);
    view_domains_.resize(mark_.views);
    program.dims.resize(mark_.dims);
    program.domains.resize(mark_.domains);
    program.extents.resize(mark_.extents);
    program.scalars.resize(mark_.scalars);
    program.temp_count = mark_.temps;
    while (uses.size() > mark_.uses) unenroll_last();
    in_statement = false;
}

std::size_t Queue::dead_bytes() const noexcept {
    std::size_t bytes = 0;
    for (const BaseUse& use : uses) {
        const bool dead = BaseAccess::references(*use.base).load(std::memory_order_relaxed) == 1;
        if (dead && BaseAccess::memory(*use.base) != nullptr) bytes += byte_size(*use.base);
    }
    return bytes;
}

bool Queue::full(bc::OriginId next) noexcept {
    const std::size_t queued = program.instructions.size();
    if (queued >= kMaxInstructions &&
        (next == program.origins.front() || queued >= kMaxInstructions + kMaxInstructionsBeyond))
        return true;
    if (bytes_held_ <= next_dead_check_) return false;
    if (dead_bytes() > kMaxDeadBytes) return true;
    next_dead_check_ = bytes_held_ + kMaxDeadBytes;
    return false;
}

void Queue::hand_over() noexcept {
    for (BaseUse& use : uses) use.written = false;
    release_batch(false);
}

void Queue::release_batch(bool keep_reads) noexcept {
    for (BaseUse& use : uses) {
        if (use.written) BaseAccess::writer(*use.base).store(nullptr, std::memory_order_release);
        use.written = false;
        if (keep_reads) continue;
        if (use.read) bc::count_down(BaseAccess::readers(*use.base));
        base_release(use.base);
    }
    if (keep_reads) return;
    uses.clear();
    program.clear();
    call_chains.clear();
    view_domains_.clear();
    index_.next_batch();
    epoch_ = new_epoch();
    bytes_held_ = 0;
    next_dead_check_ = kMaxDeadBytes;
}

}  // namespace xlazy::rt
