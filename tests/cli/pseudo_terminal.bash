# A pseudo-terminal by script(1), for the scripts beside this file: `source` it after harness.bash.
command -v script >/dev/null || exit 77

# typed COMMAND: what is written to the descriptor $keys is typed at a terminal on which COMMAND
# runs; what it shows is in the file screen.
typed() {
  # What an earlier command has shown must not be taken for what this one shows.
  rm -f keyboard screen
  mkfifo keyboard
  # Shells start background jobs with INT ignored.
  TERM=${TERM_IS-xterm} env --default-signal script -qefc "$1" screen <keyboard >/dev/null 2>&1 &
  terminal=$!
  exec {keys}>keyboard
}
finished() {
  wait "$terminal"
  local code=$?
  equal "$code" "$1"
}
shows() { grep -qsaF -- "$1" screen; }
# A shell with job control; what is typed is given as arguments, a line each.
at_a_shell() {
  typed 'bash --norc --noprofile -i'
  [ $# = 0 ] || printf '%s\n' "$@" >&"$keys"
}
key() { printf "$1" >&"$keys"; }
leave_shell() {
  echo 'exit 0' >&"$keys"
  finished 0
}
