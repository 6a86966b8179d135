#!/usr/bin/env bash
# usage: caught_by_default.bash AT_LEAST UNMUTATED MUTANT...
#
# Runs every MUTANT, a program of lists/, as users search the production locks first: `interlock
# explore lease-lock`, then `interlock explore queue-lock`. A mutant is caught when one of the two is
# not proved. Fails when fewer are caught than AT_LEAST, or when UNMUTATED, the same program with the
# code that ships, does not prove both.
set -euo pipefail

at_least=$1
unmutated=$2
shift 2
if ! "$unmutated" explore lease-lock queue-lock; then
  echo "the code that ships is not proved: no mutant shows anything"
  exit 1
fi
caught=0
for mutant in "$@"; do
  name=${mutant##*/mutant_}
  if found=$("$mutant" explore lease-lock) && found=$("$mutant" explore queue-lock); then
    echo "        $name"
    continue
  fi
  caught=$((caught + 1))
  echo "caught  $name  $found"
done
echo "$caught of $# mutants are caught by interlock explore lease-lock and queue-lock"
((caught >= at_least))
