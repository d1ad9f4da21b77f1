// SPDX-License-Identifier: BSD-3-Clause
// Programs of a user that fail, one a kind of error. `cases NAME` runs one, and prints what it caught; `cases --page`
// prints the manual's page on errors. What a comment calls line X is looked for by the tests.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <typeinfo>
#include <unistd.h>
#include <vector>
#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xindex_view.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnpy.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xvectorize.hpp>
#include <xtensor/xview.hpp>

namespace {

using ints = xt::xtensor<int, 1>;
using matrix = xt::xtensor<int, 2>;
using doubles = xt::xtensor<double, 1>;

// [division
void division() {
    const matrix apples = {{6, 7, 8}, {9, 10, 11}};
    const ints people = {3, 0, 2};        // line division.written
    const matrix each = apples / people;  // line division
    const matrix bags = each + 1;         // line division.fused
    std::cout << bags << '\n';            // line division.read
}
// ]

// [remainder
void remainder() {
    const ints numbers = {17, 18, 19};
    const ints left = numbers % 0;  // line remainder
    std::cout << left(0) << '\n';
}
// ]

void five_lines() {
    const ints a = {1, 2, 3}, zero = {1, 0, 2};
    const ints b = a + 1;     // line five.1
    const ints c = b * 2;     // line five.2
    const ints d = c / zero;  // line five.3
    const ints e = d - a;     // line five.4
    const ints f = e * e;     // line five.5
    std::cout << f(0) << '\n';
}

// [two_lines
void two_lines() {
    const ints a = {1, 2, 3}, zero = {1, 0, 2};
    const ints first = a / zero + 1;   // line two.1
    const ints second = a / zero - 1;  // line two.2
    std::cout << first(0) + second(0) << '\n';
}
// ]

void folded() {
    const ints a = {1, 2, 3};
    ints none = xt::zeros<int>({3});  // line folded.zeros
    none = none * 4;
    const ints b = a % (none + 0);  // line folded
    std::cout << b(0) << '\n';
}

// [callers
ints share(const ints& all, const ints& among) {
    return all / among;  // line callers
}
ints monday(const ints& all) { return share(all, ints{1, 2, 3}); }   // line callers.monday
ints tuesday(const ints& all) { return share(all, ints{1, 0, 3}); }  // line callers.tuesday

void callers() {
    const ints all = {6, 7, 8};
    const ints sum = monday(all) + tuesday(all);
    std::cout << sum(0) << '\n';
}
// ]

// [not_finite
void not_finite() {
    const doubles x = {1, 2, -3};
    const doubles y = x * x;            // line nan.before
    const doubles z = xt::log(x) + y;   // line nan
    const doubles sum = xt::cumsum(z);  // a NaN by now, which nobody is told of
    std::cout << sum(0) << '\n';
}
// ]

void overflow() {
    const doubles x = {1e200, 1, 2};
    const doubles y = x * x;                                     // line overflow
    const doubles z = xt::where(xt::isfinite(y), 1.0 / y, 0.0);  // the infinity is gone
    std::cout << z(1) << '\n';
}

void sum_overflows() {
    const doubles x = {1e308, 1e308, -1};
    const double sum = xt::sum(x)();  // line sum_overflows
    std::cout << sum << '\n';
}

void lost() {
    const doubles x = {2, 1e-320, 4};
    const doubles weight = xt::exp(-1.0 / x);  // line lost
    std::cout << weight(1) << '\n';            // 0: the infinity is gone
}

void compiled() {
    doubles x = xt::arange<double>(200'000.0);
    x += 1.0;  // line compiled.before
    x(123'456) = 0;
    const doubles weight = xt::exp(-1.0 / x) + 1.0;  // line compiled
    const doubles half = weight * 0.5;
    std::cout << half(123'456) << '\n';
}

void scan_overflows() {
    const doubles x = {1, 1e308, 1e308, -2};
    const doubles sums = xt::cumsum(x);  // line scan_overflows
    std::cout << xt::amin(sums)() << '\n';
}

void updated_in_place() {
    doubles x = {1, 0, 4};
    x = x * 2.0 - 1.0;
    x += xt::log(x);  // line in_place
    std::cout << x(0) << '\n';
}

void finite() {
    const doubles x = {1, 2, std::nan("")};
    const doubles y = xt::log(x) * 2.0 + xt::exp(x);
    const doubles z = xt::maximum(y, 0.0) / 3.0;
    std::cout << z(0) << ' ' << xt::sum(z)() << '\n';
}

// [bounds
void bounds() {
    matrix table = xt::ones<int>({3, 4});
    std::cout << table(2, 3) << '\n';
    std::cout << table(2, 4) << '\n';  // line bounds
}
// ]

void bounds_of_view() {
    matrix table = xt::ones<int>({3, 4});
    auto row = xt::view(table, 1);
    std::cout << row(4) << '\n';  // line bounds.view
}

void bounds_written() {
    matrix table = xt::ones<int>({3, 4});
    table(3, 0) = 5;  // line bounds.written
    std::cout << table(0, 0) << '\n';
}

// [at
void at() {
    const matrix table = xt::ones<int>({3, 4});
    std::cout << table.at(3, 1) << '\n';  // line at
}
// ]

// [picks
void picks() {
    const matrix table = xt::ones<int>({3, 4});
    const std::vector<xt::xindex> places = {{0, 1}, {1, 4}, {2, 0}};
    const ints picked = xt::index_view(table, places);  // line picks
    const ints more = picked + 1;                       // line picks.more
    std::cout << more << '\n';                          // line picks.read
}
// ]

void picks_written() {
    matrix table = xt::ones<int>({3, 4});
    const std::vector<xt::xindex> places = {{0, 1}, {3, 1}, {2, 0}};
    xt::index_view(table, places) = 7;  // line picks_written
    std::cout << table(2, 0) << '\n';
}

void pick_of_a_view() {
    const matrix table = xt::ones<int>({3, 4});
    const std::vector<xt::xindex> places = {{0, 1}, {1, 4}};
    const auto picked = xt::index_view(table, places);
    std::cout << picked(0) << '\n';
    std::cout << picked(1) << '\n';  // line pick_of_a_view
}

void characters() {
    const xt::xtensor<char, 1> a = {'a', 'b'}, zero = {1, 0};
    const xt::xtensor<char, 1> each = a / zero;  // line characters
    std::cout << int(each(0)) << '\n';
}

void loop() {
    const ints a = {1, 2, 3}, zero = {1, 0, 2};
    int sum = 0;
    for (const int x : a / zero) sum += x;  // line loop
    std::cout << sum << '\n';
}

void printed() {
    const ints a = {1, 2, 3};
    const ints bad = a / 0;  // line printed
    for (int i = 0; i < 2; ++i) {
        try {
            std::cout << bad << '\n';
        } catch (const xlazy::deferred_error& error) {
            std::cout << std::string(error.what()).substr(0, std::string(error.what()).find(':', 10)) << '\n';
        }
    }
}

/// A function of the user's that reads another array while xtensor evaluates.
void inside() {
    const ints a = {1, 2, 3};
    const ints bad = a / 0;  // line inside
    const auto f = xt::vectorize([&](int i) { return bad(i - 1); });
    const ints b = f(a + 0);
    std::cout << b(0) << '\n';
}

void axes() {
    const xt::xarray<double> cube = xt::ones<double>({3, 3, 1});
    std::cout << xt::amax(cube, {-2, 0})(0) << '\n';              // neither sorted nor positive
    const xt::xarray<double> twice = xt::amax(cube, {0, 1, -3});  // line axes
    std::cout << twice(0) << '\n';
}

/// An error that is passed on, met by a handler that works with arrays, while another one is due.
void two_handlers() {
    const ints a = {1, 2, 3};
    ints first = a / 0, second = a % 0;
    try {
        std::cout << first(0) << '\n';
    } catch (const xlazy::deferred_error&) {
        first = a * 2;
        const ints sum = first + a;
        std::cout << sum(2) << '\n';
    }
    second = first;
    std::cout << second(1) << '\n';
}

// [memory
void memory() {
    const doubles kept = xt::ones<double>({500'000});     // line memory.kept
    const doubles large = xt::ones<double>({5'000'000});  // line memory
    std::cout << kept(0) + large(0) << '\n';
}
// ]

// [file
void file() {
    const auto x = xt::load_npy<double>("/nowhere/x.npy");  // line file
    std::cout << x(0) << '\n';
}
// ]

// [functor
int checked(int x) {
    if (x > 1) throw std::domain_error("checked: too large");
    return x;
}
void functor() {
    const ints a = {1, 2, 3};
    const auto f = xt::vectorize(checked);
    const ints b = f(a + 0);  // line functor
    std::cout << b(0) << '\n';
}
// ]

// [shapes
void shapes() {
    const doubles a = xt::ones<double>({3}), b = xt::ones<double>({4});
    const doubles sum = a + b;  // line shapes
    std::cout << sum(0) << '\n';
}
// ]

// [exit
void leave() {
    static ints result;
    const ints a = {1, 2, 3};
    result = a / 0;  // line exit
}
// ]

/// The same names for every compiler.
std::string type_of(const std::exception& error) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> name(
        abi::__cxa_demangle(typeid(error).name(), nullptr, nullptr, &status), std::free);
    return status == 0 ? name.get() : typeid(error).name();
}

struct Case {
    const char* name;
    void (*run)();
    const char* environment;
    const char* title;  ///< null: not on the page
    const char* advice;
};

const Case kCases[] = {
    {"division", division, "", "Integer division by zero",
     "Look at the divisor, where it was written, and at the element. `xt::where(xt::not_equal(b, 0), a / b, 0)` does "
     "not fail: an arm "
     "that "
     "is not chosen is not computed."},
    {"remainder", remainder, "", "Remainder by zero", "As above. Division of floating-point numbers does not fail."},
    {"two_lines", two_lines, "", "Lines that ask for the same value",
     "A value that several lines ask for is computed once. All of them are named, and each array has the error of its "
     "own "
     "line."},
    {"callers", callers, "XLAZY_TRACE=stack", "A line that many call",
     "With `XLAZY_TRACE=stack` the message tells who called the function with the failing line. The program needs "
     "debug "
     "information (`-g1` is enough, also with `-O3`)."},
    {"not_finite", not_finite, "XLAZY_CHECK=nan", "A NaN or an infinity made of finite numbers",
     "Looked for with `XLAZY_CHECK=nan` only. It names the statement that made it, not those that met it later. The "
     "error is "
     "thrown once, and the arrays keep their values: a program that catches it goes on with the same results."},
    {"at", at, "", "An index out of range", "`at` looks at every index, as xtensor's does."},
    {"bounds", bounds, "XLAZY_CHECK=bounds", "An index out of range, in `a(i, j)`",
     "Looked for with `XLAZY_CHECK=bounds` only. Without it such an index reads other memory, as in xtensor."},
    {"picks", picks, "", "An index out of range, in `index_view`",
     "Found when the statement runs that uses the view. Reading a single element of the view, `picked(1)`, looks at "
     "its "
     "index at once, and throws `std::out_of_range`."},
    {"memory", memory, "XLAZY_MEMORY_LIMIT=30M", "No memory",
     "The largest arrays are named with the lines that made them. Before a batch fails, it is tried in pieces. "
     "Statements that "
     "need no more memory have their values."},
    {"file", file, "", "A file that cannot be read", "Thrown at the line that reads it."},
    {"functor", functor, "", "A function of the user's that throws",
     "Such functions run at the statement. The exception is the user's own; the array keeps its old value."},
    {"shapes", shapes, "", "Shapes that do not fit",
     "Thrown at the statement, before anything is recorded. The array on the left keeps its value."},
    {"exit", leave, "", "An error that nobody met",
     "What is still waiting when the program ends runs then. An error is logged once; the exit status is the program's "
     "own."},
    {"five_lines", five_lines, "", nullptr, ""},
    {"folded", folded, "", nullptr, ""},
    {"overflow", overflow, "", nullptr, ""},
    {"sum_overflows", sum_overflows, "", nullptr, ""},
    {"finite", finite, "", nullptr, ""},
    {"lost", lost, "", nullptr, ""},
    {"compiled", compiled, "", nullptr, ""},
    {"scan_overflows", scan_overflows, "", nullptr, ""},
    {"in_place", updated_in_place, "", nullptr, ""},
    {"picks_written", picks_written, "", nullptr, ""},
    {"pick_of_a_view", pick_of_a_view, "", nullptr, ""},
    {"characters", characters, "", nullptr, ""},
    {"loop", loop, "", nullptr, ""},
    {"printed", printed, "", nullptr, ""},
    {"inside", inside, "", nullptr, ""},
    {"axes", axes, "", nullptr, ""},
    {"two_handlers", two_handlers, "", nullptr, ""},
    {"bounds_of_view", bounds_of_view, "", nullptr, ""},
    {"bounds_written", bounds_written, "", nullptr, ""},
};

int run(const char* name) {
    for (const Case& each : kCases) {
        if (std::strcmp(each.name, name) != 0) continue;
        try {
            each.run();
        } catch (const std::exception& error) {
            std::cout << type_of(error) << '\n' << error.what() << std::endl;
            return 0;
        }
        std::cout << "no error" << std::endl;
        return 0;
    }
    std::cerr << "no case " << name << '\n';
    return 2;
}

/// The lines between "// [name" and "// ]" of this file.
std::string source_of(const char* name) {
    std::ifstream in("cases.cpp");
    std::string text, line;
    bool inside = false;
    while (std::getline(in, line)) {
        if (line == "// ]") inside = false;
        const std::size_t mark = line.find("// line ");
        if (inside)
            text += line.substr(0, mark == std::string::npos ? mark : line.find_last_not_of(' ', mark - 1) + 1) + '\n';
        if (line == "// [" + std::string(name)) inside = true;
    }
    return text;
}

/// What the case prints in a process of its own.
std::string output_of(const Case& each) {
    const std::string command = std::string("XLAZY_MODE=lazy XLAZY_NUM_THREADS=1 ") + each.environment + " /proc/" +
                                std::to_string(getpid()) + "/exe " + each.name + " 2>&1";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string text;
    for (int c; (c = std::fgetc(pipe.get())) != EOF;) text += static_cast<char>(c);
    // The comments of the source lines are for the tests; debug information knows the folder of the build.
    for (std::size_t at; (at = text.find(XLAZY_BUILD_FOLDER "/")) != std::string::npos;)
        text.erase(at, sizeof(XLAZY_BUILD_FOLDER));
    std::string shown;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line == "no error") continue;
        const std::size_t mark = line.find("// line ");
        shown += line.substr(0, mark == std::string::npos ? mark : line.find_last_not_of(' ', mark - 1) + 1) + '\n';
    }
    return shown;
}

int print_page() {
    std::cout << R"(# Errors

Made by the tests' program `tests/errors/program/cases.cpp`; a test compares them. What is promised is in
[semantics.md](semantics.md#errors).

Errors of shapes, axes and files are thrown at the statement. What only the data shows is found when the statement runs,
and thrown as `xlazy::deferred_error`, which derives from `std::runtime_error`. Its text begins with the line of the
failing statement, whatever the optimizer has made of it, and is the same in both modes up to there. `report()` gives
everything as data: kind, place, element, operands with their values, shapes, and where they were last written, the lines
that contributed, who forced the batch to run, and why.

## Who gets it, and which reads throw

- The thread that recorded the statement, once, at its next flush point: element access, iteration, `data()`, printing,
  saving, comparison, `xlazy::flush()`. Where several statements of a batch failed, the first one is thrown, and its
  message lists the others.
- Whoever reads an element without a value, every time: of the array that the statement would have written, and of those
  that were computed from it. The error of the failed statement is thrown again, also in another thread.
- Elements that the failed statement did not write keep their values, and so does what does not depend on it. Overwriting
  heals, also in parts: after `view(a, 0) = 1` the first row of an array without a value can be read. Iterators, `data()`
  and printing want the whole array. (At most 16 parts an array are kept apart, regular ones such as rows, columns and
  blocks.)
- Nobody: it is logged once, at the end of the program.

`std::exception_ptr` carries it to other threads as any exception. A handler may use arrays, also those of the failed
batch. Copies, moves and swaps of an array without a value throw nothing. Destructors throw nothing.

## To find the cause

| variable | what it does |
|---|---|
| `XLAZY_MODE=eager` | every statement runs at once: a debugger stops in the failing line itself |
| `XLAZY_TRACE=stack` | messages tell who called |
| `XLAZY_CHECK=nan` | where the first NaN or infinity comes from |
| `XLAZY_CHECK=bounds` | `a(i, j)` looks at its indices |
| `XLAZY_DUMP_ON_ERROR=DIR` | leaves batch, inputs and message; `xlazy-run-bytecode DIR` has the error again |
| `XLAZY_EXPLAIN=1`, `XLAZY_TRACE=flush` | what ran, when, and why |

## One example a kind
)";
    for (const Case& each : kCases) {
        if (each.title == nullptr) continue;
        std::cout << "\n### " << each.title << "\n\n```cpp\n" << source_of(each.name) << "```\n\n";
        if (*each.environment != '\0') std::cout << "With `" << each.environment << "`:\n\n";
        std::cout << "```\n" << output_of(each) << "```\n\n" << each.advice << '\n';
    }
    return 0;
}

}  // namespace

int main(int count, char** words) {
    if (count != 2 || chdir(XLAZY_CASES_FOLDER) != 0) return 2;  // messages show the source, which lies there
    return std::strcmp(words[1], "--page") == 0 ? print_page() : run(words[1]);
}
