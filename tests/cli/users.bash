# The default store, as several users of one machine meet it. Needs root, to become other users;
# runs with a /run/lock of its own.
if [ "${1:-}" != --inside ]; then
  [ "$(id -u)" = 0 ] || { echo "skipped: needs root, to become other users"; exit 77; }
  command -v setpriv >/dev/null && unshare -m true 2>/dev/null ||
    { echo "skipped: this system permits no mounts"; exit 77; }
  exec unshare -m bash "$0" --inside "$@"
fi
shift
mount -t tmpfs -o mode=1777 none /run/lock || exit 1
. "$(dirname "$0")/harness.bash"
chmod 755 "$workspace"

# The program where every user may read it.
cp "$program" "$workspace/interlock"
PATH=$workspace:$PATH

choose_store() {
  unset INTERLOCK_STORE HOME
  rm -rf /run/lock/interlock
  chmod 777 "$dir"
}

# as USER COMMAND...: a user id without an account will do.
as() {
  local user=$1
  shift
  if [ "$user" = 0 ]; then "$@"; else
    setpriv --reuid "$user" --regid "$user" --clear-groups -- "$@"
  fi
}

test_one_at_a_time_on_this_machine_is_true_between_users() {
  local holder other
  for holder in 0 60001 60002; do
    mkfifo "end.$holder"
    as "$holder" interlock run deploy -- sh -c "touch in.$holder; cat end.$holder" 2>/dev/null &
    until_true test -e "in.$holder"
    for other in 0 60001 60002; do
      expect 75 as "$other" interlock run -w 0 deploy -- true
    done
    echo >"end.$holder"
    wait
  done
}

# compete USER: locks again and again, and kills or stops the program each time in another moment.
# If two sections overlap, the second finds `inside` locked and writes its token to `overlaps`.
compete() {
  local round
  for round in {1..12}; do
    as "$1" interlock run --ttl 1s deploy -- sh -c 'exec 9>>inside
      flock -n 9 || echo "$INTERLOCK_TOKEN" >>overlaps
      echo "$INTERLOCK_TOKEN" >>tokens; sleep 0.02' 2>/dev/null &
    case $((round % 4)) in
      1) sleep "0.0$((RANDOM % 9))"; kill -9 $! ;;
      2) sleep "0.0$((RANDOM % 9))"; kill -STOP $!; sleep 1.2; kill -CONT $! ;;
    esac 2>/dev/null
    wait $! 2>/dev/null
  done
}

test_users_exclude_each_other_while_their_programs_are_killed_and_stopped() {
  local user users=()
  touch inside overlaps tokens
  chmod 666 inside overlaps tokens
  for user in 0 60001 60002 0 60001 60002; do
    compete "$user" &
    users+=($!)
  done
  wait "${users[@]}"
  [ ! -s overlaps ] || fail "two were inside: $(cat overlaps)"
  [ "$(wc -l <tokens)" -ge 18 ] || fail "only $(wc -l <tokens) sections"
  sort -c -u -n tokens || fail "the tokens did not grow"
  expect 0 as 60001 interlock run -w 30s deploy -- true
}

test_status_and_check_say_who_shares_the_store() {
  expect 0 as 60001 interlock run deploy -- true
  expect 0 as 60002 interlock status
  says out "shared by all users of this machine"
  expect 0 as 60002 interlock status --json
  says out '"shared_by":"all users of this machine"'
  expect 0 as 0 interlock check
  says out "all users of this machine"
}

test_a_store_that_cannot_be_made_is_one_clear_line() {
  mount -o remount,ro /run/lock
  expect 78 as 60001 interlock run deploy -- true
  lines err 1
  says err "read-only file system: mount it writable"
  says err "--store"
  mount -o remount,rw /run/lock
}

# advice: what the last refusal says to run, between its backquotes.
advice() { grep -o '`[^`]*`' err | tr -d '`'; }

test_a_folder_that_is_not_open_to_all_is_refused_before_anything_is_made_in_it() {
  local owner user
  for owner in 0 60001; do
    mkdir -m 755 /run/lock/interlock
    chown "$owner" /run/lock/interlock
    for user in 60001 60002; do
      expect 77 as "$user" interlock run deploy -- true
      lines err 1
      says err "it is not open to all users"
      equal "$(advice)" "chmod 0777 /run/lock/interlock"
      expect 77 as "$user" interlock check
    done
    # Root makes what a user has made its own, and open.
    expect $((owner == 0 ? 77 : 0)) as 0 interlock run deploy -- true
    [ "$owner" = 60001 ] || equal "$(ls -A /run/lock/interlock)" ""
    chmod 0777 /run/lock/interlock
    for user in 0 60001 60002; do expect 0 as "$user" interlock run deploy -- true; done
    rm -r /run/lock/interlock
  done
}

# What a closed folder has led to: files of one user. Following the messages opens them to all.
test_the_advice_for_files_that_are_not_open_to_all_is_followed_word_by_word() {
  local user
  mkdir -m 777 /run/lock/interlock
  mkfifo open
  interlock hold --ready-file up deploy <>open >/dev/null &
  local holder=$!
  until_true test -e up
  chown 0:0 /run/lock/interlock/*
  chmod 0600 /run/lock/interlock/*
  chmod 0755 /run/lock/interlock
  for user in 0 60001; do
    expect 77 as "$user" interlock run -w 0 deploy -- true
    says err "locks.sqlite3-wal /run/lock/interlock/locks.sqlite3-shm"
  done
  # One after the other, as somebody does who takes only a part of the advice.
  chmod 0777 /run/lock/interlock
  expect 77 as 60001 interlock run -w 0 deploy -- true
  says err "its file is not open to all users (it belongs to root, mode 0600)"
  local all
  all=$(advice)
  equal "$all" "chmod 0666 $(echo /run/lock/interlock/locks.sqlite3{,-wal,-shm})"
  chmod 0666 /run/lock/interlock/locks.sqlite3
  for user in 0 60001; do
    expect 77 as "$user" interlock run -w 0 deploy -- true
    says err "some users of the file may not write '/run/lock/interlock/locks.sqlite3-wal'"
    equal "$(advice)" "chmod 0666 $(echo /run/lock/interlock/locks.sqlite3{-wal,-shm})"
  done
  $(advice)
  for user in 0 60001 60002; do expect 75 as "$user" interlock run -w 0 deploy -- true; done
  expect 0 as 60001 interlock check
  kill "$holder"
  wait "$holder" || true
}

test_a_machine_without_proc_is_not_fit_for_the_store_which_is_not_made() {
  expect 78 unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' - \
    interlock run --store "sqlite:$dir/new" deploy -- true
  lines err 1
  says err "mount /proc"
  [ ! -e new ] || fail "it has made the file"
}

test_another_users_file_is_refused_and_stays_usable_for_its_owner() {
  mkdir shared
  chmod 1777 shared
  local store=sqlite:$dir/shared/locks.sqlite3
  expect 0 as 60001 interlock run --store "$store" deploy -- true
  expect 77 as 60002 interlock run --store "$store" deploy -- true
  says err "may not write it"
  expect 0 as 60001 interlock run --store "$store" deploy -- true
}

test_a_time_namespace_sees_the_locks_of_the_machine() {
  unshare -T --boottime 500000 true 2>/dev/null || return 0
  mkfifo end
  interlock run deploy -- sh -c 'touch in; cat end' 2>/dev/null &
  until_true test -e in
  expect 75 unshare -T --boottime 500000 --monotonic 500000 interlock run -w 0 deploy -- true
  expect 75 unshare -T --boottime 100 interlock run -w 0 deploy -- true
  echo >end
  wait
}

run_tests
