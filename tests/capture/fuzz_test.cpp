// SPDX-License-Identifier: BSD-3-Clause
// Random functions with loops, choices, views, states and random numbers: captured, lazy and eager they give the same
// bits.
#include "capture/support.hpp"

#include <cmath>
#include <cstdlib>
#include <random>

namespace {

using namespace test;
using namespace xlazy::placeholders;
using xlazy::range;
using xlazy::view;

/// NaNs are equal whatever their bits.
bool same_values(const Array& a, const Array& b) {
    if (!std::equal(a.shape().begin(), a.shape().end(), b.shape().begin(), b.shape().end())) return false;
    const auto x = values(a), y = values(b);
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::memcmp(&x[i], &y[i], sizeof(double)) != 0 && !(std::isnan(x[i]) && std::isnan(y[i]))) return false;
    }
    return true;
}

/// Random numbers of 32 bits.
class Source {
public:
    explicit Source(unsigned seed) : engine_(seed) {}
    unsigned operator()() { return static_cast<unsigned>(engine_()); }

private:
    std::mt19937 engine_;
};

/// The statements that a seed stands for. A body takes its seed once, so that each of its iterations is the same.
class Statements {
public:
    Statements(std::vector<Array>& arrays, double k) : a_(arrays), k_(k) {}

    void run(unsigned seed, unsigned count, unsigned depth) {
        Source source(seed);
        for (unsigned i = 0; i < count; ++i) statement(source, depth);
    }

private:
    Array& any(Source& source) { return a_[source() % a_.size()]; }

    void statement(Source& source, unsigned depth) {
        Array &x = any(source), &y = any(source), &z = any(source);
        const unsigned kind = source() % (depth < 2 ? 16 : 12), seed = source(), other = source(), times = source() % 4;
        switch (kind) {
            case 0: x = y + k_ * z; break;
            case 1: x -= y; break;
            case 2: view(x, range(1, -1)) = 0.5 * (view(y, range(0, -2)) + view(z, range(2, _))); break;
            case 3: x = y - xlazy::mean(z); break;
            case 4: std::swap(x, y); break;
            case 5: x = xlazy::where(y > z, y, z * k_); break;
            case 6: view(x, range(_, 3)) *= k_; break;
            case 7: x = view(y, range(_, _, -1)); break;
            case 8: x = xlazy::sin(y) + xlazy::cumsum(z, 0); break;
            case 9: x = y * 0.25 + xlazy::random::rand<double>({y.size()}); break;
            case 10: {
                Array next = xlazy::cos(y);
                next += z;
                x = std::move(next);
                break;
            }
            case 11: {
                Array numbers = xlazy::zeros<double>({y.size()});
                const Array some{0.5, -1.5};
                view(numbers, range(0, 2)) = some;
                x = numbers + xlazy::amax(y);
                break;
            }
            case 12: xlazy::repeat(times, [&] { run(seed, 3, depth + 1); }); break;
            case 13:
                xlazy::branch(
                    xlazy::sum(x) > xlazy::sum(y), [&] { run(seed, 3, depth + 1); }, [&] { run(other, 2, depth + 1); });
                break;
            case 14: xlazy::branch(xlazy::amin(x) < 0.0, [&] { run(seed, 2, depth + 1); }); break;
            default: {
                Array count = xlazy::zeros<double>({1});
                xlazy::repeat_while([&] { return xlazy::amax(count) < static_cast<double>(times); },
                                    [&] {
                                        run(seed, 3, depth + 1);
                                        count += 1.0;
                                    });
            }
        }
    }

    std::vector<Array>& a_;
    double k_;
};

struct Function {
    unsigned seed;
    Array* state;

    std::tuple<Array, Array> operator()(const Array& x, const Array& y, double k) const {
        std::vector<Array> arrays;
        arrays.push_back(x);
        arrays.push_back(y);
        arrays.push_back(xlazy::sin(x) * 2.0);
        arrays.push_back(*state);
        Statements(arrays, k).run(seed, 10, 0);
        *state = arrays[3];
        return {arrays[0], Array(arrays[1] + arrays[2])};
    }
};

void compare(unsigned seed) {
    SCOPED_TRACE(seed);
    const std::size_t size = 6 + seed % 30;
    Array captured_state = ramp(size, -1), lazy_state = ramp(size, -1), eager_state = ramp(size, -1);
    const auto f = xlazy::capture(Function{seed, &captured_state}, ramp(size), ramp(size), 0.5);
    ASSERT_TRUE(same_values(captured_state, ramp(size, -1)));
    const Function lazy{seed, &lazy_state}, eager{seed, &eager_state};
    for (int call = 0; call < 3; ++call) {
        const Array x = ramp(size, -0.25 * call), y = ramp(size, 1.5, -0.1);
        const double k = 0.5 - 0.7 * call;
        xlazy::random::seed(seed);
        const auto [a, b] = f(x, y, k);
        xlazy::random::seed(seed);
        const auto [c, d] = lazy(x, y, k);
        ASSERT_TRUE(same_values(a, c));
        ASSERT_TRUE(same_values(b, d));
        ASSERT_TRUE(same_values(captured_state, lazy_state));
        xlazy::random::seed(seed);
        const xlazy::mode_scope at_once(xlazy::mode::eager);
        const auto [e, g] = eager(x, y, k);
        ASSERT_TRUE(same_values(a, e));
        ASSERT_TRUE(same_values(b, g));
        ASSERT_TRUE(same_values(captured_state, eager_state));
    }
    ASSERT_EQ(f.statistics().recordings, 1u);
}

/// XLAZY_CAPTURE_SEEDS=FIRST:COUNT runs others.
TEST(Fuzz, CapturedLazyAndEagerAgree) {
    unsigned first = 0, count = 200;
    if (const char* const wanted = std::getenv("XLAZY_CAPTURE_SEEDS")) {
        char* rest = nullptr;
        first = static_cast<unsigned>(std::strtoul(wanted, &rest, 10));
        if (*rest == ':') count = static_cast<unsigned>(std::strtoul(rest + 1, nullptr, 10));
    }
    for (unsigned seed = first; seed < first + count && !HasFatalFailure(); ++seed) compare(seed);
}

/// A call and a flush run one plan, and only the flush may give an array's memory to another one.
TEST(Fuzz, APlanThatServesBothWays) { compare(472); }

}  // namespace
