# SPDX-License-Identifier: BSD-3-Clause
# Completion of xlazy's programs for bash. Options are those of --help, so that they are the program's own.
_xlazy_options() {
  "$1" "${2:---help}" 2>/dev/null | grep -oE '^  --[a-z-]+' | tr -d ' '
}

_xlazy() {
  local program=${1##*/} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  case $program:$before in
    *:--backend) COMPREPLY=($(compgen -W 'auto openmp interp' -- "$word")); return ;;
    *:--passes) COMPREPLY=($(compgen -W 'all none' -- "$word")); return ;;
    *:--dir) COMPREPLY=($(compgen -d -- "$word")); return ;;
    *:--json | *:--anchors | *:--baseline | *:--report | *:--from | *:--others | *:--from | *:--others | xlazy-cache:export | xlazy-cache:import)
      COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  if [[ $word == -* ]]; then
    local help=--help
    [[ $program == xlazy-c++ ]] && help=--xlazy-help
    COMPREPLY=($(compgen -W "$(_xlazy_options "$1" "$help")" -- "$word"))
  elif [[ $program == xlazy-cache ]]; then
    COMPREPLY=($(compgen -W 'list info verify prune clear export import' -- "$word"))
  fi
}

complete -o default -F _xlazy xlazy-c++ xlazy-cache xlazy-info xlazy-run-bytecode xlazy-bench
