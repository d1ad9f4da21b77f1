// SPDX-License-Identifier: BSD-3-Clause
// Reading of the text form that text.cpp prints.
#include "xlazy/bytecode/text.hpp"

#include "cursor.hpp"
#include "scalar_text.hpp"

namespace xlazy::bc {

ParseError::ParseError(std::size_t line, std::size_t column, const std::string& message)
    : std::runtime_error(fmt::format("line {}, column {}: {}", line, column, message)), line_(line), column_(column) {}

namespace {

/// A file that names more of them is damaged; tables are as long as there are temporaries.
constexpr std::uint32_t kMaxTemps = 1u << 22;

class Parser {
public:
    Program run(std::string_view text, std::size_t before) {
        Lines lines(text, before);
        bool headed = false;
        for (Cursor cursor; lines.next(cursor);) {
            if (headed) line(cursor);
            else header(cursor);
            headed = true;
            cursor.expect_end();
        }
        if (!headed) throw ParseError(lines.number() + 1, 1, "expected 'xlazy-bytecode 1'");
        if (!temps_given_) program_.temp_count = counts_.temps;
        if (!statements_given_) program_.statement_count = counts_.statements;
        return std::move(program_);
    }

private:
    static void header(Cursor& cursor) {
        if (!cursor.take_word("xlazy-bytecode")) cursor.fail("expected 'xlazy-bytecode 1'");
        const std::size_t version = cursor.position();
        if (cursor.number<unsigned>("the version of the text form") != 1) {
            cursor.fail_at(version, "only version 1 of the text form is known");
        }
    }

    void line(Cursor& cursor) {
        const std::size_t begin = cursor.position();
        const std::string_view word = cursor.word();
        if (word == "base") base(cursor);
        else if (word == "view") view(cursor);
        else if (word == "scalar") scalar(cursor);
        else if (word == "domain") domain(cursor);
        else if (word == "origin") origin(cursor);
        else if (word == "temps") temps(cursor);
        else if (word == "statements") counter(cursor, program_.statement_count, statements_given_);
        else instruction(cursor, begin, word);
    }

    void base(Cursor& cursor) {
        expect_next(cursor, 'b', program_.bases.size());
        BaseInfo base{};
        base.type = read_dtype(cursor);
        cursor.expect("[");
        base.size = cursor.number<std::int64_t>("a number of elements", 0);
        cursor.expect("]");
        base.initialised = cursor.take_word("init");
        base.live = cursor.take_word("live");
        program_.bases.push_back(base);
    }

    void view(Cursor& cursor) {
        expect_next(cursor, 'v', program_.views.size());
        const std::uint32_t base = cursor.reference('b', "base", program_.bases.size());
        const auto offset = cursor.number<std::int64_t>("an offset");
        const std::vector<std::int64_t> extents = cursor.list("an extent");
        cursor.expect(":");
        const std::size_t begin = cursor.position();
        const std::vector<std::int64_t> strides = cursor.list("a stride");
        if (strides.size() != extents.size()) {
            cursor.fail_at(begin, fmt::format("{} strides for {} extents", strides.size(), extents.size()));
        }
        Dim dims[kMaxRank];
        for (std::size_t i = 0; i < extents.size(); ++i) dims[i] = {extents[i], strides[i]};
        program_.add_view(base, offset, {dims, extents.size()});
    }

    void scalar(Cursor& cursor) {
        expect_next(cursor, 's', program_.scalars.size());
        const DType type = read_dtype(cursor);
        const std::size_t begin = cursor.position();
        const std::string_view text = cursor.word();
        Scalar value{};
        if (!scalar_from_text(text, type, value)) {
            cursor.fail_at(begin, fmt::format("'{}' is no value of type {}", text, name_of(type)));
        }
        program_.scalars.push_back(value);
    }

    void domain(Cursor& cursor) {
        expect_next(cursor, 'd', program_.domains.size());
        const std::size_t begin = cursor.position();
        const std::vector<std::int64_t> extents = cursor.list("an extent");
        const std::size_t count = program_.domains.size();
        const std::uint32_t index = program_.intern_domain(extents);
        if (index != count) cursor.fail_at(begin, fmt::format("this shape is d{} already", index));
    }

    void origin(Cursor& cursor) {
        expect_next(cursor, 'o', origins_.size());
        const std::string file = cursor.quoted();
        cursor.expect(":");
        const auto number = cursor.number<std::uint32_t>("a line");
        origins_.push_back(intern_origin_copy(file, number, cursor.at_end() ? std::string() : cursor.quoted()));
    }

    void temps(Cursor& cursor) {
        const std::size_t begin = cursor.position();
        counter(cursor, program_.temp_count, temps_given_);
        if (program_.temp_count > kMaxTemps) too_many_temps(cursor, begin);
    }
    [[noreturn]] static void too_many_temps(const Cursor& cursor, std::size_t begin) {
        cursor.fail_at(begin, fmt::format("more than {} temporaries", kMaxTemps));
    }

    static void counter(Cursor& cursor, std::uint32_t& count, bool& given) {
        count = cursor.number<std::uint32_t>("a count");
        given = true;
    }

    Operand operand(Cursor& cursor) const {
        const std::size_t begin = cursor.position();
        if (cursor.take("v")) return Operand::view(index_of(cursor, begin, program_.views.size(), "view"));
        if (cursor.take("s")) return Operand::scalar(index_of(cursor, begin, program_.scalars.size(), "scalar"));
        if (cursor.take("t")) {
            const auto index = cursor.number<std::uint32_t>("a number");
            if (index >= kMaxTemps) too_many_temps(cursor, begin);
            return Operand::temp(index);
        }
        cursor.fail("expected an operand (vN, tN or sN)");
    }

    static std::uint32_t index_of(Cursor& cursor, std::size_t begin, std::size_t limit, std::string_view what) {
        const auto index = cursor.number<std::uint32_t>("a number");
        if (index >= limit) cursor.fail_at(begin, fmt::format("there is no {} {} up to here", what, index));
        return index;
    }

    /// "add.f64", "cast.f64.i32"
    static void operation(Cursor& cursor, std::size_t begin, std::string_view word, Instruction& instruction) {
        const std::size_t dot = word.find('.');
        const std::string_view name = word.substr(0, dot);
        if (!op_from_name(name, instruction.op)) cursor.fail_at(begin, fmt::format("unknown op '{}'", name));
        if (dot == std::string_view::npos) cursor.fail_at(begin + word.size(), "expected '.' and a type");
        const std::size_t second = word.find('.', dot + 1);
        const auto type = [&](std::size_t from, std::size_t to) {
            const std::string_view text = word.substr(from, to - from);
            const DType found = dtype_from_name(text);
            if (found == DType::none) cursor.fail_at(begin + from, fmt::format("unknown type '{}'", text));
            return found;
        };
        instruction.type = type(dot + 1, std::min(second, word.size()));
        const DType implied = result_of(instruction.op, instruction.type);
        if (second != std::string_view::npos) instruction.result = type(second + 1, word.size());
        else if (implied != DType::none) instruction.result = implied;
        else cursor.fail_at(begin + word.size(), "expected '.' and the type of the result");
    }

    void attributes(Cursor& cursor, Instruction& instruction) const {
        const OpInfo& op = info(instruction.op);
        if (has_axis(instruction.op)) {
            cursor.expect("axis=");
            instruction.axis = static_cast<std::uint8_t>(cursor.number<unsigned>("an axis", 0, kMaxRank - 1));
        }
        if (op.kind == OpKind::Reduce && cursor.take_word("keep")) instruction.flags |= Instruction::kKeepAxis;
        if (op.fault != Fault::None && cursor.take("mask=")) {
            instruction.flags |= Instruction::kMasked;
            instruction.in[2] = operand(cursor);
        }
    }

    void instruction(Cursor& cursor, std::size_t begin, std::string_view word) {
        Instruction instruction;
        operation(cursor, begin, word, instruction);
        const std::size_t out = cursor.position();
        instruction.out = operand(cursor);
        if (instruction.out.is_scalar()) cursor.fail_at(out, "a scalar cannot be written");
        instruction.domain = cursor.reference('d', "domain", program_.domains.size());
        for (unsigned i = 0; i < info(instruction.op).arity; ++i) instruction.in[i] = operand(cursor);
        attributes(cursor, instruction);
        cursor.expect("@");
        program_.origins.push_back(origins_[cursor.reference('o', "origin", origins_.size())]);
        cursor.expect("#");
        instruction.statement =
            cursor.number<std::uint32_t>("a statement's number", 0, std::numeric_limits<std::uint32_t>::max() - 1);
        program_.instructions.push_back(instruction);
        counts_.see(instruction);
    }

    Program program_;
    std::vector<OriginId> origins_{0};
    Counts counts_;
    bool temps_given_ = false;
    bool statements_given_ = false;
};

}  // namespace

Program parse_batch(std::string_view text, std::size_t before) { return Parser().run(text, before); }

Program parse(std::string_view text) { return parse_batch(text, 0); }

}  // namespace xlazy::bc
