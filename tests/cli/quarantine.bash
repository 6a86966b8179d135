# A store with after-failover=wait: the words that people get while it grants nothing.
source "$(dirname "$0")/harness.bash"

# As long as a test may need to look at a quarantine, or so short that it is soon over.
store() { echo "redis://127.0.0.1:$redis_port?after-failover=wait&longest-ttl=$1"; }
redis() { redis-cli -p "$redis_port" "$@"; }
replication_id() { redis info replication | tr -d '\r' | sed -n 's/^master_replid://p'; }

test_a_new_store_grants_no_lock_and_says_for_how_long() {
  expect 75 interlock run -w 0 --store "$(store 60s)" deploy true
  says err "'deploy' not acquired: no lock is granted at this store for another 60 s, because it is new or"
  says err "has just changed (failover or restart)"
}

test_a_waiter_enters_when_it_is_over() {
  expect 0 interlock run --ttl 5s --store "$(store 5s)" deploy true
  expect 0 interlock run -w 0 --ttl 5s --store "$(store 5s)" deploy true
}

test_a_changed_replication_id_begins_one_and_an_operator_can_leave_it_out() {
  redis set interlock:incarnation "$(replication_id) 0 60000" >/dev/null
  expect 0 interlock run -w 0 --store "$(store 60s)" deploy true
  redis set interlock:incarnation "before 0 60000" >/dev/null
  expect 75 interlock run -w 0 --store "$(store 60s)" deploy true
}

test_status_and_break_show_it() {
  redis set interlock:incarnation "$(replication_id) 0 60000" >/dev/null
  export INTERLOCK_STORE="$(store 60s)"
  expect 0 interlock status deploy
  equal "$(cat out)" "deploy: free"
  redis set deploy foreign >/dev/null
  redis set interlock:incarnation "before 0 60000" >/dev/null
  expect 0 interlock status deploy
  says out "no lock is granted at this store for another 60 s"
  expect 0 interlock status
  says out "no lock is granted at this store for another 60 s"
  expect 0 interlock status --json deploy
  equal "$(field quarantine_ms <out)" 60000
  expect 0 interlock break deploy --token foreign --json
  equal "$(field quarantine_ms <out)" 60000
  # Free, and yet nobody would get it.
  expect 75 interlock status --exit-code deploy
  says out "deploy: free"
}

test_top_shows_it_first() {
  export INTERLOCK_STORE="$(store 60s)"
  redis set interlock:incarnation "$(replication_id) 0 60000" >/dev/null
  expect 0 interlock top
  equal "$(head -1 out | cut -d, -f1)" "0 held"
  expect 0 interlock top --json
  says_not out quarantine_ms
  redis set interlock:incarnation "before 0 60000" >/dev/null
  expect 0 interlock top
  equal "$(head -1 out | cut -d, -f1,2)" "no grants for 60 s: 0 held, 0 waiting"
  expect 0 interlock top --json --count 2 --interval 100ms deploy
  equal "$(field quarantine_ms <out)" $'60000\n60000'
  # Without the option in the URL nobody waits for its end.
  expect 0 interlock top --store "redis://127.0.0.1:$redis_port"
  equal "$(head -1 out | cut -d, -f1)" "0 held"
}

test_check_says_what_it_rests_on() {
  export INTERLOCK_STORE="$(store 60s)"
  expect 1 interlock check
  says out "the first request begins one: for 60 s no lock is granted, ttl up to 60 s"
  # The line that it shows works as it is.
  eval "$(sed -n 's/.*skip the first quarantine: //p' "$dir/out")" >/dev/null
  equal "$(redis get interlock:incarnation)" "$(replication_id) 0 60000"
  redis del interlock:incarnation >/dev/null
  expect 75 interlock run -w 0 deploy true
  expect 1 interlock check
  says out "no lock is granted for another 5"
  says_not out " ms, ttl up to"
  # Seen by a client that does not wait.
  expect 1 interlock check --store "redis://127.0.0.1:$redis_port"
  says out "other clients wait for 60 s after a failover, and this URL does not"
  redis set interlock:incarnation "$(replication_id) 0 60000" >/dev/null
  expect 0 interlock check
  says out "after a failover or a restart no lock is granted for 60 s, ttl up to 60 s"
  redis set interlock:incarnation "$(replication_id) 0 90000" >/dev/null
  expect 1 interlock check
  says out "other clients have or had one of 90 s, this URL one of 60 s"
}

test_check_counts_the_old_primary_in() {
  redis set interlock:incarnation "$(replication_id) 0 60000" >/dev/null
  redis config set min-replicas-max-lag 10 >/dev/null
  redis config set min-replicas-to-write 1 >/dev/null
  expect 78 interlock check --store "$(store 60s)"
  says out "a primary that is cut off grants locks for 10 s (min-replicas-max-lag)"
  says out "write max-lag=10s into the URL of all clients"
  expect 78 interlock check --store "$(store 60s)&max-lag=10s"
  says out "a primary that is cut off stops within 10 s, which the quarantine counts in"
  redis config set min-replicas-to-write 0 >/dev/null
}

test_an_incarnation_of_another_type_is_named() {
  redis rpush interlock:incarnation x >/dev/null
  expect 78 interlock run -w 0 --store "$(store 60s)" deploy true
  says err "the key interlock:incarnation in redis://127.0.0.1:$redis_port/0, which after-failover=wait"
  says err "is of another type: delete it"
  expect 78 interlock status --store "$(store 60s)" deploy
  says err "the key interlock:incarnation in redis://127.0.0.1:$redis_port/0"
  expect 78 interlock check --store "$(store 60s)"
  says out "the key interlock:incarnation is of another type"
  says out "delete it (redis-cli -h 127.0.0.1 -p $redis_port -n 0 DEL interlock:incarnation)"
}

test_a_longer_ttl_is_a_wrong_command_line() {
  expect 64 interlock run --ttl 61s --store "$(store 60s)" deploy true
  says err "--ttl 61s is longer than the longest-ttl of the store, 60 s: choose a shorter ttl"
}

test_a_url_that_is_not_whole_is_refused() {
  expect 64 interlock run --store "redis://127.0.0.1:$redis_port?after-failover=wait" deploy true
  says err "after-failover=wait needs the longest ttl of the store (&longest-ttl=60s)"
}

run_tests
