#compdef interlock
# Completion of interlock for zsh. Either put it as _interlock into a folder of $fpath, or run
# source <(interlock completion zsh) after compinit.
_interlock() {
  local line where
  local -a answer found shown space
  answer=("${(@f)$(${(Q)~words[1]} complete zsh -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  for line in "${(@)answer[2,-1]}"; do
    found+=("${line%%$'\t'*}")
    shown+=("${line/$'\t'/  -- }")
  done
  [[ $answer[1] == nospace ]] && space=(-S '')
  (( $#found )) && compadd -l $space -d shown -a found
  case $answer[1] in
    files) _files ;;
    command\ *)
      where=${answer[1]#* }
      shift $where words
      (( CURRENT -= where ))
      _normal
      ;;
  esac
}
if [[ $funcstack[1] == _interlock ]]; then _interlock "$@"; else compdef _interlock interlock; fi
