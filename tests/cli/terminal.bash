# At a terminal: a pseudo-terminal by script(1).
source "$(dirname "$0")/harness.bash"
source "$(dirname "$0")/pseudo_terminal.bash"

held_elsewhere() {
  interlock run deploy -c 'touch up; until [ -e stop ]; do sleep 0.01; done' &
  holder=$!
  until_true exists up
}

test_waiting_is_shown_after_a_second_and_wiped_out() {
  held_elsewhere
  typed 'interlock run deploy echo entered'
  until_true shows "waiting for deploy: held by $(hostname) pid $holder for "
  # Kept up to date, which a busy machine may do less than once a second.
  until_true grep -qaE 'pid [0-9]+ for ([3-9]|[1-9][0-9]+) s' screen
  touch stop
  finished 0
  # Wiped out before the command says anything.
  grep -qa $'\r\033\\[Kentered' screen || fail "$(cat -v screen)"
}

test_what_is_listed_is_as_wide_as_the_terminal() {
  local columns
  for columns in 40 45 60 80 200; do
    rm -f keyboard
    typed "stty cols $columns; interlock check; interlock scenarios --no-pager || true"
    finished 0
    # What has no break in it, as a path, may be longer.
    tr -d '\r' <screen | grep -av '^Script\|locks.db' | awk -v most=$columns 'length($0) > most' >long
    [ ! -s long ] || fail "$columns: $(cat long)"
  done
  grep -qa 'the processes on this machine that see this file; a reboot ends every lease' screen ||
    fail "broken though there is room"
}

test_a_long_name_does_not_hide_who_holds_the_lock() {
  local columns name
  name=backups/$(printf 'customer-%02d/' {1..12})
  interlock run "$name" -c 'touch up; until [ -e stop ]; do sleep 0.01; done' &
  holder=$!
  until_true exists up
  for columns in 80 100; do
    rm -f keyboard
    typed "stty cols $columns; interlock status"
    finished 0
    tr -d '\r' <screen | grep -a '^backups' >row
    cut -c "1-$columns" row | grep -qF "$(hostname) pid $holder" || fail "$columns: $(cat row)"
  done
  [ "$(wc -L <row)" -le 100 ] || fail "$(cat row)"
  touch stop
  wait "$holder"
}

test_waiting_is_one_plain_line_on_a_dumb_terminal() {
  held_elsewhere
  TERM_IS=dumb typed 'interlock run -w 5s deploy true'
  finished 75
  equal "$(grep -ca 'waiting for deploy' screen)" 1
  ! grep -qa $'\033' screen || fail "$(cat -v screen)"
}

test_waiting_is_not_shown_if_quiet_or_if_nobody_looks() {
  held_elsewhere
  expect 75 interlock run -w 1500ms deploy true
  lines err 1
  typed 'interlock run -q -w 1500ms deploy true'
  finished 75
  ! grep -qa waiting screen || fail "$(cat -v screen)"
}

test_the_command_can_read_from_the_terminal() {
  typed 'interlock run deploy -c "touch up; read line; echo got \$line"'
  until_true exists up
  echo hello >&"$keys"
  finished 0
  shows "got hello" || fail "$(cat -v screen)"
}

test_control_c_ends_the_command_and_the_script_around_it() {
  printf '%s\n' 'interlock run deploy -c "touch up; exec sleep 100"' 'touch went-on' >around
  typed 'bash around'
  until_true exists up
  printf '\003' >&"$keys"
  finished 130
  [ ! -e went-on ] || fail "the script went on"
  is_free deploy || fail "still held"
}

test_control_c_while_waiting_withdraws() {
  held_elsewhere
  typed 'interlock run deploy touch ran'
  until_true shows waiting
  printf '\003' >&"$keys"
  finished 130
  touch stop
  [ ! -e ran ] || fail "it ran"
}

test_control_z_stops_the_job_and_fg_brings_it_back() {
  typed 'bash --norc --noprofile -i'
  # Starts nothing once it is up: a shell that ^Z meets between vfork and exec is not stopped by
  # Linux until its child goes on, under this program or any other.
  echo 'interlock run deploy -c "touch up; read line; echo got \$line"' >&"$keys"
  until_true exists up
  printf '\032' >&"$keys"
  until_true shows "Stopped"
  echo 'fg; echo ended $?' >&"$keys"
  # The command's words, printed again by fg, are followed by its answer.
  echo hello >&"$keys"
  until_true shows "got hello"
  until_true shows "ended 0"
  echo 'exit 0' >&"$keys"
  finished 0
}

test_a_lock_is_kept_while_the_terminal_is_stopped() {
  typed 'interlock run -v --ttl 5s deploy -c "touch up; sleep 6; touch done"'
  until_true exists up
  printf '\023' >&"$keys"
  until_true exists done
  until_true is_free deploy
  printf '\021' >&"$keys"
  finished 0
  shows "released 'deploy'" || fail "$(cat -v screen)"
}

test_a_waiter_takes_a_free_lock_while_the_terminal_is_stopped() {
  held_elsewhere
  typed 'interlock run deploy touch ran'
  until_true shows waiting
  printf '\023' >&"$keys"
  # The line about waiting is due once more.
  sleep 1.5
  touch stop
  until_true exists ran
  until_true is_free deploy
  printf '\021' >&"$keys"
  finished 0
}

# Shows a line of what comes by its pipe, and reads a key from the terminal before it goes on.
make_pager() {
  printf '%s\n' '#!/bin/sh' 'read line' 'echo "page $line"' 'read key </dev/tty' \
    'echo "pager got $key and $(wc -l) lines"' >pager
  chmod +x pager
}

test_the_rest_of_a_pipeline_can_use_the_terminal() {
  make_pager
  # More than a pipe holds.
  at_a_shell 'interlock run deploy -- seq 30001 | ./pager; echo piped ${PIPESTATUS[*]}'
  until_true shows "page 1"
  echo on >&"$keys"
  until_true shows "pager got on and 30000 lines"
  until_true shows "piped 0 0"
  leave_shell
}

test_two_programs_in_one_pipeline_share_the_terminal() {
  make_pager
  at_a_shell 'interlock run one -- seq 30001 | interlock run two -- ./pager; echo piped ${PIPESTATUS[*]}'
  until_true shows "page 1"
  echo on >&"$keys"
  until_true shows "pager got on and 30000 lines"
  until_true shows "piped 0 0"
  leave_shell
}

test_control_c_ends_a_whole_pipeline() {
  at_a_shell 'interlock run one -c "touch up1; exec sleep 100" | interlock run two -c "touch up2; exec sleep 100"'
  until_true exists up1
  until_true exists up2
  key '\003'
  # Which throws away what is typed and not yet read.
  until_true shows "^C"
  echo 'echo ended ${PIPESTATUS[*]}' >&"$keys"
  until_true shows "ended 130 130"
  is_free one || fail "still held"
  is_free two || fail "still held"
  leave_shell
}

test_control_z_stops_a_whole_pipeline_and_fg_brings_it_back() {
  at_a_shell 'interlock run one -c "touch up1; read line </dev/tty; echo \$line" | interlock run two -c "touch up2; read line; echo \$line"'
  until_true exists up1
  until_true exists up2
  key '\032'
  until_true shows "Stopped"
  echo 'fg' >&"$keys"
  echo 'hello there' >&"$keys"
  echo 'echo ended $?' >&"$keys"
  until_true shows "ended 0"
  leave_shell
}

test_fg_tells_at_once_that_the_lock_was_lost_while_the_job_was_stopped() {
  # A read in the background stops the job. The lease ends meanwhile.
  at_a_shell 'interlock run --ttl 5s deploy cat & echo'
  until_true is_held deploy
  until_true is_free deploy
  echo 'fg; echo ended $?' >&"$keys"
  until_true grep -qa 'ended [0-9]' screen
  shows "ended 79" || fail "$(cat -v screen)"
  leave_shell
}

test_bg_lets_a_stopped_command_go_on() {
  mkfifo gate
  at_a_shell 'interlock run deploy -c "touch up; read line <gate; touch done"'
  until_true exists up
  key '\032'
  until_true shows "Stopped"
  echo 'bg' >&"$keys"
  echo go >gate
  until_true exists done
  until_true is_free deploy
  leave_shell
}

test_a_command_that_stops_itself_is_a_stopped_job() {
  at_a_shell 'interlock run deploy -c "kill -STOP \$\$; echo going on"'
  until_true shows "Stopped"
  echo 'fg; echo ended $?' >&"$keys"
  until_true shows "ended 0"
  leave_shell
}

test_the_command_may_be_a_shell_with_jobs_of_its_own() {
  at_a_shell 'PS1="outer> " interlock run deploy bash --norc --noprofile -i; echo back $?'
  echo 'cat >got; echo in between' >&"$keys"
  echo 'hello' >&"$keys"
  until_true grep -q hello got
  key '\032'
  until_true shows "Stopped"
  printf '%s\n' 'fg' 'more' >&"$keys"
  until_true grep -q more got
  key '\004'
  until_true shows "in between"
  echo 'exit 7' >&"$keys"
  until_true shows "back 7"
  echo 'echo here' >&"$keys"
  until_true shows "here"
  leave_shell
}

test_a_shell_that_is_killed_gives_the_terminal_back() {
  printf '%s\n' 'interlock run --ttl 6s --on-lost kill deploy bash --norc --noprofile -i' \
    'echo "ended $?"' 'read line; echo "got $line"' >around
  typed 'bash around'
  until_true is_held deploy
  echo 'touch up' >&"$keys"
  until_true exists up
  interlock break deploy --token "$(interlock status --json deploy | field token)" --yes >/dev/null ||
    fail "not broken"
  until_true shows "ended 79"
  echo hello >&"$keys"
  until_true shows "got hello"
  finished 0
}

test_break_asks_at_a_terminal() {
  held_elsewhere
  local token
  token=$(interlock status --json deploy | field token)
  typed "interlock break deploy --token $token"
  until_true shows "Remove it? [y/N]"
  echo n >&"$keys"
  finished 75
  is_held deploy || fail "no longer held"
  rm keyboard
  typed "interlock break deploy --token $token"
  until_true shows "Remove it? [y/N]"
  echo y >&"$keys"
  finished 0
  is_free deploy || fail "still held"
}

test_the_end_of_input_at_the_question_of_break_ends_its_line() {
  held_elsewhere
  local token
  token=$(interlock status --json deploy | field token)
  typed "interlock break deploy --token $token"
  until_true shows "Remove it? [y/N]"
  key '\004'
  finished 75
  grep -qa "^interlock: .* not agreed to" screen || fail "$(cat -v screen)"
}

test_a_game_is_coloured_and_played_by_keyboard() {
  if ! interlock play --help >/dev/null 2>&1; then return; fi
  export LC_ALL=C.UTF-8
  NO_COLOR='' typed 'interlock play del-setnx-lock'
  until_true shows "step 1> "
  echo 1122 >&"$keys"
  until_true shows "step 5> "
  # Typed once, shown once: the terminal's own echo.
  equal "$(grep -ca '^step 1> 1122' screen)" 1
  grep -qa $'\033' screen || fail "no colour"
  # The end of a keyboard's input.
  printf '\004' >&"$keys"
  finished 2
  shows "the input ended at step 5" || fail "$(cat -v screen)"
}

test_a_game_without_colour() {
  if ! interlock play --help >/dev/null 2>&1; then return; fi
  NO_COLOR=1 typed 'interlock play del-setnx-lock'
  until_true shows "step 1> "
  echo quit >&"$keys"
  finished 2
  ! grep -qaE $'\033\\[[0-9;]*m' screen || fail "$(cat -v screen)"
}

test_control_c_leaves_a_game() {
  if ! interlock play --help >/dev/null 2>&1; then return; fi
  typed 'interlock play del-setnx-lock'
  until_true shows "step 1> "
  printf '\003' >&"$keys"
  finished 130
}

test_top_draws_anew_until_q_and_gives_the_terminal_back() {
  held_elsewhere
  typed 'stty cols 60 rows 10; stty -g >before; interlock top --interval 100ms; stty -g >after'
  until_true shows 'deploy'
  shows 'GRANTS/S' && fail "too wide for 60 columns"
  touch stop
  until_true shows '0 held, 0'
  printf q >&"$keys"
  finished 0
  equal "$(cat after)" "$(cat before)"
  # The other screen is left, and the cursor is shown again.
  grep -qa $'\033\\[?25h\033\\[?1049l' screen || fail "$(cat -v screen)"
}

test_top_shows_commands_where_there_is_room() {
  held_elsewhere
  typed 'stty cols 200; interlock top'
  until_true shows 'GRANTS/S  COMMAND'
  until_true shows 'interlock run deploy -c'
  printf '\003' >&"$keys"
  finished 130
  touch stop
}

test_top_stops_and_goes_on_as_other_programs_do() {
  held_elsewhere
  typed 'stty cols 100; bash --norc -mc "interlock top & fg %1 || true; echo stopped; fg %1"'
  until_true shows '1 held'
  printf '\032' >&"$keys"
  until_true shows 'stopped'
  touch stop
  until_true shows '0 held, 0'
  printf q >&"$keys"
  finished 0
}

test_top_looks_once_on_a_dumb_terminal() {
  TERM_IS=dumb typed 'interlock top'
  finished 0
  ! grep -qa $'\033' screen || fail "$(cat -v screen)"
}

run_tests
