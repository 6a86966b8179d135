# usage: bash load_test.bash LOAD
# The benchmark's answers have the shape that they should have. No figure is judged but those that do
# not depend on time: how many sections there were, and that nobody was inside twice.
set -eu
load=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "failed: $*"
  exit 1
}

"$load" --clients 4 --sections 24 --section 1 --seconds 20 --only lease-lock --only hiredis \
  --only bill-lock --json --svg "$work/plot.svg" >"$work/json" 2>"$work/err"
[ "$(grep -c '"lock":' "$work/json")" = 5 ] || fail "not five rows: $(cat "$work/json")"
[ "$(grep -c '"sections": 24' "$work/json")" = 6 ] || fail "not 24 sections each"
[ "$(grep -c '"two_inside": 0' "$work/json")" = 5 ] || fail "two were inside"
[ "$(grep -c '"unserved": 0' "$work/json")" = 5 ] || fail "somebody was not served"
grep -q '^<svg ' "$work/plot.svg" || fail "no picture"
# Bars from nought, and dots on the logarithmic axis; the legend has one for each of the three colours.
[ "$(grep -cE '<(rect x|circle cx)=' "$work/plot.svg")" = 13 ] || fail "not two marks a row"
! grep -q 'nan\|inf' "$work/json" "$work/plot.svg" || fail "a figure is none"

# script-lock never gives a lock back: the others are still waiting when time is over.
"$load" --clients 3 --sections 6 --section 1 --seconds 1 --only script-lock --markdown >"$work/md" \
  2>"$work/err"
grep -q '^| script-lock | 300 ms .* | 3 | 0 |$' "$work/md" || fail "$(cat "$work/md")"
awk 'length($0) > 80' <("$load" --clients 2 --sections 4 --seconds 1 --only hiredis 2>/dev/null) |
  grep -q . && fail "longer than 80 columns"

code=0
"$load" --clients none 2>"$work/err" || code=$?
[ "$code" = 64 ] || fail "gave $code"
grep -q -- '--clients wants a number' "$work/err" || fail "$(cat "$work/err")"
code=0
"$load" --only nothing-like-that 2>"$work/err" || code=$?
[ "$code" = 70 ] || fail "gave $code"
echo "the benchmark answers as it should"
