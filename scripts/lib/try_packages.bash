# Runs in a bare system that has the packages in the folder of this file: installs the program, without a
# compiler, uses it as its users do, and removes it.
set -euo pipefail
cd "$(dirname "$0")"

fail() {
  echo "FAILED: $*"
  exit 1
}

# gives CODE COMMAND...: it must end with that exit code.
gives() {
  local wanted=$1 code=0
  shift
  echo "\$ $*"
  "$@" </dev/null || code=$?
  [ "$code" -eq "$wanted" ] || fail "exit code $code, not $wanted"
}

apt-get update -qq
before=$(dpkg-query --show --showformat='${Package}\n' | sort)
apt-get install --yes -qq --no-install-recommends ./interlock_*.deb >/dev/null
echo "installed: $(comm -13 <(echo "$before") <(dpkg-query --show --showformat='${Package}\n' | sort) | tr '\n' ' ')"
! command -v c++ cc gcc || fail "a compiler was installed"

version=$(dpkg-query --show --showformat='${Version}' interlock)
[[ $(interlock --version) == "interlock ${version%-*} "* ]] || fail "package $version, $(interlock --version)"

[ -s /usr/share/man/man1/interlock.1.gz ] || fail 'no manual page'
export INTERLOCK_STORE=sqlite:$PWD/locks.sqlite3
gives 0 interlock run deploy -- echo 'under the lock'
interlock run deploy -- sh -c 'echo >held; while [ -e held ]; do sleep 0.1; done' &
holder=$!
while [ ! -e held ]; do sleep 0.1; done
gives 75 interlock run -w 0 deploy -- echo 'never printed'
gives 0 interlock status deploy
rm held
wait $holder || fail "the holder ended with $?"
gives 0 interlock check
# Its search finds the run in which the lock breaks, and says so by its exit code.
code=0
interlock explore del-setnx-lock >explored || code=$?
head -3 explored
grep -q 'VIOLATION' explored || fail "no violation, exit code $code"

apt-get purge --yes -qq interlock >/dev/null
[ ! -e /usr/bin/interlock ] || fail "the program is still there"
left=$(find / -xdev -name '*interlock*' -not -path '/packages/*' -not -path '/tmp/*' 2>/dev/null || true)
[ -z "$left" ] || fail "left behind: $left"
echo 'installed, used and removed'
