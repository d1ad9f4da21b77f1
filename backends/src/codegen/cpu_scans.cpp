// SPDX-License-Identifier: BSD-3-Clause
#include "codegen/cpu_scans.hpp"

#include "reduction_rule.hpp"

#include <fmt/format.h>

namespace xlazy::be {
namespace {

constexpr std::string_view kScanRow = R"(
INLINE v_$ scan_row_OP_$(char *carry, int first, v_$ x) {
  const v_$ y = first ? x : OP_$(load_$(carry), x);
  store_$(carry, y);
  return y;
}
INLINE v_$ scan_row_part_OP_$(char *carry, int first, v_$ x, long n) {
  const v_$ y = first ? x : OP_$(part_$(carry, n), x);
  store_part_$(carry, n, y);
  return y;
}
)";

constexpr std::string_view kScanBlock = R"(
INLINE v_$ scanned_OP_$(v_$ *a, int fresh, v_$ before, long present) {
STEPS  if (!fresh) {
    for (int v = 0; v < GROUPS; ++v) a[v] = OP_$(before, a[v]);
  }
  if (present == 32) return __builtin_shufflevector(a[GROUPS - 1], a[GROUPS - 1], LAST);
  return one_$(((const e_$ *)a)[present - 1]);
}
INLINE void scan_after_OP_$(v_$ *a, v_$ before) {
  for (int v = 0; v < GROUPS; ++v) a[v] = OP_$(before, a[v]);
}
)";

/// `of(lane)` for every lane.
template <class F>
std::string listed(int lanes, F&& of) {
    std::string text;
    for (int lane = 0; lane < lanes; ++lane) text += fmt::format("{}{}", lane == 0 ? "" : ", ", of(lane));
    return text;
}

/// Sklansky's steps, see isa/scans.hpp.
std::string steps(int lanes, int groups) {
    std::string text;
    for (int distance = 1; distance < lanes; distance *= 2) {
        const std::string lower = listed(lanes, [&](int lane) { return (lane & ~(2 * distance - 1)) + distance - 1; });
        const std::string joined =
            listed(lanes, [&](int lane) { return (lane & distance) != 0 ? lanes + lane : lane; });
        text += fmt::format(
            "  for (int v = 0; v < GROUPS; ++v)\n    a[v] = __builtin_shufflevector(a[v], "
            "OP_$(__builtin_shufflevector(a[v], a[v], {}), a[v]), {});\n",
            lower, joined);
    }
    for (int half = 1; half < groups; half *= 2) {
        for (int v = 0; v < groups; ++v) {
            if ((v & half) == 0) continue;
            const int last = (v & ~(2 * half - 1)) + half - 1;
            text += fmt::format("  a[{0}] = OP_$(__builtin_shufflevector(a[{1}], a[{1}], LAST), a[{0}]);\n", v, last);
        }
    }
    return text;
}

void replace(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

}  // namespace

std::string cpu_scan_definitions(const CpuLanes& lanes, Folding scanning, bc::Op op, bc::DType type) {
    const int groups = static_cast<int>(kMaxLaneValues) / lanes.lanes;
    std::string text(scanning == Folding::Leaf ? kScanBlock : kScanRow);
    replace(text, "STEPS", steps(lanes.lanes, groups));
    replace(text, "LAST", listed(lanes.lanes, [&](int) { return lanes.lanes - 1; }));
    replace(text, "GROUPS", std::to_string(groups));
    replace(text, "OP", bc::name_of(op));
    return fill_in(text, type, type);
}

}  // namespace xlazy::be
