# Runs of the simulator, repeated on each kind of store: replay --store.
source "$(dirname "$0")/harness.bash"
export LC_ALL=C.UTF-8

race=del-setnx-lock:11221122

test_a_race_is_repeated_on_a_real_store() {
  expect 1 interlock replay --store "$INTERLOCK_STORE" "$race"
  says out "8 answers as in the simulator, 0 otherwise"
  says out "violated there as here: mutual exclusion of lock.foo"
  # Nothing is left behind.
  [ "$kind" != redis ] || equal "$(redis-cli -p "$redis_port" dbsize)" 0
}

test_each_source_lock_fails_on_a_real_store_as_it_does_here() {
  local lock
  for lock in getset-loser-c3c4 del-setnx-lock stamp-equal-lock setnx-expire-lock bill-lock \
    bill-lock-batch script-lock compare-script-lock; do
    expect 1 interlock replay "$lock" --store "$INTERLOCK_STORE"
    says out ", 0 otherwise"
    says out "violated there as here: "
    [ "$kind" != redis ] || equal "$(redis-cli -p "$redis_port" dbsize)" 0
  done
  expect 64 interlock replay stamp-lock --store "$INTERLOCK_STORE"
  says err "'stamp-lock' has no run that breaks it"
}

test_the_production_lock_answers_alike_on_a_real_store() {
  expect 0 interlock replay --store "$INTERLOCK_STORE" lease-lock:11112222
  says out "0 otherwise"
  [ "$kind" != redis ] || equal "$(redis-cli -p "$redis_port" dbsize)" 0
}

run_tests
