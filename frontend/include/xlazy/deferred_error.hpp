// SPDX-License-Identifier: BSD-3-Clause
// An error that only the data showed, as text and as data. No xtensor here.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace xlazy {

/// A place in the user's source, for messages.
struct origin_info {
    std::string file;
    unsigned line = 0;     ///< counted from 1; 0: unknown
    std::string function;  ///< may be empty
};

/// What was wrong with the data, or with the machine.
enum class error_kind : unsigned char {
    division_by_zero,  ///< of integers; remainder, too
    out_of_range,      ///< an index that an array does not have
    not_finite,        ///< XLAZY_CHECK=nan: a NaN or an infinity made of finite numbers
    singular_matrix,   ///< where an inverse or a solution was asked for
    not_positive,      ///< a matrix is not positive definite
    no_convergence,    ///< of eigenvalues or singular values
    no_memory,         ///< the machine's, or XLAZY_MEMORY_LIMIT's
    internal           ///< of xlazy's own
};

/// An operand of the operation that failed.
struct operand_info {
    std::string dtype;                ///< as in docs/ops.md, for instance "i32"
    bool is_scalar = false;           ///< a number, which has no shape
    std::vector<std::int64_t> shape;  ///< of an array
    std::string value;                ///< at the failing element; empty where that says nothing
    origin_info written_at;           ///< where it was last written; line 0: by the statement itself, or unknown
};

/// All that is known of a failure. Lists of places hold no place twice.
struct error_report {
    error_kind kind = error_kind::internal;
    std::string operation;              ///< name of the op, as in docs/ops.md; "allocate" for no_memory
    std::string cause;                  ///< one sentence without a place; the first line of the text after it
    origin_info origin;                 ///< the failing statement
    std::string source_line;            ///< its text, if the file could be read and is older than the program
    std::vector<std::int64_t> element;  ///< index of the first element that failed, in the operation's shape
    std::vector<operand_info> operands;
    std::vector<origin_info> merged_with;  ///< lines that ask for the same value, which was computed once
    std::vector<origin_info> fused_with;   ///< other lines that ran in the same kernel
    std::vector<origin_info> also_failed;  ///< further statements of the batch that failed by themselves
    std::vector<std::string> callers;      ///< XLAZY_TRACE=stack: who called, the innermost first
    std::vector<std::string> notes;        ///< further lines, for instance the arrays in memory
    std::string flush_reason;              ///< why the batch ran: a key of the statistics' `flushes`
    std::string flush_text;                ///< the same for people
    origin_info flush_origin;              ///< the line that forced it
    std::string hint;
};

/// A recorded statement failed on its data. Thrown once, at the recording thread's next flush point, and by every read
/// of an array whose value depends on the failed statement. Copying cannot fail.
class deferred_error : public std::runtime_error {
public:
    explicit deferred_error(error_report report);

    /// All that is known; lives as long as any copy of the exception.
    const error_report& report() const noexcept { return data_->report; }
    /// What was wrong, for programs that treat kinds differently.
    error_kind kind() const noexcept { return data_->report.kind; }
    /// Name of the op that failed, as in docs/ops.md.
    const std::string& operation() const noexcept { return data_->report.operation; }
    /// Lines of the failing statement, the contributing ones (merged, then fused) after it.
    const std::vector<origin_info>& origins() const noexcept { return data_->origins; }
    /// The line that forced the flush.
    const origin_info& flush_origin() const noexcept { return data_->report.flush_origin; }
    /// what(), for a terminal that shows colours.
    std::string coloured() const;

private:
    struct data {
        error_report report;
        std::vector<origin_info> origins;
    };
    std::shared_ptr<const data> data_;
};

}  // namespace xlazy
