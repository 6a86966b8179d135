# `interlock run --all a,b`: several locks at once, or none.
source "$(dirname "$0")/harness.bash"

test_the_command_runs_under_all_of_them() {
  expect 0 interlock run --all c,a,b -- sh -c 'env >environment; for each in a b c; do
    interlock run -w 0 -E 9 "$each" -- true; echo $? >>refused; done'
  equal "$(sort -u refused)" 9
  equal "$(sed -n 's/^INTERLOCK_LOCK=//p' environment)" a,b,c
  equal "$(sed -n 's/^INTERLOCK_TOKEN=//p' environment | grep -cE '^[0-9]+,[0-9]+,[0-9]+$')" 1
  local owners
  owners=$(sed -n 's/^INTERLOCK_OWNER=//p' environment)
  equal "$(sed -n 's/^INTERLOCK_HELD=//p' environment)" "${owners//,/ }"
  for each in a b c; do is_free "$each" || fail "$each is still held"; done
}

test_json_names_each_lock_with_its_token_and_owner() {
  expect 3 interlock run --json --all b,a -- sh -c 'echo "$INTERLOCK_TOKEN" >tokens; exit 3'
  says err '"result":"ok","exit":3,"lock":"a,b"'
  says err "\"locks\":[{\"lock\":\"a\",\"token\":\"$(cut -d, -f1 tokens)\",\"owner\":\"il1:"
  says err ",{\"lock\":\"b\",\"token\":\"$(cut -d, -f2 tokens)\",\"owner\":\"il1:"
  equal "$(grep -c '"token":"' err)" 1
}

test_if_one_is_held_by_another_nothing_is_held_and_nothing_runs() {
  interlock run b -- sleep 60 &
  until_true is_held b
  expect 75 interlock run -w 0 --all a,b,c -- touch ran
  says err "interlock: 'b' not acquired: held by"
  expect 75 interlock run -w 200ms --json --all a,b,c -- touch ran
  says err '"result":"not_acquired","exit":75,"lock":"a,b,c"'
  [ ! -e ran ] || fail "it ran"
  is_free a || fail "a was left held"
  is_free c || fail "c was left held"
  kill "$!"
}

# The first of several locks is in hand for 50 ms, which nobody may see on a busy machine. Who has come
# to the second one has had the first.
queues() { interlock status --json "$1" | grep -q '"queued":1'; }

test_it_waits_with_nothing_in_hand() {
  interlock run b -- sleep 60 &
  local holder=$!
  until_true is_held b
  interlock run --all a,b -- true &
  local waiter=$!
  until_true queues b
  until_true is_free a
  local times
  for times in {1..10}; do is_free a || fail "it waits with a in hand"; done
  kill "$holder"
  wait "$waiter"
  equal "$?" 0
}

test_any_order_of_names_ends() {
  local each
  echo 0 >a.count
  echo 0 >b.count
  for each in a,b b,a a,b b,a a,b b,a; do
    for _ in {1..3}; do
      interlock run -w 60s --all "$each" -- sh -c 'n=$(cat a.count) m=$(cat b.count)
        echo $((n + 1)) >a.count; echo $((m + 1)) >b.count' || exit
    done &
  done
  wait
  equal "$(cat a.count) $(cat b.count)" "18 18"
}

test_the_loss_of_one_ends_the_command() {
  expect 79 interlock run --ttl 6s --all a,b -- sh -c '
    interlock break b --token "${INTERLOCK_OWNER#*,}"; sleep 60'
  says err "lost 'b' after"
  says err "TERM sent"
  is_free a || fail "a is still held"
}

test_a_release_that_finds_one_gone_is_a_loss() {
  expect 79 interlock run --all a,b -- sh -c 'interlock break b --token "${INTERLOCK_OWNER#*,}"'
  says err "lost 'b' after"
  says err "its release found it gone"
  expect 79 interlock run --json --all a,b -- sh -c 'echo "${INTERLOCK_TOKEN#*,}" >token
    interlock break b --token "${INTERLOCK_OWNER#*,}"'
  says err "token was $(cat token)"
  is_free a || fail "a is still held"
}

test_a_signal_while_it_waits_leaves_nothing_behind() {
  interlock run b -- sleep 60 &
  local holder=$!
  until_true is_held b
  interlock run --at-least 1h --all a,b -- touch ran &
  local waiter=$!
  # Most likely a is in its hand still.
  until_true queues b
  kill "$waiter"
  wait "$waiter"
  equal "$?" 143
  kill "$holder"
  wait "$holder"
  is_free a || fail "a was left held"
  is_free b || fail "b was left held"
  [ ! -e ran ] || fail "it ran"
}

test_a_command_of_one_of_them_does_not_wait_for_itself() {
  expect 75 interlock run b -- interlock run --all a,b -- touch ran
  says err "'b' not acquired: this command runs under it"
  expect 75 interlock run --all a,b -- interlock run --all b,c -- touch ran
  says err "'b' not acquired: this command runs under it"
  expect 0 interlock run --all a,b -- interlock run --all c,d -- true
  [ ! -e ran ] || fail "it ran"
}

test_what_would_wait_for_itself_is_told_although_another_is_busy() {
  interlock run a -- sleep 60 &
  until_true is_held a
  expect 75 interlock run b -- interlock run --all a,b -- touch ran
  says err "'b' not acquired: this command runs under it"
  kill "$!"
}

test_the_command_gets_all_tokens_and_owners_of_many_locks() {
  local names
  names=$(seq -s, -f 'a-name-of-some-length/%g' 1 200)
  expect 0 interlock run --all "$names" -- sh -c 'env >environment'
  local each
  for each in LOCK TOKEN OWNER; do
    equal "$(sed -n "s/^INTERLOCK_$each=//p" environment | tr , '\n' | wc -l)" 200
  done
  equal "$(sed -n 's/^INTERLOCK_HELD=//p' environment | wc -w)" 200
  equal "$(sed -n 's/^INTERLOCK_TTL_MS=//p' environment)" 30000
  expect 64 interlock run --all "$names,one-more" -- true
  says err "--all: 201 names are too many; choose at most 200"
}

test_at_least_keeps_all_of_them_but_only_once_all_were_held() {
  interlock run b -- sleep 60 &
  until_true is_held b
  expect 75 interlock run -w 0 --at-least 1h --all a,b -- true
  is_free a || fail "a stays held, and nothing ran"
  kill "$!"
  wait "$!"
  expect 127 interlock run --at-least 1h --all a,b -- ./no-such-command
  is_free a || fail "a stays held, and nothing ran"
  expect 0 interlock run --at-least 1h --all a,b -- true
  is_held a || fail "a is free"
  is_held b || fail "b is free"
  expect 0 interlock status b
  says out "its command has ended"
}

test_one_name_or_a_name_twice_is_one_lock() {
  expect 0 interlock run --all a -- true
  expect 0 interlock run -w 0 --json --all a,a -- true
  says err '"lock":"a",'
  equal "$(grep -o '"lock":"a"' err | wc -l)" 2
}

test_wrong_lists_are_refused() {
  local each
  for each in a,,b ,a a, ,; do
    expect 64 interlock run --all "$each" -- true
    says err "--all $each: there is no name between two commas, or at an end; write --all a,b"
  done
  expect 64 interlock run --all "" -- true
  expect 64 interlock run --all 'a, b' -- true
  says err "there is a blank beside a comma"
  expect 64 interlock run --all a,interlock:b -- true
  expect 64 interlock run --all --every 1h a,b -- true
  says err "--all with --every: a period belongs to one lock"
}

test_without_all_a_comma_is_a_part_of_the_name() {
  interlock run a,b -- sleep 60 &
  until_true is_held a,b
  expect 0 interlock run -w 0 --all a,b -- true
  kill "$!"
}

test_metrics_count_each_lock() {
  expect 0 interlock run --metrics ./metrics --all a,b -- true
  says metrics 'interlock_acquire_seconds_count{lock="a"} 1'
  says metrics 'interlock_acquire_seconds_count{lock="b"} 1'
}

run_tests
