# A lock file whose file system is full: what docs/faults.md says of it. Root alone may mount one: another
# user skips this (exit code 77).
set -u
if [ "${1-}" != --inside ]; then
  unshare -m true 2>/dev/null || { echo "skipped: root alone can mount a file system"; exit 77; }
  exec unshare -m bash "$0" --inside "$@"
fi
shift
source "$(dirname "$0")/harness.bash"

end_workspace() {
  umount -l "$workspace"/*/small
  rm -rf "$workspace"
}

# 1 MiB for the store, of which nothing but it takes anything.
use_small_file_system() {
  mkdir small
  mount -t tmpfs -o size=1m none small || fail "no file system"
  export INTERLOCK_STORE=sqlite:$dir/small/locks.db
}
fill_it() { dd if=/dev/zero of=small/rest bs=4k 2>/dev/null; }

# shellcheck disable=SC2016 # the command expands it
test_a_holder_is_told_and_its_command_has_ended_before_the_next_may_enter() {
  local holder
  use_small_file_system
  # The last quarter of the lease is the time that a busy machine has to end the command.
  interlock run --ttl 10s deploy -c \
    'touch up; while :; do date +%s%N >beat.new; mv beat.new beat; done' 2>err &
  holder=$!
  until_true exists up
  fill_it
  wait "$holder"
  equal $? 79
  says err "lost 'deploy' after "
  says err "its file system is full: free some space there"
  says err "command ended in "
  says err ": before anyone else could be admitted"
  rm small/rest
  expect 0 interlock run -w 30s deploy -c 'date +%s%N >entered'
  [ "$(cat beat)" -lt "$(cat entered)" ] || fail "two were inside"
}

test_who_asks_is_told_what_to_do_and_nothing_runs() {
  use_small_file_system
  interlock run deploy -c 'touch up; until [ -e over ]; do sleep 0.01; done' 2>err1 &
  until_true exists up
  fill_it
  for lock in deploy other; do
    expect 71 interlock run -w 30s "$lock" touch ran
    lines err 1
    says err "interlock: '$lock' not acquired: "
    says err "its file system is full: free some space there (see \`df\`), or name a store elsewhere"
  done
  [ ! -e ran ] || fail "it ran"
  touch over
  wait $!
  equal $? 0
  grep -qF "'deploy' not released: " err1 || fail "it does not say that the lock stays: $(cat err1)"
  grep -qF "its file system is full: free some space there" err1 || fail "no cause: $(cat err1)"
}

test_a_holder_that_can_renew_again_in_time_keeps_its_lock() {
  use_small_file_system
  interlock run --ttl 20s deploy -c 'touch up; until [ -e over ]; do sleep 0.01; done' 2>err &
  until_true exists up
  fill_it
  # Longer than until a renewal falls due.
  sleep 8
  rm small/rest
  sleep 1
  touch over
  wait $!
  equal $? 0
  silent err
  is_free deploy || fail "still held"
}

# One inode is the folder's, three are the store's.
test_without_a_free_inode_what_is_open_works_and_a_new_file_is_told_as_a_lack_of_space() {
  mkdir small
  mount -t tmpfs -o nr_inodes=4 none small || fail "no file system"
  export INTERLOCK_STORE=sqlite:$dir/small/locks.db
  expect 0 interlock run deploy true
  expect 0 interlock run deploy true
  expect 71 interlock run --status-file small/report deploy touch ran
  lines err 1
  says err "No space left on device: free some space or some inodes there"
  expect 71 interlock run --store "sqlite:$dir/small/new.db" deploy touch ran
  says err "its file system is full: free some space there"
  [ ! -e ran ] || fail "it ran"
}

run_tests
