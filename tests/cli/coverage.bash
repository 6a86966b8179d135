# What a search has executed and what it has not: the line of a proof, --coverage, and --json.
source "$(dirname "$0")/harness.bash"
export LC_ALL=C.UTF-8

# read_json EXPRESSION: of the verdict in the file out, as Python reads it.
read_json() { python3 -c "import json,sys; c=json.load(open('out')).get('coverage'); print($1)"; }

test_a_proof_says_what_no_run_did() {
  expect 0 interlock explore stamp-lock
  says out "  never   "
  says out "of 11 outcomes: GET lock.foo (stamp_lock.cpp:"
  says out ")→nil, DEL"
  says_not out "coverage"
  LC_ALL=C expect 0 interlock explore stamp-lock --format ascii
  says out ")->nil, DEL"
}

test_other_verdicts_do_not_say_it_because_they_have_not_visited_all_runs() {
  expect 1 interlock explore del-setnx-lock
  says_not out "  never "
  expect 2 interlock explore stamp-lock --max-states 10
  says_not out "  never "
  expect 2 interlock explore stamp-lock --random 5
  says_not out "  never "
}

test_a_long_list_is_cut_and_says_where_the_rest_is() {
  expect 0 interlock explore stamp-lock --faults 1/crash,lost-message,pause:1
  tr -s '\n ' ' ' <out >flat
  grep -q ' more (--coverage lists them)' flat || fail "the line is not cut"
  expect 0 interlock explore stamp-lock --faults 1/crash,lost-message,pause:1 --coverage
  [ "$(grep -o 'NEVER' out | wc -l)" -gt 3 ] || fail "the listing has no more than the line"
}

test_the_listing_has_every_operation_with_its_line() {
  local line
  expect 0 interlock explore stamp-lock --coverage
  grep -q '^coverage: [0-9]* of [0-9]* outcomes seen$' out || fail "no heading"
  says out "  A, B"
  line=$(sed -n 's/^ *stamp_lock.cpp:\([0-9]*\)  SETNX lock.foo .*/\1/p' out)
  sed -n "${line}p" "$sources/flawed/src/stamp_lock.cpp" | grep -q co_await ||
    fail "line $line of stamp_lock.cpp does not wait"
  says out "SETNX lock.foo   1, 0"
  says out "DEL lock.foo     1, NEVER 0"
  says out "A, B enter lock.foo"
  ! grep -qx '  faults' out || fail "faults, of which none is allowed"
}

test_the_listing_of_a_search_that_has_ended_early_says_so() {
  expect 1 interlock explore del-setnx-lock --coverage
  says out "coverage until the violation was found: "
  expect 2 interlock explore stamp-lock --max-states 10 --coverage
  says out "coverage until the search ended: "
}

test_json_has_the_list_always() {
  expect 0 interlock explore stamp-lock --faults 1/crash,lost-message --json
  equal "$(read_json "c['outcomes'] - c['seen'] == len(c['never'])")" True
  equal "$(read_json "'DEL lock.foo→0' in ' '.join(c['never'])")" True
  equal "$(read_json "[f['name'] for f in c['faults'] if f['seen']]")" "['crash']"
  equal "$(read_json "'fault lost-message' in c['never']")" True
  equal "$(read_json "{o['what'] for o in c['operations']} >= {'SETNX lock.foo'}")" True
  equal "$(read_json "all(o['file'].endswith('.cpp') and o['line'] > 0 for o in c['operations'])")" True
  cp out before
  expect 0 interlock explore stamp-lock --faults 1/crash,lost-message --json --coverage
  sed 's/"seconds":[^,}]*//' before >one
  sed 's/"seconds":[^,}]*//' out >other
  cmp one other || fail "--coverage changes --json"
  expect 2 interlock explore stamp-lock --random 5 --json
  equal "$(read_json c)" None
}

# What stands in the page between the number of this line and the next number.
row_of_page() { tr '\n' ' ' <page.html | grep -o "<span class=\"number\">$1</span>.*" | sed 's/<span class="number">/\n/2' | head -1; }

test_the_page_has_the_answers_beside_the_lines_of_the_source() {
  local line
  cd "$sources"
  expect 0 interlock explore stamp-lock --coverage -f html -o "$dir/page.html"
  cd "$dir"
  silent out
  expect 0 interlock explore stamp-lock --json
  line=$(read_json "[o['line'] for o in c['operations'] if o['what'] == 'DEL lock.foo'][0]")
  row_of_page "$line" >row
  says row "co_await"
  says row '<li class="seen">✓ 1</li><li class="never">✗ never 0</li>'
  says page.html "flawed/src/stamp_lock.cpp</h2>"
  says page.html "outcomes: no run had them."
  says_not page.html "cannot be read here"
  says_not page.html "<script"
}

test_the_page_ends_as_the_search_does() {
  expect 1 interlock explore del-setnx-lock --coverage -f html
  says out "until the violation was found."
  says out "violated for 2 identical clients"
  expect 2 interlock explore stamp-lock --max-states 10 --coverage -f html
  says out "until the search ended."
  expect 64 interlock explore stamp-lock --property nonsense --coverage -f html
}

test_flags_that_do_not_fit_are_refused() {
  expect 64 interlock explore stamp-lock --coverage --format svg
  lines err 1
  says err "--coverage is a listing below the formats text and ascii or a page as html, and --json has it: leave it out, or --format svg"
  expect 64 interlock explore stamp-lock --coverage --format junit
  lines err 1
  expect 64 interlock explore stamp-lock --coverage --random 5
  lines err 1
  says err "--coverage is for the exhaustive search: leave it out, or --random and --pct"
}

run_tests
