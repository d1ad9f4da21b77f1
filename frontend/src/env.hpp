// SPDX-License-Identifier: BSD-3-Clause
// The environment variables, read once at first use.
#pragma once

#include "xlazy/backends/backend.hpp"
#include "xlazy/backends/jit.hpp"
#include "xlazy/jit-cache/directory.hpp"
#include "xlazy/optimizer/optimizer.hpp"
#include "xlazy/runtime.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xlazy::rt {

enum class EnvKind : unsigned char { Choice, Words, Count, Index, Size, Bytes, Passes, Explain, Text };

struct EnvVariable {
    std::string_view name;
    EnvKind kind;
    std::string_view values;
    std::string_view standard;
    std::string_view doc;
};

enum class Env : unsigned char {
#define XLAZY_ENV(id, name, kind, values, standard, doc) id,
#include "env.def"
#undef XLAZY_ENV
    count_
};

inline constexpr EnvVariable kEnvironment[] = {
#define XLAZY_ENV(id, name, kind, values, standard, doc) {name, EnvKind::kind, values, standard, doc},
#include "env.def"
#undef XLAZY_ENV
};

/// An amount of memory as users write it.
struct Size {
    double amount = 0;  ///< bytes, or per cent
    bool percent = false;
};
/// "1000", "64K", "1.5G" (powers of 1024) or "80%". @return nothing for any other text
std::optional<Size> parse_size(std::string_view text);

enum class BackendChoice : unsigned char { automatic, openmp, interp, cuda };

/// What XLAZY_EXPLAIN asks for.
struct ExplainWish {
    enum class Form : unsigned char { none, text, dot, svg } form = Form::none;
    std::string file{};  ///< dot and svg
};
/// "1", "dot:FILE" or "svg:FILE". @return nothing for any other text
std::optional<ExplainWish> parse_explain(std::string_view text);

struct Settings {
    mode start_mode = mode::lazy;
    BackendChoice backend = BackendChoice::automatic;
    int device = 0;  ///< of the back ends that have several
    std::optional<be::Isa> isa;
    be::JitMode jit = be::JitMode::background;
    int threads = 0;  ///< 0: the back end's own default
    Size memory_limit;
    std::string compiler;  ///< of kernels; empty: the usual ones
    jc::Place cache_place;
    std::uint64_t cache_size = 0;  ///< bytes
    opt::PassSet passes;
    bool verify = false;
    bool trace_flush = false;
    bool trace_plan = false;
    bool trace_batch = false;
    bool trace_jit = false;
    bool trace_stack = false;
    std::string timeline;  ///< a file; empty: none
    bool check_nan = false;
    bool check_bounds = false;
    std::optional<int> seed;
    std::string dump_on_error;  ///< a folder; empty: none
    ExplainWish explain;
    std::string stats;  ///< empty: none
    std::string log;
    std::vector<std::string> warnings;
};

/// @param lookup value of a variable, or null
Settings read_settings(const std::function<const char*(const char* name)>& lookup);

/// What the settings say of compiled kernels.
be::JitOptions jit_options(const Settings& settings);

/// Those of the process's environment. The first call applies them and logs their warnings.
const Settings& settings();

}  // namespace xlazy::rt
