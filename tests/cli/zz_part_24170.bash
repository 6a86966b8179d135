# Commands that become another user, as with sudo: what cannot be ended is never said to be.
[ "$(id -u)" = 0 ] || { echo "skipped: needs root, to become other users"; exit 77; }
command -v setpriv >/dev/null || { echo "skipped: there is no setpriv"; exit 77; }
source "$(dirname "$0")/harness.bash"
chmod 755 "$workspace"

# What runs is where every user may read it.
cp "$program" "$workspace/interlock"
cp "$(dirname "$program")/../tests/bin/as_owner" "$workspace/as_owner"
chmod 4755 "$workspace/as_owner"
PATH=$workspace:$PATH
if setpriv --reuid 60001 --clear-groups as_owner true 2>/dev/null &&
  ! setpriv --reuid 60001 --clear-groups as_owner sh -c '[ "$(id -u)" = 0 ]'; then
  echo "skipped: set-user-ID has no effect where temporary files are"
  exit 77
fi

# interlock ARGUMENTS of a user who is not root.
user() { setpriv --reuid 60001 --regid 60001 --clear-groups -- interlock "$@"; }
begin() {
  chmod 777 "$dir"
  # Writes its process id; heeds nothing but KILL.
  printf '%s\n' '#!/bin/sh' "trap '' TERM INT HUP" 'echo $$ >pid' 'while :; do sleep 0.05; done' >deaf
  chmod 755 deaf
  trap 'kill -9 $(cat pid 2>/dev/null) $(jobs -p) 2>/dev/null' EXIT
}
told() { grep -qF -- "$1" err; }
# The program that holds the lock.
program_pid() { user status --json deploy | sed -n 's/.*"pid":\([0-9]*\).*/\1/p'; }

test_a_process_that_cannot_be_ended_is_named_and_waited_for() {
  begin
  user run --ttl 2s -k 200ms --status-file result deploy -- as_owner ./deaf 2>err &
  local wrapper=$!
  until_true test -s pid
  user break deploy --yes --token "$(user status --json deploy | field token)"
  until_true told "KILL could not be sent to pid $(cat pid) (deaf, root): Operation not permitted"
  kill -0 "$wrapper" || fail "it has not waited for its command"
  kill -9 "$(cat pid)"
  wait "$wrapper"
  equal $? 79
  ! grep -qE '(TERM|KILL) sent' err || fail "it says that a signal was sent"
  says err "may overlap another holder"
  grep -q '"not_ended":\[{"pid":[0-9]*,"name":"deaf","user":"root"}' result || fail "$(cat result)"
}

test_a_process_that_cannot_be_ended_is_warned_of_while_it_runs() {
  begin
  user run deploy -- as_owner ./deaf 2>err &
  local wrapper=$!
  until_true test -s pid
  until_true told "pid $(cat pid) (deaf, root) runs as another user: it cannot be ended"
  says err "run interlock itself as that user"
  kill -9 "$(cat pid)"
  wait "$wrapper"
  equal $? 137
}

test_a_process_that_is_left_behind_and_cannot_be_ended_is_no_success() {
  begin
  expect 79 user run -k 200ms deploy -c 'as_owner setsid ./deaf &
    until [ -s pid ]; do sleep 0.01; done'
  says err "KILL could not be sent to pid $(cat pid) (deaf, root): Operation not permitted"
  says err "'deploy' released although pid $(cat pid) (deaf, root) of the command could not be ended"
  kill -9 "$(cat pid)"
  expect 0 user run --left-behind stay deploy -c 'as_owner sleep 0.3 &'
}

test_a_watcher_says_what_it_cannot_end() {
  begin
  user run deploy -- as_owner ./deaf 2>err &
  until_true test -s pid
  kill -9 "$(program_pid)"
  until_true told "'deploy': KILL could not be sent to pid $(cat pid) (deaf, root): "
  ! told "its command was killed" || fail "it says that it was"
}

test_a_command_that_becomes_another_user_in_part_is_killed_with_the_program() {
  begin
  # The system forgets for such a program what was to happen at its parent's end.
  user run deploy -- as_owner -k sleep 100 2>err &
  until_true pgrep -U 60001 -u 0 -x sleep
  pgrep -U 60001 -u 0 -x sleep >pid
  kill -9 "$(program_pid)"
  until_true gone "$(cat pid)"
}

# A control group that has been given to the user, as a user's services and many desktops' sessions
# have it. Its folder is in the variable group; empty: there are none here.
begin_in_a_group() {
  begin
  local mounted
  mounted=$(awk '/ - cgroup2 / && $4 == "/" { print $5; exit }' /proc/self/mountinfo)
  group=$mounted/interlock-test-$$-$RANDOM
  mkdir "$group" 2>/dev/null && [ -e "$group/cgroup.kill" ] || { group=; return; }
  chown 60001 "$group" "$group/cgroup.procs"
  trap 'kill -9 $(cat pid 2>/dev/null) $(jobs -p) 2>/dev/null; wait; sleep 0.1; rmdir "$group"' EXIT
}
user_in_group() { bash -c 'echo $$ >"$0/cgroup.procs"; exec setpriv --reuid 60001 --clear-groups -- interlock "$@"' "$group" "$@"; }

test_in_a_control_group_of_the_users_another_users_process_is_ended_too() {
  begin_in_a_group
  [ -n "$group" ] || return 0
  user_in_group run --ttl 2s -k 200ms --status-file result deploy -- as_owner ./deaf 2>err &
  local wrapper=$!
  until_true test -s pid
  user break deploy --yes --token "$(user status --json deploy | field token)"
  wait "$wrapper"
  equal $? 79
  gone "$(cat pid)" || fail "it lives"
  says err "KILL sent, command ended in"
  ! grep -q not_ended result || fail "$(cat result)"
  equal "$(find "$group" -mindepth 1 -type d)" ""
}

test_in_a_control_group_of_the_users_another_users_process_ends_with_the_program() {
  begin_in_a_group
  [ -n "$group" ] || return 0
  user_in_group run deploy -- as_owner ./deaf 2>err &
  until_true test -s pid
  kill -9 "$(program_pid)"
  until_true gone "$(cat pid)"
  until_true told "its command was killed too"
  until_true eval '[ -z "$(find "$group" -mindepth 1 -type d)" ]'
}

for t in $(declare -F | sed -n 's|^declare -f \(test_.*\)$|\1|p' | grep -vE 'test_.*'); do unset -f $t; done; run_tests
