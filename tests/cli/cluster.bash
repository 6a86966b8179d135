# The program and a Redis Cluster. Only on a Redis server.
source "$(dirname "$0")/harness.bash"

# Starts such servers (scripts/demo-redis), which end with the test. `servers` has their files.
start_servers() {
  trap "touch '$dir/stop'" EXIT
  "$sources/scripts/demo-redis" "$1" -- bash -c '
    echo "$DEMO_REDIS_FOLDER" >folder
    echo "$INTERLOCK_STORE" >url.new && mv url.new url
    for _ in {1..3000}; do [ ! -e stop ] || exit 0; sleep 0.1; done' >demo.log 2>&1 &
  until_true exists url
  INTERLOCK_STORE=$(<url)
  servers=$(<folder)
  export INTERLOCK_STORE
}

test_locks_of_all_servers_are_listed() {
  start_servers cluster
  local name names=({a..l}) holders=()
  for name in "${names[@]}"; do
    interlock run "$name" -- bash -c 'touch "$0.ready"; until [ -e over ]; do sleep 0.1; done' "$name" &
    holders+=($!)
  done
  for name in "${names[@]}"; do until_true exists "$name.ready"; done
  expect 0 interlock status
  for name in "${names[@]}"; do grep -q "^$name  *" out || fail "no $name"; done
  expect 0 interlock top
  for name in "${names[@]}"; do grep -q "^$name  *" out || fail "one look shows no $name"; done
  expect 1 interlock check
  says out "3 primaries keep all slots"
  expect 78 interlock status --store "redis://${INTERLOCK_STORE##*[,/]}"
  says err "write redis+cluster://"
  touch over
  wait "${holders[@]}"
}

# Sets `server` to the port of the one that keeps this lock.
find_server_of() {
  local file
  for file in "$servers"/*.pid; do
    server=${file##*/}
    server=${server%.pid}
    if redis-cli -p "$server" role 2>/dev/null | grep -qx master &&
      redis-cli -p "$server" exists "{$1}:interlock:fence" 2>/dev/null | grep -qx 1; then return 0; fi
  done
  return 1
}
another_than_has() { find_server_of "$2" && [ "$server" != "$1" ]; }

test_a_lock_outlasts_the_death_of_its_server() {
  start_servers cluster
  interlock run --ttl 24s job -- bash -c 'touch inside; until [ -e over ]; do sleep 0.1; done' &
  local holder=$!
  until_true exists inside
  interlock run --fair -w 60s job -- touch entered &
  local waiter=$! dead
  # A renewal, and its copy at the replica. What is left of the lease is the time that a busy machine
  # has for the failover.
  sleep 9
  find_server_of job || fail "no server has the lock"
  dead=$server
  kill -9 "$(<"$servers/$dead.pid")"
  until_true another_than_has "$dead" job
  sleep 20 # beyond the lease of before
  expect 0 interlock status job
  says out held
  exists entered && fail "two are inside"
  touch over
  wait $holder || fail "the holder exited with $?"
  wait $waiter || fail "the waiter exited with $?"
  exists entered || fail "the waiter did not enter"
}

test_servers_of_no_cluster_are_told() {
  expect 78 interlock run --store "redis+cluster://127.0.0.1:$redis_port" job -- touch inside
  lines err 1
  says err "belongs to no cluster: write redis://"
  exists inside && fail "the command ran"
  expect 69 interlock status --store redis+cluster://127.0.0.1:1,localhost:2
  lines err 1
}

test_the_demonstration_takes_what_it_knows_alone() {
  expect 64 "$sources/scripts/demo-redis" three
  lines err 1
  expect 64 "$sources/scripts/demo-redis" tls echo
  expect 7 "$sources/scripts/demo-redis" tls -- bash -c 'interlock run job -- true && echo "$DEMO_REDIS_FOLDER" && exit 7'
  exists "$(<out)" && fail "the files are there still"
  true
}

run_tests
