# usage: testing_main_test.bash PROGRAM SOURCES
# What a main() of testing_main.hpp does with tests that pass, fail, crash and are skipped. PROGRAM
# is parallel_tests.
set -u
program=$(realpath "$1")
sources=$(realpath "$2")
workspace=$(mktemp -d)
trap 'rm -rf "$workspace"' EXIT
cd "$workspace" || exit 1
unset "${!GTEST_@}" "${!INTERLOCK_@}"
failures=0

# expect CODE PROGRAM...: its output is in the files out and err.
expect() {
  local wanted=$1 code=0
  shift
  "$@" >out 2>err || code=$?
  [ "$code" = "$wanted" ] || wrong "$* gave $code, not $wanted"
}
wrong() {
  echo "failed: $*"
  sed 's/^/  out: /' out
  sed 's/^/  err: /' err
  failures=$((failures + 1))
}
says() { grep -qE -- "$2" "$1" || wrong "$1 does not say: $2"; }
says_not() { ! grep -qE -- "$2" "$1" || wrong "$1 says: $2"; }

# All tests, each in its own process: the one that crashes takes no other with it.
expect 1 "$program" --jobs=3 --junit=report.xml --sarif=log.sarif
says out '^\[[0-9]+/9\] passed  Kinds\.Passes \([0-9.]+ s, [1-9][0-9]* MiB\)$'
says out '^\[[0-9]+/9\] FAILED  Kinds\.Fails \('
says out '^\[[0-9]+/9\] skipped Kinds\.IsSkipped \('
says out '^\[[0-9]+/9\] FAILED  Kinds\.Crashes \(.*\): ended by signal 6 \(Aborted\)$'
says out '^\[[0-9]+/9\] passed  Some/Numbers\.AreSmall/1 \('
says out '^\[[0-9]+/9\] passed  Scenarios\.repaired_lock \('
says out '^\[[0-9]+/9\] passed  Scenarios\.known_to_be_broken \('
says out '^\[[0-9]+/9\] FAILED  Scenarios\.broken_lock \('
says out 'broken-lock was expected to be proved:'
says out '^9 tests, 3 failed, in [0-9.]+ s, 3 at a time$'
says_not out 'a passing test says this'

xmllint --noout --schema "$sources/tests/cli/reports/junit.xsd" report.xml 2>err || wrong "no JUnit"
says report.xml '<testsuites name="[^"]*" tests="9" failures="2" errors="1" skipped="1" '
says report.xml 'message="ended by signal 6 \(Aborted\)" type="crashed"'
says report.xml 'arithmetic &amp; &lt;logic&gt;'
says report.xml '<skipped message="not today"/>'
says report.xml 'a passing test says this'
"$sources/tests/cli/reports/check_sarif" log.sarif >err 2>&1 || wrong "no SARIF"
# What a test expects to be violated is no finding.
says log.sarif '"text": "broken-lock: violated: mutual exclusion'
says_not log.sarif 'known-to-be-broken: violated'

# A filter, GoogleTest's own flag for the report, shards.
expect 0 "$program" --gtest_filter='Kinds.Passes:Some/*' --gtest_output=xml:some.xml
says some.xml 'tests="3"'
says out '^3 tests, 0 failed'
for shard in 0 1; do
  GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=$shard expect 0 "$program" --gtest_filter='Some/*'
  says out "AreSmall/$shard "
  says out '^1 tests, 0 failed'
done
expect 0 "$program" --gtest_list_tests
says out '^  repaired_lock'

# One command makes a regression test.
expect 1 "$program" --regression=broken-lock
says out 'EXPECT_HOLDS_IN_ORDER\(scenario_under_test\(\), "1 2 2 1 1 1 2 2"\);'
says out 'NamedScenario::made\("broken-lock"\)'
expect 0 "$program" --regression=repaired-lock
expect 64 "$program" --regression=nonsense
says err "no scenario is named 'nonsense': there are broken-lock known-to-be-broken repaired-lock"
expect 64 "$program" --nonsense
says err "'--nonsense' is no flag here"
expect 1 "$program" --gtest_filter='Kinds.Passes' --junit=missing/report.xml
says err "'missing/report.xml' could not be written"

[ "$failures" = 0 ]
