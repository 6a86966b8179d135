#!/usr/bin/env bash
# usage: caught_by_test.bash PROGRAM TEST
#
# PROGRAM is a program of tests with a mutant in it. Exit code 0: TEST is one of its tests, and it
# fails, or ends the process. 1: it passes, or there is no such test, or PROGRAM says that it never
# came to the text that the mutant changes. 77: TEST was skipped, because it needs root, say.
set -uo pipefail

output=$("$1" --gtest_filter="$2" --gtest_color=no 2>&1)
code=$?
echo "$output"
if ! grep -qF "[ RUN      ] $2" <<<"$output"; then
  echo "NOT CAUGHT: $1 has no test $2"
  exit 1
fi
if grep -qF "THE MUTANT'S TEXT NEVER RAN" <<<"$output"; then
  echo "NOT CAUGHT: the mutant's text never ran"
  exit 1
fi
if grep -qF "[  SKIPPED ] $2" <<<"$output"; then
  echo "not tried: the test was skipped"
  exit 77
fi
if ((code == 0)); then
  echo "NOT CAUGHT: $2 passes"
  exit 1
fi
