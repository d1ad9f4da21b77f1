#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Seeds each fault of this folder into a scratch copy of HEAD, builds xlazy-fuzz there, and expects it to find something.
# usage: tests/faults/check.sh [--jobs N] [--programs N] [PATCH...]      prints a table; exit status 1 if a fault is missed
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD scratch=$PWD/build/faults
tree=$scratch/tree objects=$scratch/objects
jobs=$(nproc) programs=1000
while (($#)); do
  case $1 in
    --jobs) jobs=$2; shift 2 ;;
    --programs) programs=$2; shift 2 ;;
    *) break ;;
  esac
done
patches=("$@")
((${#patches[@]})) || patches=(tests/faults/*.patch)

mkdir -p "$scratch"
if [[ -e $tree/.git ]]; then
  git -C "$tree" checkout -q --force --detach "$(git rev-parse HEAD)"
else
  git worktree prune
  git worktree add -q --detach --force "$tree" HEAD
fi
# -O1: a build for each fault costs more than running it.
cmake -S "$tree" -B "$objects" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" \
  -DXLAZY_BUILD_BENCH=OFF -DXLAZY_INSTALL=OFF >"$scratch/configure.log"
export OMP_WAIT_POLICY=passive

build() { cmake --build "$objects" --parallel "$jobs" --target xlazy-fuzz >"$scratch/build.log" 2>&1; }
fuzz() { "$objects/bin/xlazy-fuzz" --programs "$programs" --shrink 0 >"$scratch/fuzz.log" 2>&1; }

build || { tail -20 "$scratch/build.log"; exit 1; }
fuzz || { echo "xlazy-fuzz fails without any fault:"; head -5 "$scratch/fuzz.log"; exit 1; }

missed=0
printf '%-34s %-8s %6s  %s\n' fault verdict secs "found by, or why not"
for patch in "${patches[@]}"; do
  name=$(basename "$patch" .patch) start=$SECONDS verdict=caught why=
  if ! git -C "$tree" apply -C1 --recount "$root/$patch" 2>"$scratch/apply.log"; then
    verdict=stale why=$(head -1 "$scratch/apply.log")
  elif ! build; then
    verdict=broken why=$(grep -m1 error "$scratch/build.log" || true)
  elif fuzz; then
    verdict=MISSED
  else
    why=$(grep -m1 -oE '(FAILURE xlazy-fuzz|crashed in) .*' "$scratch/fuzz.log" | sed 's/FAILURE xlazy-fuzz //' || true)
    why+="; $(sed -n 2p "$scratch/fuzz.log" | cut -c1-70)"
  fi
  [[ $verdict == caught ]] || missed=$((missed + 1))
  printf '%-34s %-8s %6d  %s\n' "$name" "$verdict" $((SECONDS - start)) "$why"
  git -C "$tree" checkout -q --force -- .
done
echo "${#patches[@]} faults, $missed not caught"
((missed == 0))
