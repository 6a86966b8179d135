# play: by a pipe, at a terminal, to the end and not.
source "$(dirname "$0")/harness.bash"
transcripts=$(realpath "$(dirname "$0")")/transcripts
export LC_ALL=C.UTF-8

# On a slow machine a search is told to be long; what a test wants must not depend on it.
# forget_progress BEGAN: the game that began when $SECONDS was BEGAN.
forget_progress() {
  [ $((SECONDS - $1)) -lt 1 ] || sed -i '/^interlock: searching all runs first/d' "$dir/err"
}

# played CODE LINE...: plays del-setnx-lock with these lines.
played() {
  local wanted=$1 began=$SECONDS
  shift
  printf '%s\n' "$@" >lines
  expect "$wanted" interlock play del-setnx-lock <lines
  forget_progress "$began"
}

# same_transcript NAME CODE COMMAND...: what was typed stands behind the prompts of the transcript;
# typed again, it gives the transcript again.
same_transcript() {
  local golden=$transcripts/$1.txt wanted=$2 began=$SECONDS
  shift 2
  sed -nE 's/^(step [0-9]+|repair)> //p' "$golden" >lines
  expect "$wanted" "$@" <lines
  forget_progress "$began"
  diff -u "$golden" out || fail "not as in $golden"
}

test_the_whole_lesson_is_as_recorded() {
  same_transcript play-del-setnx-lock 0 interlock play del-setnx-lock
  silent err
}

test_the_transcript_fits_80_columns() {
  ! grep -nE '^.{81}' "$transcripts"/*.txt || fail "longer than 80 columns"
}

test_the_end_of_the_input_is_one_clear_line() {
  played 2 1122
  lines err 1
  says err "interlock: the input ended at step 5: the lock is not broken"
  played 1 11221122
  lines err 1
  says err "interlock: the input ended: the lock is broken and not repaired"
  expect 2 interlock play del-setnx-lock </dev/null
  says err "the input ended at step 1"
}

test_a_long_search_is_not_silent_on_a_pipe() {
  expect 2 interlock play lease-lock-renewed --clients 4 --instants 60 --faults 3 --seconds 4 </dev/null
  equal "$(grep -c 'searching all runs first, until 100000000 states are known' err)" 1
}

test_leaving_says_nothing() {
  played 2 1 quit
  silent err
  played 1 11221122 q
  silent err
}

test_nonsense_changes_nothing() {
  played 2 "dance" "1 dance 2" $'\x01\x1b[2J' "$(printf '9%.0s' {1..5000})" "x1" "t" "link" quit
  says out "'dance' is not possible: it is none of the moves; see help"
  says out "'x1' is not possible: no fault is allowed in this scenario"
  says out "'t' is not possible: time stands still in this scenario"
  # The rest of a line is dropped with its first wrong word: one step was taken.
  says out "  interlock replay del-setnx-lock:1"
  ! grep -q "replay del-setnx-lock:12" out || fail "a step after nonsense was taken"
  ! grep -q $'\x1b' out || fail "control characters came through"
  played 1 11221122 "maybe" "" "0" "77"
  says out "'maybe' is none of them: type a number from 1 to"
}

test_what_is_typed_is_the_address_of_the_run() {
  played 2 1 21 B a link quit
  says out "  interlock replay del-setnx-lock:12121"
}

test_a_detour_is_compared_with_par() {
  played 2 11 u u 1122 hint h h shortest quit
  says out "you can break it from here, in 4 steps"
  says out "the next to move: A"
  says out "You are where you were."
  expect 1 interlock play del-setnx-lock --instants 2 < <(echo t11221122)
  says out "Par is 8 steps: shortest shows how."
}

test_a_dead_end_is_told() {
  played 2 11111 hint quit
  says out "no run from here on breaks the lock: undo"
}

test_who_cannot_break_a_lock_may_say_so() {
  expect 0 interlock play stamp-lock < <(printf '%s\n' 1122 hint prove)
  says out "no run from here on breaks the lock: undo"
  says out "no run breaks it: 2 identical clients"
  played 2 prove quit
  says out "no: 8 steps can break it"
}

test_faults_are_moves() {
  expect 1 interlock play del-setnx-lock --faults crash < <(printf '%s\n' x1 1x1 x2 1 u u 11221122)
  says out "A     crashes"
  says out "'x1' is not possible: A has not started"
  says out "'x2' is not possible: no fault is left: crash was allowed"
  says out "'1' is not possible: A has crashed and will never move again"
  expect 2 interlock play lease-lock --faults 2 < <(printf '%s\n' 1 faults quit)
  says out "things may go wrong: see them with faults"
  says out "CLAIM deploy B#1 PX 2000, whose answer is lost"
}

test_why_says_for_what_reason_a_step_is_not_possible() {
  expect 2 interlock play del-setnx-lock --faults crash < <(printf '%s\n' 1 'why x2 t' 'why crash' 'why lost-reply' quit)
  says out "  -)  B  crash: B has not started"
  says out "  -)  world  time: time stands still in this scenario"
  says out "  x1)  A  crash: possible"
  says out "  -)  A, B  lost-reply: not among the faults of this scenario, which are crash"
  # The words behind why are not steps.
  expect 2 interlock play del-setnx-lock < <(printf '%s\n' 'why 1 2 dance' link quit)
  says out "  1)  A  possible"
  says out "  'dance': it is none of the moves"
  says out "interlock replay del-setnx-lock:"
  ! grep -q 'del-setnx-lock:1' out || fail "why took a step"
}

test_why_alone_says_it_of_every_step() {
  expect 2 interlock play del-setnx-lock < <(printf '%s\n' why quit)
  says out "  1)  A  possible"
  tr -s '\n ' ' ' <out >flat
  grep -q -- '-) A, B, server crash, unreachable, .*: no fault is allowed in this scenario' flat ||
    fail "the faults are not one row"
}

test_plain_characters_if_asked_or_needed() {
  expect 2 interlock play del-setnx-lock --ascii < <(printf '%s\n' 112211 quit)
  ! LC_ALL=C grep -q '[^ -~]' out || fail "--ascii is not ASCII"
  LC_ALL=C expect 1 interlock play del-setnx-lock < <(printf '%s\n' 11221122 why quit)
  ! LC_ALL=C grep -q '[^ -~]' out || fail "LC_ALL=C is not ASCII"
}

test_wrong_words_on_the_command_line() {
  expect 64 interlock play
  says err "no scenario given"
  expect 64 interlock play del-setnx-lok
  says err "did you mean 'del-setnx-lock'?"
  expect 64 interlock play del-setnx-lock --clients many
}

test_a_reader_who_goes_away_ends_it() {
  local code=0
  { printf '1\n%.0s' {1..5}; sleep 1; } | interlock play del-setnx-lock | head -1 >out || true
  code=${PIPESTATUS[1]}
  case $code in 141 | 2) ;; *) fail "gave $code" ;; esac
}

test_a_search_that_is_too_small_leaves_par_open() {
  expect 2 interlock play stamp-lock --clients 3 --max-states 10 < <(printf '%s\n' hint prove quit)
  says out "par   unknown: the limit of 10 states was reached"
  says out "no hint: the limit of 10 states was reached"
  says out "the search could not tell"
}

run_tests
