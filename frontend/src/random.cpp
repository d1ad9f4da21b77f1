// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/detail/random.hpp"

#include "env.hpp"
#include "trace.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace xlazy::detail {

using bc::DType;
using bc::Op;
using rt::Value;

namespace {

/// Sums of more draws than these are xtensor's matter.
constexpr double kMostDraws = 16, kMostDegrees = 32;

bool is_whole(double x, double most) noexcept { return x >= 1 && x <= most && x == std::floor(x); }

/// Records draws of one array.
class Draw {
public:
    Draw(rt::Statement& statement, const RandomRequest& request, const RandomKey& key, std::size_t rank,
         const std::size_t* extents)
        : s_(statement),
          request_(request),
          key_(statement.scalar(key.key)),
          stream_(key.stream),
          real_(request.result == DType::f32 ? DType::f32 : DType::f64),
          rank_(rank),
          extents_(extents) {
        position_ = position();
    }

    Value run() {
        switch (request_.distribution) {
            case Distribution::uniform: return uniform_between();
            case Distribution::integers: return integers();
            case Distribution::normal: return scaled(normal(), request_.b, request_.a);
            case Distribution::exponential: return times(minus_log(), 1 / request_.a);
            case Distribution::weibull:
                return times(s_.apply(Op::pow, real_, minus_log(), real(1 / request_.a)), request_.b);
            case Distribution::extreme_value:
                return scaled(s_.apply(Op::log, real_, minus_log()), -request_.b, request_.a);
            case Distribution::lognormal: return s_.apply(Op::exp, real_, scaled(normal(), request_.b, request_.a));
            case Distribution::cauchy: return cauchy();
            case Distribution::geometric: return integer(geometric(request_.a));
            case Distribution::binomial: return integer(binomial());
            case Distribution::negative_binomial: return integer(negative_binomial());
            case Distribution::gamma: return times(chi_squared(2 * request_.a), request_.b / 2);
            case Distribution::chi_squared: return chi_squared(request_.a);
            case Distribution::student_t: {
                const Value z = normal();
                return s_.apply(Op::div, real_, z, root(times(chi_squared(request_.a), 1 / request_.a)));
            }
            case Distribution::fisher_f: {
                const Value m = times(chi_squared(request_.a), 1 / request_.a);
                return s_.apply(Op::div, real_, m, times(chi_squared(request_.b), 1 / request_.b));
            }
            case Distribution::poisson: break;
        }
        throw std::logic_error("a distribution that is not recorded");
    }

private:
    Value real(double x) { return s_.cast(s_.scalar(x), real_); }
    Value word(std::uint64_t x) { return s_.scalar(x); }
    Value words(Op op, Value a, std::uint64_t b) { return s_.apply(op, DType::u64, a, word(b)); }
    Value times(Value a, double b) { return s_.apply(Op::mul, real_, a, real(b)); }
    Value scaled(Value z, double by, double plus) { return s_.apply(Op::add, real_, times(z, by), real(plus)); }
    Value root(Value a) { return s_.apply(Op::sqrt, real_, a); }

    Value position() {
        if (rank_ == 0) return s_.broadcast(word(0), 0, extents_);
        std::uint64_t stride = 1;
        Value sum;
        for (std::size_t axis = rank_; axis-- > 0; stride *= extents_[axis]) {
            Value index = s_.cast(s_.index(axis, rank_, extents_), DType::u64);
            if (stride != 1) index = words(Op::mul, index, stride);
            sum = axis + 1 == rank_ ? index : s_.apply(Op::add, DType::u64, sum, index);
        }
        return sum;
    }

    /// The next block's two halves.
    struct Block {
        Value low, high;
    };
    Value half(Op op, std::uint64_t stream) { return s_.apply(op, DType::u64, position_, word(stream), key_); }
    Value low_half() { return half(Op::philox, stream_++); }
    Block block() {
        const Value low = half(Op::philox, stream_);
        return {low, half(Op::philox_high, stream_++)};
    }

    /// [0, 1), as many bits as the type has.
    Value unit(Value bits) {
        const int digits = real_ == DType::f32 ? 24 : 53;
        const Value top = words(Op::shr, bits, static_cast<std::uint64_t>(64 - digits));
        return times(s_.cast(s_.cast(top, DType::i64), real_), std::ldexp(1.0, -digits));
    }
    /// (0, 1], fine near 0: for logarithms.
    Value positive_unit(Value bits) {
        const Value odd = words(Op::bit_or, words(Op::shr, bits, 1), 1);
        return times(s_.cast(s_.cast(odd, DType::i64), real_), std::ldexp(1.0, -63));
    }
    Value minus_log() { return s_.apply(Op::neg, real_, s_.apply(Op::log, real_, positive_unit(low_half()))); }

    Value uniform_between() {
        const double a = request_.a, b = request_.b;
        const Value u = unit(low_half());
        if (a == 0 && b == 1) return u;
        const Value value = scaled(u, b - a, a);
        // Rounding must not reach the end that is excluded.
        const double last = real_ == DType::f32
                                ? static_cast<double>(std::nextafter(static_cast<float>(b), static_cast<float>(a)))
                                : std::nextafter(b, a);
        return s_.apply(b >= a ? Op::min : Op::max, real_, value, real(last));
    }

    /// floor(bits * range / 2^64), without a bias that could be seen.
    Value integers() {
        const std::uint64_t range = request_.range;
        const Value bits = low_half();
        Value number;
        if (std::has_single_bit(range)) {
            const auto digits = static_cast<std::uint64_t>(std::countr_zero(range));
            number = words(Op::shr, bits, 64 - digits);
        } else {
            number = high_product(bits, range);
        }
        return s_.cast(words(Op::add, number, request_.lowest), request_.result);
    }
    Value high_product(Value bits, std::uint64_t range) {
        constexpr std::uint64_t kWord = 0xffffffff;
        const Value top = words(Op::shr, bits, 32), bottom = words(Op::bit_and, bits, kWord);
        const std::uint64_t low = range & kWord, high = range >> 32;
        const Value carry = words(Op::shr, words(Op::mul, bottom, low), 32);
        const Value middle = s_.apply(Op::add, DType::u64, words(Op::mul, top, low), carry);
        if (high == 0) return words(Op::shr, middle, 32);
        const Value other =
            s_.apply(Op::add, DType::u64, words(Op::mul, bottom, high), words(Op::bit_and, middle, kWord));
        const Value sum = s_.apply(Op::add, DType::u64, words(Op::mul, top, high), words(Op::shr, middle, 32));
        return s_.apply(Op::add, DType::u64, sum, words(Op::shr, other, 32));
    }

    /// Box and Muller: A note on the generation of random normal deviates, 1958.
    Value normal() {
        const Block bits = block();
        const Value radius = root(times(s_.apply(Op::log, real_, positive_unit(bits.low)), -2));
        const Value angle = times(unit(bits.high), 2 * std::numbers::pi);
        return s_.apply(Op::mul, real_, radius, s_.apply(Op::cos, real_, angle));
    }

    Value cauchy() {
        const Value angle = scaled(unit(low_half()), std::numbers::pi, -std::numbers::pi / 2);
        return scaled(s_.apply(Op::tan, real_, angle), request_.b, request_.a);
    }

    Value geometric(double probability) {
        const Value ratio = s_.apply(Op::div, real_, minus_log(), real(-std::log1p(-probability)));
        return s_.apply(Op::floor, real_, ratio);
    }

    Value negative_binomial() {
        Value sum = geometric(request_.b);
        for (int i = 1; i < static_cast<int>(request_.a); ++i)
            sum = s_.apply(Op::add, real_, sum, geometric(request_.b));
        return sum;
    }

    Value binomial() {
        Value sum;
        Block bits;
        for (int i = 0; i < static_cast<int>(request_.a); ++i) {
            if (i % 2 == 0) bits = i + 1 < static_cast<int>(request_.a) ? block() : Block{low_half(), {}};
            const Value u = unit(i % 2 == 0 ? bits.low : bits.high);
            const Value hit = s_.cast(s_.apply(Op::lt, DType::boolean, u, real(request_.b)), real_);
            sum = i == 0 ? hit : s_.apply(Op::add, real_, sum, hit);
        }
        return sum;
    }

    /// Twice a sum of exponential numbers, and for odd degrees a square of a normal one.
    Value chi_squared(double degrees) {
        const int count = static_cast<int>(degrees);
        Value sum;
        bool any = false;
        const auto add = [&](Value value) {
            sum = any ? s_.apply(Op::add, real_, sum, value) : value;
            any = true;
        };
        for (int pair = 0; pair + 1 < count; pair += 2) add(times(minus_log(), 2));
        if (count % 2 != 0) {
            const Value z = normal();
            add(s_.apply(Op::mul, real_, z, z));
        }
        return sum;
    }

    /// Of a float that is whole; what is beyond the result's type is its greatest number.
    Value integer(Value whole) {
        if (request_.result == real_) return whole;
        const std::size_t bits = 8 * bc::size_of(request_.result);
        const bool is_signed = bc::info(request_.result).kind == bc::DTypeKind::Int;
        const double beyond = std::ldexp(1.0, static_cast<int>(bits) - (is_signed ? 1 : 0));
        const Value capped =
            s_.apply(Op::min, real_, whole, real(bits > 52 ? std::nextafter(beyond, 0.0) : beyond - 1));
        return s_.cast(capped, request_.result);
    }

    rt::Statement& s_;
    const RandomRequest& request_;
    const Value key_;
    std::uint64_t stream_;
    const DType real_;
    const std::size_t rank_;
    const std::size_t* extents_;
    Value position_;
};

void check_parameters(const RandomRequest& request) {
    const auto refuse = [](const char* what) { throw std::invalid_argument(what); };
    switch (request.distribution) {
        case Distribution::integers:
            if (request.range == 0) refuse("randint: there is no number from lower on below upper");
            return;
        case Distribution::exponential:
            if (!(request.a > 0)) refuse("exponential: the rate is not above 0");
            return;
        case Distribution::geometric:
            if (!(request.a > 0 && request.a <= 1)) refuse("geometric: the probability is not in (0, 1]");
            return;
        default: return;
    }
}

}  // namespace

bool is_recorded_random(const RandomRequest& request) noexcept {
    switch (request.distribution) {
        case Distribution::poisson: return false;
        case Distribution::binomial: return is_whole(request.a, kMostDraws);
        case Distribution::negative_binomial: return is_whole(request.a, kMostDraws) && request.b > 0 && request.b <= 1;
        case Distribution::gamma: return is_whole(2 * request.a, kMostDegrees);
        case Distribution::chi_squared:
        case Distribution::student_t: return is_whole(request.a, kMostDegrees);
        case Distribution::fisher_f: return is_whole(request.a, kMostDegrees) && is_whole(request.b, kMostDegrees);
        default: return true;
    }
}

std::mutex& random_mutex() noexcept {
    static auto* const mutex = new std::mutex();
    return *mutex;
}

RandomKey next_random_key(std::mt19937& engine) {
    if (rt::is_recording_function()) {
        const rt::TracedDraw draw = rt::trace_draw(engine);
        return {draw.key, draw.stream};
    }
    const std::lock_guard guard(random_mutex());
    static bool first = true;
    if (first) {
        first = false;
        const std::optional<int> seed = rt::settings().seed;
        if (seed && engine == std::mt19937()) engine.seed(static_cast<std::mt19937::result_type>(*seed));
    }
    const auto word = [&] {
        const std::uint64_t low = engine();
        return low | std::uint64_t{engine()} << 32;
    };
    const std::uint64_t key = word();
    const std::uint64_t stream = word();
    return {key, stream};
}

rt::Value record_random(rt::Statement& statement, const RandomRequest& request, const RandomKey& key, std::size_t rank,
                        const std::size_t* extents) {
    check_parameters(request);
    return Draw(statement, request, key, rank, extents).run();
}

}  // namespace xlazy::detail
