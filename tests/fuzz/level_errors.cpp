// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/level_errors.hpp"

#include "fuzz/level_runtime.hpp"
#include "fuzz/oracle.hpp"
#include "planner.hpp"
#include "xlazy/backends/memory_pool.hpp"
#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"
#include "xlazy/optimizer/optimizer.hpp"
#include "xlazy/runtime.hpp"

#include <fmt/format.h>

#include <optional>

namespace xlazy::fuzz {
namespace {

using bc::DType;
using bc::Instruction;
using bc::Op;
using bc::Operand;

/// Puts instructions before one of the program's, in its statement.
class Insertion {
public:
    Insertion(bc::Program& program, std::size_t before) : program_(program), at_(before) {
        const Instruction& user = program.instructions[before];
        pattern_.statement = user.statement;
        pattern_.domain = user.domain;
        origin_ = program.origins[before];
    }

    Operand add(Op op, DType type, DType result, std::initializer_list<Operand> operands, unsigned axis = 0) {
        Instruction instruction = pattern_;
        instruction.op = op;
        instruction.type = type;
        instruction.result = result;
        instruction.axis = static_cast<std::uint8_t>(axis);
        std::copy(operands.begin(), operands.end(), instruction.in);
        instruction.out = Operand::temp(program_.temp_count++);
        const auto place = static_cast<std::ptrdiff_t>(at_++);
        program_.instructions.insert(program_.instructions.begin() + place, instruction);
        program_.origins.insert(program_.origins.begin() + place, origin_);
        return instruction.out;
    }
    template <class T>
    Operand scalar(T value) {
        program_.scalars.push_back(bc::make_scalar(value));
        return Operand::scalar(static_cast<std::uint32_t>(program_.scalars.size() - 1));
    }
    /// The instruction before which all this stands.
    Instruction& user() noexcept { return program_.instructions[at_]; }

private:
    bc::Program& program_;
    std::size_t at_;
    Instruction pattern_;
    bc::OriginId origin_;
};

bool can_take_a_fault(const bc::Program& program, const Instruction& instruction) {
    return bc::info(instruction.op).kind == bc::OpKind::Map && !instruction.in[0].is_scalar() &&
           bc::element_count(program.domain_extents(instruction.domain)) > 0;
}

/// Before a random operation: its first operand becomes what it was and a number that cannot be computed at one place,
/// 1 / (index - position).
void put_fault(bc::Program& program, Random& random) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < program.instructions.size(); ++i)
        if (can_take_a_fault(program, program.instructions[i])) places.push_back(i);
    if (places.empty()) return;
    Insertion code(program, places[static_cast<std::size_t>(random.below(std::ssize(places)))]);
    const DType type = bc::operand_type(code.user(), 0);
    const auto extents = program.domain_extents(code.user().domain);
    Operand divisor = code.scalar(std::int64_t{0});
    const Operand one = code.scalar(std::int64_t{1});
    if (!extents.empty()) {
        const auto axis = static_cast<unsigned>(random.below(std::ssize(extents)));
        const std::int64_t position = random.below(extents[axis]);
        const Operand index = code.add(Op::index, DType::i64, DType::i64, {}, axis);
        divisor = code.add(Op::sub, DType::i64, DType::i64, {index, code.scalar(position)});
    }
    Operand number = code.add(Op::div, DType::i64, DType::i64, {one, divisor});
    const Operand operand = code.user().in[0];
    if (type != DType::i64) number = code.add(Op::cast, DType::i64, type, {number});
    code.user().in[0] = code.add(type == DType::boolean ? Op::logical_or : Op::add, type, type, {operand, number});
}

struct Restore {
    ~Restore() {
        std::vector<std::string> unknown;
        rt::set_passes(opt::parse_passes("all", unknown));
        rt::set_backend(rt::BackendChoice::automatic);
        set_num_threads(0);
    }
};

}  // namespace

std::string check_errors(const Case& c, std::uint64_t choice) {
    Random random(mix(choice, 11));
    Case broken = c;
    put_fault(broken.program, random);
    const std::string illegal = bc::verify(broken.program);
    if (!illegal.empty()) return fmt::format("illegal batch: {}\n{}", illegal, bc::print(broken.program));
    if (run_oracle(broken).read_undefined) return "";
    const Restore restore;
    rt::set_passes({static_cast<std::uint32_t>(random.word())});
    rt::set_backend(random.percent(30) ? rt::BackendChoice::interp : rt::BackendChoice::openmp);
    set_num_threads(static_cast<int>(random.between(1, 8)));
    const std::uint64_t before = be::pool_stats().bytes_in_use;
    const std::string wrong = check_run(broken, choice);
    if (!wrong.empty()) return fmt::format("{}\n{}", wrong, bc::print(broken.program));
    const std::uint64_t left = be::pool_stats().bytes_in_use;
    return left == before ? "" : fmt::format("{} bytes are left behind", left - before);
}

}  // namespace xlazy::fuzz
