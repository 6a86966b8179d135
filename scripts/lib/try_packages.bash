# Runs in a bare system that has the packages in the folder of this file: installs the program, without a
# compiler, uses it as its users do, and removes it. The same with the program for every Linux and the shared
# libraries, if they are here.
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

# That program first, while the system has none of its libraries.
for archive in interlock-*-linux-*.tar.gz; do
  [ -e "$archive" ] || break
  tar -xzf "$archive" -C /tmp
  program=$(echo /tmp/interlock-*-linux-*/bin/interlock)
  gives 0 "$program" --version
  gives 0 env INTERLOCK_STORE=sqlite:/tmp/static.sqlite3 "$program" run deploy -- echo 'under the lock'
  # The name is found, and nothing listens there.
  gives 69 "$program" status --store rediss://localhost:1/0 deploy
  rm -r /tmp/interlock-*-linux-* /tmp/static.sqlite3*
done

apt-get update -qq
before=$(dpkg-query --show --showformat='${Package}\n' | sort)
apt-get install --yes -qq --no-install-recommends ./interlock_*.deb >/dev/null
echo "installed: $(comm -13 <(echo "$before") <(dpkg-query --show --showformat='${Package}\n' | sort) | tr '\n' ' ')"
! command -v c++ cc gcc || fail "a compiler was installed"

version=$(dpkg-query --show --showformat='${Version}' interlock)
[[ $(interlock --version) == "interlock ${version%-*} "* ]] || fail "package $version, $(interlock --version)"

[ -s /usr/share/man/man1/interlock.1.gz ] || fail 'no manual page'
if [ -e /usr/share/interlock/lab.html ]; then
  gives 0 interlock lab --export /tmp/lab.html
  rm /tmp/lab.html
fi
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

libraries=()
for package in libinterlock[0-9]*.deb; do
  [ -e "$package" ] || break
  apt-get install --yes -qq --no-install-recommends "./$package" >/dev/null
  libraries+=("${package%%_*}")
  ldconfig -p | grep -q "libinterlock_client\.so\.${libraries[0]#libinterlock}" || fail "the loader does not know $package"
  for library in /usr/lib/*/libinterlock_*.so.*; do
    ! ldd "$library" | grep 'not found' || fail "$library lacks a library"
  done
done

apt-get purge --yes -qq interlock "${libraries[@]}" >/dev/null
[ ! -e /usr/bin/interlock ] || fail "the program is still there"
left=$(find / -xdev -name '*interlock*' -not -path '/packages/*' -not -path '/tmp/*' 2>/dev/null || true)
[ -z "$left" ] || fail "left behind: $left"
echo 'installed, used and removed'
