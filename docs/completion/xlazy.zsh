#compdef xlazy-c++ xlazy-cache xlazy-info xlazy-run-bytecode xlazy-bench
# SPDX-License-Identifier: BSD-3-Clause
# Completion of xlazy's programs for zsh. Options are those of --help, so that they are the program's own.
local help=--help
[[ ${words[1]:t} == xlazy-c++ ]] && help=--xlazy-help

case ${words[CURRENT-1]} in
  --backend) compadd auto openmp interp; return ;;
  --passes) compadd all none; return ;;
  --dir) _files -/; return ;;
esac
if [[ ${words[CURRENT]} == -* ]]; then
  compadd -- ${(f)"$(${words[1]} $help 2>/dev/null | grep -oE '^  --[a-z-]+' | tr -d ' ')"}
elif [[ ${words[1]:t} == xlazy-cache && ${words[CURRENT-1]} != (export|import) ]]; then
  compadd list info verify prune clear export import
else
  _files
fi
