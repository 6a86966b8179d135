#!/usr/bin/env bash
# usage: caught_by_test.bash PROGRAM TEST
#
# PROGRAM is a program of tests with a mutant in it. Exit code 0: TEST is one of its tests, and it
# fails, or ends the process. 1: it passes, or there is no such test, or PROGRAM says that it never
# came to the text that the mutant changes. 77: TEST was skipped, because it needs root, say.
#
# A mutant of what threads do may survive once by the order in which they happen to run, so TEST runs
# up to three times until it fails.
set -uo pipefail

for time in 1 2 3; do
  output=$("$1" --gtest_filter="$2" --gtest_color=no 2>&1)
  code=$?
  echo "$output"
  if ! grep -qF "[ RUN      ] $2" <<<"$output"; then
    echo "NOT CAUGHT: $1 has no test $2"
    exit 1
  fi
  if grep -qF "[  SKIPPED ] $2" <<<"$output"; then
    echo "not tried: the test was skipped"
    exit 77
  fi
  if grep -qF "THE MUTANT'S TEXT NEVER RAN" <<<"$output"; then
    verdict="the mutant's text never ran"
  elif ((code == 0)); then
    verdict="$2 passes"
  else
    exit 0
  fi
  echo "run $time: $verdict"
done
echo "NOT CAUGHT: $verdict"
exit 1
