// SPDX-License-Identifier: BSD-3-Clause
// The C interface: no exception leaves it.
#include "xlazy/deferred_error.hpp"
#include "xlazy/run.h"
#include "xlazy/saved_function.hpp"

#include <cstring>
#include <new>
#include <stdexcept>
#include <type_traits>

struct xlazy_function {
    xlazy::saved_function function;
};

namespace {

using xlazy::bc::DType;

// The enumerators of xlazy_type are those of DType.
static_assert(XLAZY_BOOL == static_cast<int>(DType::boolean) && XLAZY_I8 == static_cast<int>(DType::i8) &&
              XLAZY_I64 == static_cast<int>(DType::i64) && XLAZY_U8 == static_cast<int>(DType::u8) &&
              XLAZY_U64 == static_cast<int>(DType::u64) && XLAZY_F32 == static_cast<int>(DType::f32) &&
              XLAZY_F64 == static_cast<int>(DType::f64) && XLAZY_C64 == static_cast<int>(DType::c64) &&
              XLAZY_C128 == static_cast<int>(DType::c128) && XLAZY_C128 + 1 == static_cast<int>(DType::none));

/// A fixed place: telling that there is no memory needs none.
constexpr std::size_t kErrorBytes = 4096;
thread_local char error_text[kErrorBytes] = "";

xlazy_status fail(xlazy_status status, const char* text) noexcept {
    const std::size_t length = std::min(std::strlen(text), kErrorBytes - 1);
    std::memmove(error_text, text, length);
    error_text[length] = '\0';
    return status;
}

template <class F>
xlazy_status guarded(F&& f) noexcept {
    try {
        return f();
    } catch (const xlazy::file_error& error) {
        return fail(XLAZY_BAD_FILE, error.what());
    } catch (const xlazy::deferred_error& error) {
        return fail(error.kind() == xlazy::error_kind::no_memory  ? XLAZY_NO_MEMORY
                    : error.kind() == xlazy::error_kind::internal ? XLAZY_INTERNAL
                                                                  : XLAZY_BAD_DATA,
                    error.what());
    } catch (const std::invalid_argument& error) {
        return fail(XLAZY_BAD_ARGUMENT, error.what());
    } catch (const std::bad_alloc&) {
        return fail(XLAZY_NO_MEMORY, "not enough memory");
    } catch (const std::length_error&) {
        return fail(XLAZY_NO_MEMORY, "not enough memory");
    } catch (const std::exception& error) {
        return fail(XLAZY_INTERNAL, error.what());
    } catch (...) {
        return fail(XLAZY_INTERNAL, "an error of unknown kind");
    }
}

/// C lets an enumeration hold what is none of its values; C++ may not even look at it as one.
DType type_of(const xlazy_type& type) {
    std::underlying_type_t<xlazy_type> number = 0;
    std::memcpy(&number, &type, sizeof number);
    if (number < XLAZY_BOOL || number > XLAZY_C128) throw std::invalid_argument("a type that there is not");
    return static_cast<DType>(number);
}

template <class T>
std::span<const T> listed(const T* first, std::size_t count) {
    if (first == nullptr && count != 0) throw std::invalid_argument("a null pointer in place of a list");
    return {first, count};
}

const xlazy::saved_function& function_of(const xlazy_function* function) {
    if (function == nullptr) throw std::invalid_argument("a null pointer in place of a function");
    return function->function;
}

void describe(const xlazy::array_signature& array, xlazy_signature& signature) noexcept {
    signature = {array.name.c_str(),   static_cast<xlazy_type>(array.type), array.extents.size(),
                 array.extents.data(), array.column_major ? 1 : 0,          array.bytes};
}
void describe(const xlazy::number_signature& number, xlazy_signature& signature) noexcept {
    signature = {
        number.name.c_str(), static_cast<xlazy_type>(number.type), 0, nullptr, 0, xlazy::bc::size_of(number.type)};
}

template <class List>
xlazy_status describe(const List& list, std::size_t index, xlazy_signature* signature) {
    if (signature == nullptr) throw std::invalid_argument("a null pointer in place of a signature");
    if (index >= list.size()) throw std::invalid_argument("there is no array or number of that index");
    describe(list[index], *signature);
    return XLAZY_OK;
}

template <class Array>
auto arrays_of(std::span<const Array> arrays) {
    using Pointer = decltype(Array::data);
    std::vector<xlazy::array_in_memory<Pointer>> result;
    for (const Array& array : arrays)
        result.push_back({array.data, type_of(array.type), listed(array.extents, array.rank)});
    return result;
}

std::vector<xlazy::bc::Scalar> numbers_of(std::span<const xlazy_number> numbers) {
    std::vector<xlazy::bc::Scalar> result;
    for (const xlazy_number& number : numbers) {
        xlazy::bc::Scalar scalar{type_of(number.type), {0, 0}};
        if (number.data == nullptr) throw std::invalid_argument("a null pointer in place of a number");
        std::memcpy(scalar.bits, number.data, xlazy::bc::size_of(scalar.type));
        if (scalar.type == DType::boolean) scalar.bits[0] = scalar.bits[0] != 0;
        result.push_back(scalar);
    }
    return result;
}

}  // namespace

extern "C" {

xlazy_status xlazy_load(const char* file, unsigned flags, xlazy_function** function) {
    return guarded([&] {
        if (function == nullptr) throw std::invalid_argument("a null pointer in place of the function's place");
        *function = nullptr;
        if (file == nullptr) throw std::invalid_argument("a null pointer in place of a file's name");
        if ((flags & ~XLAZY_USE_KERNELS) != 0) throw std::invalid_argument("flags that there are not");
        *function = new xlazy_function{xlazy::saved_function(file, (flags & XLAZY_USE_KERNELS) != 0)};
        return XLAZY_OK;
    });
}

void xlazy_free(xlazy_function* function) { delete function; }

const char* xlazy_error(void) { return error_text; }

const char* xlazy_name(const xlazy_function* function) {
    return function == nullptr ? "" : function->function.name().c_str();
}

size_t xlazy_input_count(const xlazy_function* function) {
    return function == nullptr ? 0 : function->function.inputs().size();
}
size_t xlazy_number_count(const xlazy_function* function) {
    return function == nullptr ? 0 : function->function.numbers().size();
}
size_t xlazy_output_count(const xlazy_function* function) {
    return function == nullptr ? 0 : function->function.outputs().size();
}

xlazy_status xlazy_input_signature(const xlazy_function* function, size_t index, xlazy_signature* signature) {
    return guarded([&] { return describe(function_of(function).inputs(), index, signature); });
}
xlazy_status xlazy_number_signature(const xlazy_function* function, size_t index, xlazy_signature* signature) {
    return guarded([&] { return describe(function_of(function).numbers(), index, signature); });
}
xlazy_status xlazy_output_signature(const xlazy_function* function, size_t index, xlazy_signature* signature) {
    return guarded([&] { return describe(function_of(function).outputs(), index, signature); });
}

xlazy_status xlazy_run(const xlazy_function* function, const xlazy_input* inputs, size_t input_count,
                       const xlazy_number* numbers, size_t number_count, const xlazy_output* outputs,
                       size_t output_count) {
    return guarded([&] {
        const xlazy::saved_function& f = function_of(function);
        const auto from = arrays_of(listed(inputs, input_count));
        const auto to = arrays_of(listed(outputs, output_count));
        const auto scalars = numbers_of(listed(numbers, number_count));
        f.run(from, scalars, to, xlazy::here{});
        return XLAZY_OK;
    });
}

}  // extern "C"
