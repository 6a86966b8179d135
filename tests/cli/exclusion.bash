# Two commands never run at once, whatever becomes of their wrappers.
source "$(dirname "$0")/harness.bash"

test_fifty_increments_at_once_come_out_exact() {
  echo 0 >counter
  local pids=() pid
  for _ in {1..50}; do
    # shellcheck disable=SC2016 # the command expands it
    interlock run counter -c 'read n <counter; echo $((n + 1)) >counter' 2>>errors &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || fail "one gave $?: $(cat errors)"; done
  equal "$(cat counter)" 50
}

test_a_wrapper_that_is_killed_takes_its_command_along_and_the_next_one_enters_after_the_ttl() {
  interlock run --ttl 1s deploy -c 'echo $$ >pid; exec sleep 100' &
  local wrapper=$! began ended
  until_true test -s pid
  began=$(date +%s%N)
  kill -9 "$wrapper"
  until_true gone "$(cat pid)"
  expect 0 interlock run -w 30s deploy true
  ended=$(date +%s%N)
  # The promise is a ttl and half a second; here a busy machine is allowed more.
  [ $(((ended - began) / 1000000)) -lt 8000 ] || fail "it took $(((ended - began) / 1000000)) ms"
}

test_the_lock_is_kept_while_the_command_runs_for_longer_than_the_ttl() {
  interlock run --ttl 500ms deploy -c 'touch up; until [ -e stop ]; do sleep 0.01; done' &
  local wrapper=$!
  until_true exists up
  for _ in 1 2 3; do
    sleep 0.5
    expect 75 interlock run -w 0 deploy touch ran
  done
  touch stop
  wait "$wrapper" || fail "it gave $?"
  [ ! -e ran ] || fail "both ran"
}

test_a_waiter_enters_when_the_holder_leaves() {
  interlock run --ttl 60s deploy -c 'touch up; until [ -e stop ]; do sleep 0.01; done' &
  until_true exists up
  interlock run -w 50s deploy touch entered &
  local waiter=$!
  sleep 0.3
  [ ! -e entered ] || fail "both ran"
  touch stop
  wait "$waiter" || fail "it gave $?"
  exists entered || fail "it did not run"
}

test_different_locks_do_not_wait_for_each_other() {
  expect 0 interlock run a interlock run -w 0 b interlock run -w 0 c true
}

run_tests
