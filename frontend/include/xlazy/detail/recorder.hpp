// SPDX-License-Identifier: BSD-3-Clause
// How the frontend's templates record a statement. Type-erased: no xtensor here, and one call an operation.
#pragma once

#include "xlazy/bytecode/op.hpp"
#include "xlazy/bytecode/program.hpp"
#include "xlazy/detail/base.hpp"

#include <initializer_list>
#include <stdexcept>
#include <string>

namespace xlazy::rt {

using bc::Op;

/// A strided window on a base, as the caller has it. The arrays are read during the call only.
struct ViewRef {
    Base* base;
    std::int64_t offset;  ///< elements
    std::size_t rank;
    const std::size_t* extents;
    const std::ptrdiff_t* strides;  ///< elements; 0 and negative allowed
};

/// A value of the statement under construction.
struct Value {
    bc::Operand operand;
    DType dtype = DType::none;
    std::uint32_t domain = 0;  ///< its shape, an index of the queue's batch; kScalarShape for a scalar
    static constexpr std::uint32_t kScalarShape = ~0u;
};

/// Operands that do not broadcast, or a value that does not fit the view it is stored to. The frontend turns it into
/// xtensor's own broadcast error.
class ShapeMismatch : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// One statement of the user's, being recorded into this thread's queue. Not nested: an operand that needs a statement
/// of its own (materialised operands) must be recorded before. Without store() everything is taken back by the
/// destructor.
class Statement {
public:
    /// May flush first (queue limit), so that no later call of this statement has to.
    explicit Statement(here line);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    /// A queued read of the window. An array that was never written gets memory here. @throws std::bad_alloc
    Value load(const ViewRef& view);
    template <class T>
    Value scalar(T value) {
        return scalar(bc::make_scalar(value));
    }
    Value scalar(const bc::Scalar& value);
    /// Conversion as C++ does it; a value that has the type already is returned as it is.
    Value cast(Value value, DType result);
    /// Elementwise op on operands that have the op's operand type already; they are broadcast against each other.
    /// A `mask` (bool) only for ops that can fail. @throws ShapeMismatch
    Value apply(Op op, DType result, Value a);
    Value apply(Op op, DType result, Value a, Value b);
    Value apply(Op op, DType result, Value a, Value b, Value c);
    Value apply_masked(Op op, DType result, Value a, Value b, Value mask);
    /// The operand repeated to a larger shape. @throws ShapeMismatch
    Value broadcast(Value value, std::size_t rank, const std::size_t* extents);
    /// Reduction over the axes in `axes` (bit i: axis i), recorded axis by axis, last axis first.
    Value reduce(Op op, Value value, std::uint32_t axes, bool keep_dims);
    /// Running reduction along an axis. @throws std::invalid_argument if there is no such axis
    Value scan(Op op, Value value, std::size_t axis);
    /// The i64 values as indices of an axis with so many elements. Where one is no such index the statement fails late,
    /// with index, axis and extent, and 0 takes its place. `axis`: of the user's array.
    /// @throws std::invalid_argument if the values are not i64 or there is no such axis
    Value in_range(Value indices, std::int64_t extent, std::size_t axis);
    /// Elements of the window by their numbers (i64) in row-major order, in the numbers' shape; 0 where there is no
    /// such element.
    Value gather(const ViewRef& view, Value numbers);
    /// A library routine on values that are windows of arrays or scalars. Its result, of that shape, must be stored by
    /// the next call, to a dense array that no operand shows. `axis`: what the op's row says.
    Value call(Op op, DType result, std::size_t rank, const std::size_t* extents, std::initializer_list<Value> operands,
               std::size_t axis = 0);
    /// i64: position along `axis` of the shape.
    Value index(std::size_t axis, std::size_t rank, const std::size_t* extents);
    /// Shape of a value.
    std::size_t rank_of(Value value) const noexcept;
    std::int64_t extent_of(Value value, std::size_t axis) const noexcept;

    /// Ends the statement: `view <- value` (cast to the base's type; broadcast to the view). In eager mode, or where a
    /// pin demands it, it runs before this returns. @throws ShapeMismatch; deferred_error (eager mode)
    void store(const ViewRef& view, Value value);
    /// Ends the statement as store() does: the elements of the window with these numbers (i64), in row-major order of
    /// the numbers, are set to the value, which is broadcast to their shape; of several values for one element the last
    /// one stays. Numbers of no element are passed over.
    void scatter(const ViewRef& view, Value value, Value numbers);

private:
    void finish(std::uint32_t base, Base& target);
    Value append(Op op, DType type, DType result, std::uint32_t domain, std::initializer_list<Value> operands);
    Value reduce_axis(Op op, Value value, std::size_t axis, bool keep_dims);

    Queue& queue_;
    bc::OriginId origin_;
    bool stored_ = false;
};

/// The user's line, outermost wins: set by the entry points that have a `here`, read by those that xtensor calls.
class LineScope {
public:
    explicit LineScope(here line) noexcept : outer_(current_), mine_(current_.line == 0) {
        if (mine_) current_ = line;
    }
    ~LineScope() {
        if (mine_) current_ = outer_;
    }
    LineScope(const LineScope&) = delete;
    LineScope& operator=(const LineScope&) = delete;
    static here current() noexcept { return current_; }

private:
    static constinit thread_local here current_;
    here outer_;
    bool mine_;
};

/// While xtensor evaluates on our behalf: its pointers and iterators make no pins. Counted per thread.
class InsideXtensor {
public:
    InsideXtensor() noexcept { ++depth_; }
    ~InsideXtensor() { --depth_; }
    InsideXtensor(const InsideXtensor&) = delete;
    InsideXtensor& operator=(const InsideXtensor&) = delete;
    static bool active() noexcept { return depth_ != 0; }

private:
    static constinit thread_local int depth_;
};

/// Runs this thread's queue. @throws deferred_error for the first statement that failed
void flush(Reason reason, here line);
/// Counts a function that xtensor evaluates on synchronised data (statistics' `fallbacks`), and flushes.
void fall_back(const char* function, here line);
/// Did this thread's last recorded statement come from this line? For tests.
here last_statement_line() noexcept;

/// Memory that xlazy does not own is copied at the statement up to this size.
inline constexpr std::size_t kForeignCopyBytes = 64 * 1024;

}  // namespace xlazy::rt
