# Completion of interlock for bash. Either source it, or put it into the folder of bash-completion
# (~/.local/share/bash-completion/completions/interlock).
_interlock() {
  local answer=() files=() where
  mapfile -t answer < <("${1/#\~/$HOME}" complete bash \
    "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  COMPREPLY=("${answer[@]:1}")
  case ${answer[0]-} in
    nospace) compopt -o nospace ;;
    files)
      compopt -o filenames
      mapfile -t files < <(compgen -f -- "$2")
      COMPREPLY+=("${files[@]}")
      ;;
    command\ *)
      where=${answer[0]#* }
      if declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset "$where"
      elif declare -F _command_offset >/dev/null; then
        _command_offset "$where"
      elif ((COMP_CWORD == where)); then
        mapfile -t COMPREPLY < <(compgen -c -- "$2")
      else
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$2")
      fi
      ;;
  esac
}
complete -F _interlock interlock
