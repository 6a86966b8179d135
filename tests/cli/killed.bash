# The program is killed (kill -9, the OOM killer), or leaves something behind: nothing of its command
# runs beside the next holder.
source "$(dirname "$0")/harness.bash"
PATH=$(dirname "$program")/../tests/bin:$PATH

# ./loop NAME: heeds no signal; its id is in the file NAME.pid.
make_loop() {
  printf '%s\n' '#!/bin/sh' "trap '' TERM INT HUP" 'echo $$ >$1.pid' \
    'while :; do sleep 0.05; done' >loop
  chmod +x loop
}
gone_all() {
  local pid
  for pid in $(cat -- *.pid); do gone "$pid" || return 1; done
}
# holder COUNT SCRIPT [TTL]: the program, with a shell that runs SCRIPT, until there are COUNT loops. Its
# lease must not end before the test does something to it, also on a busy machine.
holder() {
  local count=$1
  make_loop
  interlock run --ttl "${3:-6s}" deploy -c "$2
wait" >out 2>err &
  program_pid=$!
  until_true has_loops "$count"
}
has_loops() { [ "$(cat -- *.pid | wc -l)" = "$1" ]; }

# The watcher of a program, by the program's process id.
watcher_of() { pgrep -P "$1" -x il-watch; }

# What the next holder sees of the one before it; see gone() in harness.bash.
the_next_holder_is_alone() {
  expect 0 interlock run -w 30s deploy -c '
    for pid in $(cat -- *.pid); do
      ! grep -qs "^State:[[:space:]]*[^ZX[:space:]]" /proc/$pid/status || exit 1
    done'
}

test_kill_9_ends_the_command_and_its_children() {
  holder 2 './loop child | cat & ./loop other &'
  kill -9 "$program_pid"
  the_next_holder_is_alone
}

test_kill_9_ends_what_has_a_session_of_its_own() {
  holder 2 'setsid ./loop session & setsid -f ./loop daemon'
  kill -9 "$program_pid"
  the_next_holder_is_alone
}

test_kill_9_says_what_was_ended_and_leaves_no_watcher() {
  holder 1 './loop child &'
  local watcher
  watcher=$(watcher_of "$program_pid")
  kill -9 "$program_pid"
  until_true gone "$watcher"
  gone_all || fail "something lives"
  lines err 1
  says err "interlock: 'deploy': interlock (pid $program_pid) was killed: its command was killed too"
}

test_the_watcher_holds_nothing_open_that_is_not_its_own() {
  exec 7>somewhere
  holder 1 './loop child &'
  exec 7>&-
  local watcher
  watcher=$(watcher_of "$program_pid")
  # Its two ends, the clock, and standard files, of which only stderr is the program's.
  equal "$(for file in "/proc/$watcher/fd/"*; do readlink "$file"; done |
    sed 's/^socket:.*/socket/' | sort | tr '\n' ' ')" \
    "/dev/null /dev/null $dir/err anon_inode:[signalfd] anon_inode:[timerfd] socket "
}

test_nothing_keeps_the_output_open_after_the_end() {
  expect 0 bash -c 'interlock run deploy echo done | cat'
  equal "$(cat out)" done
}

test_pkill_9_of_all_programs_leaves_the_watcher_to_its_work() {
  # It names a process by what the system calls it.
  holder 1 './loop child &'
  ! grep -q interlock "/proc/$(watcher_of "$program_pid")/comm" || fail "it would be killed, too"
}

test_kill_9_of_a_program_that_waits_leaves_nothing() {
  holder 1 './loop child &'
  interlock run deploy touch ran &
  local waiter=$! watcher
  until_true watcher_of "$waiter"
  watcher=$(watcher_of "$waiter")
  kill -9 "$waiter"
  until_true gone "$watcher"
  [ ! -e ran ] || fail "it ran"
}

test_kill_9_of_the_watcher_ends_the_command_and_is_told() {
  holder 2 'setsid ./loop session & setsid -f ./loop daemon'
  kill -9 "$(watcher_of "$program_pid")"
  wait "$program_pid"
  equal $? 137
  gone_all || fail "something lives"
  says err "its watcher was killed"
  is_free deploy || fail "still held"
}

is_zombie() { grep -q '^State:.Z' "/proc/$1/status"; }
# What ps(1) calls a zombie, with a thread that lives on.
test_a_process_whose_main_thread_has_ended_is_ended_too() {
  holder 1 'odd_process without-main-thread & echo $! >odd.pid;'
  until_true is_zombie "$(cat odd.pid)"
  kill -9 "$(watcher_of "$program_pid")"
  wait "$program_pid"
  equal $? 137
  gone_all || fail "something lives"
  lines err 1
}

test_a_lost_lock_ends_a_process_whose_main_thread_has_ended() {
  # shellcheck disable=SC2016 # the command expands it
  expect 79 interlock run --ttl 900ms deploy -c '
    setsid odd_process without-main-thread & echo $! >odd.pid
    until grep -q "^State:.Z" /proc/$!/status; do sleep 0.01; done
    interlock break deploy --token $INTERLOCK_TOKEN; sleep 100'
  gone_all || fail "something lives"
  ! grep -q 'could not be sent' err || fail "the watcher does not know what it has ended"
}

# The system does not let its parent reap it until the tracer has.
test_what_has_ended_is_not_taken_for_something_that_runs_because_it_is_traced() {
  interlock run -k 200ms deploy -c 'setsid -f sh -c "echo \$\$ >odd.pid; exec sleep 100"
    until [ -e traced ]; do sleep 0.01; done' 2>err &
  program_pid=$!
  until_true test -s odd.pid
  odd_process trace "$(cat odd.pid)" >traces 2>traces.err &
  until_true test -s traces -o -s traces.err
  touch traced
  wait "$program_pid"
  local code=$?
  [ ! -s traces.err ] || return 0 # this user may not trace
  is_zombie "$(cat odd.pid)" || fail "it runs"
  equal "$code" 0
  says err 'TERM sent'
  lines err 1
}

test_a_watcher_that_is_stopped_is_continued() {
  interlock run deploy -c 'touch up; exec sleep 100' &
  program_pid=$!
  until_true exists up
  kill -STOP "$(watcher_of "$program_pid")"
  # Which the watcher passes on.
  kill -TERM "$program_pid"
  wait "$program_pid"
  equal $? 143
}

test_a_watcher_that_is_stopped_goes_on_when_the_program_is_killed() {
  holder 1 './loop child &'
  local watcher
  watcher=$(watcher_of "$program_pid")
  # Else it would be continued by the program.
  kill -STOP "$program_pid"
  kill -STOP "$watcher"
  until_true grep -q '^State:.T' "/proc/$watcher/status"
  kill -9 "$program_pid"
  the_next_holder_is_alone
}

# Then nobody ends all of the command; the system ends the watcher, and the command with it.
test_a_program_and_a_watcher_that_are_stopped_past_the_lease_end_the_command() {
  interlock run --ttl 2s deploy -- sh -c 'echo $$ >command.pid; exec sleep 100' 2>err &
  program_pid=$!
  until_true test -s command.pid
  kill -STOP "$program_pid"
  kill -STOP "$(watcher_of "$program_pid")"
  until_true gone "$(cat command.pid)"
  kill -CONT "$program_pid"
  wait "$program_pid"
  equal $? 79
}

test_a_watcher_is_not_found_by_the_words_of_its_program() {
  interlock run deploy -c 'touch up; exec sleep 100' &
  program_pid=$!
  until_true exists up
  equal "$(tr -d '\0' <"/proc/$(watcher_of "$program_pid")/cmdline")" il-watch
  kill -TERM "$program_pid"
  wait "$program_pid"
  equal $? 143
}

test_a_program_that_is_stopped_past_its_lease_cannot_keep_its_command_alive() {
  # The watcher kills at the end of the certain lease. How long before the ttl that is grows with the ttl,
  # and must suffice for the processes to end on a busy machine.
  holder 2 './loop child & setsid ./loop session &' 10s
  kill -STOP "$program_pid"
  the_next_holder_is_alone
  kill -CONT "$program_pid"
  wait "$program_pid"
  equal $? 79
}

test_a_lost_lock_ends_what_has_a_session_of_its_own() {
  make_loop
  # shellcheck disable=SC2016 # the command expands it
  expect 79 interlock run --ttl 900ms deploy -c '
    setsid ./loop session & setsid -f ./loop daemon
    until [ -s session.pid ] && [ -s daemon.pid ]; do sleep 0.01; done
    interlock break deploy --token $INTERLOCK_TOKEN; sleep 100'
  gone_all || fail "something lives"
}

# As in a bare chroot: who descends from whom cannot be read.
test_without_proc_everything_is_ended_too() {
  unshare -m true 2>/dev/null || return 0 # not root
  [ "$kind" = redis ] || return 0         # a file needs /proc, to tell a new boot
  make_loop
  unshare -m sh -c 'mount -t tmpfs none /proc && exec interlock run deploy -c "
      ./loop child & setsid ./loop session & setsid -f ./loop daemon
      wait"' 2>err &
  program_pid=$!
  until_true has_loops 3
  kill -9 "$program_pid"
  until_true gone_all
}

# in_foreign_proc SCRIPT: by bash, in a PID namespace of its own, where /proc is still the outer one's. Its
# first numbers belong to the system's own threads there.
in_foreign_proc() { timeout 60 unshare -pf --kill-child bash -c "$1"; }

# shellcheck disable=SC2016 # the inner shell expands it
test_kill_9_ends_everything_where_proc_is_that_of_another_namespace() {
  unshare -pf true 2>/dev/null || return 0 # not root
  make_loop
  expect 0 in_foreign_proc '
    interlock run --ttl 6s deploy -c "./loop child & setsid ./loop session & setsid -f ./loop daemon
      wait" 2>killed &
    until [ "$(cat -- *.pid 2>/dev/null | wc -l)" = 3 ]; do sleep 0.01; done
    kill -9 $!
    export pids="$(cat -- *.pid)"
    interlock run -w 30s deploy -c "for pid in \$pids; do ! kill -0 \$pid 2>/dev/null || exit 1; done"'
  grep -q "was killed: its command was killed too" killed || fail "not told: $(cat killed)"
}

# shellcheck disable=SC2016 # the inner shell expands it
test_what_is_left_behind_is_ended_where_proc_is_that_of_another_namespace() {
  unshare -pf true 2>/dev/null || return 0 # not root
  make_loop
  expect 3 in_foreign_proc '
    sleep 100 & setsid -f sleep 100
    interlock run -k 200ms deploy -c "setsid ./loop session & setsid -f ./loop daemon
      until [ -s session.pid ] && [ -s daemon.pid ]; do sleep 0.01; done; exit 3"
    code=$?
    for pid in $(cat -- *.pid); do ! kill -0 $pid 2>/dev/null || exit 1; done
    kill -0 $! || exit 2
    exit $code'
  lines err 1
  says err " (loop) among them: TERM sent, and the lock is kept until they have ended"
}

test_a_command_that_is_stopped_past_the_lease_never_goes_on() {
  make_loop
  interlock run --ttl 1s deploy -c './loop child & touch up; wait' 2>err &
  program_pid=$!
  until_true has_loops 1
  # Whatever reaches the program and its command, as kill -STOP of a job does.
  kill -STOP "$program_pid" "$(pgrep -P "$(watcher_of "$program_pid")")" "$(cat child.pid)"
  until_true gone_all
  kill -CONT "$program_pid"
  wait "$program_pid"
  equal $? 79
}

run_tests
