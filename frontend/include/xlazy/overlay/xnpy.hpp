// SPDX-License-Identifier: BSD-3-Clause
// npy files. A file is read straight into an array of ours.
#pragma once

#include "xlazy/detail/wrappers.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xnpy.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// What the header of an npy file says.
struct npy_header {
    std::string type;  ///< as numpy writes it, "<f8"
    bool fortran_order = false;
    std::vector<std::size_t> shape;
};

/// The text of the header. (xtensor's own reader trusts the length of a truncated file.) @throws std::runtime_error
inline std::string read_npy_header_text(std::istream& stream, std::size_t length_bytes) {
    constexpr std::size_t kLongest = 1 << 20;
    unsigned char digits[4] = {};
    stream.read(reinterpret_cast<char*>(digits), static_cast<std::streamsize>(length_bytes));
    std::size_t length = 0;
    for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | digits[i];
    if (!stream || length == 0 || length > kLongest) throw std::runtime_error("the header is truncated or damaged");
    std::string text(length, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(length));
    if (!stream) throw std::runtime_error("the header is truncated");
    return text;
}

/// @throws std::exception
inline npy_header read_npy_header(std::istream& stream) {
    unsigned char major = 0;
    unsigned char minor = 0;
    xt::detail::read_magic(stream, &major, &minor);
    if ((major != 1 && major != 2) || minor != 0) throw std::runtime_error("unsupported file format version");
    npy_header header;
    xt::detail::parse_header(read_npy_header_text(stream, major == 1 ? 2 : 4), header.type, &header.fortran_order,
                             header.shape);
    return header;
}

/// The number of bytes that the header promises; a damaged one may promise anything. @throws std::runtime_error
inline std::streamsize npy_bytes(const npy_header& header, std::size_t item, std::istream& stream) {
    auto bytes = static_cast<std::streamsize>(item);
    bool too_many = false;
    for (const std::size_t extent : header.shape) too_many |= __builtin_mul_overflow(bytes, extent, &bytes);
    if (std::ranges::count(header.shape, std::size_t{0}) != 0) return 0;
    const auto start = stream.tellg();
    if (start == std::istream::pos_type(-1) && !too_many) return stream.clear(), bytes;  // a stream without positions
    const std::streamsize found = stream.seekg(0, std::ios::end).tellg() - start;
    stream.seekg(start);
    if (!too_many && bytes <= found) return bytes;
    throw std::runtime_error("it is truncated: " + (too_many ? std::string("more") : std::to_string(bytes)) +
                             " bytes of elements expected, " + std::to_string(found) + " found");
}

template <class T, xt::layout_type L>
auto read_npy(std::istream& stream) {
    const npy_header header = read_npy_header(stream);
    const std::string wanted = xt::detail::build_typestring<T>();
    if (header.type != wanted) throw std::runtime_error("it holds elements of type " + header.type + ", not " + wanted);
    const bool one_axis = header.shape.size() < 2;
    if (!one_axis && ((L == xt::layout_type::column_major && !header.fortran_order) ||
                      (L == xt::layout_type::row_major && header.fortran_order))) {
        throw std::runtime_error("its layout is not the one asked for");
    }
    const std::streamsize bytes = npy_bytes(header, sizeof(T), stream);
    using array = xarray<T, L>;
    array result;
    const auto order = header.fortran_order ? xt::layout_type::column_major : xt::layout_type::row_major;
    result.resize(header.shape, L == xt::layout_type::dynamic ? order : L);
    T* to = nullptr;
    if constexpr (array::recorded)
        to = result.own().storage.fill();
    else
        to = result.own().storage.data();
    stream.read(reinterpret_cast<char*>(to), bytes);
    if (stream.gcount() != bytes) {
        throw std::runtime_error("it is truncated: " + std::to_string(bytes) + " bytes of elements expected, " +
                                 std::to_string(stream.gcount()) + " found");
    }
    return result;
}

template <class E>
void write_npy(std::ostream& stream, const E& e) {
    if constexpr (is_array<E>) {
        rt::flush(rt::Reason::save, rt::LineScope::current());
        rt::InsideXtensor inside;
        xt::detail::dump_npy_stream(stream, as_expression(e));
        rt::throw_held();
    } else if constexpr (lazy<E>) {
        const auto value = evaluated_copy(e, rt::LineScope::current());
        write_npy(stream, value);
    } else {
        xt::detail::dump_npy_stream(stream, as_expression(e));
    }
}

namespace overloads {
using namespace xt;

template <typename T, layout_type L = layout_type::dynamic>
inline auto load_npy(std::istream& stream, here line = here::current()) {
    rt::LineScope scope(line);
    try {
        return read_npy<T, L>(stream);
    } catch (const std::exception& e) {
        throw_statement_error(std::string("load_npy: ") + e.what());
    }
}
template <typename T, layout_type L = layout_type::dynamic>
inline auto load_npy(const std::string& filename, here line = here::current()) {
    rt::LineScope scope(line);
    try {
        std::ifstream stream(filename, std::ifstream::binary);
        if (!stream) throw std::runtime_error("cannot be opened");
        return read_npy<T, L>(stream);
    } catch (const std::exception& e) {
        throw_statement_error("load_npy: " + filename + ": " + e.what());
    }
}

template <typename E>
inline void dump_npy(const std::string& filename, const xexpression<E>& e, here line = here::current()) {
    rt::LineScope scope(line);
    std::ofstream stream(filename, std::ofstream::binary);
    if (!stream) throw_statement_error("dump_npy: " + filename + ": cannot be opened");
    write_npy(stream, e.derived_cast());
    stream.flush();
    if (!stream) throw_statement_error("dump_npy: " + filename + ": cannot be written");
}
template <typename E>
inline std::string dump_npy(const xexpression<E>& e, here line = here::current()) {
    rt::LineScope scope(line);
    std::stringstream stream;
    write_npy(stream, e.derived_cast());
    return stream.str();
}

}  // namespace overloads
}  // namespace xlazy::detail

// In a drop-in build xtensor's own go by another name, as its arrays do (stock_begin.hpp).
#ifdef XLAZY_DROPIN
namespace xt {
using xlazy::detail::overloads::dump_npy;
using xlazy::detail::overloads::load_npy;
}  // namespace xt
#endif
