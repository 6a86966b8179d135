# What interlock explore -- COMMAND prints of a run, and what the other commands take of it.
source "$(dirname "$0")/workers.bash"

# --- a run in one line ---------------------------------------------------------------------------

# The line is one word, as `replay "$line"` makes it of a variable or a file.
test_the_short_form_of_a_run_is_taken_in_one_word_with_its_command() {
  local run
  redis_py
  explore 1 --instants 5 --apart 900 -f short -- "$python" redis_py.py
  run=$(cat out)
  equal "$run" "command,instants=5:1ttt2 --apart 900 -- $python redis_py.py"
  new_folder
  expect 1 interlock replay "$run"
  says out "2 HOLDERS"
  says out "replay  interlock replay $run"
  expect 1 interlock shrink "$run" -f short
  says out "command,instants=4:1ttt2 --apart 900 -- $python redis_py.py"
  expect 0 interlock diff "$run" "$run"
  says out "the same 5 steps"
  expect 1 interlock diff "$run" command,instants=5:1tttt2
  says out "step 5 violates mutual exclusion of lock.foo"
  nothing_left
}

# Those of the harness, in which each request of a client waits, are no lines of the command.
test_the_coverage_of_a_command_has_no_lines() {
  redis_py
  explore 1 --instants 5 --coverage -- "$python" redis_py.py
  says out "coverage until the violation was found: "
  says out "lock.foo"
  says_not out ".cpp:"
  explore 1 --instants 5 --coverage -f html -- "$python" redis_py.py
  says out "Their source lines are not known: interlock sees what a command asks the store for"
  says out "<b>SET lock.foo"
  says_not out "class=\"line"
}

test_words_of_a_command_in_one_line_may_be_quoted() {
  local run
  redis_py
  mv redis_py.py "it's  mine.py"
  explore 1 --instants 5 -f short -- "$python" "it's  mine.py"
  run=$(cat out)
  equal "$run" "command,instants=5:1ttt2 -- $python 'it'\\''s  mine.py'"
  new_folder
  expect 1 interlock replay "$run"
  says out "2 HOLDERS"
  nothing_left
}

test_a_run_in_one_line_that_is_written_wrongly_is_named() {
  local run
  redis_py
  new_folder
  while read -r run; do
    expect 64 interlock replay "$run"
    lines err 1
    says err "interlock: 'command"
  done <<END
command:1ttt2 -- '$python redis_py.py
command:1ttt2 -- $python "redis_py.py"
command:1ttt2 -- $python redis_py.py; rm x
command:1ttt2 --apart 5 --
END
  expect 64 interlock replay "command:1ttt2 -- $python 'redis_py.py"
  says err "a single quote is not closed"
  expect 64 interlock replay "command:1ttt2 -- $python redis_py.py" -- "$python" redis_py.py
  says err "the run names a command, and another is behind --: leave one out"
  expect 64 interlock diff "command:12 -- $python redis_py.py" "command:12 -- $python other.py"
  says err "the other run is one of another command"
  nothing_left
}

test_a_file_whose_name_looks_like_a_run_with_a_command_is_a_file() {
  interlock explore del-setnx-lock -f schedule >"command: -- x"
  expect 1 interlock replay "command: -- x"
}

test_patience_is_kept_where_it_is_not_the_usual_one() {
  redis_py
  explore 1 --instants 5 --patience 60 -- "$python" redis_py.py
  says out "again   interlock explore --clients 2 --instants 5 --faults none --patience 60 -- $python redis_py.py"
  says out "replay  interlock replay command,instants=5:1ttt2 --patience 60 -- $python redis_py.py"
  explore 1 --instants 5 --patience 10 -- "$python" redis_py.py
  ! grep -q -- --patience out || fail "the usual patience is said"
}

# --- a command that cannot be run ----------------------------------------------------------------

test_a_command_that_cannot_be_run_is_a_wrong_command_line() {
  local command
  echo 'echo' >plain
  printf '#!/no/such/shell\n' >script
  chmod +x script
  mkdir folder
  for command in ./there-is-none there-is-none ./plain ./script ./folder ""; do
    explore 64 -- "$command"
    lines err 1
    says err "interlock: '$command' not started: "
    silent out
  done
  explore 64 -- ./there-is-none
  says err "no such command: check its name and PATH"
  explore 64 -- ./plain
  says err "Permission denied: check that it is a file with execute permission"
  explore 64 -- ./script
  says err "its interpreter '/no/such/shell' does not exist"
  new_folder
  expect 64 interlock play -- ./there-is-none
  expect 64 interlock replay command:12 -- ./there-is-none
  expect 64 interlock shrink command:12 -- ./there-is-none
  expect 64 interlock diff command:12 command:21 -- ./there-is-none
  nothing_left
}

test_a_python_file_that_cannot_be_read_is_a_wrong_command_line() {
  local words
  for words in none.py "none.py 1 2" "-u none.py" "-W ignore -Xdev none.py" none; do
    explore 64 -- "$python" $words
    lines err 1
    says err "cannot be read: No such file or directory: name a Python file of yours"
  done
  for words in "-m no_such_module none.py" "-uc 1/0 none.py"; do
    explore 2 -- "$python" $words
    says err "before its first request"
  done
  worker simple <<'END'
if r.set("lock.foo", "1", nx=True):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
END
  # Each run of this one starts a Python, so it is not explored.
  new_folder
  expect 0 interlock replay command:1 -- "$python" -W ignore simple.py
  nothing_left
}

# --- moves ---------------------------------------------------------------------------------------

test_a_command_that_a_client_sends_is_said_once() {
  get_del
  printf '1\n2\n1\nx2\n1\nquit\n' >moves
  new_folder
  "$program" play --instants 2 --faults lost-request -- "$python" get_del.py <moves >out 2>err
  says out "  1)  A     SET lock.foo il1:A1 "
  says out "  1)  A     GET lock.foo"
  says out "  1)  A     DEL lock.foo"
  ! grep -qE "RUN|(GET|SET|DEL) (GET|SET|DEL|lock.foo lock.foo)" out || fail "a word is doubled"
  expect 0 interlock replay command:1112 -f json -- "$python" get_del.py
  says out '"what":"GET lock.foo"'
  says out '"next":"DEL lock.foo"'
  ! grep -q "RUN" out || fail "a word is doubled"
  for format in text mermaid svg html; do
    expect 0 interlock replay command:1112 -f $format -- "$python" get_del.py
    ! grep -q "RUN" out || fail "a word is doubled in $format"
  done
  expect 1 interlock diff command:1112 command:1121 -- "$python" get_del.py
  says out "A GET lock.foo"
  ! grep -q "RUN" out || fail "a word is doubled"
  nothing_left
}

# As files have them since there are any of commands.
test_a_schedule_names_a_command_as_before() {
  redis_py
  new_folder
  cat >schedule <<'END'
interlock-schedule 1
scenario command
clients 2
instants 1
faults none
expect ok after 2

A RUN SET lock.foo SET lock.foo il1:A1 PX 2000 NX -> "OK"
B RUN SET lock.foo SET lock.foo il1:B1 PX 2000 NX -> nil
END
  expect 0 interlock replay schedule -f schedule -- "$python" redis_py.py
  diff schedule out || fail "the file is another"
  nothing_left
}

# --- why -----------------------------------------------------------------------------------------

# in_turn NAME ADD REMOVE: a client adds its member to lock.foo, and removes it again.
in_turn() {
  worker "$1" <<END
me = str(uuid.uuid4())
$2
mark("ENTER", "lock.foo")
mark("LEAVE", "lock.foo")
$3
END
}

test_a_member_that_its_own_client_removes_is_not_said_to_be_anothers() {
  in_turn list 'r.rpush("lock.foo", me)' 'r.lrem("lock.foo", 1, me)'
  in_turn set 'r.sadd("lock.foo", me)' 'r.srem("lock.foo", me)'
  in_turn hash 'r.hset("lock.foo", me, 1)' 'r.hdel("lock.foo", me)'
  in_turn sorted_set 'r.zadd("lock.foo", {me: 1})' 'r.zrem("lock.foo", me)'
  local kind
  for kind in list set hash sorted_set; do
    explore 1 --property owner-only -- "$python" $kind.py
    says out "only the owner releases or renews lock.foo"
    grep -qE "why     B removed lock.foo, which A changed last, in step [0-9]+$" out || fail "$kind"
    explore 1 --property no-overwrite -- "$python" $kind.py
    says out "nobody overwrites lock.foo while another has it"
    grep -qE "why     B changed lock.foo, which A changed last, in step 1$" out || fail "$kind"
  done
}

test_a_command_on_anothers_key_is_told_as_what_it_did() {
  worker set <<'END'
r.set("lock.foo", uuid.uuid4().hex)
mark("ENTER", "lock.foo")
mark("LEAVE", "lock.foo")
r.pexpire("lock.foo", 2000)
r.delete("lock.foo")
END
  explore 1 --property no-overwrite -- "$python" set.py
  says out "why     B changed lock.foo, which A changed last, in step 1"
  explore 1 --property owner-only -- "$python" set.py
  says out "changed the expiry of lock.foo, which "
  worker same <<'END'
r.set("lock.foo", "1")
mark("ENTER", "lock.foo")
mark("LEAVE", "lock.foo")
r.delete("lock.foo")
END
  explore 1 --property owner-only -- "$python" same.py
  says out "why     B wrote to lock.foo, which A changed last, in step 1"
  worker for_another <<'END'
if r.set("other", r.execute_command("INTERLOCK", "TOKEN"), nx=True):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
else:
    r.set("lock.foo", r.get("other"))
    r.delete("lock.foo")
END
  explore 1 --property owner-only -- "$python" for_another.py
  says out "why     B removed lock.foo, whose value is a token of A"
}

# Each has its own part of the key.
test_a_key_that_several_clients_have_a_part_of_is_not_said_to_be_one_clients() {
  local add
  for add in 'r.rpush("lock.foo", me)' 'r.sadd("lock.foo", me)' 'r.hset("lock.foo", me, 1)' \
    'r.zadd("lock.foo", {me: 1})' 'r.incr("lock.foo")'; do
    in_turn part "$add" 'pass'
    explore 1 -- "$python" part.py
    says out "A and B both hold lock.foo"
    ! grep -qE "took away|key was|'s key" out || fail "it says what is not known"
  done
}

# --- which flags find what -----------------------------------------------------------------------

# The report of a section, inside of a condition.
section='    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")'

# The table of docs/test-the-lock-you-have.md, line by line.
test_the_flags_that_the_document_names_find_the_mistakes() {
  worker get_set <<END
if not r.get("lock.foo"):
    r.set("lock.foo", 1)
$section
END
  explore 1 -- "$python" get_set.py
  says out "A and B both hold lock.foo"
  setnx_expire
  explore 1 --faults crash --property no-orphan -- "$python" setnx_expire.py
  says out "✗ crashed"
  get_del
  explore 1 --instants 4 --property owner-only -- "$python" get_del.py
  says out "expired"
  says out "why     A removed lock.foo, which B changed last"
  worker del <<END
if r.set("lock.foo", uuid.uuid4().hex, nx=True, px=1000):
$section
    r.delete("lock.foo")
END
  explore 1 --instants 3 --property owner-only -- "$python" del.py
  says out "why     A removed lock.foo, which B changed last"
  explore 1 --instants 3 -- "$python" del.py
  says out "A's key expired"
  # A limit of one second takes three instants, whose distance may be another.
  explore 0 --instants 2 -- "$python" del.py
  sed 's/px=1000/px=30000/' del.py >long.py
  explore 0 --instants 3 -- "$python" long.py
  explore 1 --instants 3 --apart 30000 -- "$python" long.py
  worker set <<END
if r.set("lock.foo", uuid.uuid4().hex):
$section
END
  explore 1 --property no-overwrite -- "$python" set.py
  says out "why     B changed lock.foo, which A changed last"
}

test_a_run_of_a_command_is_not_replayed_on_a_store() {
  redis_py
  expect 64 interlock replay --store memory: command,instants=5:1ttt2 -- "$python" redis_py.py
  says err "--store memory: takes runs of scenarios"
}

# The id of a process is another in each run.
test_a_client_that_is_not_deterministic_is_named_also_if_a_property_is_asked_for() {
  worker outside <<'END'
if r.set("lock.foo", str(os.getpid()), nx=True):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
    r.delete("lock.foo")
END
  explore 2 --property mutual-exclusion -- "$python" outside.py
  says err "is not deterministic"
}

run_tests
