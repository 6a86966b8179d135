# play at a terminal: lines that can be edited, a history, Tab, and signals while a line is typed.
source "$(dirname "$0")/harness.bash"
source "$(dirname "$0")/pseudo_terminal.bash"
export LC_ALL=C.UTF-8 NO_COLOR=1
# A user's own keys must not decide.
export EDITRC=/dev/null

# play: begins a game; its terminal is in the file where, its process in the file pid.
play() {
  # Not script's own child: script stops with that one.
  typed "tty >where; sh -c 'echo \$\$ >pid; exec interlock play del-setnx-lock'; exit \$?"
  until_true shows "step 1> "
}
# The run that `link` has shown last.
last_link() { tr -d '\r' <screen | sed -n 's/^  interlock replay //p' | tail -1; }
linked() { [ "$(last_link)" = "$1" ]; }
leave() {
  key 'quit\r'
  finished "${1:-2}"
}
# How often the line was drawn again from its beginning.
redraws() { grep -aoF $'\r\033[J' screen | wc -l; }
redrawn() { [ "$(redraws)" -ge "$1" ]; }
# How often the shell has asked for a command.
prompts() { grep -aoE 'bash-[0-9]' screen | wc -l; }
prompted() { [ "$(prompts)" -ge "$1" ]; }
# What is typed before the shell has the terminal again may be lost.
quit_to_the_shell() {
  local before
  before=$(prompts)
  key 'quit\r'
  until_true prompted $((before + 1))
}

test_a_line_can_be_edited() {
  play
  # 22, two to the left, 1, to the end, 3, backspace.
  key '22\033[D\033[D1\033[F3\177\r'
  until_true shows "step 4> "
  key 'link\r'
  until_true linked del-setnx-lock:122
  # The whole line away; a word away; to the beginning; delete.
  key 'nonsense\025undo more\027\r'
  until_true shows "step 3> "
  key 'x2\033[H\033[3~\001\r'
  until_true shows "step 4> "
  key 'link\r'
  until_true linked del-setnx-lock:122
  leave
}

test_lines_are_brought_back() {
  play
  key '1\r'
  until_true shows "step 2> "
  key '2\r'
  until_true shows "step 3> "
  # Two lines up: 1.
  key '\033[A\033[A\r'
  until_true shows "step 4> "
  key 'link\r'
  until_true linked del-setnx-lock:121
  # Up and down again: an empty line, which shows the run.
  key '\033[A\033[B\r'
  # The last line that has `2`.
  key '\0222\r\r'
  until_true shows "step 5> "
  key 'link\r'
  until_true linked del-setnx-lock:1212
  leave
}

test_tab_completes_commands_and_moves() {
  play
  key 'li\t\r'
  until_true linked del-setnx-lock:
  # Both begin with sho.
  key 'sh\t\t'
  until_true grep -qaE 'shortest +show|show +shortest' screen
  key '\025'
  key '\t'
  until_true grep -qaE '^1  2  A  B  help' screen
  key '1 2\r'
  until_true shows "step 3> "
  # Behind why stand the kinds of faults, too.
  key 'why cra\t\r'
  until_true shows "crash: no fault is allowed in this scenario"
  # Nothing begins so, and the line stays.
  key '1xyz\t\177\177\177\r'
  until_true shows "step 4> "
  key 'link\r'
  until_true linked del-setnx-lock:121
  leave
}

test_tab_completes_where_a_repair_is_chosen() {
  play
  key '11221122\r'
  until_true shows "repair> "
  key 'w\t\r'
  until_true shows "was left by a client that"
  leave 1
}

test_without_a_scenario_it_asks() {
  typed 'interlock play'
  until_true shows "scenario> "
  key 'stamp-lok\r'
  until_true shows "did you mean 'stamp-lock'?"
  key 'del-setnx-l\t\r'
  until_true shows "step 1> "
  leave
  rm keyboard screen
  typed 'interlock play'
  until_true shows "scenario> "
  key 'quit\r'
  finished 2
  rm keyboard screen
  typed 'interlock play'
  until_true shows "scenario> "
  key '\004'
  finished 2
}

test_control_d_leaves() {
  play
  key '\004'
  finished 2
  shows "the input ended at step 1: the lock is not broken"
}

test_signals_that_end_it_give_the_terminal_back() {
  local signal
  for signal in INT TERM HUP; do
    rm -f keyboard pid after
    typed "stty -g >before; trap : INT HUP TERM; sh -c 'echo \$\$ >pid; exec interlock play del-setnx-lock'; echo \$? >code; stty -g >after"
    until_true shows "step 1> "
    key '12'
    until_true shows "step 1> 12"
    if [ "$signal" = INT ]; then key '\003'; else kill "-$signal" "$(cat pid)"; fi
    finished 0
    equal "$signal $(cat code)" "$signal $((128 + $(kill -l "$signal")))"
    equal "$(cat after)" "$(cat before)"
  done
}

test_the_terminal_is_as_it_was_after_a_game() {
  typed 'stty -g >before; interlock play del-setnx-lock; stty -g >after'
  until_true shows "step 1> "
  key 'quit\r'
  finished 0
  equal "$(cat after)" "$(cat before)"
}

test_control_z_stops_it_and_fg_brings_the_line_back() {
  at_a_shell 'interlock play del-setnx-lock'
  until_true shows "step 1> "
  key '12'
  until_true shows "step 1> 12"
  key '\032'
  until_true shows "Stopped"
  echo 'echo he""re' >&"$keys"
  until_true shows "here"
  local before
  before=$(redraws)
  echo 'fg' >&"$keys"
  # Without another key.
  until_true redrawn $((before + 1))
  key '1\r'
  until_true shows "step 4> "
  key 'link\r'
  until_true linked del-setnx-lock:121
  quit_to_the_shell
  echo 'echo code $?' >&"$keys"
  until_true shows "code 2"
  leave_shell
}

test_in_the_background_it_stops_and_leaves_the_terminal_alone() {
  # With -b the shell tells at once that a job has stopped.
  at_a_shell 'set -b' 'interlock play del-setnx-lock &'
  until_true shows "Stopped"
  echo 'echo he""re' >&"$keys"
  until_true shows "here"
  echo 'fg' >&"$keys"
  until_true shows "step 1> "
  key '1\r'
  until_true shows "step 2> "
  quit_to_the_shell
  leave_shell
}

test_going_on_after_a_stop_is_seen_at_once() {
  local before
  play
  key '12'
  until_true shows "step 1> 12"
  kill -STOP "$(cat pid)"
  until_true grep -q '^State:.*stopped' "/proc/$(cat pid)/status"
  # As a shell does.
  stty -F "$(cat where)" sane
  before=$(redraws)
  kill -CONT "$(cat pid)"
  until_true redrawn $((before + 1))
  # A terminal that still edited lines itself would keep the key until the end of the line.
  key '\025\t'
  until_true grep -qaE '^1  2  A  B  help' screen
  key '121\r'
  until_true shows "step 4> "
  leave
}

# A signal that came after the program had looked for one, and before it waited for a key, waited for
# the next key: in one of a hundred tries or fewer.
test_a_signal_between_two_keys_does_not_wait_for_the_next() {
  local try before where
  play
  where=$(cat where)
  for try in {1..40}; do
    before=$(redraws)
    key 'x\177'
    stty -F "$where" cols $((70 + try % 2))
    until_true redrawn $((before + 1))
  done
  key '1\r'
  until_true shows "step 2> "
  leave
}

test_a_new_size_is_used_by_the_next_drawing() {
  play
  stty -F "$(cat where)" cols 50
  key '1\r'
  until_true shows "step 2> "
  tr -d '\r' <screen | sed -n '/^ *step 1> .*1$/,$p' | sed '/step/d' >shown
  [ "$(wc -L <shown)" -le 50 ] || fail "$(cat shown)"
  grep -q '^─\{48\}$' shown || fail "$(cat shown)"
  leave
}

test_characters_beyond_ascii_are_typed_and_refused() {
  play
  key 'schlüssel\r'
  until_true shows "'schlüssel' is not possible"
  leave
}

test_a_dumb_terminal_has_plain_lines() {
  TERM_IS=dumb typed 'interlock play del-setnx-lock'
  until_true shows "step 1> "
  key '1\n'
  until_true shows "step 2> "
  key 'quit\n'
  finished 2
  ! grep -qa $'\033' screen || fail "$(cat -v screen)"
}

run_tests
