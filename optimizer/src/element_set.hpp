// SPDX-License-Identifier: BSD-3-Clause
// Sets of elements of a base, exact for every view: one bit an element.
#pragma once

#include "xlazy/bytecode/plan.hpp"

#include <vector>

namespace xlazy::opt {

/// A row of elements that lie one after the other.
struct Run {
    std::int64_t first, count;
};

class ElementSet {
    using Word = std::uint64_t;

public:
    /// Of no element. `first` and `count` bound what it can hold.
    ElementSet(std::int64_t first, std::int64_t count)
        : first_(first), words_(static_cast<std::size_t>((count + 63) / 64), 0) {}

    void add(Run run) {
        each_word(words_, first_, run, [](Word& word, Word mask) { word |= mask; });
    }
    void remove(Run run) {
        each_word(words_, first_, run, [](Word& word, Word mask) { word &= ~mask; });
    }
    void add(const bc::Program& program, std::uint32_t view) {
        bc::for_each_run(program, view, [&](std::int64_t first, std::int64_t count) { add(Run{first, count}); });
    }
    void remove(const bc::Program& program, std::uint32_t view) {
        bc::for_each_run(program, view, [&](std::int64_t first, std::int64_t count) { remove(Run{first, count}); });
    }
    /// Number of its elements that the view shows; the view repeats none.
    std::int64_t count_in(const bc::Program& program, std::uint32_t view) const;
    std::int64_t count() const noexcept;

private:
    /// Calls change_word(word, mask of the run's bits in it) for the words of every run.
    template <class Words, class Change>
    static void each_word(Words& words, std::int64_t first, Run run, Change change_word) {
        auto bit = static_cast<std::uint64_t>(run.first - first);
        for (auto left = static_cast<std::uint64_t>(run.count); left != 0;) {
            const std::uint64_t in_word = bit % 64;
            const std::uint64_t bits = left < 64 - in_word ? left : 64 - in_word;
            const Word mask = (bits == 64 ? ~Word{0} : (Word{1} << bits) - 1) << in_word;
            change_word(words[bit / 64], mask);
            bit += bits;
            left -= bits;
        }
    }

    std::int64_t first_;
    std::vector<Word> words_;
};

/// Number of elements that the views, of one base, show together.
std::int64_t elements_shown(const bc::Program& program, const std::vector<std::uint32_t>& views);

}  // namespace xlazy::opt
