// SPDX-License-Identifier: BSD-3-Clause
// Reading of a text form, line by line.
#pragma once

#include "xlazy/bytecode/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

namespace xlazy::bc {

/// One line of the text, read from left to right. Errors name the place where the unfit part begins.
class Cursor {
public:
    Cursor() noexcept : number_(0) {}
    Cursor(std::string_view line, std::size_t number) noexcept : line_(line), number_(number) {}

    bool at_end() noexcept {
        skip_blanks();
        return position_ == line_.size();
    }

    [[noreturn]] void fail_at(std::size_t position, const std::string& message) const {
        throw ParseError(number_, position + 1, message);
    }
    [[noreturn]] void fail(const std::string& message) const { fail_at(position_, message); }

    std::size_t position() noexcept {
        skip_blanks();
        return position_;
    }

    void expect_end() {
        if (!at_end()) fail("expected the end of the line");
    }

    /// Takes `text` if it comes next.
    bool take(std::string_view text) noexcept {
        skip_blanks();
        if (!line_.substr(position_).starts_with(text)) return false;
        position_ += text.size();
        return true;
    }
    void expect(std::string_view text) {
        if (!take(text)) fail(fmt::format("expected '{}'", text));
    }
    /// Takes the next word if it is `word`.
    bool take_word(std::string_view word) noexcept {
        if (peek_word() != word) return false;
        position_ += word.size();
        return true;
    }
    std::string_view word() noexcept {
        const std::string_view text = peek_word();
        position_ += text.size();
        return text;
    }

    template <class T>
    T number(std::string_view what, T least = std::numeric_limits<T>::min(), T most = std::numeric_limits<T>::max()) {
        skip_blanks();
        const char* const begin = line_.data() + position_;
        const char* const end = line_.data() + line_.size();
        T value{};
        const bool plus = begin != end && *begin == '+' && std::is_signed_v<T> && begin + 1 != end && begin[1] != '-';
        const auto [stop, error] = std::from_chars(begin + plus, end, value);
        if (error == std::errc::invalid_argument) fail(fmt::format("expected {}", what));
        if (error != std::errc() || value < least || value > most) fail(fmt::format("{} is out of range", what));
        position_ += static_cast<std::size_t>(stop - begin);
        return value;
    }

    /// "b12": an index below `limit`.
    std::uint32_t reference(char prefix, std::string_view what, std::size_t limit) {
        const std::size_t begin = position();
        if (!take({&prefix, 1})) fail(fmt::format("expected {} ({}N)", what, prefix));
        const auto index = number<std::uint32_t>("a number");
        if (index >= limit) fail_at(begin, fmt::format("there is no {} {}{} up to here", what, prefix, index));
        return index;
    }

    std::vector<std::int64_t> list(std::string_view what) {
        std::vector<std::int64_t> values;
        expect("(");
        if (take(")")) return values;
        do {
            if (values.size() == kMaxRank) fail(fmt::format("more than {} axes", kMaxRank));
            values.push_back(number<std::int64_t>(what));
        } while (take(","));
        expect(")");
        return values;
    }

    std::string quoted() {
        expect("\"");
        std::string text;
        while (position_ < line_.size() && line_[position_] != '"') text += quoted_character();
        if (position_ == line_.size()) fail("expected '\"'");
        ++position_;
        return text;
    }

private:
    static bool blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }
    static bool part_of_word(char c) noexcept { return !blank(c) && c != '(' && c != ')' && c != '[' && c != ']'; }

    void skip_blanks() noexcept {
        while (position_ < line_.size() && blank(line_[position_])) ++position_;
    }

    std::string_view peek_word() noexcept {
        skip_blanks();
        std::size_t end = position_;
        while (end < line_.size() && part_of_word(line_[end])) ++end;
        return line_.substr(position_, end - position_);
    }

    char quoted_character() {
        if (line_[position_] != '\\') return line_[position_++];
        const std::string_view escape = line_.substr(position_);
        if (escape.starts_with("\\\"") || escape.starts_with("\\\\")) {
            position_ += 2;
            return escape[1];
        }
        unsigned code = 0;
        if (escape.size() < 4 || escape[1] != 'x' ||
            std::from_chars(escape.data() + 2, escape.data() + 4, code, 16).ptr != escape.data() + 4) {
            fail("unknown escape; known are \\\", \\\\ and \\xHH");
        }
        position_ += 4;
        return static_cast<char>(code);
    }

    std::string_view line_;
    std::size_t number_;
    std::size_t position_ = 0;
};

/// The lines of a text that are neither blank nor comments.
class Lines {
public:
    explicit Lines(std::string_view text, std::size_t before = 0) noexcept : text_(text), number_(before) {}

    /// @return false: the text has ended
    bool next(Cursor& cursor) noexcept {
        while (begin_ < text_.size()) {
            const std::size_t end = std::min(text_.find('\n', begin_), text_.size());
            last_ = begin_;
            cursor = Cursor(text_.substr(begin_, end - begin_), ++number_);
            begin_ = end + 1;
            if (!cursor.at_end() && !cursor.take(";")) return true;
        }
        last_ = text_.size();
        return false;
    }
    std::size_t number() const noexcept { return number_; }  ///< of the line, counted from 1
    std::size_t offset() const noexcept { return last_; }    ///< where the line begins
    std::size_t behind() const noexcept { return std::min(begin_, text_.size()); }

private:
    std::string_view text_;
    std::size_t number_;
    std::size_t begin_ = 0, last_ = 0;
};

/// "b3", the name of a new entry: entries are numbered in the order of the text.
inline void expect_next(Cursor& cursor, char prefix, std::size_t expected) {
    const std::size_t begin = cursor.position();
    if (cursor.reference(prefix, "a name", std::numeric_limits<std::size_t>::max()) != expected)
        cursor.fail_at(begin, fmt::format("expected {}{}, the next one", prefix, expected));
}

inline DType read_dtype(Cursor& cursor) {
    const std::size_t begin = cursor.position();
    const std::string_view name = cursor.word();
    const DType type = dtype_from_name(name);
    if (type == DType::none) cursor.fail_at(begin, fmt::format("unknown type '{}'", name));
    return type;
}

/// Reads a batch. @param before lines of the text around it that precede it, for messages
Program parse_batch(std::string_view text, std::size_t before);

/// With quotes, and escapes that Cursor::quoted knows.
std::string quoted(std::string_view text);

}  // namespace xlazy::bc
