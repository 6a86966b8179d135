# Searches that run out of memory, threads, time or patience: what they say, and what they leave.
source "$(dirname "$0")/harness.bash"
export LC_ALL=C.UTF-8

# Address spaces in KiB, from too little to start a program to enough for a small search. Sanitizers
# need more than there is.
spaces="14000 16000 18000 20000 24000 28000 34000 40000 50000 60000"
has_limits() { (ulimit -v 400000 && interlock version >/dev/null 2>&1); }

# An end that is no fault of the program: it could not be loaded, or had no memory for anything, which
# it says in out if it was asked for JSON.
is_too_little() { [ "$1" = 127 ] || { [ "$1" = 71 ] && grep -q 'out of memory: ' out err; }; }

# in_each_space CHECK "CODES" PROGRAM...: CHECK looks at each end with an exit code that is none of
# CODES, which are those of a program that had enough; there must be such an end. What the program
# said is in out and err.
in_each_space() {
  local check=$1 enough=$2 space code seen=0
  shift 2
  has_limits || return 0
  for space in $spaces; do
    code=0
    (ulimit -v "$space" && exec "$@" >out 2>err) || code=$?
    if [[ " $enough " == *" $code "* ]] || is_too_little "$code"; then continue; fi
    "$check" "$code"
    seen=1
  done
  equal "$seen" 1
}

# Each instant that passes makes the whole past of the clients an instant older, so that one run of a
# thousand steps takes as long as many short ones. `timeout` ends what hangs, with 137.
test_limits_work_within_a_run_by_chance() {
  local at=(lease-lock-renewed --instants endless --pct 2 --random 1 --seed 7 --json)
  expect 2 timeout -s KILL 60 interlock explore "${at[@]}" --seconds 1
  says out '"reason":"time limit (1 s) reached after 1 random run, which broke nothing"'
  says out ', 1 random run of 2 orderings, seed 7, at most 1 s"'
  equal "$(interrupted default explore "${at[@]}")" 2
  says out '"reason":"interrupted after 1 random run'
}

test_bits_of_states_prove_nothing() {
  local again at=(stamp-lock --clients 3 --attempts 2 --instants 3 --faults none)
  expect 0 interlock explore "${at[@]}" --json
  local states
  states=$(field states <out)
  expect 2 interlock explore "${at[@]}" --bitstate 1M --json
  equal "$(field states <out)" "$states"
  says out '"at_end":true'
  says out ', bits of states in 1 MiB, seed 1"'
  again=$(sed -n 's/.*"again":"\([^"]*\)".*/\1/p' out)
  case $again in *" --bitstate 1M --seed 1") ;; *) fail "no bits: $again" ;; esac
  sed 's/,"seconds".*//' out >first
  expect 2 $again --json
  sed 's/,"seconds".*//' out | diff first - || fail "$again"
  expect 2 interlock explore "${at[@]}" --bitstate 1M --max-states "$((states - 1))" --json
  equal "$(field states <out)" "$((states - 1))"
  says out '"at_end":false'
  expect 2 interlock explore "${at[@]}" --bitstate 1M
  says out "nothing is broken in the $states states that were seen"
}

test_threads_take_the_same_random_runs() {
  local at=(del-setnx-lock --clients 3 --attempts 2 --faults none --json) runs
  expect 2 interlock explore stamp-lock "${at[@]:1}" --random 30000
  runs=$(field transitions <out)
  expect 2 interlock explore stamp-lock "${at[@]:1}" --random 30000 --threads 3
  [ "$(field transitions <out)" = "$runs" ] || fail "$(field transitions <out) steps, and $runs"
  expect 1 interlock explore "${at[@]}" --pct 3 --random 30000
  cp out alone
  expect 1 interlock explore "${at[@]}" --pct 3 --random 30000 --threads all
  [ "$(field steps <out)" = "$(field steps <alone)" ] || fail "another run"
}

test_a_run_that_bits_of_states_find_is_shrunk() {
  expect 1 interlock explore del-setnx-lock --clients 5 --attempts 3 --bitstate 1M
  says out 'del-setnx-lock · 8 steps · VIOLATION'
  says out 'shrunk: no smaller world has such a run'
  says out ' --bitstate 1M --seed 1'
}

test_flags_that_do_not_fit_bits_of_states_are_refused() {
  expect 64 interlock explore stamp-lock --bitstate 1M --random 5
  says err "--random 5 and --bitstate 1M are two ways to search: leave one out"
  expect 64 interlock explore stamp-lock --bitstate 1M --threads 2
  says err "--threads 2 is for the exhaustive search and random runs: leave it out, or --bitstate"
  expect 64 interlock explore stamp-lock --bitstate 1M --max-memory 1G
  says err "--max-memory 1G is for searches that keep states: leave it out, or --bitstate"
  INTERLOCK_MAX_MEMORY=1G expect 2 interlock explore stamp-lock --bitstate 1M
  says_not out "max-memory"
  says_not out "of memory"
  expect 64 interlock explore stamp-lock --bitstate 1M --coverage
  says err "--coverage is for the exhaustive search: leave it out, or --bitstate"
  expect 64 interlock explore stamp-lock --bitstate 1023
  says err "--bitstate 1023 is too small for states; write --bitstate 1G"
  expect 64 interlock explore stamp-lock --bitstate many
  says err "--bitstate many is no size; write --bitstate 400M, or 2G"
  expect 71 interlock explore stamp-lock --bitstate 100000G
  says err "--bitstate 100000G is more than the memory that is free: write at most "
  expect 64 interlock explore stamp-lock --bitstate 1M --property every-waiter-acquires
  says out "whether somebody waits for ever"
}

test_equal_futures_make_a_proof_smaller() {
  local at=(stamp-lock --clients 4 --attempts 2 --instants 3 --faults none) states again
  expect 0 interlock explore "${at[@]}" --json
  states=$(field states <out)
  expect 0 interlock explore "${at[@]}" --equal-futures --json
  [ "$((4 * $(field states <out)))" -lt "$states" ] || fail "$(field states <out) of $states states"
  [ "$(field merged_local_states <out)" -gt 0 ] || fail "nothing was merged"
  again=$(sed -n 's/.*"again":"\([^"]*\)".*/\1/p' out)
  case $again in *" --equal-futures") ;; *) fail "not again: $again" ;; esac
  expect 0 interlock explore "${at[@]}" --equal-futures
  says out " local states of the clients were taken as "
  expect 0 interlock explore stamp-lock --equal-futures
  says out "no local states were merged"
  expect 64 interlock explore stamp-lock --equal-futures --coverage
  says err "--equal-futures does not know what each client has done: leave it out, or --coverage"
  expect 64 interlock explore stamp-lock --equal-futures --bitstate 1M
  says err "--equal-futures is for the exhaustive search: leave it out, or --bitstate"
  expect 64 interlock explore --equal-futures -- true
  says err "--equal-futures is for scenarios: leave it out, or the command"
}

test_what_bits_of_states_did_not_reach_is_told() {
  expect 2 interlock explore lease-lock --clients 1 --bitstate 1M
  says out "no run that was seen reaches: different clients hold deploy"
  expect 2 interlock explore lease-lock --clients 1 --bitstate 1M --max-states 3
  says_not out "no run that was seen reaches"
}

test_limits_end_a_search_of_bits() {
  local at=(lease-lock --clients 3 --bitstate 64M)
  expect 2 interlock explore "${at[@]}" --max-states 1000
  says out "the limit of 1000 states was reached"
  # Where programs must be run again for each state, there are few states a second.
  expect 2 timeout -s KILL 60 interlock explore queue-lock-quarantine --clients 3 \
    --instants endless --bitstate 16M --seconds 1
  says out "time limit (1 s) reached"
  equal "$(interrupted default explore "${at[@]}" --json)" 2
  says out '"reason":"interrupted'
}

test_threads_stand_beside_a_limit_to_memory() {
  local at=(lease-lock --clients 3 --instants 2 --faults none) again
  expect 2 interlock explore "${at[@]}" --max-memory 1M --threads 2 --json
  says out ', at most 1 MiB of memory, 2 threads"'
  again=$(sed -n 's/.*"again":"\([^"]*\)".*/\1/p' out)
  case $again in *" --max-memory 1M --threads 2") ;; *) fail "no threads: $again" ;; esac
  sed 's/,"seconds".*//' out >first
  expect 2 $again --json
  sed 's/,"seconds".*//' out | diff first - || fail "$again"
  expect 0 interlock explore "${at[@]}" --threads 2
  ! grep -q threads out || fail "threads that change nothing are told"
}

names_its_memory() {
  local again
  equal "$1" 2
  says out ' of memory","'
  again=$(sed -n 's/.*"again":"\([^"]*\)".*/\1/p' out)
  case $again in *" --max-memory "*) ;; *) fail "no limit: $again" ;; esac
  field bounds <out >bounds
  expect 2 $again --json
  field bounds <out | diff bounds - || fail "$again"
}
test_that_memory_ran_out_stands_among_the_bounds() {
  in_each_space names_its_memory 0 interlock explore stamp-lock --json
}

says_that_the_run_was_not_found() {
  equal "$1" 71
  lines err 1
  says err "the run that breaks 'del-setnx-lock' was not found: there is no memory left: "
}
test_a_run_that_could_not_be_searched_for_is_not_denied() {
  local check=says_that_the_run_was_not_found
  in_each_space $check 1 interlock replay del-setnx-lock
  in_each_space $check 1 interlock diff del-setnx-lock del-setnx-lock:1122
  in_each_space $check "1 2" interlock shrink del-setnx-lock
}

says_that_the_search_had_no_end() {
  equal "$1" 71
  lines err 1
  says err "was not searched to its end: there is no memory left: "
}
test_a_demonstration_without_memory_is_no_bug() {
  in_each_space says_that_the_search_had_no_end 0 interlock demo
}

# In steps that are smaller than anything that is allocated before main() begins. The system itself
# ends a program that it cannot load, by SIGSEGV, before the program can say anything.
test_memory_that_runs_out_at_any_time_is_told() {
  local space code told=0
  has_limits || return 0
  for ((space = 10000; space < 60000; space += 20)); do
    code=0
    # Bash says itself how it ended, which is not to be seen.
    { (ulimit -c 0 -v "$space" && exec interlock status x >out 2>err) || code=$?; } 2>/dev/null
    case $code in
      139) [ ! -s out ] && [ ! -s err ] && [ "$told" = 0 ] || fail "$space KiB: SIGSEGV" ;;
      127) ;;
      71) told=1 && lines err 1 ;;
      0) [ "$told" = 1 ] && return 0 || fail "no space is too little" ;;
      *) fail "$space KiB: exit code $code" ;;
    esac
  done
  fail "no space is enough"
}

says_which_threads_are_missing() {
  equal "$1" 71
  lines err 1
  says err "$threads threads could not be started: "
  says err "share the search among fewer (--threads), or raise the limit (ulimit -u, ulimit -v)"
}
test_threads_that_cannot_be_started_are_told() {
  local threads
  for threads in 2 9; do
    in_each_space says_which_threads_are_missing "0 1 2" \
      interlock explore del-setnx-lock --threads $threads
  done
}

test_an_interrupt_that_is_ignored_stays_so() {
  local at=(lease-lock-renewed --clients 4 --instants 60 --faults 3 --seconds 2 --json)
  equal "$(interrupted ignore explore "${at[@]}")" 2
  says out '"reason":"time limit (2 s) reached"'
}

test_figures_are_off_the_terminal_before_the_verdict_is_on_it() {
  local format
  for format in "" --json; do
    script -qec "$program explore lease-lock-renewed --clients 4 --instants 60 --faults 3 --seconds 3 $format" \
      screen >/dev/null </dev/null
    tr '\r' '\n' <screen | grep . >shown
    grep -q 'million steps a second' shown || fail "no figures"
    # The last of them, blanks over them, the verdict.
    grep -B1 -E '^(lease-lock-renewed ·|\{"v":1)' shown | head -1 | grep -qE '^ {78}$' ||
      fail "the verdict is behind the figures"
  done
}

run_tests
