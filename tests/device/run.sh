#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks on a machine with a GPU, in less than 4 minutes.
#   tests/device/run.sh pack   on the machine that builds: programs and libraries into build/device
#   tests/device/run.sh        on the machine with the GPU, which needs its driver and nothing else: what is in
#                              build/device runs, or, where that is missing, what is in build/release
# Prints a line a check, and what failed. Exit status: the number of failed checks.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly packed=build/device
readonly programs=(xlazy_cuda_program xlazy-info)
readonly cases=(steps sums stencil host_writes division forks large)

pack() {
  mkdir -p "$packed"
  local program library
  for program in "${programs[@]}"; do
    cp "build/release/bin/$program" "$packed/" || return 1
    # The C library and the dynamic linker are the other machine's own.
    ldd "build/release/bin/$program" | awk '$3 ~ /^\// {print $3}' |
      grep -v -E '/(libc|libm|libdl|libpthread|librt)\.so' | while read -r library; do cp -n "$library" "$packed/"; done
  done
  for library in build/nvrtc/libnvrtc* /usr/local/cuda/lib64/libnvrtc.so.1? /usr/local/cuda/lib64/libnvrtc-builtins.so.1*; do
    [[ $library == *.alt.* || ! -e $library ]] || { cp -L "$library" "$packed/"; }
  done
  du -sh "$packed"
}

failed=0
check() {  # NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    echo "ok      $name"
  else
    echo "FAILED  $name"
    head -20 "$work/log"
    failed=$((failed + 1))
  fi
}

same_as_cpu() {  # CASE
  XLAZY_BACKEND=openmp timeout 20 "$folder/xlazy_cuda_program" "$1" >"$work/cpu" 2>&1
  XLAZY_BACKEND=cuda XLAZY_JIT=block timeout 40 "$folder/xlazy_cuda_program" "$1" >"$work/gpu" 2>&1
  diff "$work/cpu" "$work/gpu"
}

has_device() { "$folder/xlazy-info" | grep -q '^ *device 0: '; }

main() {
  folder=build/release/bin
  [[ -d $packed ]] && folder=$packed
  export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$PWD/$packed
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  export XLAZY_CACHE_DIR=$work/cache
  "$folder/xlazy-info" | sed -n '/^gpu/,/^memory/p'
  check "a device is there" has_device
  local each
  for each in "${cases[@]}"; do check "the CPU's output: $each" same_as_cpu "$each"; done
  for each in openmp cuda; do
    echo "speed, $each:"
    XLAZY_BACKEND=$each XLAZY_JIT=block timeout 60 "$folder/xlazy_cuda_program" speed || failed=$((failed + 1))
  done
  echo "$failed checks failed"
  return "$failed"
}

if [[ ${1:-} == pack ]]; then pack; else main; fi
