# What a CI reads: explore --format junit, sarif and gtest.
source "$(dirname "$0")/harness.bash"
export LC_ALL=C.UTF-8

check=$sources/tests/cli/reports
race=(del-setnx-lock)

# The value of an XPath expression in the file.
xpath() { xmllint --xpath "string($1)" "$2"; }

junit_is_valid() {
  xmllint --noout --schema "$check/junit.xsd" "$1" 2>xmllint || fail "$(cat xmllint)"
}
sarif_is_valid() { "$check/check_sarif" "$1" >wrong || fail "$(cat wrong)"; }
# The value of a Python expression over `log`, the file.
sarif() { python3 -c "import json,sys; log=json.load(open(sys.argv[1])); print($2)" "$1"; }

test_junit_has_a_test_for_each_scenario() {
  expect 1 interlock explore -f junit -o report.xml stamp-lock "${race[@]}" getset-unchecked-lock
  silent out
  junit_is_valid report.xml
  equal "$(xpath /testsuites/@tests report.xml)" 3
  equal "$(xpath /testsuites/@failures report.xml)" 2
  equal "$(xpath /testsuites/@errors report.xml)" 0
  equal "$(xpath '/testsuites/testsuite[2]/@name' report.xml)" del-setnx-lock
  equal "$(xpath '//testcase[@classname="stamp-lock"]/failure/@type' report.xml)" ""
  equal "$(xpath '//testcase[@classname="del-setnx-lock"]/failure/@message' report.xml)" \
    "violated: mutual exclusion of lock.foo, in 8 steps with 0 faults"
  xpath '//testcase[@classname="del-setnx-lock"]/failure' report.xml >drawing
  says drawing "replay  interlock replay del-setnx-lock:12211122"
  says drawing "SETNX"
  [ "$(xpath '//testsuite[1]/properties/property[@name="states"]/@value' report.xml)" -gt 1 ] ||
    fail "no states"
  [ "$(xpath '//testsuite[1]/properties/property[@name="peak_memory"]/@value' report.xml)" -gt 100000 ] ||
    fail "no memory"
  lines err 3
  says err "interlock: stamp-lock: proved ("
  says err "interlock: del-setnx-lock: violated: mutual exclusion of lock.foo, in 8 steps"
}

test_junit_tells_what_is_undecided_from_what_fails() {
  expect 2 interlock explore -f junit stamp-lock --max-states 10
  junit_is_valid out
  equal "$(xpath /testsuites/@errors out)" 1
  equal "$(xpath /testsuites/@failures out)" 0
  equal "$(xpath //error/@type out)" incomplete
  equal "$(xpath //error/@message out)" "incomplete: the limit of 10 states was reached"
  expect 64 interlock explore -f junit stamp-lock --clients 1 --property mutual-exclusion
  junit_is_valid out
  equal "$(xpath //error/@type out)" invalid
}

test_random_runs_are_reported_too() {
  expect 1 interlock explore -f junit del-setnx-lock --random 1000
  junit_is_valid out
  equal "$(xpath /testsuites/@failures out)" 1
}

test_sarif_has_the_steps_beside_their_source_lines() {
  expect 1 interlock explore -f sarif -o log.sarif stamp-lock "${race[@]}"
  silent out
  sarif_is_valid log.sarif
  equal "$(sarif log.sarif "[r['kind'] for r in log['runs'][0]['results']]")" "['pass', 'fail']"
  equal "$(sarif log.sarif "log['runs'][0]['results'][1]['ruleId']")" mutual-exclusion
  local steps="log['runs'][0]['results'][1]['codeFlows'][0]['threadFlows'][0]['locations']"
  equal "$(sarif log.sarif "len($steps)")" 8
  equal "$(sarif log.sarif "$steps[4]['location']['message']['text']")" "A: DEL lock.foo -> 1"
  local uri line
  uri=$(sarif log.sarif "$steps[4]['location']['physicalLocation']['artifactLocation']['uri']")
  line=$(sarif log.sarif "$steps[4]['location']['physicalLocation']['region']['startLine']")
  sed -n "${line}p" "$sources/$uri" >source
  says source "erase"
  equal "$(sarif log.sarif "$steps[7]['importance']")" essential
}

test_sarif_says_what_could_not_be_decided() {
  expect 2 interlock explore -f sarif stamp-lock --max-states 10
  sarif_is_valid out
  equal "$(sarif out "log['runs'][0]['results'][0]['kind']")" open
  expect 64 interlock explore -f sarif stamp-lock --clients 1 --property mutual-exclusion
  sarif_is_valid out
  equal "$(sarif out "log['runs'][0]['invocations'][0]['executionSuccessful']")" False
}

test_several_scenarios_need_a_report() {
  expect 64 interlock explore stamp-lock del-setnx-lock
  lines err 1
  says err "unexpected argument 'del-setnx-lock': only --format junit and sarif tell of several scenarios"
  expect 64 interlock explore -f junit -o report.xml stamp-lock nonsense
  says err "unknown scenario 'nonsense'"
  [ ! -e report.xml ] || fail "a report without a scenario"
  expect 64 interlock replay del-setnx-lock:11221122 -f junit
  says err "is no format; write one of text, ascii"
}

test_a_run_becomes_a_test_in_one_command() {
  expect 1 interlock explore "${race[@]}" -f gtest -o regression_test.cpp
  silent out
  says regression_test.cpp "TEST(DelSetnxLockRegression, HoldsInTheOrderThatBrokeIt) {"
  says regression_test.cpp 'EXPECT_HOLDS_IN_ORDER(scenario_under_test(), "1 2 2 1 1 1 2 2");'
  says regression_test.cpp 'sim::catalogue::build("del-setnx-lock", {{"clients", "2"}'
  says regression_test.cpp '// Repaired: *sim::catalogue::build("stamp-lock", '
  # The command in the file writes it again.
  expect 1 $(sed -n 's,^//   \(interlock .*\)$,\1,p' regression_test.cpp)
  cmp out regression_test.cpp || fail "another file"
  expect 0 interlock explore stamp-lock -f gtest
  silent out
  says err "nothing to write as gtest: "
}

run_tests
