# The line under each verdict gives the same verdict, with the same bounds, whatever was asked for.
# usage: bash again.bash PROGRAM memory [N]    N: of the catalogue each N-th scenario (default: 1, all)
source "$(dirname "$0")/harness.bash"
export LC_ALL=C.UTF-8
each=${3:-1}

without_seconds() { sed 's/"seconds":[0-9.e+-]*//' out; }
again_of() { sed -n 's/.*"again":"\([^"]*\)".*/\1/p' out; }

# every_verdict OUTCOMES OPTIONS...: of each scenario with these options. A scenario may refuse them;
# each of OUTCOMES must have come out at least once, or nothing would have been tried.
every_verdict() {
  local outcomes=$1 name again outcome
  shift
  interlock scenarios --repairs --json | sed 's/.*"scenario":"\([^"]*\)".*/\1/' | sed -n "1~${each}p" >names
  [ "$(wc -l <names)" -gt $((100 / each)) ] || fail "too few scenarios: $(wc -l <names)"
  : >outcomes
  while read -r name; do
    interlock explore "$name" "$@" --json >out 2>err
    grep -q '"verdict":' out || continue
    field verdict <out >>outcomes
    again=$(again_of)
    without_seconds >first
    $again --json >out
    without_seconds | diff first - || fail "$again"
  done <names
  for outcome in $outcomes; do
    grep -q "^$outcome$" outcomes || fail "$outcome never came out of $*"
  done
}

test_of_the_scenarios_as_they_are() {
  every_verdict "proved violated" --max-states 100000
}

test_with_other_faults_and_clients_told_apart() {
  every_verdict "violated" --faults 1 --no-symmetry --max-states 20000
}

test_where_a_limit_comes_first() {
  every_verdict "incomplete violated" --max-states 30
  every_verdict "incomplete" --max-memory 100K --instants 3
}

test_with_chosen_properties() {
  every_verdict "proved" --property deadlock --max-states 20000
  every_verdict "proved violated" --property deadlock,mutual-exclusion,deadlock --max-states 20000
  every_verdict "proved" --property every-waiter-acquires --allow-deadlock --max-states 20000
}

test_by_chance() {
  every_verdict "incomplete violated" --random 30 --seed 3 --max-states 20000
  every_verdict "incomplete violated" --pct 3 --random 20 --max-states 20000
}

run_tests
