# What `interlock run` gives back, and what the command sees.
source "$(dirname "$0")/harness.bash"

test_the_commands_exit_code_is_passed_on_without_a_word() {
  for code in 0 1 7 64 75 79 255; do
    expect "$code" interlock run deploy -- sh -c "exit $code"
    silent out
    silent err
  done
}

test_a_command_that_a_signal_ended_gives_128_and_its_number() {
  expect 143 interlock run deploy -- sh -c 'kill -TERM $$'
  expect 137 interlock run deploy -- sh -c 'kill -KILL $$'
  silent err
}

test_a_command_that_cannot_be_started_leaves_the_lock_free() {
  expect 127 interlock run deploy no-such-command
  says err "'no-such-command' not started: no such command"
  expect 126 interlock run deploy /etc/passwd
  says err "'/etc/passwd' not started: Permission denied"
  is_free deploy || fail "still held"
}

test_what_only_a_shell_understands_is_told_so() {
  expect 127 interlock run deploy cd /
  says err "'cd' not started: it is a word of the shell: write -c 'TEXT' for /bin/sh"
  expect 127 interlock run deploy 'true && true'
  says err "'true && true' not started: no such command: write -c 'TEXT' for a text that /bin/sh should run"
}

# given TEXT: an executable file of that content
given() {
  printf "$1" >tool
  chmod +x tool
}

test_a_script_whose_interpreter_is_missing_is_told_so() {
  given '#!/no/such/interpreter -x\necho hi\n'
  expect 127 interlock run deploy ./tool
  says err "'./tool' not started: its interpreter '/no/such/interpreter' does not exist: correct the first line of the file"
  lines err 1
  PATH=/no/folder:$dir:$PATH expect 127 interlock run deploy tool
  says err "'tool' not started: its interpreter '/no/such/interpreter' does not exist"
  given '#!/bin/sh\r\necho hi\r\n'
  expect 127 interlock run deploy ./tool
  says err "its interpreter '/bin/sh?' does not exist: the file's lines end in CR LF: make that LF"
  mv tool through
  given "#! $dir/through\n"
  expect 127 interlock run deploy ./tool
  says err "its interpreter '/bin/sh?' does not exist"
  given '#!/etc/passwd\n'
  expect 126 interlock run deploy ./tool
  says err "'./tool' not started: its interpreter '/etc/passwd' may not be executed: correct the first line of the file"
}

test_what_is_no_program_and_no_script_is_told_so() {
  given '\177ELF\0\0\0\0\n'
  expect 126 interlock run deploy ./tool
  says err "'./tool' not started: Exec format error: it is neither a script nor a program for this machine"
  mkdir folder
  expect 126 interlock run deploy ./folder
  says err "'./folder' not started: it is a folder: name a file"
  printf '#!/bin/sh\n' >plain
  expect 126 interlock run deploy ./plain
  says err "'./plain' not started: Permission denied: check that it is a file with execute permission"
  given ''
  expect 0 interlock run deploy ./tool
  silent err
}

test_a_program_without_its_loader_is_told_so() {
  local loader
  cp /bin/true tool
  loader=$(grep -ao '/lib[a-z0-9/._-]*ld-linux[a-z0-9._-]*' tool | head -1)
  [ -n "$loader" ] || return 0
  LC_ALL=C sed -i "s|$loader|$(printf '%s' "$loader" | sed 's|/lib|/lub|')|" tool
  expect 127 interlock run deploy ./tool
  says err "'./tool' not started: the system's loader that it names does not exist: it was built for another system"
}

test_a_script_without_a_first_line_runs_as_in_a_shell() {
  printf 'echo "ran with $1"\n' >script
  chmod +x script
  expect 0 interlock run deploy ./script here
  says out "ran with here"
}

test_flags_may_stand_on_both_sides_of_the_lock_and_never_in_the_command() {
  expect 0 interlock run -w 60s deploy echo -w --help -- -c
  equal "$(cat out)" "-w --help -- -c"
  expect 0 interlock run deploy -w 60s -- echo -n -- x
  equal "$(cat out)" "-- x"
  expect 0 interlock run -- deploy echo a
  equal "$(cat out)" "a"
}

test_a_string_runs_in_a_shell() {
  expect 3 interlock run deploy -c 'echo one | tr o 0; exit 3'
  equal "$(cat out)" "0ne"
}

test_standard_input_reaches_the_command() {
  expect 0 bash -c 'printf "a\nb\n" | interlock run deploy wc -l'
  equal "$(cat out)" 2
}

test_closed_standard_files_stay_closed_for_the_command() {
  expect 0 bash -c 'interlock run deploy -c "[ ! -e /proc/self/fd/0 ]" <&-'
  expect 0 bash -c 'interlock run deploy -c "touch ran" >&- 2>&- <&-'
  [ -e ran ] || fail "it did not run"
  expect 1 bash -c 'interlock run deploy -c "echo x" >&-'
}

test_the_command_knows_its_lock() {
  expect 0 interlock run --ttl 9s deploy env
  says out "INTERLOCK_LOCK=deploy"
  says out "INTERLOCK_TTL_MS=9000"
  grep -qE '^INTERLOCK_TOKEN=[0-9]+$' out || fail "no token"
  grep -qE "^INTERLOCK_OWNER=il1:[0-9a-f]{32}:[0-9]+@$(hostname)/fair\$" out || fail "no owner"
}

test_tokens_grow() {
  local last=0 token
  for _ in {1..10}; do
    # shellcheck disable=SC2016 # the command expands it
    token=$(interlock run deploy -c 'echo $INTERLOCK_TOKEN')
    [ "$token" -gt "$last" ] || fail "$token after $last"
    last=$token
  done
}

test_a_held_lock_gives_75_or_what_was_asked_for() {
  expect 0 interlock run deploy -c '
    unset INTERLOCK_HELD
    interlock run -w 0 deploy touch ran; echo $?
    interlock run -w 100ms -E 3 deploy touch ran; echo $?
    interlock run -q -w 0 -E 0 deploy touch ran; echo $?'
  equal "$(tr '\n' ' ' <out)" "75 3 0 "
  lines err 2
  says err "interlock: 'deploy' not acquired: held by $(hostname) pid "
  says err "see interlock status deploy"
  [ ! -e ran ] || fail "it ran"
}

test_a_message_about_a_held_lock_names_its_store_as_the_user_did() {
  interlock run deploy -- sleep 60 &
  local holder=$! url=$INTERLOCK_STORE
  until_true is_held deploy
  echo "$url" >"the url"
  unset INTERLOCK_STORE
  expect 75 interlock run -w 0 --store-file "the url" deploy true
  says err "see interlock status --store-file 'the url' deploy"
  expect 75 interlock run -w 0 --store "$url" deploy true
  says err "see interlock status --store $url deploy"
  expect 75 interlock run -w 0 --store-file /dev/fd/3 deploy true 3<"the url"
  says err "see interlock status deploy"
  kill "$holder"
}

test_the_environment_gives_way_to_flags() {
  export INTERLOCK_WAIT=0 INTERLOCK_TTL=20s
  expect 0 interlock run deploy -c 'echo $INTERLOCK_TTL_MS; interlock run deploy true; echo $?'
  equal "$(tr '\n' ' ' <out)" "20000 75 "
  expect 0 interlock run --ttl 7s deploy -c 'echo $INTERLOCK_TTL_MS'
  equal "$(cat out)" 7000
}

test_the_status_file_settles_what_a_code_means() {
  expect 75 interlock run --status-file result deploy -- sh -c 'exit 75'
  equal "$(cut -d, -f1-5 result)" '{"v":1,"result":"ok","exit":75,"lock":"deploy","child":{"exit":75}'
  expect 9 interlock run deploy -- interlock run -q -w 0 -E 9 --status-file result deploy true
  equal "$(cut -d, -f1-4 result)" '{"v":1,"result":"not_acquired","exit":9,"lock":"deploy"'
  expect 127 interlock run --status-file result deploy no-such-command
  equal "$(cut -d, -f1-3 result)" '{"v":1,"result":"not_started","exit":127'
  expect 143 interlock run --status-file result deploy -- sh -c 'kill $$'
  equal "$(cut -d, -f5 result)" '"child":{"signal":15}'
  [ "$(field held_ms <result)" -ge 0 ] || fail "no held_ms"
  [ "$(field token <result)" -gt 0 ] || fail "no token"
  equal "$(find . -name '*.draft')" ""
}

test_json_is_one_object_on_stderr() {
  expect 4 interlock run --json deploy -- sh -c 'echo hello; exit 4'
  equal "$(cat out)" hello
  lines err 1
  says err '{"v":1,"result":"ok","exit":4,"lock":"deploy","child":{"exit":4}'
}

test_with_v_it_says_what_it_does() {
  expect 0 interlock run -v deploy true
  says err "interlock: acquired 'deploy' after "
  says err "interlock: released 'deploy' in "
}

test_a_store_that_is_not_there_gives_69_and_nothing_runs() {
  case $kind in
    sqlite)
      expect 69 interlock run --store "sqlite:$dir/none/locks.db" deploy touch ran
      says err "its directory does not exist"
      ;;
    redis)
      # Nothing listens on port 1.
      expect 69 interlock run --store redis://127.0.0.1:1 --store-outage 0 --status-file result \
        deploy touch ran
      says err "interlock: 'deploy' not acquired: "
      says err "Connection refused"
      equal "$(cut -d, -f1-3 result)" '{"v":1,"result":"unreachable","exit":69'
      ;;
  esac
  lines err 1
  [ ! -e ran ] || fail "it ran"
}

test_a_store_that_refuses_us_gives_77() {
  if [ "$kind" = redis ]; then
    redis-cli -p "$redis_port" config set requirepass geheim >/dev/null
    expect 77 interlock run deploy touch ran
    says err "refused"
    expect 77 interlock run --store "redis://:falsch@127.0.0.1:$redis_port" deploy touch ran
    ! grep -q falsch err || fail "the password is shown"
    expect 0 interlock run --store "redis://:geheim@127.0.0.1:$redis_port" deploy true
    # The nested call must not fall back to the default store, where it would exclude nobody.
    INTERLOCK_STORE=redis://:geheim@127.0.0.1:$redis_port expect 77 \
      interlock run deploy interlock run other touch ran
    says err "it wants a password (NOAUTH)"
    redis-cli -p "$redis_port" -a geheim config set requirepass '' >/dev/null 2>&1
    [ ! -e ran ] || fail "it ran"
  fi
}

test_a_password_in_the_url_of_a_file_is_not_shown() {
  expect 64 interlock check --store 'sqlite:redis://u:geheim@127.0.0.1/0'
  says err "--store sqlite:redis://...@127.0.0.1/0 names two kinds of store: leave out sqlite:"
  INTERLOCK_STORE=sqlite:redis://u:geheim@127.0.0.1/0 expect 78 interlock run x true
  ! grep -q geheim err || fail "the password is shown"
}

test_check_with_a_wrong_password_is_refused_too() {
  [ "$kind" = redis ] || return 0
  expect 77 interlock check --store "redis://nobody:falsch@127.0.0.1:$redis_port"
  says err "WRONGPASS"
}

test_check_names_the_rights_that_a_user_lacks() {
  [ "$kind" = redis ] || return 0
  redis-cli -p "$redis_port" acl setuser locker reset on '>pw' '~*' '&*' +@all -pexpire -rpush \
    >/dev/null
  expect 77 interlock check --store "redis://locker:pw@127.0.0.1:$redis_port"
  says out "may not run pexpire rpush"
}

# The README's list, as it is written there, for the locks of a prefix.
test_the_rights_that_the_readme_names_suffice() {
  [ "$kind" = redis ] || return 0
  local rights url="redis://locker:pw@127.0.0.1:$redis_port"
  rights=$(sed -n '/^ACL SETUSER locker/,/^```/p' "$sources/README.md" | sed '/^```/d; s/ for .*//' |
    sed 's/^ACL SETUSER locker on >PASSWORD//' | tr -s ' \n' ' ')
  set -f
  # shellcheck disable=SC2086 # words are meant
  redis-cli -p "$redis_port" acl setuser locker reset on '>pw' $rights >/dev/null
  for fair in '' --unfair; do
    expect 0 interlock run $fair --store "$url" app/x true
    silent err
  done
  expect 0 interlock status --store "$url"
  silent err
  expect 0 interlock status --store "$url" app/x
  interlock check --store "$url" app/x >out || [ $? = 1 ] || fail "it gave $?"
  says_not out NOPERM
}

test_a_release_that_is_refused_names_the_command_and_what_to_do() {
  [ "$kind" = redis ] || return 0
  local lacking rights
  rights='+eval +evalsha +set +get +mget +del +pttl +pexpire +time +publish +ping +exists +lindex'
  set -f
  for lacking in publish del; do
    redis-cli -p "$redis_port" acl setuser locker reset on '>pw' '~*' '&*' $rights "-$lacking" \
      >/dev/null
    expect 0 interlock run --ttl 10s --store "redis://locker:pw@127.0.0.1:$redis_port" "x-$lacking" true
    lines err 1
    says err "interlock: 'x-$lacking' not released: NOPERM in a script"
    grep -qi "at $lacking:\|'$lacking' command" err || fail "it does not name $lacking"
    says err "let this user run all that locks need (ACL SETUSER; the README has the list); it becomes "
  done
}

test_check_answers_for_one_lock() {
  [ "$kind" = redis ] || return 0
  redis-cli -p "$redis_port" acl setuser locker reset on '>pw' '~app/*' '~{app/*' '&{app/*' \
    '&interlock:ear:*' +@all >/dev/null
  local store="redis://locker:pw@127.0.0.1:$redis_port"
  interlock check --store "$store" >out || [ $? = 1 ] || fail "it gave $?"
  says out "name a lock that this user is to take: interlock check LOCK"
  interlock check --store "$store" app/deploy >out || [ $? = 1 ] || fail "it gave $?"
  says out "this user may use those of 'app/deploy'"
  expect 77 interlock check --store "$store" deploy
  says out "NOPERM: this user may not read the key deploy"
  expect 77 interlock check --json --store "$store" deploy
  says out '"lock":"deploy","verdict":"bad"'
}

test_a_hold_whose_release_is_refused_says_so_in_its_exit_code() {
  [ "$kind" = redis ] || return 0
  redis-cli -p "$redis_port" acl setuser locker reset on '>pw' '~*' '&*' +@all -del >/dev/null
  expect 77 interlock hold --ttl 10s --store "redis://locker:pw@127.0.0.1:$redis_port" y < <(echo)
  says err "interlock: 'y' not released: NOPERM"
}

test_something_that_is_no_store_gives_78() {
  case $kind in
    sqlite)
      echo 'this is a letter, not a database, and it is long enough to be looked at' >letter
      expect 78 interlock run --store sqlite:letter deploy touch ran
      lines err 1
      ;;
    redis)
      redis-cli -p "$redis_port" rpush deploy 1 >/dev/null
      expect 78 interlock run deploy touch ran
      says err "is not a lock"
      ;;
  esac
  [ ! -e ran ] || fail "it ran"
}

run_tests
