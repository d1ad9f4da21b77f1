// SPDX-License-Identifier: BSD-3-Clause
#include "new_versions.hpp"

#include "base_access.hpp"
#include "xlazy/backends/memory_pool.hpp"
#include "xlazy/optimizer/traffic.hpp"

#include <cstring>

namespace xlazy::rt {
namespace {

void copy_elements(std::byte* to, const std::byte* from, std::size_t element_size, std::int64_t first,
                   std::int64_t count) noexcept {
    const std::size_t begin = static_cast<std::size_t>(first) * element_size;
    std::memcpy(to + begin, from + begin, static_cast<std::size_t>(count) * element_size);
}

}  // namespace

NewVersions::NewVersions(Queue& queue, const bc::Plan& plan, std::uint32_t kernel, Outcome& outcome)
    : queue_(queue), kernel_(plan.kernels[kernel]), moves_(kernel_.versions.size(), false) {
    for (std::size_t i = 0; i < kernel_.versions.size(); ++i) {
        const bc::Version& version = kernel_.versions[i];
        const Base& base = *queue.uses[version.base].base;
        memory_.push_back(nullptr);
        if (old_memory(version.base) == nullptr) continue;  // it failed before
        try {
            memory_.back() = be::pool_allocate(byte_size(base));
        } catch (const std::bad_alloc&) {
            outcome.missing.push_back({Missing::What::Version, version.base, byte_size(base), kernel});
            continue;
        }
        moves_[i] = !base_pinned(&base) && !opt::copies_back(queue.program, version);
        if (!moves_[i]) continue;
        if (be::copy_on_device(memory_.back(), old_memory(version.base), byte_size(base))) continue;
        auto* const to = static_cast<std::byte*>(memory_.back());
        bc::for_each_gap(queue.program, version.view, [&](std::int64_t first, std::int64_t count) {
            copy_elements(to, old_memory(version.base), bc::size_of(base.dtype()), first, count);
        });
    }
}

NewVersions::~NewVersions() {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
        if (memory_[i] != nullptr) be::pool_free(memory_[i], byte_size(*queue_.uses[kernel_.versions[i].base].base));
    }
}

void NewVersions::take() {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
        if (memory_[i] == nullptr) continue;
        const bc::Version& version = kernel_.versions[i];
        if (!moves_[i]) {
            copy_back(version, static_cast<const std::byte*>(memory_[i]));
            continue;
        }
        void*& current = queue_.base_memory[version.base];
        std::swap(current, memory_[i]);
        BaseAccess::memory(*queue_.uses[version.base].base) = current;
    }
}

std::byte* NewVersions::old_memory(std::uint32_t base) const noexcept {
    return static_cast<std::byte*>(queue_.base_memory[base]);
}

void NewVersions::copy_back(const bc::Version& version, const std::byte* from) const {
    be::bring_to_host(const_cast<std::byte*>(from));
    be::host_writes(old_memory(version.base));
    const std::size_t size = bc::size_of(queue_.uses[version.base].base->dtype());
    for (const bc::MicroOp& op : kernel_.ops) {
        if (op.kind != bc::MicroOp::Kind::StoreView && op.kind != bc::MicroOp::Kind::ReduceView) continue;
        if (queue_.program.views[op.index].base != version.base) continue;
        bc::for_each_run(queue_.program, op.index, [&](std::int64_t first, std::int64_t count) {
            copy_elements(old_memory(version.base), from, size, first, count);
        });
    }
}

}  // namespace xlazy::rt
