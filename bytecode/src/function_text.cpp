// SPDX-License-Identifier: BSD-3-Clause
// The text form of a captured function: printing and reading.
#include "cursor.hpp"
#include "scalar_text.hpp"
#include "xlazy/bytecode/function.hpp"

#include <fmt/ranges.h>

#include <iterator>

namespace xlazy::bc {
namespace {

constexpr std::string_view kRoles[] = {"input", "state", "constant", "local"};
constexpr std::string_view kBindings[] = {"argument", "iteration", "key", "stream"};
constexpr std::string_view kHeader = "xlazy-function";

using Out = std::back_insert_iterator<std::string>;

void print_name(Out out, const std::string& name) {
    if (!name.empty()) fmt::format_to(out, " {}", quoted(name));
    fmt::format_to(out, "\n");
}

void print_references(Out out, std::string_view word, const std::vector<std::uint32_t>& variables) {
    fmt::format_to(out, "{}", word);
    for (const std::uint32_t variable : variables) fmt::format_to(out, " x{}", variable);
    fmt::format_to(out, "\n");
}

void print_head(Out out, const Function& f) {
    fmt::format_to(out, "{} 1\nfunction {}", kHeader, quoted(f.name));
    if (f.captured_at != 0) {
        const Origin place = origin(f.captured_at);
        fmt::format_to(out, " @{}:{}", quoted(place.file), place.line);
        if (place.function != nullptr) fmt::format_to(out, " {}", quoted(place.function));
    }
    fmt::format_to(out, "\n");
    for (std::size_t i = 0; i < f.arguments.size(); ++i) {
        fmt::format_to(out, "argument a{} {}", i, name_of(f.arguments[i].type));
        if (f.arguments[i].only) fmt::format_to(out, " only {}", scalar_text(*f.arguments[i].only));
        print_name(out, f.arguments[i].name);
    }
    for (std::size_t i = 0; i < f.variables.size(); ++i) {
        const Variable& v = f.variables[i];
        fmt::format_to(out, "variable x{} {} ({}) {}{}", i, name_of(v.type), fmt::join(v.extents, ","),
                       kRoles[static_cast<std::size_t>(v.role)], v.column_major ? " column_major" : "");
        print_name(out, v.name);
    }
    print_references(out, "inputs", f.inputs);
    print_references(out, "outputs", f.outputs);
}

void print_segment(Out out, std::size_t index, const Segment& segment) {
    fmt::format_to(out, "segment g{}", index);
    if (segment.draws != 0) fmt::format_to(out, " draws {}", segment.draws);
    print_references(out, "\nbases", segment.variables);
    for (const ScalarBinding& binding : segment.scalars) {
        const bool argument = binding.kind == ScalarBinding::Kind::Argument;
        fmt::format_to(out, "bind s{} {} {}{}", binding.scalar, kBindings[static_cast<std::size_t>(binding.kind)],
                       argument ? "a" : "", binding.number);
        if (binding.kind == ScalarBinding::Kind::RandomStream) fmt::format_to(out, " +{}", binding.offset);
        fmt::format_to(out, "\n");
    }
    fmt::format_to(out, "batch\n{}end\n", print(segment.batch));
}

void print_nodes(Out out, const std::vector<Node>& nodes, std::size_t indent) {
    for (const Node& node : nodes) {
        fmt::format_to(out, "{:{}}", "", indent);
        switch (node.kind) {
            case Node::Kind::Run: fmt::format_to(out, "run g{}\n", node.segment); continue;
            case Node::Kind::Repeat:
                if (node.argument == kNoIndex)
                    fmt::format_to(out, "repeat {} {{\n", node.times);
                else
                    fmt::format_to(out, "repeat a{} {{\n", node.argument);
                break;
            case Node::Kind::While:
                fmt::format_to(out, "while x{} {{\n", node.condition);
                print_nodes(out, node.head, indent + 2);
                fmt::format_to(out, "{:{}}}} do {{\n", "", indent);
                break;
            case Node::Kind::Branch: fmt::format_to(out, "branch x{} {{\n", node.condition); break;
        }
        print_nodes(out, node.body, indent + 2);
        if (node.kind == Node::Kind::Branch) {
            fmt::format_to(out, "{:{}}}} else {{\n", "", indent);
            print_nodes(out, node.otherwise, indent + 2);
        }
        fmt::format_to(out, "{:{}}}}\n", "", indent);
    }
}

class Parser {
public:
    explicit Parser(std::string_view text) noexcept : text_(text), lines_(text) {}

    Function run() {
        header();
        while (lines_.next(cursor_)) {
            const std::size_t begin = cursor_.position();
            const std::string_view word = cursor_.word();
            if (word == "argument")
                argument();
            else if (word == "variable")
                variable();
            else if (word == "inputs")
                f_.inputs = references();
            else if (word == "outputs")
                f_.outputs = references();
            else if (word == "segment")
                segment();
            else if (!node(word, f_.body, 0))
                cursor_.fail_at(begin, fmt::format("unexpected '{}'", word));
            cursor_.expect_end();
        }
        return std::move(f_);
    }

private:
    void line(std::string_view expected) {
        if (!lines_.next(cursor_)) throw ParseError(lines_.number() + 1, 1, fmt::format("expected {}", expected));
    }

    void header() {
        line("'xlazy-function 1'");
        if (!cursor_.take_word(kHeader)) cursor_.fail("expected 'xlazy-function 1'");
        const std::size_t version = cursor_.position();
        if (cursor_.number<unsigned>("the version of the text form") != 1)
            cursor_.fail_at(version, "only version 1 of the text form is known");
        cursor_.expect_end();
        line("'function'");
        if (!cursor_.take_word("function")) cursor_.fail("expected 'function'");
        f_.name = cursor_.quoted();
        if (cursor_.take("@")) {
            const std::string file = cursor_.quoted();
            cursor_.expect(":");
            const auto number = cursor_.number<std::uint32_t>("a line");
            f_.captured_at = intern_origin_copy(file, number, cursor_.at_end() ? std::string() : cursor_.quoted());
        }
        cursor_.expect_end();
    }

    std::string name() { return cursor_.at_end() ? std::string() : cursor_.quoted(); }

    void argument() {
        expect_next(cursor_, 'a', f_.arguments.size());
        ScalarArgument argument;
        argument.type = read_dtype(cursor_);
        if (cursor_.take_word("only")) argument.only = value_of(argument.type);
        argument.name = name();
        f_.arguments.push_back(std::move(argument));
    }

    Scalar value_of(DType type) {
        const std::size_t begin = cursor_.position();
        const std::string_view text = cursor_.word();
        Scalar value{};
        if (!scalar_from_text(text, type, value))
            cursor_.fail_at(begin, fmt::format("'{}' is no value of type {}", text, name_of(type)));
        return value;
    }

    void variable() {
        expect_next(cursor_, 'x', f_.variables.size());
        Variable variable;
        variable.type = read_dtype(cursor_);
        variable.extents = cursor_.list("an extent");
        const std::size_t begin = cursor_.position();
        const std::string_view word = cursor_.word();
        const auto role = std::ranges::find(kRoles, word);
        if (role == std::end(kRoles)) cursor_.fail_at(begin, fmt::format("unknown role '{}'", word));
        variable.role = static_cast<Role>(role - std::begin(kRoles));
        variable.column_major = cursor_.take_word("column_major");
        variable.name = name();
        f_.variables.push_back(std::move(variable));
    }

    std::uint32_t variable_reference() { return cursor_.reference('x', "variable", f_.variables.size()); }

    std::vector<std::uint32_t> references() {
        std::vector<std::uint32_t> all;
        while (!cursor_.at_end()) all.push_back(variable_reference());
        return all;
    }

    void segment() {
        expect_next(cursor_, 'g', f_.segments.size());
        Segment segment;
        if (cursor_.take_word("draws")) segment.draws = cursor_.number<std::uint32_t>("a number of draws");
        cursor_.expect_end();
        line("'bases'");
        if (!cursor_.take_word("bases")) cursor_.fail("expected 'bases'");
        segment.variables = references();
        for (line("'batch'"); !cursor_.take_word("batch"); line("'batch'")) {
            if (!cursor_.take_word("bind")) cursor_.fail("expected 'bind' or 'batch'");
            segment.scalars.push_back(binding());
            cursor_.expect_end();
        }
        cursor_.expect_end();
        const std::size_t begin = lines_.behind(), before = lines_.number();
        do line("'end'");
        while (!cursor_.take_word("end"));
        segment.batch = parse_batch(text_.substr(begin, lines_.offset() - begin), before);
        f_.segments.push_back(std::move(segment));
    }

    ScalarBinding binding() {
        ScalarBinding binding;
        binding.scalar = cursor_.reference('s', "a scalar", kNoIndex);
        const std::size_t begin = cursor_.position();
        const std::string_view word = cursor_.word();
        const auto kind = std::ranges::find(kBindings, word);
        if (kind == std::end(kBindings)) cursor_.fail_at(begin, fmt::format("unknown binding '{}'", word));
        binding.kind = static_cast<ScalarBinding::Kind>(kind - std::begin(kBindings));
        if (binding.kind == ScalarBinding::Kind::Argument)
            binding.number = cursor_.reference('a', "argument", f_.arguments.size());
        else
            binding.number = cursor_.number<std::uint32_t>("a number");
        if (binding.kind == ScalarBinding::Kind::RandomStream) {
            cursor_.expect("+");
            binding.offset = cursor_.number<std::uint64_t>("an offset");
        }
        return binding;
    }

    /// The word that begins a node has been read. @return false: there is no such word
    bool node(std::string_view word, std::vector<Node>& nodes, unsigned depth) {
        if (depth == kMaxNesting && word != "run")
            cursor_.fail(fmt::format("more than {} blocks inside each other", kMaxNesting));
        Node node;
        if (word == "run") {
            node.segment = cursor_.reference('g', "segment", f_.segments.size());
        } else if (word == "repeat") {
            node.kind = Node::Kind::Repeat;
            if (cursor_.take("a"))
                node.argument = index_below(f_.arguments.size(), "argument");
            else
                node.times = cursor_.number<std::uint64_t>("a number of times");
            cursor_.expect("{");
            block(node.body, depth);
        } else if (word == "while") {
            node.kind = Node::Kind::While;
            node.condition = variable_reference();
            cursor_.expect("{");
            block(node.head, depth);
            cursor_.expect("do");
            cursor_.expect("{");
            block(node.body, depth);
        } else if (word == "branch") {
            node.kind = Node::Kind::Branch;
            node.condition = variable_reference();
            cursor_.expect("{");
            block(node.body, depth);
            cursor_.expect("else");
            cursor_.expect("{");
            block(node.otherwise, depth);
        } else {
            return false;
        }
        nodes.push_back(std::move(node));
        return true;
    }

    std::uint32_t index_below(std::size_t limit, std::string_view what) {
        const auto index = cursor_.number<std::uint32_t>("a number");
        if (index >= limit) cursor_.fail(fmt::format("there is no {} {} up to here", what, index));
        return index;
    }

    /// Nodes up to the closing brace, behind which the cursor is left.
    void block(std::vector<Node>& nodes, unsigned depth) {
        cursor_.expect_end();
        for (line("'}'"); !cursor_.take("}"); line("'}'")) {
            const std::size_t begin = cursor_.position();
            const std::string_view word = cursor_.word();
            if (!node(word, nodes, depth + 1)) cursor_.fail_at(begin, fmt::format("unexpected '{}'", word));
            cursor_.expect_end();
        }
    }

    std::string_view text_;
    Lines lines_;
    Cursor cursor_;
    Function f_;
};

}  // namespace

std::string print(const Function& function) {
    std::string text;
    const Out out = std::back_inserter(text);
    print_head(out, function);
    for (std::size_t i = 0; i < function.segments.size(); ++i) print_segment(out, i, function.segments[i]);
    print_nodes(out, function.body, 0);
    return text;
}

Function parse_function(std::string_view text) { return Parser(text).run(); }

}  // namespace xlazy::bc
