# What explore, replay, shrink and diff say about a verdict: its lines can be pasted, and agree.
source "$(dirname "$0")/harness.bash"
export LC_ALL=C.UTF-8

# Options that make the longest lines.
long=(lease-lock --faults 1 --property mutual-exclusion)

# Steps follow the one that breaks mutual exclusion.
late=(del-setnx-lock:122111221 evicted:1v121)

# line NAME FILE: what stands behind NAME at the foot of a drawing.
line() { sed -n "s/^  $1 *//p" "$2"; }

# at COLUMNS PROGRAM...: on a terminal of so many columns; what it shows is in the file screen.
at() {
  local columns=$1
  shift
  COLUMNS=$columns script -qec "stty cols $columns rows 24; $*" screen >/dev/null </dev/null
}

test_the_line_that_replays_is_whole_in_every_drawing() {
  local format command
  expect 1 interlock explore "${long[@]}" -f short
  command="interlock replay $(cat out)"
  [ ${#command} -gt 120 ] || fail "too short to be a test: $command"
  for format in text ascii; do
    expect 1 interlock explore "${long[@]}" -f $format
    equal "$(line replay out)" "$command"
    expect 1 $(line replay out)
  done
  for format in svg html; do
    expect 1 interlock explore "${long[@]}" -f $format
    equal "$(grep -c ">$command<" out)" 1
  done
  LC_ALL=C expect 1 interlock explore "${long[@]}"
  equal "$(line replay out)" "$command"
}

test_the_line_that_replays_is_whole_on_every_terminal() {
  local columns kind command
  command="interlock replay $(interlock explore "${long[@]}" -f short)"
  for columns in 40 60 80 200; do
    for kind in xterm-256color dumb vt100; do
      TERM=$kind at "$columns" "$program" explore "${long[@]}"
      tr -d '\r' <screen >shown
      equal "$(line replay shown)" "$command"
    done
  done
}

test_a_run_that_violates_before_its_end_is_a_violation_everywhere() {
  local run step
  for run in "${late[@]}"; do
    expect 1 interlock replay "$run"
    says out "VIOLATION"
    step=$(sed -n 's/^✗ step \([0-9]*\): .*/\1/p' out)
    [ "$step" -lt "$(sed -n 's/.* · \([0-9]*\) steps · .*/\1/p' out)" ] || fail "nothing follows"
    says out "  fix     "
    expect 1 interlock replay "$run" -f json
    says out "\"violates\":\"mutual exclusion of lock.foo\",\"violating_step\":$step,\"replay\""
    expect 1 interlock replay "$run" -f schedule -o file
    equal "$(grep ^expect file)" "expect violated \"mutual exclusion of lock.foo\" at $step"
    expect 1 interlock replay file
    expect 1 interlock shrink "$run" -f schedule -o small
    says err "$step steps, from"
    equal "$(grep ^expect small)" "expect violated \"mutual exclusion of lock.foo\" at $step"
    expect 1 interlock shrink file
    expect 1 interlock replay --store "$INTERLOCK_STORE" "${late[0]}"
    says out "violated there as here: mutual exclusion of lock.foo"
  done
  expect 1 interlock diff "${late[0]}" del-setnx-lock:1122
  says out "- del-setnx-lock: 9 steps, step 8 violates mutual exclusion of lock.foo"
  says out "+ del-setnx-lock: 4 steps, nothing violated"
}

test_a_schedule_names_the_step_that_violates() {
  interlock replay "${late[0]}" -f schedule -o file
  sed 's/ at 8$/ at 9/' file >later
  expect 64 interlock replay later
  lines err 1
  says err "the file expects step 9 to violate 'mutual exclusion of lock.foo'; step 8 violates 'mutual exclusion of lock.foo'"
  sed 's/^expect .*/expect ok after 9/' file >fine
  expect 64 interlock replay fine
  lines err 1
  says err "the file expects that nothing is violated; step 8 violates 'mutual exclusion of lock.foo'"
  sed 's/ at 8$/ at 10/' file >short
  expect 64 interlock replay short
  lines err 1
  says err "the file says that step 10 violates something, but the steps that it has are 9: some are missing"
}

test_what_has_no_run_writes_no_file_of_one() {
  local format search code
  for search in "0 stamp-lock" "2 stamp-lock --clients 3 --max-states 10" \
    "2 stamp-lock --random 5" "64 stamp-lock --property every-waiter-acquires --random 5"; do
    code=${search%% *}
    for format in schedule short mermaid svg; do
      expect "$code" interlock explore ${search#* } -f $format -o file
      silent out
      lines err 1
      says err "nothing to write as $format: "
      gone_file file
    done
    expect "$code" interlock explore ${search#* } -f json
    lines out 1
    says out '{"v":1,"event":"verdict","verdict":"'
    says out '"scenario":"stamp-lock"'
    silent err
    expect "$code" interlock explore ${search#* } -f html
    ! grep -q '0 steps' out || fail "a page about a run that is none"
    grep -q ' for [23] identical clients, ' out || fail "a page without bounds"
  done
}
gone_file() { [ ! -e "$1" ] || fail "$1 was written"; }

test_bounds_stand_beside_every_verdict() {
  local search
  for search in "del-setnx-lock" "starvation-spin --property every-waiter-acquires" \
    "stamp-lock --max-states 10" "stamp-lock --random 5" "del-setnx-lock --random 1000" \
    "thundering-herd" "stamp-lock --random 5 --property every-waiter-acquires"; do
    interlock explore $search >out
    equal "$(grep -c '^  bounds  ' out)" 1
    tr -s '\n ' ' ' <out >flat
    interlock explore $search --json >json
    grep -qF "bounds $(sed -n 's/.*"bounds":"\([^"]*\)".*/\1/p' json) " flat ||
      fail "other bounds: $search"
  done
}

bounds_of() {
  interlock explore "$@" --json >json
  sed -n 's/.*"bounds":"\([^"]*\)".*/\1/p' json
}
again_of() {
  interlock explore "$@" --json | sed -n 's/.*"again":"\([^"]*\)".*/\1/p'
}
same_bounds() {
  local first other
  # shellcheck disable=SC2086
  first=$(bounds_of $1) other=$(bounds_of $2)
  [ -n "$first" ] || fail "no bounds: $1"
  equal "$first" "$other"
  # shellcheck disable=SC2086
  equal "$(again_of $1)" "$(again_of $2)"
}

test_equal_bounds_have_one_line() {
  same_bounds "stamp-lock" "stamp-lock --property mutual-exclusion,deadlock"
  same_bounds "stamp-lock" "stamp-lock --property deadlock,mutual-exclusion,deadlock"
  same_bounds "stamp-lock --allow-deadlock" "stamp-lock --property mutual-exclusion"
  same_bounds "stamp-lock --property deadlock,every-waiter-acquires" \
    "stamp-lock --property every-waiter-acquires,deadlock,deadlock"
  same_bounds "stamp-lock --property every-waiter-acquires" \
    "stamp-lock --property every-waiter-acquires --allow-deadlock"
  same_bounds "stamp-lock --max-memory 1G" "stamp-lock --max-memory 1024M"
  same_bounds "stamp-lock --faults crash" "stamp-lock --faults 1/crash"
  same_bounds "stamp-lock" "stamp-lock --threads 2"
  same_bounds "stamp-lock --attempts 2" "stamp-lock --attempts 02"
  same_bounds "stamp-lock --max-states 50" "stamp-lock --max-states 050"
  same_bounds "stamp-lock" "stamp-lock --max-states 100000000"
  same_bounds "stamp-lock --seconds 100" "stamp-lock --seconds 0100"
  same_bounds "redlock-split --no-symmetry" "redlock-split"
  same_bounds "lease-lock --clients 1" "lease-lock --clients 1 --no-symmetry"
}

test_other_bounds_have_another_line() {
  local options
  while read -r options; do
    # shellcheck disable=SC2086
    bounds_of stamp-lock $options >>all
  done <<'END'

--clients 3
--attempts 2
--instants 2
--faults crash
--faults pause:0
--no-symmetry
--max-states 1000
--max-memory 1G
--max-memory 4G
--max-memory 1073741825
--max-memory 1M
--seconds 100
--seconds 101
--allow-deadlock
--property deadlock
--property every-waiter-acquires
--property deadlock,every-waiter-acquires
--random 10
--random 11
--random 10 --seed 2
--random 10 --pct 2
--random 10 --pct 3
--random 10 --clients 3
--random 10 --seconds 100
--random 10 --max-states 1000
END
  equal "$(wc -l <all)" 26
  equal "$(sort all | uniq -d)" ""
}

test_a_run_by_chance_has_the_bounds_of_its_search() {
  expect 1 interlock explore del-setnx-lock --clients 5 --attempts 2 --random 1000 --json
  says out '"bounds":"5 identical clients, 2 attempts each, time stands still, clocks start at 100000 ms, no faults, 1000 random runs, seed 1"'
  says out '"shrunk_to":"2 identical clients, 1 attempt each, time stands still, '
  expect 1 interlock explore del-setnx-lock --clients 5 --attempts 2 --random 1000
  tr -s '\n ' ' ' <out >flat
  grep -qF " in a world of 2 identical clients, 1 attempt each, " flat || fail "in what world?"
}

test_a_limit_that_nobody_asked_for_is_told_where_it_ended_the_search() {
  (ulimit -v 400000 && interlock version >/dev/null 2>&1) || return 0
  (ulimit -v 400000 && interlock explore stamp-lock --clients 6 --attempts 3 --instants 4 >out)
  if grep -q "the limit of .* of memory was reached" out; then
    tr -s '\n ' ' ' <out >flat
    local limit
    limit=$(sed -n 's/.*--max-memory \([0-9]*[KMG]\{0,1\}\)$/\1/p' out)
    [ -n "$limit" ] || fail "the line that gives it again has another limit"
    grep -q "bounds .*, at most .* of memory" flat || fail "the bounds do not tell it"
  fi
  interlock explore stamp-lock >out
  ! grep -q memory out || fail "a limit that ended nothing is told"
}

test_a_small_limit_to_memory_is_said_exactly() {
  expect 2 interlock explore stamp-lock --max-memory 1
  says out "the limit of 1 byte of memory was reached, with 1 state"
  expect 2 interlock explore stamp-lock --clients 4 --attempts 2 --instants 3 --max-memory 1500K
  says out "the limit of 1500 KiB of memory was reached, with "
  # Also where it is the graph of loops that does not fit.
  expect 2 interlock explore stamp-lock --clients 3 --attempts 3 --instants 3 \
    --property every-waiter-acquires --max-memory 5000K
  says out "the limit of 5000 KiB of memory was reached, with 92216 states"
}

test_flags_that_would_be_passed_over_are_refused() {
  local wrong
  while IFS='|' read -r command wrong; do
    expect 64 interlock $command
    silent out
    lines err 1
    says err "$wrong"
  done <<'END'
explore stamp-lock --property deadlock --allow-deadlock|'property' asks for deadlock and 'deadlock' allows it: leave one of them out
explore stamp-lock --clients 2 --clients 3|--clients is given twice; write it once
replay del-setnx-lock,clients=3,clients=2:1|'clients' is said a second time
replay del-setnx-lock:11 --store memory: -f svg|-f svg draws a run, and --store compares one with a real store: leave one out
scenarios --document zzz|--document prints all scenarios, in Markdown: leave out --json and all filters
scenarios --document --family setnx|--document prints all scenarios
END
  expect 64 interlock explore stamp-lock --json -f svg
  says out "--json and -f svg both say what is written: leave one out"
  expect 64 interlock scenarios --document --json
  says out "--document prints all scenarios"
}

test_a_wrong_number_says_what_is_wrong_with_it() {
  local command
  while IFS='|' read -r command wrong; do
    expect 64 interlock explore stamp-lock $command
    lines err 1
    says err "$wrong"
  done <<'END'
--faults 101|'101' faults are too many: write a number up to 100
--faults 101/crash|'101' faults are too many: write a number up to 100
--faults 1/2|'2' stands where a fault's name is needed: write how many of all in front (2/crash,restart), and how many of one behind it (crash:2)
--faults 1/1,crash|'1' stands where a fault's name is needed
--faults none,crash|'none' stands beside faults: write it alone, or leave it out
--faults=|'' is no fault: write none, a number or crash
--faults crash:2,crash:1|'crash' is named twice: write it once
--faults pause:0,pause:free|'pause' is named twice: write it once
--instants abc|'instants' is 'abc': write a number from 1 to 10000, or endless
--seconds 18446744073709551615|--seconds 18446744073709551615 is more than 1000000000; write --seconds 60
--seed 99999999999999999999 --random 1|--seed 99999999999999999999 is more than 18446744073709551615; write --seed 7
--max-states 0|--max-states 0 is less than 1; write --max-states 1000000
--random 0|--random 0 is less than 1; write --random 10000
--seconds 1e300|--seconds 1e300 is no whole number; write --seconds 60
--seconds x|--seconds x is no whole number; write --seconds 60
--max-memory 100T|--max-memory 100T is no size; write --max-memory 400M, or 2G: a number of bytes, or K, M or G of them, below 2^64
--property a,b|'a' is no property of 'stamp-lock': write one or more of mutual-exclusion
--property mutual-exclusion,b|'b' is no property of 'stamp-lock': write one or more of mutual-exclusion
END
  : >empty
  expect 64 interlock replay empty
  lines err 1
  says err "empty: line 1: the file says nothing; expected 'interlock-schedule 1'"
}

test_an_option_of_a_schedule_that_is_wrong_is_told_with_its_line() {
  local change wrong
  interlock replay del-setnx-lock -f schedule -o good
  while IFS='|' read -r change wrong; do
    sed "$change" good >bad
    for command in replay explore; do
      expect 64 interlock $command bad
      lines err 1
      says err "bad: line $wrong"
    done
  done <<'END'
s/^clients .*/clients 9/|3: 'clients' is '9': write a number from 1 to 8
s/^faults .*/faults nosuch/|6: 'nosuch' is no fault
s/^expect/property nosuch\nexpect/|7: 'nosuch' is no property
s/^expect/deadlock no\nexpect/|7: 'deadlock' is 'no': write allowed
s/^expect/property no-orphan\nexpect/|7: 'del-setnx-lock' has no such property
s/^scenario .*/scenario nosuch/|2: unknown scenario 'nosuch'
END
  # It is not the file's fault what the command line asks for.
  expect 64 interlock explore good --clients 9
  says err "interlock: 'clients' is '9'"
}

test_messages_quote_what_stands_there() {
  expect 64 interlock replay 'del-setnx-lock:1->2'
  ! grep -qF '\x' err || fail "an arrow is escaped"
  printf 'interlock-schedule 1\nscenario del-setnx-lock\nA -> B\n' >bad
  expect 64 interlock replay bad
  says err "found 'A -> B'"
}

test_a_schedule_has_no_options_that_nothing_knows() {
  interlock replay del-setnx-lock -f schedule -o file
  sed -i 's/^instants 1$/variant x/' file
  expect 64 interlock replay file
  says err "file: line 5: expected 'clients N'"
  ! grep -q variant err || grep -q "found 'variant x'" err || fail "variant is offered"
}

test_each_fault_is_something_that_a_lock_can_be_asked_about() {
  local faults
  for faults in lost-reply lost-request rejected unreachable late-execution eviction restart-empty failover client-restart 1; do
    expect 0 interlock explore setnx-crash-finally --faults $faults --property deadlock
  done
}

test_one_is_no_plural() {
  expect 2 interlock explore stamp-lock --max-states 1
  says out "  explored  1 state, "
  ! grep -q MISSED out || fail "what was not looked for is missed"
  expect 2 interlock explore stamp-lock --random 1
  says out "  explored  1 random run, "
  expect 0 interlock diff del-setnx-lock:1 del-setnx-lock:1
  equal "$(cat out)" "the same step"
  expect 1 interlock replay del-setnx-lock:11221122 --store memory:
  says out "memory: 8 answers as in the simulator, 0 otherwise"
}

test_no_line_but_those_to_paste_is_longer_than_80_columns() {
  local search
  for search in "starvation-spin --property every-waiter-acquires" "stamp-lock --random 3" \
    "del-setnx-lock --clients 8 --attempts 5 --random 300" "lease-lock --instants endless"; do
    # shellcheck disable=SC2086
    interlock explore $search >out
    ! grep -vE '^  (again|replay) ' out | grep -E '^.{81}' || fail "longer than 80 columns: $search"
  done
}

test_a_terminal_without_a_name_gets_no_colours() {
  TERM=xterm at 80 "$program" explore del-setnx-lock
  grep -q $'\e' screen || fail "no colours at all"
  TERM='' at 80 "$program" explore del-setnx-lock
  ! grep -q $'\e' screen || fail "colours"
}

test_bounds_do_not_say_what_the_search_found_otherwise() {
  expect 2 interlock explore lease-lock --instants endless --json
  says out "3602000 ms"
  ! grep -q 'nothing longer than' out || fail "$(field bounds <out)"
}

test_a_name_is_a_scenario_before_it_is_a_file() {
  interlock replay del-setnx-lock:11221122 -f schedule -o del-setnx-lock
  interlock replay del-setnx-lock:1122 -f schedule -o del-setnx-lock:11221122
  expect 1 interlock replay del-setnx-lock
  expect 0 interlock replay ./del-setnx-lock:11221122
  echo nonsense >stamp-lock
  expect 0 interlock explore stamp-lock
  expect 64 interlock replay stamp-lock
  says err "'stamp-lock' has no run that breaks it"
  expect 64 interlock replay ./stamp-lock
  says err "./stamp-lock: line 1: "
}

test_a_filter_that_nothing_fits_is_told_in_json_too() {
  expect 64 interlock scenarios nosuchfilter --json
  lines out 1
  says out '"result":"usage","exit":64'
}

test_a_store_that_is_none_is_told_which_there_are() {
  local store
  for store in foo ''; do
    expect 64 interlock replay del-setnx-lock:1122 --store "$store"
    lines err 1
    says err "write sqlite:PATH, redis://host:port/db, rediss://host:port/db?ca=FILE, redis+sentinel://host:port,.../NAME, redis+cluster://host:port,... or redis+unix:///path/to/socket, or memory:"
  done
  says err "--store is empty and names no store"
  expect 64 interlock replay del-setnx-lock:1122 --store memory:x
  lines err 1
  says err "a store in memory has no name; write memory:"
}

run_tests
