// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/shrink.hpp"

#include "fuzz/variant.hpp"
#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>

namespace xlazy::fuzz {
namespace {

using bc::Instruction;
using bc::Operand;
using bc::Program;

class Shrinker {
public:
    Shrinker(Case c, const Check& fails, double seconds) : case_(std::move(c)), fails_(fails), seconds_(seconds) {}

    Case run() {
        bool better = true;
        while (better && !late()) {
            better = drop_statements();
            better = drop_instructions() || better;
            better = shrink_extents() || better;
            better = simplify_bases() || better;
            better = simplify_views() || better;
        }
        attempt(compacted(case_.program));
        return case_;
    }

private:
    bool late() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() > seconds_;
    }

    bool attempt(Program program) {
        if (late()) return false;
        Case candidate{std::move(program), case_.data_seed};
        if (!bc::verify(candidate.program, bc::Strictness::Recorded).empty() || fails_(candidate).empty()) return false;
        case_ = std::move(candidate);
        return true;
    }

    bool drop_statements() {
        bool better = false;
        for (std::uint32_t size = std::max(1u, case_.program.statement_count / 2); size > 0; size /= 2)
            for (std::uint32_t first = 0; first < case_.program.statement_count; first += size) {
                const auto keep = [&](std::size_t i) {
                    const std::uint32_t statement = case_.program.instructions[i].statement;
                    return statement < first || statement >= first + size;
                };
                Program smaller = without(case_.program, keep);
                if (smaller.instructions.empty() || smaller.instructions.size() == case_.program.instructions.size())
                    continue;
                better = attempt(smaller) || attempt(all_initialised(smaller)) || better;
            }
        return better;
    }

    static Program all_initialised(Program program) {
        for (bc::BaseInfo& base : program.bases) base.initialised = true;
        return program;
    }

    /// Removes an instruction that makes a temporary; its users take one of its operands instead, or a scalar.
    bool drop_instructions() {
        bool better = false;
        for (std::size_t i = case_.program.instructions.size(); i-- > 0;) {
            const Instruction gone = case_.program.instructions[i];
            if (!gone.out.is_temp()) continue;
            const auto replaced = [&](Operand by) {
                Program smaller = without(case_.program, [&](std::size_t j) { return j != i; });
                for (Instruction& instruction : smaller.instructions)
                    for (Operand& operand : instruction.in)
                        if (operand == gone.out) operand = by;
                return smaller;
            };
            bool done = false;
            for (unsigned k = 0; k < bc::operand_count(gone) && !done; ++k) done = attempt(replaced(gone.in[k]));
            if (!done) {
                Program smaller = replaced(Operand::scalar(static_cast<std::uint32_t>(case_.program.scalars.size())));
                smaller.scalars.push_back(random_scalar(gone.result, Flavour::Unit, 1));
                done = attempt(std::move(smaller));
            }
            better = better || done;
        }
        return better;
    }

    bool shrink_extents() {
        bool better = false;
        std::set<std::int64_t, std::greater<>> extents;
        for (const Instruction& instruction : case_.program.instructions)
            for (std::int64_t extent : case_.program.domain_extents(instruction.domain)) extents.insert(extent);
        for (std::int64_t extent : extents) {
            std::int64_t current = extent;
            while (current > 1) {
                if (attempt(with_extent(case_.program, current, 1)))
                    current = 1;
                else if (current > 3 && attempt(with_extent(case_.program, current, current / 2)))
                    current /= 2;
                else if (attempt(with_extent(case_.program, current, current - 1)))
                    --current;
                else
                    break;
                better = true;
            }
        }
        return better;
    }

    bool simplify_bases() {
        bool better = false;
        for (std::size_t i = 0; i < case_.program.bases.size(); ++i) {
            Program simpler = case_.program;
            if (simpler.bases[i].live) {
                simpler.bases[i].live = false;
                better = attempt(simpler) || better;
            }
            simpler = case_.program;
            if (!simpler.bases[i].initialised) {
                simpler.bases[i].initialised = true;
                better = attempt(simpler) || better;
            }
        }
        return better;
    }

    /// Operands that are views become scalars.
    bool simplify_views() {
        bool better = false;
        for (std::size_t i = 0; i < case_.program.instructions.size(); ++i)
            for (unsigned k = 0; k < bc::operand_count(case_.program.instructions[i]); ++k) {
                Program simpler = case_.program;
                Operand& operand = simpler.instructions[i].in[k];
                if (!operand.is_view()) continue;
                const bc::DType type = simpler.bases[simpler.views[operand.index()].base].type;
                operand = Operand::scalar(static_cast<std::uint32_t>(simpler.scalars.size()));
                simpler.scalars.push_back(random_scalar(type, Flavour::Unit, 1));
                better = attempt(std::move(simpler)) || better;
            }
        return better;
    }

    Case case_;
    const Check& fails_;
    double seconds_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Case shrink(const Case& c, const Check& fails, double seconds) { return Shrinker(c, fails, seconds).run(); }

std::string print(const Saved& saved, const std::string& verdict) {
    std::string text = fmt::format("; level {} data {} choice {}\n", saved.level, saved.c.data_seed, saved.choice);
    std::istringstream lines(verdict);
    for (std::string line; std::getline(lines, line);) text += fmt::format("; {}\n", line);
    return text + bc::print(saved.c.program);
}

Saved read(const std::string& text) {
    Saved saved{{bc::parse(text), 0}, "bytecode", 0};
    std::istringstream words(text.substr(0, text.find('\n')));
    for (std::string word; words >> word;) {
        if (word == "level")
            words >> saved.level;
        else if (word == "data")
            words >> saved.c.data_seed;
        else if (word == "choice")
            words >> saved.choice;
    }
    return saved;
}

}  // namespace xlazy::fuzz
