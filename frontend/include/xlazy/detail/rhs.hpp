// SPDX-License-Identifier: BSD-3-Clause
// The parameter of assignment operators: type-erased, and it knows the user's line.
#pragma once

#include "xlazy/detail/recorder.hpp"
#include "xlazy/detail/tag.hpp"

#include <memory>

namespace xlazy::detail {

enum class assignment : unsigned char {
    set,
    in_place,
    add,
    subtract,
    multiply,
    divide,
    modulo,
    bit_and,
    bit_or,
    bit_xor
};

/// `d = e`, `noalias(d) = e`, `d += e`, ...: defined in assign.hpp.
template <assignment O, class D, class E>
void assign_to(D& d, const E& e);
/// Every element of `d` becomes `value`.
template <class D>
void fill_with(D& d, typename D::value_type value);
/// `d` becomes a copy of `from`, strides included.
template <class D>
void copy_array(D& d, const D& from);

/// Can E stand on the right of an assignment to D? Single values may be assigned to views, and combined with
/// everything.
template <class E, class D, assignment O>
concept assignable =
    xt::is_xexpression<E>::value || O != assignment::set || D::takes_value || std::is_convertible_v<const E&, D>;

/// Its converting constructor is a template with the line as default argument, which an operator cannot have. The
/// operation is part of the type, so that only those in use are instantiated.
template <class D, assignment O>
class rhs {
public:
    template <class E>
        requires(!std::is_same_v<E, rhs> && assignable<E, D, O>)
    rhs(const E& e, here line = here::current()) noexcept
        : expression_(std::addressof(e)), run_(&run_for<E>), line_(line) {}
    /// An expression that a function has taken as its base class.
    template <class E>
    rhs(const xt::xexpression<E>& e, here line = here::current()) noexcept : rhs(e.derived_cast(), line) {}

    D& run(D& d) const {
        rt::LineScope scope(line_);
        run_(d, expression_);
        return d;
    }

private:
    template <class E>
    static void run_for(D& d, const void* e) {
        assign_to<O>(d, *static_cast<const E*>(e));
    }

    const void* expression_;
    void (*run_)(D&, const void*);
    here line_;
};

/// The parameter of the assignment from another D, a base class of D. A class with a D among its members gets its copy
/// assignment from the compiler, which takes a conversion to a base class there but not rhs's constructor; the copy
/// constructor that this conversion calls may have the line as default argument all the same.
template <class D>
class copied {
public:
    copied(const copied& from, here line = here::current()) noexcept
        : from_(static_cast<const D*>(&from)), line_(line) {}
    copied& operator=(const copied&) = delete;
    ~copied() = default;

    D& run(D& d) const {
        rt::LineScope scope(line_);
        assign_to<assignment::set>(d, *from_);
        return d;
    }

protected:
    copied() noexcept {}

private:
    const D* from_;
    here line_;
};

/// The compound operators of D, to be brought into D by using-declarations.
template <class D>
class compound_assignment {
public:
    D& operator+=(rhs<D, assignment::add> e) { return e.run(self()); }
    D& operator-=(rhs<D, assignment::subtract> e) { return e.run(self()); }
    D& operator*=(rhs<D, assignment::multiply> e) { return e.run(self()); }
    D& operator/=(rhs<D, assignment::divide> e) { return e.run(self()); }
    D& operator%=(rhs<D, assignment::modulo> e) { return e.run(self()); }
    D& operator&=(rhs<D, assignment::bit_and> e) { return e.run(self()); }
    D& operator|=(rhs<D, assignment::bit_or> e) { return e.run(self()); }
    D& operator^=(rhs<D, assignment::bit_xor> e) { return e.run(self()); }

protected:
    compound_assignment() = default;
    ~compound_assignment() = default;
    compound_assignment(const compound_assignment&) = default;
    compound_assignment& operator=(const compound_assignment&) = default;

private:
    D& self() noexcept { return static_cast<D&>(*this); }
};

}  // namespace xlazy::detail
