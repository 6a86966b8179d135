# What lists, comparisons and drawings make of the terminal's size, and the pager.
source "$(dirname "$0")/harness.bash"
source "$(dirname "$0")/pseudo_terminal.bash"
export LC_ALL=C.UTF-8 NO_COLOR=1

# at COLUMNS ROWS COMMAND: what it shows at such a terminal is in the file shown.
at() {
  rm -f keyboard
  typed "stty cols $1 rows $2; $3; echo \$? >code"
  finished 0
  # Without what script(1) adds.
  tr -d '\r' <screen | grep -av '^Script' | sed '$ { /^$/d }' >shown
}
fits() { [ "$(wc -L <shown)" -le "$1" ] || fail "longer than $1: $(awk -v most="$1" 'length($0) > most' shown)"; }
words() { tr -s ' \n' '\n\n' <"$1" | sed '/^$/d'; }

test_scenarios_are_by_family_and_fit() {
  local columns
  for columns in 40 60 80 200; do
    at "$columns" 24 'interlock scenarios --no-pager'
    equal "$(cat code)" 0
    fits $((columns < 80 ? columns : 80))
    cp shown "shown$columns"
    equal "$(grep -c '^[a-z]*: ' shown)" 5
  done
  # Nothing is cut, and no word is broken.
  words shown40 >narrow
  words shown80 | diff - narrow >difference || fail "$(cat difference)"
  equal "$(grep -c '^  [a-z]' shown80)" "$(interlock scenarios --json | wc -l)"
  grep -q '^setnx: The end of the lease is the key.s value$' shown80 || fail "no title"
  grep -q '^  del-setnx-lock (8 steps)$' shown80 || fail "no name"
}

test_scenarios_in_a_pipe_have_a_line_each() {
  interlock scenarios >list
  equal "$(wc -l <list)" "$(interlock scenarios --json | wc -l)"
  grep -qE '^del-setnx-lock +8 steps  ' list || fail "$(head -3 list)"
  COLUMNS=40 interlock scenarios | cmp - list || fail "depends on COLUMNS"
}

test_a_long_list_is_shown_by_the_pager() {
  at 80 24 'PAGER="cat >paged; echo from the pager" interlock scenarios'
  equal "$(cat code)" 0
  equal "$(cat shown)" "from the pager"
  equal "$(grep -c '^[a-z]*: ' paged)" 5
  # As many rows as there are lines: the prompt needs one more.
  local lines
  lines=$(wc -l <paged)
  at 80 "$lines" 'PAGER="cat >paged; echo from the pager" interlock scenarios'
  equal "$(cat shown)" "from the pager"
  at 80 $((lines + 1)) 'PAGER="cat >paged; echo from the pager" interlock scenarios'
  equal "$(wc -l <shown)" "$lines"
}

test_less_is_the_pager_if_none_is_chosen() {
  printf '#!/bin/sh\necho "less $* with $LESS"\ncat >/dev/null\n' >less
  chmod +x less
  PATH=$dir:$PATH at 80 24 'interlock scenarios'
  equal "$(cat shown)" "less -FRX with FRX"
  PATH=$dir:$PATH LESS=M at 80 24 'interlock scenarios'
  equal "$(cat shown)" "less -FRX with M"
}

test_no_pager_is_used_where_none_is_wanted() {
  local setting
  at 80 24 'PAGER="echo paged" interlock scenarios --no-pager'
  ! grep -q paged shown || fail "paged"
  at 80 24 'PAGER="echo paged" interlock scenarios --json'
  ! grep -q paged shown || fail "paged"
  at 80 24 'PAGER="echo paged" interlock scenarios | cat'
  ! grep -q paged shown || fail "paged"
  for setting in PAGER= PAGER=cat TERM=dumb 'PATH=/nowhere'; do
    at 80 24 "env $setting $program scenarios"
    equal "$setting $(cat code)" "$setting 0"
    [ "$(wc -l <shown)" -gt 100 ] || fail "$setting: $(cat shown)"
  done
}

test_a_pager_that_is_not_there_or_ends_early_is_no_failure() {
  at 80 24 "PAGER=$dir/none interlock scenarios"
  equal "$(cat code)" 0
  [ "$(wc -l <shown)" -gt 100 ] || fail "$(cat shown)"
  at 80 24 "PAGER='head -1' interlock scenarios"
  equal "$(cat code)" 0
  equal "$(wc -l <shown)" 1
}

test_help_is_no_wider_than_the_terminal() {
  local columns
  interlock status --help >file
  for columns in 40 60 200; do
    at "$columns" 100 'interlock status --help'
    equal "$(cat code)" 0
    cp shown whole
    # Which is there to be copied.
    grep -v '^    interlock' whole >shown
    fits $((columns < 80 ? columns : 80))
    words whole >narrow
    words file | diff - narrow >difference || fail "$(cat difference)"
  done
}

test_two_runs_are_side_by_side_where_there_is_room() {
  at 119 24 'interlock diff del-setnx-lock:11221122 del-setnx-lock:1122121'
  equal "$(cat code)" 1
  fits 119
  grep -q '^        6 + B DEL lock.foo -> 0$' shown || fail "$(cat shown)"
  grep -q '^   6    7   A SETNX lock.foo 103 -> 1$' shown || fail "$(cat shown)"
  at 120 24 'interlock diff del-setnx-lock:11221122 del-setnx-lock:1122121'
  equal "$(cat code)" 1
  fits 120
  grep -qE '^   5  (.*)  +5  \1$' shown || fail "$(cat shown)"
  grep -qE '^ +>    6  B DEL lock.foo -> 0$' shown || fail "$(cat shown)"
  grep -qE '^   6  (A SETNX lock.foo 103 -> 1)  +7  \1$' shown || fail "$(cat shown)"
  equal "$(grep -c 'the first difference' shown)" 1
}

test_drawings_use_the_width_that_there_is() {
  local columns
  for columns in 40 60 80 120 200; do
    at "$columns" 24 'interlock replay lease-lock:112'
    cp shown whole
    # Which is there to be copied.
    grep -v '^  replay' whole >shown
    fits "$columns"
    COLUMNS=$columns interlock replay lease-lock:112 >drawn
    diff drawn whole >difference || fail "$columns: $(cat difference)"
  done
  # A file is as wide as it always was.
  COLUMNS=200 interlock replay lease-lock:112 -o file
  interlock replay lease-lock:112 | cmp - file || fail "another width"
}

run_tests
