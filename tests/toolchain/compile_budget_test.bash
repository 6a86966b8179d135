# usage: compile_budget_test.bash GCC ROOT INCLUDE-DIR...
#
# A program that includes interlock/client.hpp takes at most 1.3 times the work of one that includes the standard
# headers which client.hpp and the headers under it name. The work is the memory that GCC takes for what it reads
# and instantiates: the same in each run, where a time is not, and a better measure than the size of the text.
set -euo pipefail
gcc=$1 root=$2
includes=("${@:3}")
limit=130

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# The megabytes that GCC took to look through the text on its standard input.
memory() {
  local report
  report=$("$gcc" -std=c++20 -fsyntax-only -ftime-report "${includes[@]/#/-I}" -x c++ - 2>&1) || fail "$report"
  sed -n 's/^ *TOTAL *:.* \([0-9]*\)M *$/\1/p' <<<"$report"
}

client='#include "interlock/client.hpp"'
headers=$(echo "$client" | "$gcc" -std=c++20 -MM "${includes[@]/#/-I}" -x c++ - | grep -o "$root[^ ]*\.hpp")
standard=$(grep -h '^#include <[a-z_]*>' $headers | sort -u)
[ "$(wc -l <<<"$standard")" -gt 10 ] || fail "only these standard headers were found: $standard"
alone=$(echo "$standard" | memory)
whole=$(echo "$client" | memory)
[ -n "$alone" ] && [ -n "$whole" ] || fail "GCC's report has another form: '$alone', '$whole'"
echo "standard headers $alone MB, client.hpp $whole MB: $((100 * whole / alone)) %"
[ $((100 * whole)) -le $((limit * alone)) ] ||
  fail "client.hpp costs more than $limit % of its standard headers: include less, or declare in place of it"
