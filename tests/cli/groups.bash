# `interlock run --shared` and `--permits`: several hold a lock together.
source "$(dirname "$0")/harness.bash"

queued() { interlock status --json "$1" | grep -q '"queued":'"$2"; }
holders() { interlock status --json "$1" | grep -o '"remaining_ms":[0-9]*}' | wc -l; }

test_readers_run_together_and_a_writer_waits_for_them() {
  interlock run --shared book -- sleep 60 &
  local first=$!
  until_true is_held book
  expect 0 interlock run -w 0 --shared book -- sh -c 'echo "$INTERLOCK_TOKEN" >token'
  expect 75 interlock run -w 0 book -- touch ran
  says err "interlock: 'book' not acquired: held by readers for"
  [ ! -e ran ] || fail "a writer ran beside a reader"
  equal "$(interlock status --json book | grep -o '"token":"[0-9]*"')" "\"token\":\"$(cat token)\""
  kill "$first"
}

test_a_reader_waits_behind_a_writer() {
  interlock run --shared book -- sleep 60 &
  local reader=$!
  until_true is_held book
  interlock run book -- true &
  until_true queued book 1
  expect 75 interlock run -w 0 --shared book -- true
  kill "$reader"
  wait
  expect 0 interlock run -w 0 --shared book -- true
}

test_as_many_run_as_there_are_permits() {
  interlock run --permits 2/3 gpu -- sleep 60 &
  local first=$!
  until_true is_held gpu
  expect 75 interlock run -w 0 --permits 2/3 gpu -- true
  says err "'gpu' not acquired: 2 of 3 permits are taken (waited"
  expect 0 interlock run -w 0 --permits 1/3 gpu -- true
  expect 75 interlock run -w 0 gpu -- true
  expect 75 interlock run -w 0 --shared gpu -- true
  kill "$first"
}

test_all_must_count_to_the_same_number() {
  interlock run --permits 1/3 gpu -- sleep 60 &
  local first=$!
  until_true is_held gpu
  expect 64 interlock run --permits 1/4 gpu -- true
  says err "those that have permits now say that there are 3, and this client says 4"
  kill "$first"
}

test_status_shows_each_of_them() {
  interlock run --shared book -- sleep 60 &
  local one=$!
  interlock run --shared book -- sleep 60 &
  local two=$!
  both() { [ "$(holders book)" = 2 ]; }
  until_true both
  expect 0 interlock status book
  says out "book: held by readers for"
  says out "pid $one: lease ends in"
  says out "pid $two: lease ends in"
  expect 0 interlock status --json book
  says out '"kind":"shared"'
  expect 0 interlock status
  says out "readers"
  kill "$one" "$two"
}

test_break_of_all_readers_gives_the_lock_to_the_next() {
  interlock run --ttl 60s --shared book -- sleep 60 &
  local one=$!
  held() { [ "$(holders book)" = 1 ]; }
  until_true held
  interlock run book -- sleep 60 &
  local waiter=$!
  queued() { interlock status book | grep -q "1 in the queue"; }
  until_true queued
  kill -STOP "$one"
  expect 0 interlock break book --token "$(interlock status --json book | field token)"
  interlock status book >out
  says out "book: held by $(hostname) pid $waiter"
  kill "$waiter"
  kill -9 "$one"
}

test_break_of_one_reader_names_the_token_of_all() {
  interlock run --shared book -- sleep 60 &
  local one=$!
  until_true is_held book
  interlock run --shared book -- sleep 60 &
  local two=$!
  both() { [ "$(holders book)" = 2 ]; }
  until_true both
  local token owner
  token=$(interlock status --json book | field token)
  owner=$(interlock status --json book | grep -o "\"owner\":\"[^\"]*:$one@[^\"]*" | cut -d'"' -f4)
  expect 0 interlock break book --json --token "$owner"
  says out "\"token\":\"$token\""
  kill "$one" "$two"
}

test_break_removes_the_one_that_is_named() {
  interlock run --on-lost ignore --permits 1/2 gpu -- sleep 60 &
  local one=$!
  until_true is_held gpu
  interlock run --permits 1/2 gpu -- sleep 60 &
  local two=$!
  both() { [ "$(holders gpu)" = 2 ]; }
  until_true both
  local owner
  owner=$(interlock status --json gpu | grep -o "\"owner\":\"il1:[0-9a-f]*:$one@[^\"]*" | cut -d'"' -f4)
  expect 75 interlock break gpu --token "${owner/il1/il2}"
  expect 0 interlock break gpu --token "$owner"
  says out "gpu: removed"
  equal "$(holders gpu)" 1
  expect 75 interlock break gpu --token "$owner"
  expect 0 interlock run -w 0 --permits 1/2 gpu -- true
  kill "$one" "$two"
}

test_a_command_under_a_group_is_told_that_it_would_wait_for_itself() {
  local inside
  for inside in "m" "--unfair m" "--permits 1/2 m" "--all m,n"; do
    expect 75 interlock run --shared m -- timeout 20 interlock run $inside -- true
    says err "'m' not acquired: this command runs under it"
  done
  for inside in "m" "--shared m" "--permits 2/3 m"; do
    expect 75 interlock run --permits 2/3 m -- timeout 20 interlock run $inside -- true
    says err "'m' not acquired: this command runs under it"
  done
  expect 75 interlock run --shared m -- timeout 20 interlock hold m < <(echo)
  says err "'m' not acquired: this command runs under it"
  expect 0 interlock run --shared m -- timeout 20 interlock run --shared m -- true
  expect 0 interlock run --permits 2/3 m -- timeout 20 interlock run --permits 1/3 m -- true
}

test_a_reader_inside_a_reader_is_told_if_a_writer_waits() {
  interlock run --shared m -- sh -c 'touch inside; while [ ! -e goes_on ]; do sleep 0.01; done
    timeout 20 interlock run --shared m -- true 2>told; echo $? >code' &
  until_true test -e inside
  interlock run m -- true &
  until_true queued m 1
  touch goes_on
  wait
  equal "$(cat code)" 75
  grep -q "this command runs under it" told || fail "not told: $(cat told)"
}

test_break_takes_no_owner_that_later_holders_have_too() {
  interlock run --permits 1/4 aba -- sleep 60 &
  until_true is_held aba
  expect 75 interlock break aba --token il1:group:4:1/fair
  says err "is not the owner of one of its holders"
  kill "$!"
}

test_all_with_shared_holds_each_as_a_reader() {
  interlock run --shared --all a,b -- sleep 60 &
  local one=$!
  until_true is_held b
  expect 0 interlock run -w 0 --shared --all b,a -- true
  expect 75 interlock run -w 0 --all a,b -- true
  kill "$one"
}

test_hold_takes_them_too() {
  mkfifo ends
  interlock hold --shared book <ends >said &
  exec 9>ends
  until_true is_held book
  expect 0 interlock run -w 0 --shared book -- true
  exec 9>&-
  wait
  is_free book || fail "book is still held"
}

test_what_cannot_be_is_refused_by_name() {
  expect 64 interlock run --shared --permits 1/2 a -- true
  says err "--shared and --permits exclude each other; give one"
  expect 64 interlock run --unfair --permits 1/2 a -- true
  says err "--unfair with --permits: these always queue; leave --unfair out"
  expect 64 interlock run --every 1h --shared a -- true
  says err "--every with --shared"
  expect 64 interlock run --all a,b --permits 1/2 -- true
  says err "--all with --permits"
  local wrong
  for wrong in 3 3/ /3 x/3 3/x 1/2/3 "" " 1/2"; do
    expect 64 interlock run --permits "$wrong" a -- true
    says err "write --permits 3/8 for 3 of 8"
  done
  expect 64 interlock run --permits 9/8 a -- true
  says err "choose 1 to 8"
  expect 64 interlock run --permits 0/8 a -- true
  expect 64 interlock run --permits 1/1000001 a -- true
  says err "choose 1 to 1000000"
  expect 64 interlock elect --shared a -- true
}

run_tests
