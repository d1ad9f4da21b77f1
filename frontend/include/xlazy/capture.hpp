// SPDX-License-Identifier: BSD-3-Clause
// A function, recorded once and run again and again on other arrays: what a static graph is, from ordinary code.
//
//     auto step = xlazy::capture([](const xlazy::xarray<double>& x, double k) { ...; return std::tuple{y, z}; }, x, k);
//     auto [y, z] = step(x2, k2);
//     step.into(y, z)(x3, k3);
//
// docs/capture.md says what may stand in such a function, and when it pays.
#pragma once

#include "xlazy/detail/assign.hpp"
#include "xlazy/detail/core.hpp"
#include "xlazy/detail/capture_error.hpp"
#include "xlazy/detail/captured.hpp"
#include "xlazy/detail/trace.hpp"

#include <array>
#include <concepts>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace xlazy {
namespace detail {

/// The array that an expression becomes where it is an argument or a result of a captured function.
template <class E>
struct as_array {
    using type = xarray<typename E::value_type>;
};
template <class E>
    requires is_array<E>
struct as_array<E> {
    using type = E;
};
template <class E>
    requires is_number<E>
struct as_array<E> {
    using type = E;
};
template <class E>
using as_array_t = typename as_array<std::decay_t<E>>::type;

template <class D>
rt::ViewRef whole(const D& array) {
    auto& c = array.used();
    return {c.storage.base(), 0, c.shape.size(), c.shape.data(), c.strides.data()};
}

template <class D>
bool fits(const D& array, std::span<const std::size_t> extents, std::span<const std::ptrdiff_t> strides) {
    const auto& c = array.peek();
    return std::ranges::equal(c.shape, extents) && std::ranges::equal(c.strides, strides);
}

/// Makes the array one of this shape and these strides, if it is not.
template <class D>
void fit(D& array, std::span<const std::size_t> extents, std::span<const std::ptrdiff_t> strides) {
    if (fits(array, extents, strides)) return;
    auto shape = xtl::make_sequence<typename D::shape_type>(extents.size(), 0);
    std::ranges::copy(extents, shape.begin());
    array.renew(shape);
    if constexpr (D::traits::layout == xt::layout_type::dynamic) {
        if (std::ranges::equal(array.peek().strides, strides)) return;
        auto wanted = xtl::make_sequence<typename D::strides_type>(strides.size(), 0);
        std::ranges::copy(strides, wanted.begin());
        array.resize(shape, wanted);
    }
}

/// An argument of a call: an array, or an expression that becomes one, or a number. It knows the line of the call.
template <class A>
class call_argument {
public:
    call_argument(const A& array, here line = here::current()) noexcept : array_(&array), line_(line) {}
    template <class E>
        requires(!std::is_same_v<E, A> && (xt::is_xexpression<E>::value || std::is_convertible_v<const E&, A>))
    call_argument(const E& e, here line = here::current()) : line_(line) {
        const rt::LineScope scope(line);
        own_.emplace();
        *own_ = e;
        array_ = &*own_;
    }
    call_argument(const call_argument&) = delete;
    call_argument& operator=(const call_argument&) = delete;

    here line() const noexcept { return line_; }
    const A& get() const noexcept { return *array_; }

private:
    const A* array_;
    std::optional<A> own_;
    here line_;
};
template <class A>
    requires is_number<A>
class call_argument<A> {
public:
    template <class T>
        requires std::is_convertible_v<T, A>
    call_argument(const T& value, here line = here::current()) noexcept : value_(static_cast<A>(value)), line_(line) {}
    call_argument(const call_argument&) = delete;
    call_argument& operator=(const call_argument&) = delete;

    here line() const noexcept { return line_; }
    const A& get() const noexcept { return value_; }

private:
    A value_;
    here line_;
};

/// What a captured function gives back, as arrays.
template <class R>
struct captured_results {
    using type = as_array_t<R>;
    using tuple = std::tuple<type>;
    template <class T>
    static decltype(auto) parts(T& result) {
        return std::tie(result);
    }
};
template <>
struct captured_results<void> {
    using type = void;
    using tuple = std::tuple<>;
};
template <class... R>
struct captured_results<std::tuple<R...>> {
    using type = std::tuple<as_array_t<R>...>;
    using tuple = type;
    static type& parts(type& results) { return results; }
    static std::tuple<R...>& parts(std::tuple<R...>& results)
        requires(!std::is_same_v<type, std::tuple<R...>>)
    {
        return results;
    }
};
template <class A, class B>
struct captured_results<std::pair<A, B>> {
    using type = std::pair<as_array_t<A>, as_array_t<B>>;
    using tuple = std::tuple<as_array_t<A>, as_array_t<B>>;
    template <class P>
    static auto parts(P& pair) {
        return std::tie(pair.first, pair.second);
    }
};

/// The function with its arguments' types, recorded by the run time.
template <class F, class... A>
class capture_recorder {
public:
    using raw_result = std::decay_t<std::invoke_result_t<F&, const A&...>>;
    using results = captured_results<raw_result>;
    using outputs = typename results::tuple;

    capture_recorder(F function, here line) : function_(std::move(function)), line_(line) {}

    std::shared_ptr<const void> record(std::span<const rt::ViewRef> arrays, std::span<const bc::Scalar> scalars) {
        auto kept = std::make_shared<record_arrays>(arrays, scalars);
        if constexpr (std::is_void_v<raw_result>) {
            std::apply(function_, std::as_const(kept->inputs));
        } else {
            auto result = std::apply(function_, std::as_const(kept->inputs));
            auto&& parts = results::parts(result);
            take(kept->results, parts, std::make_index_sequence<std::tuple_size_v<outputs>>());
        }
        std::apply([](const auto&... output) { (rt::trace_output(whole(output)), ...); }, kept->results);
        return kept;
    }

private:
    struct record_arrays {
        record_arrays([[maybe_unused]] std::span<const rt::ViewRef> arrays,
                      [[maybe_unused]] std::span<const bc::Scalar> scalars)
            : inputs{input<A>(arrays, scalars)...} {
            std::apply([](const auto&... each) { (note(each), ...); }, inputs);
        }
        template <class T>
        static T input(std::span<const rt::ViewRef>& arrays, std::span<const bc::Scalar>& scalars) {
            if constexpr (is_number<T>) {
                const T value = bc::scalar_value<T>(scalars.front());
                scalars = scalars.subspan(1);
                return value;
            } else {
                const rt::ViewRef from = arrays.front();
                arrays = arrays.subspan(1);
                T array;
                auto shape = xtl::make_sequence<typename T::shape_type>(from.rank, 0);
                std::copy_n(from.extents, from.rank, shape.begin());
                array.renew(shape);
                fit(array, {from.extents, from.rank}, {from.strides, from.rank});
                return array;
            }
        }
        template <class T>
        static void note(const T& input) {
            if constexpr (!is_number<T>) rt::trace_input(whole(input));
        }
        std::tuple<A...> inputs;
        outputs results;
    };

    template <class Parts, std::size_t... I>
    void take(outputs& to, Parts& from, std::index_sequence<I...>) {
        const rt::LineScope scope(line_);
        (take_one(std::get<I>(to), std::get<I>(from)), ...);
    }
    template <class D, class E>
    static void take_one(D& to, E& from) {
        static_assert(is_array<D>, "a captured function returns arrays or expressions");
        if constexpr (std::is_same_v<D, E>) {
            if (rt::trace_owns(whole(from))) {
                to = std::move(from);
                return;
            }
        }
        to = from;
    }

    F function_;
    here line_;
};

/// Where a result goes: to the array, or, if that has another shape and the call still needs what it is now, to one
/// that is assigned to it afterwards.
template <class D>
class result_place {
public:
    /// @param needed bases of arguments and of the results before this one
    result_place(D& array, const rt::CapturedFunction::Ready& ready, std::size_t number,
                 std::span<const rt::Base* const> needed)
        : array_(array) {
        const auto extents = ready.extents(number);
        const auto strides = ready.strides(number);
        const rt::Base* const now = array.used().storage.base();
        if (!fits(array, extents, strides) && (ready.uses(now) || std::ranges::count(needed, now) != 0)) own_.emplace();
        fit(place(), extents, strides);
    }
    rt::Base* base() { return place().used().storage.base(); }
    void deliver() {
        if (own_) array_ = *own_;
    }

private:
    D& place() noexcept { return own_ ? *own_ : array_; }
    D& array_;
    std::optional<D> own_;
};

template <class C, class... D>
class capture_into;

}  // namespace detail

/// A captured function. Copies are the same function. Calls from several threads at once are safe; those of a function
/// that changes arrays of the program take turns.
template <class F, class... A>
class captured {
    using recorder = detail::capture_recorder<F, A...>;
    using results = typename recorder::results;
    static constexpr std::size_t kArrays = (std::size_t{0} + ... + (detail::is_number<A> ? 0 : 1));

public:
    using result_type = typename results::type;  ///< of a call

    captured(const captured&) = default;  ///< what is moved from is still the function
    captured& operator=(const captured&) = default;
    captured(F function, here line, const A&... examples)
        : core_(std::make_shared<rt::CapturedFunction>(
              [r = std::make_shared<recorder>(std::move(function), line)](std::span<const rt::ViewRef> arrays,
                                                                          std::span<const bc::Scalar> scalars) {
                  return r->record(arrays, scalars);
              },
              line)) {
        with_call(
            line, [&](const rt::CapturedFunction::Call& call) { core_->prepare(call); }, examples...);
    }

    /// Runs the function. Arguments of other extents than before record it again; other ranks and other arrays to be
    /// repeated capture it anew. @throws deferred_error: a statement of the function failed on its data
    result_type operator()(detail::call_argument<A>... arguments) const
        requires(sizeof...(A) != 0)
    {
        return call_new(line_of(arguments...), arguments.get()...);
    }
    result_type operator()(here line = here::current()) const
        requires(sizeof...(A) == 0)
    {
        return call_new(line);
    }
    /// `f.into(y, z)(x, k)`: the results go to these arrays, which get no new memory if their shapes are right. They
    /// may be arguments, too.
    template <class... D>
    auto into(D&... outputs) const {
        static_assert(std::is_same_v<std::tuple<D...>, typename results::tuple>,
                      "into takes as many arrays as the function returns, of the same types");
        return detail::capture_into<captured, D...>(*this, outputs...);
    }

    capture_statistics statistics() const { return core_->statistics(); }  ///< since it was captured
    /// Writes what was captured for the arguments of the last call, or of the capture, to a file for xlazy::load, and
    /// for programs that have no xtensor. docs/saved-functions.md says what the file takes.
    /// @throws file_error
    /// @throws deferred_error where an array that it has as a state has no value
    void save(const std::string& file, here line = here::current()) const { core_->save(file, line); }
    rt::CapturedFunction& core() const noexcept { return *core_; }  ///< without types; lives as long as this

    /// Calls `f` with these arguments as the run time takes them.
    template <class Action>
    static auto with_call(here line, Action&& action, const A&... arguments) {
        std::array<rt::ViewRef, kArrays> arrays;
        std::array<bc::Scalar, sizeof...(A) - kArrays> scalars;
        std::size_t array = 0, scalar = 0;
        [[maybe_unused]] const auto add = [&](const auto& argument) {
            if constexpr (detail::is_number<std::decay_t<decltype(argument)>>)
                scalars[scalar++] = bc::make_scalar(argument);
            else
                arrays[array++] = detail::whole(argument);
        };
        (add(arguments), ...);
        return action(rt::CapturedFunction::Call{arrays, scalars, line});
    }

private:
    template <class, class...>
    friend class detail::capture_into;

    template <class First, class... Rest>
    static here line_of(const First& first, const Rest&...) noexcept {
        return first.line();
    }

    result_type call_new(here line, const A&... arguments) const {
        typename results::tuple outputs;
        call(line, outputs, arguments...);
        if constexpr (std::is_void_v<result_type>)
            return;
        else if constexpr (requires { result_type(std::make_from_tuple<result_type>(std::move(outputs))); })
            return std::make_from_tuple<result_type>(std::move(outputs));
        else
            return outputs;
    }

    template <class Outputs>
    void call(here line, Outputs&& outputs, const A&... arguments) const {
        with_call(
            line,
            [&](const rt::CapturedFunction::Call& call) {
                const rt::CapturedFunction::Ready ready = core_->prepare(call);
                std::apply([&](auto&... output) { run(ready, call, output...); }, outputs);
            },
            arguments...);
    }

    template <class... D>
    void run(const rt::CapturedFunction::Ready& ready, const rt::CapturedFunction::Call& call, D&... outputs) const {
        std::array<const rt::Base*, kArrays + sizeof...(D)> needed{};
        std::size_t count = 0, number = 0;
        for (const rt::ViewRef& array : call.arrays) needed[count++] = array.base;
        [[maybe_unused]] const auto place_of = [&]<class R>(R& array) {
            detail::result_place<R> place(array, ready, number++, {needed.data(), count});
            needed[count++] = place.base();
            return place;
        };
        std::tuple<detail::result_place<D>...> places{place_of(outputs)...};
        std::apply(
            [&](auto&... place) {
                const std::array<rt::Base*, sizeof...(D)> bases{place.base()...};
                [[maybe_unused]] const rt::LineScope scope(call.line);
                try {
                    core_->run(ready, call, bases);
                } catch (...) {
                    (place.deliver(), ...);
                    throw;
                }
                (place.deliver(), ...);
            },
            places);
    }

    std::shared_ptr<rt::CapturedFunction> core_;
};

namespace detail {

template <class F, class... A, class... D>
class capture_into<captured<F, A...>, D...> {
public:
    explicit capture_into(const captured<F, A...>& function, D&... outputs) noexcept
        : function_(function), outputs_(outputs...) {}
    void operator()(call_argument<A>... arguments) const
        requires(sizeof...(A) != 0)
    {
        function_.call(captured<F, A...>::line_of(arguments...), outputs_, arguments.get()...);
    }
    void operator()(here line = here::current()) const
        requires(sizeof...(A) == 0)
    {
        function_.call(line, outputs_);
    }

private:
    const captured<F, A...>& function_;
    std::tuple<D&...> outputs_;
};

template <class E>
decltype(auto) as_example(const E& example, here line) {
    if constexpr (std::is_same_v<as_array_t<E>, E>)
        return (example);
    else
        return as_array_t<E>(example, line);
}

/// What the caller gives stands for arrays like it.
template <class F, class... E>
auto capture_at(here line, F function, const E&... examples) {
    return captured<F, as_array_t<E>...>(std::move(function), line, as_example(examples, line)...);
}

/// A condition as an array of one element.
template <class C>
xarray<bool> one_condition(const C& condition) {
    xarray<bool> value(condition, rt::LineScope::current());
    if (value.size() != 1) {
        const here line = rt::LineScope::current();
        throw std::invalid_argument(std::string(line.file) + ":" + std::to_string(line.line) +
                                    ": a condition has one element");
    }
    return value;
}

template <class C>
inline constexpr bool is_host_condition = !xt::is_xexpression<std::decay_t<C>>::value;

template <class C>
bool holds(const C& condition, here line) {
    const rt::LineScope scope(line);
    if constexpr (is_host_condition<C>)
        return static_cast<bool>(condition);
    else
        return one_condition(condition).flat(0);
}

}  // namespace detail

// Up to eight parameters, each an overload: the line is the last one.
#define XLAZY_CAPTURE(types, parameters, arguments)                       \
    /** Records the function for arrays and numbers like the examples. */ \
    template <XLAZY_STRIP types>                                          \
    auto capture(XLAZY_STRIP parameters, here line = here::current()) {   \
        return detail::capture_at(line, XLAZY_STRIP arguments);           \
    }
#define XLAZY_STRIP(...) __VA_ARGS__
XLAZY_CAPTURE((class F), (F function), (std::move(function)))
XLAZY_CAPTURE((class F, class A), (F function, const A& a), (std::move(function), a))
XLAZY_CAPTURE((class F, class A, class B), (F function, const A& a, const B& b), (std::move(function), a, b))
XLAZY_CAPTURE((class F, class A, class B, class C), (F function, const A& a, const B& b, const C& c),
              (std::move(function), a, b, c))
XLAZY_CAPTURE((class F, class A, class B, class C, class D),
              (F function, const A& a, const B& b, const C& c, const D& d), (std::move(function), a, b, c, d))
XLAZY_CAPTURE((class F, class A, class B, class C, class D, class E),
              (F function, const A& a, const B& b, const C& c, const D& d, const E& e),
              (std::move(function), a, b, c, d, e))
XLAZY_CAPTURE((class F, class A, class B, class C, class D, class E, class G),
              (F function, const A& a, const B& b, const C& c, const D& d, const E& e, const G& g),
              (std::move(function), a, b, c, d, e, g))
XLAZY_CAPTURE((class F, class A, class B, class C, class D, class E, class G, class H),
              (F function, const A& a, const B& b, const C& c, const D& d, const E& e, const G& g, const H& h),
              (std::move(function), a, b, c, d, e, g, h))
XLAZY_CAPTURE((class F, class A, class B, class C, class D, class E, class G, class H, class I),
              (F function, const A& a, const B& b, const C& c, const D& d, const E& e, const G& g, const H& h,
               const I& i),
              (std::move(function), a, b, c, d, e, g, h, i))
#undef XLAZY_STRIP
#undef XLAZY_CAPTURE

/// Runs `then` if the condition, of one element, holds, else `otherwise`. In a captured function both are recorded and
/// the choice is made when it runs.
template <class C, class Then, class Otherwise>
void branch(const C& condition, Then&& then, Otherwise&& otherwise, here line = here::current()) {
    if constexpr (!detail::is_host_condition<C>) {
        if (rt::is_recording_function()) {
            {
                const auto value = [&] {
                    const rt::LineScope scope(line);
                    return detail::one_condition(condition);
                }();
                rt::trace_branch(detail::whole(value), line);
            }
            then();
            rt::trace_otherwise();
            otherwise();
            rt::trace_end();
            return;
        }
    }
    if (detail::holds(condition, line))
        then();
    else
        otherwise();
}
/// The same with nothing to do otherwise.
template <class C, class Then>
void branch(const C& condition, Then&& then, here line = here::current()) {
    branch(
        condition, std::forward<Then>(then), [] {}, line);
}

/// Runs `body` as long as `condition()`, of one element, holds. In a captured function both are recorded once.
template <class Condition, class Body>
void repeat_while(Condition&& condition, Body&& body, here line = here::current()) {
    if (!rt::is_recording_function()) {
        while (detail::holds(condition(), line)) body();
        return;
    }
    rt::trace_while(line);
    if constexpr (detail::is_host_condition<decltype(condition())>) {
        throw capture_error(line, "the condition of repeat_while is a number, which is the same in each iteration");
    } else {
        {
            const auto value = [&] {
                const rt::LineScope scope(line);
                return detail::one_condition(condition());
            }();
            rt::trace_condition(detail::whole(value));
        }
        body();
        rt::trace_end();
    }
}

/// Runs `body` so many times. In a captured function it is recorded once.
template <std::integral N, class Body>
void repeat(N times, Body&& body, here line = here::current()) {
    if (!rt::is_recording_function()) {
        for (N i = 0; i < times; ++i) body();
        return;
    }
    rt::trace_repeat(times > 0 ? static_cast<std::uint64_t>(times) : 0, line);
    body();
    rt::trace_end();
}

}  // namespace xlazy
