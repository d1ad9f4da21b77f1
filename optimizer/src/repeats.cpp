// SPDX-License-Identifier: BSD-3-Clause
// A batch is a string whose letters are statements. With hashes of all its beginnings, any two stretches are compared
// in constant time (rolling hash, Karp and Rabin 1987); so for every distance at which the letter in the middle of the
// string occurs again, the stretch that repeats itself at this distance is found by bisection.
#include "repeats.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace xlazy::opt {

using bc::Instruction;

namespace {

/// Distances that are tried.
constexpr unsigned kMaxDistances = 64;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

/// What an instruction does, without what its operands' numbers are.
std::uint64_t letter_of(std::uint64_t hash, const Instruction& instruction) noexcept {
    const auto kind = [](bc::Operand operand) { return static_cast<std::uint64_t>(operand.kind()); };
    return mix(hash, std::uint64_t{static_cast<std::uint16_t>(instruction.op)} |
                         std::uint64_t{static_cast<std::uint8_t>(instruction.type)} << 16 |
                         std::uint64_t{static_cast<std::uint8_t>(instruction.result)} << 24 |
                         std::uint64_t{instruction.flags} << 32 | std::uint64_t{instruction.axis} << 40 |
                         kind(instruction.out) << 48 | kind(instruction.in[0]) << 50 | kind(instruction.in[1]) << 52 |
                         kind(instruction.in[2]) << 54);
}

/// The batch's statements as a string.
class Statements {
public:
    explicit Statements(const bc::Program& program) : program_(program) {
        std::vector<bool> seen(program.bases.size(), false);
        const std::vector<Instruction>& code = program.instructions;
        for (std::uint32_t i = 0; i < code.size(); ++i) {
            if (i == 0 || code[i].statement != code[i - 1].statement) {
                begins_.push_back(i);
                letters_.push_back(program.origins[i]);
            }
            letters_.back() = mix(letter_of(letters_.back(), code[i]), first_sights(code[i], seen));
        }
        hashes_.push_back(0);
        for (const std::uint64_t letter : letters_) hashes_.push_back(hashes_.back() * kBase + letter);
        powers_.push_back(1);
        while (powers_.size() < hashes_.size()) powers_.push_back(powers_.back() * kBase);
    }

    std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(letters_.size()); }
    std::uint64_t operator[](std::uint32_t i) const noexcept { return letters_[i]; }
    /// The first instruction of a statement; of the end: the end.
    std::uint32_t begin_of(std::uint32_t i) const noexcept {
        return i < count() ? begins_[i] : static_cast<std::uint32_t>(program_.instructions.size());
    }
    bc::OriginId origin_of(std::uint32_t i) const noexcept { return program_.origins[begins_[i]]; }
    std::uint64_t hash(std::uint32_t begin, std::uint32_t length) const noexcept {
        return hashes_[begin + length] - hashes_[begin] * powers_[length];
    }
    /// Length of the longest common stretch that begins at both, or that ends before both.
    std::uint32_t common_after(std::uint32_t a, std::uint32_t b) const noexcept {
        return longest(count() - b, [&](std::uint32_t n) { return hash(a, n) == hash(b, n); });
    }
    std::uint32_t common_before(std::uint32_t a, std::uint32_t b) const noexcept {
        return longest(a, [&](std::uint32_t n) { return hash(a - n, n) == hash(b - n, n); });
    }

private:
    static constexpr std::uint64_t kBase = 0xd6e8feb86659fd93u;

    /// An iteration that gives an array of before the loop its first value is another one than those after it.
    std::uint64_t first_sights(const Instruction& instruction, std::vector<bool>& seen) const {
        const auto is_first = [&](bc::Operand operand) -> std::uint64_t {
            if (!operand.is_view()) return 0;
            const std::uint32_t base = program_.views[operand.index()].base;
            if (seen[base]) return 0;
            seen[base] = true;
            const bc::BaseInfo& info = program_.bases[base];
            return info.initialised ? 0 : 1;
        };
        std::uint64_t bits = 0;
        for (const bc::Operand in : instruction.in) bits = bits << 1 | is_first(in);
        return bits << 1 | is_first(instruction.out);
    }

    template <class Test>
    static std::uint32_t longest(std::uint32_t most, Test equal) noexcept {
        std::uint32_t good = 0, bad = most + 1;
        while (bad - good > 1) {
            const std::uint32_t middle = good + (bad - good) / 2;
            (equal(middle) ? good : bad) = middle;
        }
        return good;
    }

    const bc::Program& program_;
    std::vector<std::uint32_t> begins_;
    std::vector<std::uint64_t> letters_;
    std::vector<std::uint64_t> hashes_;  ///< of the first i letters
    std::vector<std::uint64_t> powers_;
};

/// Statements [begin, end) repeat themselves after `length` statements.
struct Loop {
    std::uint32_t begin, end, length;
    std::uint32_t units() const noexcept { return (end - begin) / length; }
};

std::optional<Loop> longest_loop(const Statements& statements) {
    const std::uint32_t count = statements.count(), middle = count / 2;
    std::optional<Loop> best;
    unsigned tried = 0;
    for (std::uint32_t length = 1; length <= middle && tried < kMaxDistances; ++length) {
        if (statements[middle - length] != statements[middle]) continue;
        ++tried;
        const Loop loop{middle - length - statements.common_before(middle - length, middle),
                        middle + statements.common_after(middle - length, middle), length};
        if (!best || loop.end - loop.begin > best->end - best->begin) best = loop;
        if (best->begin == 0 && best->end == count) break;
    }
    if (best && 2 * (best->end - best->begin) < count) best.reset();
    return best;
}

/// The loop from the statement of its body that the program met first: for any k, the body begins at the same place.
Loop from_its_top(const Statements& statements, Loop loop) {
    std::uint32_t top = loop.begin;
    for (std::uint32_t i = loop.begin + 1; i < loop.begin + loop.length; ++i) {
        if (statements.origin_of(i) < statements.origin_of(top)) top = i;
    }
    return {top, loop.end, loop.length};
}

/// The largest power of four that is no more than `value`, which is not 0.
std::uint32_t power_of_four(std::uint32_t value) {
    const std::uint32_t power = std::bit_floor(value);
    return std::countr_zero(power) % 2 == 0 ? power : power / 2;
}

}  // namespace

Repeats find_repeats(const bc::Program& program) {
    Repeats repeats;
    if (program.statement_count < kMinRepeats) return repeats;
    const Statements statements(program);
    if (statements.count() < kMinRepeats) return repeats;
    const std::optional<Loop> found = longest_loop(statements);
    if (!found || found->units() < kMinRepeats) return repeats;
    const Loop loop = from_its_top(statements, *found);
    const std::uint32_t units = loop.units();
    if (units < kMinRepeats) return repeats;
    repeats.unit = statements.hash(loop.begin, loop.length);

    const std::uint32_t unit = statements.begin_of(loop.begin + loop.length) - statements.begin_of(loop.begin);
    const std::uint32_t most = std::min(kMaxPieceUnits, power_of_four(std::max(1u, kMaxPieceInstructions / unit)));
    if (statements.begin_of(loop.begin) != 0) repeats.cuts.push_back(0);
    std::uint32_t at = loop.begin;
    const std::uint32_t tail = (units - 1) % kTailUnits + 1;
    for (std::uint32_t left = units - tail; left != 0;) {
        repeats.cuts.push_back(statements.begin_of(at));
        const std::uint32_t piece = std::min(most, power_of_four(left));
        at += piece * loop.length;
        left -= piece;
    }
    repeats.cuts.push_back(statements.begin_of(at));
    repeats.cuts.push_back(statements.begin_of(statements.count()));
    return repeats;
}

}  // namespace xlazy::opt
