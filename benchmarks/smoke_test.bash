# usage: bash smoke_test.bash BENCHMARKS-DIRECTORY
# in_flight, script_parts, renewal, cluster, kept and program, small and brief: not for their figures, but that
# they measure what they say. Only what does not depend on time is judged.
set -eu
programs=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "failed: $*"
  exit 1
}
expect() { grep -q "$1" "$work/json" || fail "no $1 in: $(cat "$work/json")"; }

"$programs/in_flight" --locks 8,40 --rounds 2 --pairs 2 --json >"$work/json"
expect '"in_flight_8_over_blocking"'
expect '"in_flight_40_over_raw_joined"'
expect '"peak_kb_after_silence"'
! grep -qi 'nan\|inf[^_l]\|null' "$work/json" || fail "a figure is none: $(cat "$work/json")"

"$programs/performance_report" in_flight "$work/json" "$work/svg" >"$work/md"
grep -q '^| queue-lock | 40 | ' "$work/md" || fail "no row of 40: $(cat "$work/md")"
[ "$(grep -c '<rect x=' "$work/svg")" = 6 ] || fail "not six bars: $(cat "$work/svg")"

"$programs/script_parts" --rounds 1 --json >"$work/json"
expect '"fair, 32 to a command"'
! grep -qi 'nan\|inf[^_l]\|null' "$work/json" || fail "a figure is none: $(cat "$work/json")"
"$programs/performance_report" script_parts "$work/json" "$work/svg" >"$work/md"
grep -q '^| fair, 32 to a command | ' "$work/md" || fail "no row of pairs: $(cat "$work/md")"

# A ttl so long that a busy machine is not late.
"$programs/renewal" --leases 40 --ttl-ms 3000 --rounds 1 --json >"$work/json"
expect '"lost": 0,'
expect '"released": 40,'
expect '"renewals_after_release": 0,'
expect '"commands_after_release": 0,'
! grep -q '"renewals_per_second": .*0.0$' "$work/json" || fail "nothing was renewed"
! grep -qi 'nan\|inf[^_l]\|null' "$work/json" || fail "a figure is none: $(cat "$work/json")"

"$programs/performance_report" renewal "$work/json" "$work/svg" >"$work/md"
grep -q '^| late | ' "$work/md" || fail "nothing of being late: $(cat "$work/md")"

"$programs/cluster" --rounds 1 --pairs 40 --leases 40 --ttl-ms 3000 --json >"$work/json"
expect '"hand_over_p99_us"'
expect '"late": 0'
! grep -qi 'nan\|inf[^_l]\|null' "$work/json" || fail "a figure is none: $(cat "$work/json")"

"$programs/kept" --rounds 1 --json >"$work/json"
expect '"recalled_wait_us"'
! grep -qi 'nan\|inf[^_l]\|null' "$work/json" || fail "a figure is none: $(cat "$work/json")"

if [ -x "$programs/program" ]; then
  "$programs/program" --rounds 2 --waiters 2 --seconds 1 --json >"$work/json"
  expect '"interlock run, SQLite"'
  expect '"core_share"'
  ! grep -qi 'nan\|inf[^_l]\|null' "$work/json" || fail "a figure is none: $(cat "$work/json")"
  "$programs/performance_report" program "$work/json" "$work/svg" >"$work/md"
  grep -q '^| interlock run, Redis | ' "$work/md" || fail "no run on Redis: $(cat "$work/md")"
fi

wrong_arguments=("in_flight --locks 0" "renewal --leases none" "in_flight --what" "script_parts --rounds 0"
  "kept --what" "kept --rounds 0" "cluster --pairs 1")
[ ! -x "$programs/program" ] || wrong_arguments+=("program --rounds 0")
for wrong in "${wrong_arguments[@]}"; do
  code=0
  "$programs/"$wrong 2>"$work/err" || code=$?
  [ "$code" = 64 ] || fail "$wrong gave $code"
done
echo "the benchmarks answer as they should"
