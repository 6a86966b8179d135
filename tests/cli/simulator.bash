# explore, replay, shrink, diff and scenarios.
source "$(dirname "$0")/harness.bash"
export LC_ALL=C.UTF-8
scripts=$(realpath "$(dirname "$0")/../../scripts")

race=del-setnx-lock:11221122

test_a_broken_lock_is_shown_with_its_shortest_run() {
  expect 1 interlock explore del-setnx-lock
  silent err
  says out "del-setnx-lock · 8 steps · VIOLATION"
  says out "both hold lock.foo"
  says out "  why     "
  says out "  fix     make 'see it expired' and 'replace it' one command: GETSET"
  says out "  replay  interlock replay del-setnx-lock:"
  # What it tells to do next proves the repair; what it tells to repeat is that run.
  expect 0 $(sed -n 's/^  next    //p' out)
  expect 1 interlock explore del-setnx-lock
  local again
  again=$(sed -n 's/^  replay  //p' out)
  expect 1 $again
  says out "8 steps · VIOLATION"
}

test_a_proof_says_its_bounds_and_figures() {
  expect 0 interlock explore stamp-lock --clients 4 --attempts 2 --instants 3 --json
  silent err
  lines out 1
  equal "$(field verdict <out)" proved
  equal "$(field v <out)" 1
  says out '"bounds":"4 identical clients, 2 attempts each, 3 instants 1000 ms apart, clocks start at 100000 ms, no faults"'
  for name in states transitions depth seconds goals; do says out "\"$name\":"; done
  expect 0 interlock explore lease-lock
  says out "no run breaks it: 2 identical clients"
}

test_a_client_may_crash_and_begin_again() {
  expect 0 interlock explore lease-lock --faults client-restart
  says out "fault (client-restart 1)"
  expect 1 interlock explore setnx-crash --faults client-restart
  says out "✗ restarts"
  says out "faults=client-restart:1a11"
  local again
  again=$(sed -n 's/^  replay  //p' out)
  expect 1 $again
  expect 1 interlock explore setnx-crash --faults client-restart --format schedule -o run
  says run "A fault client-restart"
  expect 1 interlock replay run
}

line_that_gives_it_again() { sed -n 's/.*"again":"\([^"]*\)".*/\1/p' out; }

test_what_was_asked_for_stands_in_the_line_that_gives_it_again() {
  expect 1 interlock explore stamp-lock --instants 5 --no-symmetry --faults 1/crash,restart
  says out "  again   interlock explore stamp-lock --clients 2 --attempts 1 --instants 5 --faults 1/crash,restart --no-symmetry"
  expect 0 interlock explore stamp-lock --instants 5 --faults pause:0
  says out "time passes only while no started client can"
  says out " --faults pause:0"
  expect 1 interlock explore stamp-lock --instants 5 --property mutual-exclusion --allow-deadlock --json
  equal "$(line_that_gives_it_again)" "interlock explore stamp-lock --clients 2 --attempts 1 --instants 5 --faults none --allow-deadlock"
  expect 2 interlock explore stamp-lock --random 20 --seed 7
  says out " --random 20 --seed 7"
}

test_fewer_faults_never_allow_more() {
  for name in queue-lock expiry-edge-repaired; do
    expect 0 interlock explore $name
    expect 0 interlock explore $name --faults none
    says out "only while no started client can move, no faults"
    says out " --faults pause:0"
    expect 1 interlock explore $name --faults pause:free
    says out " --faults pause:free"
    ! grep -q "started client" out || fail "pauses are not free"
  done
  # A run of such a world is replayed in it, and not in the usual one.
  expect 1 interlock explore queue-lock --faults pause:free --format schedule -o run
  expect 1 interlock replay run
  expect 1 interlock shrink run --format short
  expect 1 interlock replay "$(cat out)"
}

test_threads_change_nothing_but_the_time() {
  expect 0 interlock explore stamp-lock --clients 4 --attempts 2 --instants 3 --json
  sed 's/,"seconds".*//' out >alone
  for threads in 2 all; do
    expect 0 interlock explore stamp-lock --clients 4 --attempts 2 --instants 3 --threads $threads --json
    sed 's/,"seconds".*//' out | diff alone - || fail "$threads threads found something else"
  done
  for threads in 0 some 1000; do
    expect 64 interlock explore stamp-lock --threads $threads
    silent out
  done
  says err "--threads 1000 is too many threads; write at most 256"
}

test_symmetry_changes_the_number_of_states_and_not_the_verdict() {
  expect 0 interlock explore stamp-lock --clients 3 --json
  local with
  with=$(field states <out)
  expect 0 interlock explore stamp-lock --clients 3 --json --no-symmetry
  [ "$(field states <out)" -gt "$with" ] || fail "not more states without symmetry"
}

test_a_limit_is_no_verdict() {
  expect 2 interlock explore stamp-lock --clients 3 --max-states 10
  says out "incomplete: the limit of 10 states was reached"
  INTERLOCK_MAX_STATES=10 expect 2 interlock explore stamp-lock --clients 3 --json
  equal "$(field verdict <out)" incomplete
}

test_a_search_without_memory_is_no_verdict() {
  expect 2 interlock explore stamp-lock --clients 4 --attempts 2 --instants 3 --max-memory 4M
  says out "incomplete: the limit of 4 MiB of memory was reached, with "
  says out " --max-memory 4M"
  for size in 0 4X M 99999999999G; do
    expect 64 interlock explore stamp-lock --max-memory "$size"
    says err "--max-memory $size is no size; write --max-memory 400M, or 2G"
  done
  # Sanitizers need more address space than there is.
  (ulimit -v 400000 && interlock version >/dev/null 2>&1) || return 0
  for space in 400000 60000; do
    (ulimit -v $space && interlock explore stamp-lock --clients 6 --attempts 3 --instants 4 >out 2>err)
    equal $? 2
    silent err
    # At its limit, or before: when a table cannot grow.
    says out "incomplete: "
    says out "memory"
    (ulimit -v $space && interlock explore stamp-lock --clients 6 --attempts 3 --instants 4 \
      --max-memory 100G >out 2>err)
    equal $? 2
    silent err
    says out "incomplete: there is no memory left: "
  done
}

test_an_interrupted_search_tells_what_it_has() {
  local at=(lease-lock-renewed --clients 4 --instants 60 --faults 3 --json)
  equal "$(interrupted default explore "${at[@]}")" 2
  says out '"reason":"interrupted"'
}

test_every_format_is_what_it_says() {
  local format
  for format in text ascii mermaid svg html json schedule short; do
    expect 1 interlock replay "$race" --format "$format" -o "drawn.$format"
    silent out
    [ -s "drawn.$format" ] || fail "$format is empty"
  done
  ! LC_ALL=C grep -q '[^ -~]' drawn.ascii || fail "ascii is not ASCII"
  grep -q '^<svg ' drawn.svg || fail "no SVG"
  grep -q '^<!DOCTYPE html>' drawn.html || fail "no HTML"
  ! grep -qE '(src|href)=|@import|url\(h' drawn.html || fail "the page asks for something"
  grep -q '^sequenceDiagram' drawn.mermaid || fail "no Mermaid"
  equal "$(grep -c '^ *activate' drawn.mermaid)" "$(grep -c '^ *deactivate' drawn.mermaid)"
  equal "$(grep -c '^{"v":1,"event":"step"' drawn.json)" 8
  equal "$(cat drawn.short)" "$race"
  expect 1 interlock replay drawn.schedule
  says out "8 steps · VIOLATION"
  expect 64 interlock replay "$race" --format png
  says err "is no format; write one of text, ascii"
}

test_without_utf8_it_draws_in_ascii() {
  LC_ALL=C expect 1 interlock replay "$race"
  ! LC_ALL=C grep -q '[^ -~]' out || fail "not ASCII"
}

test_a_schedule_is_checked_step_by_step() {
  expect 1 interlock replay "$race" --format schedule -o run
  sed -i 's/B GET lock.foo/B GETSET lock.foo 103/' run
  expect 64 interlock replay run
  lines err 1
  says err "step 4: the file says B GETSET lock.foo 103"
  says err "B is at GET lock.foo"
  sed -i 's/^expect/expekt/' run
  expect 64 interlock replay run
  says err "run: line 7: expected"
  expect 64 interlock replay nothing-there
  says err "'nothing-there' cannot be read"
}

test_shrinking_leaves_out_what_is_not_needed() {
  expect 1 interlock explore del-setnx-lock --clients 3 --attempts 2 --instants 2 -f schedule -o big
  expect 1 interlock shrink big -f schedule -o small
  says err "no property is violated"
  grep -q '^clients 2$' small || fail "not two clients"
  grep -q '^attempts 1$' small || fail "not one attempt"
  expect 0 interlock shrink del-setnx-lock:1122
  says err "nothing to shrink"
}

test_runs_by_chance_find_the_race_among_many_and_shrink_it() {
  expect 1 interlock explore del-setnx-lock --clients 8 --attempts 5 --random 10000 --json
  silent err
  equal "$(field verdict <out)" violated
  equal "$(field steps <out)" 8
  equal "$(field seed <out)" 1
  equal "$(field shortest <out)" true
  for name in runs runs_cut_off seconds steps_before_shrinking; do says out "\"$name\":"; done
  says out '"bounds":"8 identical clients, 5 attempts each, '
  says out '"shrunk_to":"2 identical clients, '
  expect 1 interlock replay "$(field replay <out)"
  expect 1 interlock explore del-setnx-lock --clients 8 --attempts 5 --random 10000
  says out "8 steps · VIOLATION"
  says out " random runs, "
  says out "no smaller world has such a run"
}

test_a_seed_repeats_its_runs() {
  local at=(del-setnx-lock --clients 5 --attempts 2 --random 1000 --json)
  interlock explore "${at[@]}" --seed 3 | sed 's/"seconds":[^,]*//' >first
  interlock explore "${at[@]}" --seed 3 | sed 's/"seconds":[^,]*//' >again
  interlock explore "${at[@]}" --seed 4 | sed 's/"seconds":[^,]*//' >other
  cmp -s first again || fail "the same seed gave something else"
  [ "$(field transitions <first)" != "$(field transitions <other)" ] ||
    fail "another seed gave the same"
}

test_precedences_find_what_is_as_deep_as_they_are() {
  expect 2 interlock explore del-setnx-lock --pct 2 --json
  says out '"reason":"10000 random runs broke nothing;'
  expect 1 interlock explore del-setnx-lock --pct 3 --json
  equal "$(field steps <out)" 8
}

test_that_chance_finds_nothing_is_no_proof() {
  expect 2 interlock explore stamp-lock --clients 4 --random 200
  says out "incomplete: 200 random runs broke nothing"
  expect 64 interlock explore stamp-lock --seed 3
  says err "--seed is for random runs"
  expect 64 interlock explore stamp-lock --random many
  says err "write --random 10000"
  expect 64 interlock explore stamp-lock --property every-waiter-acquires --random 10
  says out "whether somebody waits for ever"
}

test_chance_has_limits_too() {
  expect 2 interlock explore lease-lock --clients 6 --random 1000000000 --seconds 1 --json
  says out '"reason":"time limit (1 s) reached after '
  equal "$(interrupted default explore lease-lock --clients 6 --random 1000000000 --json)" 2
  says out '"reason":"interrupted after '
}

test_a_run_of_a_world_too_large_to_search_is_shrunk() {
  expect 1 interlock explore bill-lock --clients 8 --attempts 4 --random 1000 -f schedule -o big
  # The same steps as they were met, in the world that is too large.
  sed -i 's/^clients .*/clients 8/; s/^attempts .*/attempts 4/' big
  expect 1 interlock shrink big -f schedule -o small
  grep -q '^clients 2$' small || fail "not two clients"
  grep -q '^attempts 1$' small || fail "not one attempt"
}

test_properties_are_chosen_by_name() {
  expect 0 interlock explore stamp-lock --property mutual-exclusion,every-waiter-acquires --json
  says out '"name":"some client wants lock.foo","reached":true'
  # The answer is: some wait, for the lease of a holder that crashed, ends after the last instant.
  local at=(lease-lock --instants 5 --property every-waiter-acquires)
  expect 0 interlock explore "${at[@]}" --faults none
  expect 2 interlock explore "${at[@]}" --faults crash
  says out "time ends while A waits for deploy"
  # Its stamps say what time it is.
  expect 2 interlock explore stamp-lock --attempts 2 --instants endless
  says out "needs more of its clock"
  says out "give a number of instants, for example 5"
  expect 64 interlock explore stamp-lock --property no-orphan
  says err "it has mutual-exclusion, deadlock, lease-exclusion, every-waiter-acquires"
  expect 64 interlock explore stamp-lock --property liveness
  says err "'liveness' is no property of 'stamp-lock': write one or more of mutual-exclusion, deadlock, lease-exclusion, every-waiter-acquires"
}

test_holders_that_outstay_their_lease_can_be_left_aside() {
  # Paused holders break both locks; without them the production lock holds.
  expect 1 interlock explore stamp-lock --clients 3 --instants 5 --property lease-exclusion --json
  equal "$(field property <out)" "exclusion within leases of lock.foo"
  expect 0 interlock explore stamp-lock --clients 2 --instants 5 --property lease-exclusion
  expect 0 interlock explore lease-lock --property lease-exclusion
  says out " --property lease-exclusion"
}

test_a_property_is_asked_alone_of_clients_that_tell_of_more() {
  expect 0 interlock explore thundering-herd --property mutual-exclusion
  expect 2 interlock explore thundering-herd --property mutual-exclusion --random 50
  for name in thundering-herd born-expired pause-before-reply-used lost-reply-new-token \
    lost-reply-false-alarm wrongtype redlock-slow-acquire; do
    expect 0 interlock explore $name --property deadlock
  done
  # What they tell of is still looked for where it is asked for.
  expect 1 interlock explore thundering-herd --property never
  expect 1 interlock explore wrongtype --property never
}

test_what_cannot_happen_is_not_proved() {
  # A single client waits for no message.
  expect 64 interlock explore lease-lock --clients 1 --instants 1 --property no-lost-wake-up
  says out "no run reaches the goal 'some client waits for a message', so"
  expect 0 interlock explore lease-lock --instants 1 --property no-lost-wake-up
  # What takes two clients, or two fencing tokens, is not proved of one.
  expect 64 interlock explore lease-lock --clients 1 --faults none --instants 1 --property fencing-grows
  tr -s ' \n' ' ' <out >words
  grep -qF "no run reaches the goal 'fencing tokens for deploy are granted to" words ||
    fail "it does not say what was missed"
  expect 64 interlock explore lease-lock --clients 1 --property lease-exclusion
  expect 64 interlock explore stamp-lock --clients 1 --property mutual-exclusion
  expect 64 interlock explore queue-lock --clients 2 --instants 1 --faults none \
    --property first-come-first-served
  # Nothing but `deadlock` would be left.
  expect 64 interlock explore stamp-lock --clients 1
  says out "take two clients or more"
}

test_what_bounds_leave_nothing_of_is_left_out_and_told() {
  expect 0 interlock explore lease-lock --clients 1
  ! grep -q MISSED out || fail "proved beside a goal that was missed"
  says out "left out  lease-exclusion: no run reaches"
  says out "left out  no-lost-wake-up: it is vacuous within these bounds"
  says out " --property fencing-grows,no-orphan,gone-leave-nothing,never,deadlock"
  ! grep -v "again" out | grep -qE '.{81}' || fail "a line of more than 80 columns"
  again=$(sed -n 's/^  again   //p' out)
  $again >same || fail "'$again' gave $?"
  equal "$(sed -n '2,/explored/p' out | sed 's/, in .*//')" \
    "$(sed -n '2,/explored/p' same | sed 's/, in .*//')"
  ! grep -q "left out" same || fail "what was not asked for is not left out"
  expect 0 interlock explore lease-lock --clients 1 --json
  [[ $(<out) == *'"left_out":[{"property":"fenced-writes","why":"no run reaches '* ]] ||
    fail "no list of what was left out"
  expect 0 interlock explore lease-lock --json --json --instants 2
  [[ $(<out) == *'"left_out":[]'* ]] || fail "something was left out"
}

test_a_game_is_about_what_can_happen() {
  expect 2 interlock play lease-lock --clients 1 --faults none --instants 1 <<<quit
  ! grep -q "believe at one time" out || fail "a goal that nobody can reach"
  expect 64 interlock play del-setnx-lock --clients 1 <<<quit
  says err "cannot be played"
}

test_what_a_scenario_cannot_be_asked_is_said() {
  # The fencing counter of the lock stays for an hour.
  expect 2 interlock explore lease-lock --instants endless --property every-waiter-acquires
  tr -s ' \n' ' ' <out >words
  grep -qF "give a number of instants, for example 5" words || fail "it does not say what to do"
  expect 64 interlock explore lost-wakeup --property every-waiter-acquires
  says err "'lost-wakeup' has no such property: it has no-lost-wake-up, deadlock"
  expect 64 interlock explore lease-lock --property first-come-first-served
  equal "$(grep -o never err | wc -l)" 1
}

test_a_wait_for_ever_is_drawn_and_replayed() {
  local at=(starvation-spin --property every-waiter-acquires)
  expect 1 interlock explore "${at[@]}"
  says out "↻ steps 3 to 6, again and again:"
  says out "✗ B waits for lock.foo for ever"
  expect 1 interlock explore "${at[@]}" --json
  equal "$(field property <out)" "every waiter acquires lock.foo"
  equal "$(field loop <out)" 3
  expect 1 interlock explore "${at[@]}" --format short
  equal "$(cat out)" "starvation-spin,deadlock=allowed:12(1112)"
  expect 1 interlock replay "$(cat out)"
  says out "✗ B waits for lock.foo for ever"
  expect 1 interlock explore "${at[@]}" --format schedule -o lasso
  equal "$(grep -c '^loop$' lasso)" 1
  expect 1 interlock replay lasso --format ascii
  says out "@ steps 3 to 6, again and again:"
  # Without its last step the world is not where it was.
  expect 64 interlock replay "starvation-spin:12(111)"
  says err "does not go on like this for ever"
}

test_two_runs_are_compared() {
  expect 0 interlock diff "$race" "$race"
  expect 1 interlock diff "$race" del-setnx-lock:1122121
  says out "        6 + B DEL lock.foo -> 0"
  says out "   6    7   A SETNX lock.foo 103 -> 1"
  expect 64 interlock diff "$race"
}

test_a_run_in_json_is_repeated() {
  expect 1 interlock explore stamp-lock --instants 5 -f json -o run.jsonl
  expect 1 interlock replay run.jsonl
  expect 0 interlock diff run.jsonl "$(interlock explore stamp-lock --instants 5 -f short)"
  sed -i '1s/"replay":"[^"]*"/"replay":"stamp-lock:9"/' run.jsonl
  expect 64 interlock replay run.jsonl
  says err "run.jsonl: stamp-lock:9: step 1: '9' is no step"
  expect 0 interlock explore stamp-lock -f json -o proof.jsonl
  expect 64 interlock replay proof.jsonl
  says err "proof.jsonl: its first line has no run to repeat"
  echo '{' >broken.jsonl
  expect 64 interlock replay broken.jsonl
  lines err 1
}

test_the_document_is_what_the_program_says() {
  expect 0 "$scripts/document" --check "$program"
}

test_scenarios_are_filtered() {
  expect 0 interlock scenarios --family setnx
  says out "del-setnx-c0c2"
  ! grep -q repaired out || fail "repairs are listed unasked"
  expect 0 interlock scenarios --family setnx --repairs
  says out "del-setnx-c0c2-repaired"
  expect 0 interlock scenarios --verdict violated --property orphan --json
  ! grep -qv '"property":"no orphan of lock.foo"' out || fail "other properties are listed"
  expect 64 interlock scenarios --family sentx
  lines err 1
  says err "write one of locks, setnx, ttl, waiting, replication"
  expect 64 interlock scenarios --verdict maybe
  says err "write one of proved, violated"
}

test_scenarios_are_listed() {
  expect 0 interlock scenarios
  says out "stamp-lock"
  grep -Eq '^wrongtype +1 step ' out || fail "not one step"
  ! grep -q '\b1 steps' out || fail "one steps"
  expect 0 interlock scenarios production --json
  lines out 4
  expect 64 interlock scenarios xyzzy
  expect 64 interlock explore stamp-lok
  says err "did you mean 'stamp-lock'?"
  expect 64 interlock explore stamp-lock --clients 9
  says err "write a number from 1 to 8"
  expect 64 interlock explore stamp-lock --faults crash,bang
  says err "'bang' is no fault: write none, a number or crash"
  expect 64 interlock explore stamp-lock --faults restart,requests:die
  says err "'requests' is no fault: write requests:survive if"
}

test_writes_to_a_resource_come_late_or_twice_or_not_at_all() {
  expect 0 interlock explore lease-lock --clients 2 --faults 1/lost-write,late-write,duplicate-write
  says out "(lost-write 1, late-write 1, duplicate-write 1)"
  expect 1 interlock explore pause-after-acquire-check --faults pause:0,late-write
  says out "late write"
}

test_the_demonstration_needs_no_store_and_comes_out_as_it_says() {
  INTERLOCK_STORE=redis://127.0.0.1:1 expect 0 interlock demo
  silent err
  says out "del-setnx-lock · 8 steps · VIOLATION"
  says out "B acted on its GET of step 3; by step 7 the key was A's"
  says out "✓ no run breaks it: 2 identical clients, 1 attempt each, time stands still,"
  says out "A's time was over when B looked in step 9, and A still acts on it"
  says out "(crash 1, lost-reply 1, late-execution 1)"
  equal "$(grep -c 'explored  [0-9]* states in [0-9.]* s' out)" 4
  ! grep -nE '^.{81}' out || fail "longer than 80 columns"
  # What it tells to do can be done.
  expect 1 $(sed -n 's/^  replay  //p' out | head -1)
  expect 0 interlock demo --ascii
  ! LC_ALL=C grep -q '[^ -~]' out || fail "--ascii is not ASCII"
  ! grep -nE '^.{81}' out || fail "longer than 80 columns in ASCII"
  expect 64 interlock demo del-setnx-lock
}

run_tests
