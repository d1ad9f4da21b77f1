// SPDX-License-Identifier: BSD-3-Clause
// For programs that print, as unmodified ones do: what xlazy makes of them must be the same text.
#pragma once

#include "program.hpp"

#include <xtensor/xio.hpp>

#include <exception>
#include <sstream>
#include <stdexcept>

namespace programs {

class Printed {
public:
    template <class V>
    void operator()(const char* name, const V& value) {
        text_ << name << ' ' << value << '\n';
    }
    std::ostream& stream() { return text_; }
    /// Prints which kind of error `body` ends with.
    template <class F>
    void outcome(const char* name, F&& body) {
        text_ << name << ' ' << kind_of_error(body) << '\n';
    }
    std::string text() const { return text_.str(); }

private:
    template <class F>
    static const char* kind_of_error(F& body) {
        try {
            body();
        } catch (const std::out_of_range&) {
            return "is out of range";
        } catch (const xt::broadcast_error&) {
            return "does not broadcast";
        } catch (const std::runtime_error&) {
            return "fails";
        } catch (const std::exception&) {
            return "has another error";
        }
        return "succeeds";
    }

    std::ostringstream text_;
};

}  // namespace programs

/// PRINTED(name) { out("label", value); ... }
#define PRINTED(name)                             \
    static void print_##name(programs::Printed&); \
    FALLBACK_PROGRAM(printed, name) {             \
        programs::Printed printed;                \
        print_##name(printed);                    \
        out.text("text", printed.text());         \
    }                                             \
    static void print_##name(programs::Printed& out)
