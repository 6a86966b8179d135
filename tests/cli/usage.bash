# Whatever can be wrong with a command line is said in one line, with the right code, before anything
# is contacted.
source "$(dirname "$0")/harness.bash"

refused() {
  local code=$1 text=$2
  shift 2
  expect "$code" "$@"
  silent out
  lines err 1
  says err "interlock: "
  says err "$text"
}

test_an_unknown_command_is_answered_with_what_was_meant() {
  refused 64 "unknown command 'rnu'; did you mean 'run'?" interlock rnu
  refused 64 "unknown command 'xyzzy'; see interlock --help" interlock xyzzy
  refused 64 "unknown command 'lock'; write interlock run LOCK -- COMMAND, or interlock hold LOCK" \
    interlock lock deploy
  refused 64 "unknown command 'list'; write interlock status" interlock list
  # It is as close to replay as a misspelled word may be.
  refused 64 "unknown command 'deploy'; write interlock run deploy -- COMMAND" \
    interlock deploy -- true
  refused 64 "unknown command '--wait'" interlock --wait
  expect 64 interlock rnu --json
  silent err
  says out '{"v":1,"result":"usage","exit":64,"error":"unknown command'
  expect 64 interlock --json
  says out '"exit":64'
}

test_a_store_that_excludes_nobody_is_refused_for_a_lock() {
  refused 64 "--store memory: excludes nobody" interlock run --store memory: deploy true
  refused 64 "--store memory: excludes nobody" interlock hold --store memory: deploy
}

test_alone_it_shows_examples_and_every_command() {
  expect 0 interlock
  silent err
  says out "interlock run deploy -- ./deploy.sh"
  for command in run hold elect watch status break check manual completion version; do says out "  $command "; done
  [ "$(wc -l <out)" -le 26 ] || fail "too long"
  cp out alone
  expect 0 interlock --help
  cmp -s out alone || fail "--help says something else"
}

test_every_command_has_help_within_80_columns() {
  for command in $(interlock | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    expect 0 interlock "$command" --help
    silent err
    says out "interlock $command"
    ! grep -q '.\{81\}' out || fail "a line of $command --help is too long"
    cp out first
    expect 0 interlock help "$command"
    cmp -s out first || fail "help $command says something else"
  done
}

test_a_lock_and_a_command_are_needed() {
  refused 64 "no lock given" interlock run
  refused 64 "no command given" interlock run deploy
  refused 64 "no command given" interlock run deploy --
  refused 64 "both -c and the command 'true' given" interlock run -c true deploy true
  refused 64 "no lock given" interlock hold
  refused 64 "no lock given" interlock break --token 1
  refused 64 "no token given" interlock break deploy
  refused 64 "does not take 'b'" interlock status a b
}

test_a_duration_needs_a_unit() {
  refused 64 "--wait 30 has no unit; write 30s or 30m" interlock run --wait 30 x true
  refused 64 "-w 5 has no unit" interlock hold -w 5 x
  refused 64 "--wait soon is not a duration" interlock run --wait soon x true
  refused 64 "--wait -5s is not a duration" interlock run --wait -5s x true
  refused 64 "--wait  is not a duration" interlock run --wait= x true
  refused 64 "-k 1,5s is not a duration" interlock run -k 1,5s x true
  refused 64 "-w 0.2 has no unit; write 0.2s or 0.2m" interlock run -w 0.2 x true
  refused 64 "-w 1.0001s has no whole milliseconds" interlock run -w 1.0001s x true
}

test_a_ttl_has_limits() {
  refused 64 "--ttl 0 is out of range; choose 20ms to 365d" interlock run --ttl 0 x true
  refused 64 "--ttl 109500d is out of range" interlock run --ttl 109500d x true
  refused 64 "--ttl 99999999999999999999d is more than a thousand years" \
    interlock run --ttl 99999999999999999999d x true
}

test_the_grace_must_leave_most_of_the_lease() {
  refused 64 "--kill-after 15s leaves too little of a ttl of 30 s" \
    interlock run --kill-after 15s x true
  refused 64 "-k 1s leaves too little" interlock run --ttl 2s -k 1s x true
  expect 0 interlock run --ttl 2s -k 999ms x true
}

test_a_lock_name_has_limits() {
  refused 64 "lock name is empty" interlock run '' true
  refused 64 "lock name has 513 bytes" interlock run "$(printf 'x%.0s' {1..513})" true
  refused 64 "control character" interlock run $'a\nb' true
  refused 64 "lock name is empty" interlock status ''
  # Two megabytes do not fit into one argument on Linux; what fits is refused as above.
  refused 64 "at most 512" interlock run "$(head -c 130000 /dev/zero | tr '\0' x)" true
}

test_flags_that_do_not_exist_are_refused() {
  refused 64 "'run' has no flag '--wiat'; did you mean '--wait'?" interlock run --wiat 5s x true
  refused 64 "'run' has no flag '--permit'" interlock run --permit 3 x true
  refused 64 "--wait needs a value" interlock run x --wait
  refused 64 "--quiet takes no value" interlock run --quiet=yes x true
  refused 64 "-E 256 is not an exit code" interlock run -E 256 x true
  refused 64 "-E x is not an exit code" interlock run -E x x true
  refused 64 "--on-lost panic is not known" interlock run --on-lost panic x true
}

# People who come from another tool are told the word to use; the command does not run.
test_flags_of_other_tools_are_answered_with_the_word_to_use() {
  local line
  while IFS='|' read -r line said; do
    # shellcheck disable=SC2086 # words are meant
    refused 64 "$said" interlock run $line x touch ran
  done <<'LINES'
-n|'run' has no flag '-n', as flock has: write --wait 0
--nonblock|'run' has no flag '--nonblock', as flock has: write --wait 0
--timeout 10|'--timeout', as flock has: write --wait with a unit, as in --wait 30s
--timeout=10|write --wait with a unit
-s|'-s', as flock has: write --shared
-x|'-x', as flock has: leave it out, a lock without --shared is exclusive
-w 10|-w 10 has no unit; write 10s or 10m
-qn|'run' has no flag '-n', as flock has: write --wait 0
-timeout=10s|'run' has no flag '-timeout', as consul lock has: write --wait
-child-exit-code|'-child-exit-code', as consul lock has: leave it out
-shell=false|'-shell', as consul lock has: write -c 'COMMAND'
--endpoints=http://h:2379|'--endpoints', as etcdctl has: write --store URL
--password-file f|'--password-file', as etcd has: write it into the URL in the file of --store-file
--ttl 10|--ttl 10 has no unit; write 10s or 10m
LINES
  refused 64 "'hold' has no flag '-n', as flock has: write --wait 0" interlock hold -n x
  refused 64 "'elect' has no flag '--nb', as flock has" interlock elect --nb x true
  [ ! -e ran ] || fail "it ran"
}

test_a_store_that_does_not_exist_is_refused() {
  for command in 'run x true' 'hold x' 'status x' 'break x --token 1' 'check -- '; do
    # shellcheck disable=SC2086 # words are meant
    refused 64 "--store etcd://h is not a store; write sqlite:PATH" \
      env INTERLOCK_STORE= interlock ${command%% *} --store etcd://h ${command#* }
  done
  refused 64 "is not a store" interlock run --store ./locks.db x true
  refused 64 "names no file" interlock run --store sqlite: x true
}

test_a_password_is_never_shown() {
  refused 64 "is not a store" interlock run --store etcd://joe:geheim@h x true
  ! grep -q geheim err || fail "shown"
  refused 64 "" interlock run --store redis://joe:geheim@h:99999 x true
  ! grep -q geheim err || fail "shown"
}

test_a_password_in_the_place_of_something_else_is_not_shown() {
  local url=redis://joe:geheim@h/0
  expect 64 interlock status --store-file "$url"
  ! grep -q geheim err || fail "shown"
  expect 64 interlock run -w "$url" x true
  ! grep -q geheim err || fail "shown"
  expect 64 interlock check "$url"
  ! grep -q geheim err || fail "shown"
  local command
  for command in "run $url true" "hold $url"; do
    # shellcheck disable=SC2086 # words are meant
    refused 64 "is a URL of a store with a password: write --store before it, and then a name" \
      interlock $command
    ! grep -q geheim err || fail "shown"
  done
  echo geheim >secret
  refused 64 "the first line of secret is not a store; write sqlite:PATH" \
    interlock status --store-file secret
  ! grep -q geheim err || fail "shown"
}

test_a_store_file_that_cannot_be_read_is_told_with_the_remedy_for_it() {
  : >empty
  mkdir folder
  refused 64 "--store-file empty not read: it is empty: write the store's URL into its first line" \
    interlock status --store-file empty
  refused 64 "--store-file folder not read: it is a folder: name a file" \
    interlock status --store-file folder
  refused 64 "--store-file none not read: there is no such file: check its name" \
    interlock status --store-file none
  [ "$(id -u)" != 0 ] || return 0
  (umask 777 && : >closed)
  refused 64 "--store-file closed not read: this user may not: change its owner or mode" \
    interlock status --store-file closed
}

test_the_command_gets_no_password_of_a_store() {
  expect 0 env INTERLOCK_STORE=redis://joe:geheim@h/0 \
    interlock run --store "sqlite:$dir/locks.db" x -- env
  ! grep -q geheim out || fail "in its environment"
  echo "sqlite:$dir/locks.db" >secret
  expect 0 interlock run --store-file /dev/fd/5 x -- sh -c 'cat <&5 || true' 5<secret
  ! grep -q sqlite out || fail "by a descriptor"
  expect 0 interlock run --store-file /dev/stdin x -- cat <secret
  ! grep -q sqlite out || fail "by its standard input"
}

# Neither the command, nor the process beside it, nor any user by ps sees the password.
test_no_process_of_a_guarded_run_has_the_password() {
  command -v redis-server >/dev/null || return 0
  start_redis
  redis-cli -p "$redis_port" config set requirepass geheim >/dev/null
  trap 'kill -9 "$redis_pid" $(jobs -p) 2>/dev/null' EXIT
  local url=redis://:geheim@127.0.0.1:$redis_port way pid
  echo "$url" >secret
  chmod 600 secret
  for way in variable file descriptor flag; do
    rm -f up
    case $way in
      variable) INTERLOCK_STORE=$url interlock run x -c 'env >up-now; mv up-now up; exec sleep 100' & ;;
      file) interlock run --store-file secret x -c 'env >up-now; mv up-now up; exec sleep 100' & ;;
      descriptor)
        interlock run --store-file /dev/fd/7 x -c \
          'env >up-now; (cat <&7) >>up-now 2>/dev/null; mv up-now up; exec sleep 100' 7<secret &
        ;;
      flag) interlock run --store "$url" x -c 'env >up-now; mv up-now up; exec sleep 100' & ;;
    esac
    until_true exists up
    ! grep -q geheim up || fail "$way: the command has it"
    for pid in $! $(pgrep -P $!) $(pgrep -P "$(pgrep -P $! | head -1)"); do
      ! tr '\0' '\n' <"/proc/$pid/cmdline" | grep geheim || fail "$way: in the command line of $pid"
      ! tr '\0' '\n' <"/proc/$pid/environ" | grep geheim || fail "$way: in the environment of $pid"
    done
    kill $!
    wait $!
    equal $? 143
  done
}

test_a_wrong_environment_is_a_configuration_error() {
  refused 78 "INTERLOCK_TTL=30 has no unit" env INTERLOCK_TTL=30 interlock run x true
  refused 78 "INTERLOCK_WAIT=soon is not a duration" env INTERLOCK_WAIT=soon interlock run x true
  refused 78 "INTERLOCK_STORE=etcd://h is not a store" env INTERLOCK_STORE=etcd://h interlock run x true
  expect 0 env INTERLOCK_TTL=30 interlock run --ttl 30s x true
}

test_a_status_file_that_cannot_be_written_is_refused_before_the_command_runs() {
  refused 64 "--status-file none/f cannot be written: No such file or directory" \
    interlock run --status-file none/f x touch ran
  refused 64 "it is not a plain file" interlock run --status-file . x touch ran
  refused 64 "cannot be written" interlock hold --ready-file none/f x
  [ ! -e ran ] || fail "it ran"
}

# Were it written by a rename, every other program would lose its /dev/stdout.
test_a_report_replaces_no_link_to_standard_output() {
  ln -s /proc/self/fd/1 standard
  ln -s /proc/self/fd/5 five
  refused 64 "--status-file standard cannot be written: it is open as standard input or output; name" \
    interlock run --status-file standard x touch ran
  refused 64 "it is open as standard" interlock hold --ready-file standard x
  refused 64 "it is open as standard" interlock run --status-file out x touch ran
  refused 64 "it leads to a device or an open file" \
    interlock run --status-file five x touch ran 5>plain
  [ -L standard ] && [ -L five ] || fail "a link was replaced"
  [ ! -e ran ] || fail "it ran"
}

test_a_report_goes_where_a_link_leads_and_leaves_the_link() {
  mkdir there
  ln -s there/result link
  expect 0 interlock run --status-file link x true
  says there/result '"result":"ok"'
  ln -s there/ready ready
  expect 0 interlock hold --ready-file ready x < <(echo)
  [ -L link ] && [ -L ready ] || fail "a link was replaced"
  equal "$(ls there)" result
}

test_nothing_is_touched_by_a_wrong_command_line() {
  expect 64 interlock run --store "sqlite:$dir/new.db" --ttl 0 x true
  echo before >result
  expect 64 interlock run --status-file result --ttl 0 x true
  equal "$(cat result)" before
  equal "$(echo *)" "err out result"
}

test_an_answer_that_cannot_be_written_is_an_error() {
  expect 71 bash -c 'interlock version >/dev/full'
  says err "No space left on device"
  expect 71 bash -c 'interlock version >&-'
  says err "Bad file descriptor"
}

test_a_reader_that_has_gone_ends_it_without_a_word() {
  mkfifo pipe
  # The reader is gone before the first byte is written: opening is all that it does.
  expect 141 bash -c '{ until [ -e gone ]; do sleep 0.01; done; interlock run --help; } >pipe &
    : <pipe; touch gone; wait $!'
  silent err
}

test_the_version_is_told() {
  expect 0 interlock version
  says out "interlock 0."
  expect 0 interlock --version
  says out "interlock 0."
  expect 0 interlock version --json
  says out '{"v":1,"version":"0.'
}

# Each failure of a command with --json is one object, also when the command line is wrong.
is_failure() {
  local code=$1 word=$2 stream=$3
  shift 3
  expect "$code" "$@"
  lines "$stream" 1
  says "$stream" '{"v":1,"result":"'"$word"'","exit":'"$code"
  says "$stream" '"error":"'
}

test_failures_are_json_where_json_is_asked_for() {
  local nowhere=redis://127.0.0.1:1
  unset INTERLOCK_STORE
  is_failure 64 usage err interlock run --json --nonsense x true
  is_failure 64 usage err interlock run --nonsense --json x true
  is_failure 64 usage err interlock run --json x
  is_failure 64 usage err interlock run --json --store etcd://h x true
  is_failure 78 misconfigured err env INTERLOCK_STORE=etcd://h interlock run --json x true
  is_failure 64 usage out interlock hold --json
  is_failure 69 unreachable out interlock hold --json --store $nowhere -w 0 x < <(echo)
  is_failure 64 usage out interlock status --json --nonsense
  is_failure 69 unreachable out interlock status --json --store $nowhere x
  is_failure 69 unreachable out interlock check --json --store $nowhere
  is_failure 64 usage out interlock break --json x
  is_failure 75 not_acquired out interlock break --json --store sqlite:none x --token 1
  is_failure 64 usage out interlock status --json a b
  is_failure 64 usage out interlock status --json ''
  is_failure 69 unreachable out interlock status --json --exit-code --store $nowhere x
  is_failure 69 unreachable out interlock break --json --store $nowhere x --token 1
  is_failure 64 usage out interlock break --json --bogus
  is_failure 64 usage out interlock check --json a b
  is_failure 78 misconfigured out env INTERLOCK_STORE_FILE=none interlock check --json
  is_failure 64 usage out interlock top --json --interval soon
  is_failure 69 unreachable out interlock top --json --store $nowhere
  is_failure 64 usage out interlock watch --json
  is_failure 69 unreachable out interlock watch --json --store $nowhere --once x
  is_failure 64 usage err interlock elect --json x
  is_failure 69 unreachable err interlock elect --json --store $nowhere -w 0 x true
  is_failure 64 usage out interlock version --json a
  is_failure 64 usage out interlock rnu --json
  # The command's own --json is not ours.
  expect 64 interlock run --nonsense x true --json
  says err "interlock: 'run' has no flag"
}

test_a_ttl_that_is_shorter_than_its_safety_margin_is_usage() {
  refused 64 "--ttl 1ms is out of range; choose 20ms to 365d" interlock run --ttl 1ms x true
}

test_a_password_is_not_shown_to_other_users_nor_to_the_command() {
  printf 'redis://:S3cret@127.0.0.1:1/0\n' >store
  INTERLOCK_STORE=redis://:S3cret@127.0.0.1:1 expect 69 interlock run -w 0 x true
  ! grep -q S3cret out err || fail "a password was shown"
  INTERLOCK_STORE=redis:/:S3cret@127.0.0.1:1 expect 78 interlock run -w 0 x true
  ! grep -q S3cret out err || fail "a password was shown"
  expect 69 interlock status --store-file store
  expect 69 interlock status --store-file /dev/fd/3 3<store
  says err redis://127.0.0.1:1/0
  INTERLOCK_STORE= INTERLOCK_STORE_FILE=store expect 69 interlock status
  expect 64 interlock status --store-file missing
  says err "--store-file missing not read: there is no such file"
}

test_a_named_pipe_is_no_store_file_but_a_shells_pipe_is_one() {
  printf 'redis://127.0.0.1:1/0\n' >store
  mkfifo named
  refused 64 "--store-file named not read: it is a named pipe: write the store's URL" \
    timeout 20 "$program" status --store-file named
  expect 69 interlock status --store-file <(cat store)
  says err redis://127.0.0.1:1/0
}

run_tests
