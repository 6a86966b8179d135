# Searches that are interrupted and go on: explore --checkpoint and --resume.
source "$(dirname "$0")/harness.bash"
export LC_ALL=C.UTF-8

at=(stamp-lock --clients 3 --attempts 2 --instants 3)

# What a search has found, without its limits and how long it took.
found() { sed 's/,"seconds".*//; s/, at most [0-9]* \(states\|s\)//g' "$@"; }

test_a_search_goes_on_where_a_limit_ended_it() {
  expect 0 interlock explore "${at[@]}" --json
  found out >whole
  expect 2 interlock explore "${at[@]}" --checkpoint kept --max-states 5000
  says err 'are kept in kept: go on with --resume kept'
  equal "$(stat -c %a kept)" 600
  cp kept first
  expect 2 interlock explore "${at[@]}" --resume kept --checkpoint kept --max-states 9000 --threads 2
  cmp -s kept first && fail "the second part was not kept"
  expect 0 interlock explore "${at[@]}" --resume kept --json
  found out | diff whole - || fail "another verdict"
  # It is never removed, and the one before it leads to the same.
  expect 0 interlock explore "${at[@]}" --resume first --checkpoint first --json
  found out | diff whole - || fail "another verdict"
  equal "$(ls)" "$(printf '%s\n' err first kept out whole)"
}

test_a_run_is_as_short_as_without_interruption() {
  local at=(getset-loser-shortens)
  expect 1 interlock explore "${at[@]}" --format short
  cp out whole
  expect 2 interlock explore "${at[@]}" --checkpoint kept --max-states 3000
  expect 1 interlock explore "${at[@]}" --resume kept --format short
  diff whole out || fail "another run"
}

# ended_by SIGNAL: a search that would take half a minute is ended by it, and kept.
ended_by() {
  local code=0
  env --default-signal=INT,HUP "$program" explore stamp-lock --clients 6 --attempts 2 --instants 3 \
    --checkpoint "$1" >out 2>err &
  local pid=$!
  until_true takes_signals "$pid" "$1"
  sleep 1
  kill "-$1" "$pid"
  wait "$pid" || code=$?
  equal "$code" 2
  says out 'interrupted'
  says err "are kept in $1: go on with --resume $1"
}
test_signals_keep_the_search() {
  ended_by INT
  ended_by TERM
  ended_by HUP
  expect 2 interlock explore stamp-lock --clients 6 --attempts 2 --instants 3 --resume TERM \
    --checkpoint TERM --seconds 1
  says err 'are kept in TERM'
}

test_another_search_is_refused() {
  expect 2 interlock explore "${at[@]}" --checkpoint kept --max-states 1000
  expect 64 interlock explore stamp-lock --clients 4 --attempts 2 --instants 3 --resume kept
  says err 'interlock: the checkpoint kept cannot be used: it is of another scenario or of other bounds: '
  equal "$(wc -l <err)" 1
  expect 64 interlock explore del-setnx-lock --resume kept
  says err 'another scenario'
  # Another build of the program.
  cp "$program" other && printf 'x' >>other
  expect 64 ./other explore "${at[@]}" --resume kept
  says err 'it was written by another program, or by another build of it'
}

test_other_files_are_refused_and_left_alone() {
  expect 64 interlock explore "${at[@]}" --resume none
  says err 'the checkpoint none cannot be read: No such file or directory'
  echo 'dear diary' >notes
  expect 64 interlock explore "${at[@]}" --resume notes
  says err 'no checkpoint: name a'
  expect 64 interlock explore "${at[@]}" --checkpoint notes
  says err '--checkpoint notes: the file is there already: go on with --resume notes, remove it, or'
  for flag in --resume --checkpoint; do
    expect 64 interlock explore "${at[@]}" "$flag" .
    says err 'it is no plain file'
    expect 64 interlock explore "${at[@]}" "$flag" ''
    says err "$flag names no file"
    expect 64 interlock explore "${at[@]}" "$flag" -
    says err "$flag names no file"
  done
  equal "$(cat notes)" 'dear diary'
  expect 64 interlock explore "${at[@]}" --checkpoint nowhere/kept
  says err 'the checkpoint nowhere/kept cannot be written: No such file or directory'
  expect 2 interlock explore "${at[@]}" --checkpoint kept --max-states 1000
  head -c 10000 kept >half
  expect 64 interlock explore "${at[@]}" --resume half
  says err 'the checkpoint half cannot be used: it is damaged: begin the search anew'
  chmod g+w kept
  expect 64 interlock explore "${at[@]}" --resume kept
  says err 'other users may write to it'
}

test_no_checkpoint_is_replaced_by_another_search() {
  expect 2 interlock explore "${at[@]}" --checkpoint kept --max-states 5000
  cp kept first
  expect 64 interlock explore "${at[@]}" --checkpoint kept --max-states 300
  says err 'the file is there already'
  expect 64 interlock explore "${at[@]}" --resume first --checkpoint kept
  says err 'the file is there already'
  for flag in --checkpoint --resume; do
    expect 64 interlock explore "${at[@]}" "$flag" kept -o ./kept
    says err "$flag and --output name one file"
    expect 64 interlock explore "${at[@]}" "$flag" new -o new
    says err "$flag and --output name one file"
  done
  cmp -s kept first || fail "the checkpoint has changed"
}

test_a_search_that_ends_before_it_goes_on_says_that_it_keeps_nothing() {
  expect 2 interlock explore "${at[@]}" --checkpoint kept --max-states 5000
  expect 2 interlock explore "${at[@]}" --resume kept --checkpoint new --max-states 1000
  says err 'nothing new is kept in new: the search was ended before it had gone on: resume kept'
  [ ! -e new ] || fail "it kept something"
  expect 2 interlock explore "${at[@]}" --checkpoint new --max-memory 1K
  says err 'nothing is kept in new: a limit ended the search before its first steps: raise it'
}

test_flags_that_do_not_fit_are_refused() {
  for flag in --checkpoint --resume; do
    expect 64 interlock explore stamp-lock "$flag" kept --random 10
    says err "$flag is for the exhaustive search: leave it out, or --random and --pct"
    expect 64 interlock explore stamp-lock "$flag" kept --bitstate 1M
    says err "$flag is for the exhaustive search: leave it out, or --bitstate"
    expect 64 interlock explore stamp-lock "$flag" kept --equal-futures
    says err "$flag keeps no guesses of a search: leave it out, or --equal-futures"
    expect 64 interlock explore stamp-lock "$flag" kept --format junit
    says err "$flag is for one search: leave it out, or --format junit"
    expect 64 interlock explore "$flag" kept -- true
    says err "$flag does not know what a command consists of: leave it out, or the command"
  done
}

run_tests
