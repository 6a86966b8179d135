# usage: bash static_program_test.bash BUILD-DIR WORK-DIR VERSION COMPILER
#
# The program that contains all its libraries, packed as scripts/package --static does: its licences, and that it
# runs in a root that has nothing. Exit code 77: this user may not make such a root.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 work=$2 version=$3 compiler=$4
scripts=$here/../../scripts/lib

fail() {
  echo "FAILED: $*"
  exit 1
}

rm -rf "$work"
mkdir -p "$work"
export SOURCE_DATE_EPOCH=1700000000
echo '-- packed twice: the same'
for time in one two; do bash "$scripts/pack_static.bash" "$build" "$work/$time"; done
name=interlock-$version-linux-$(uname -m)
cmp "$work/one/$name.tar.gz" "$work/two/$name.tar.gz" || fail "two packings differ"
tar -xzf "$work/one/$name.tar.gz" -C "$work"
packed=$work/$name

echo '-- no library of the system'
! readelf --dynamic --program-headers "$packed/bin/interlock" | grep 'NEEDED\|INTERP' || fail "it needs a loader"
for file in README share/man/man1/interlock.1 share/bash-completion/completions/interlock; do
  [ -s "$packed/$file" ] || fail "no $file"
done

echo '-- every library that is in it has its licence'
name_of() {
  case $1 in
    libc.a | libm-*.a | libm.a | libpthread.a | libdl.a) echo glibc ;;
    libgcc.a | libgcc_eh.a) echo libgcc ;;
    libssl.a | libcrypto.a) echo openssl ;;
    libtinfo.a) echo ncurses ;;
    libstdc++.a | libedit.a | libbsd.a) basename "$1" .a ;;
    *) basename "${1#lib}" .a ;;
  esac
}
archives=$(bash "$scripts/archives_in_program.bash" "$build/bin/interlock_static.map")
grep -q '/libc\.a$' <<<"$archives" || fail "the map names no C library: $archives"
for archive in $archives; do
  library=$(name_of "$(basename "$archive")")
  grep -q "^Files:.* $library\( \|\$\)" "$packed/share/doc/interlock/copyright" ||
    fail "copyright does not name $library, which $archive is"
done
for licence in libssl-dev libc6-dev libedit-dev LGPL-2.1 Apache-2.0; do
  [ -s "$packed/share/doc/interlock/licences/$licence" ] || fail "licences lack $licence"
done

root=$work/root
mkdir -p "$root"/{etc,tmp,proc} "$root/lib/$(uname -m)-linux-gnu"
# in_root COMMAND...: in a root that has the program and nothing else.
in_root() {
  # shellcheck disable=SC2016 # expanded in the namespace
  unshare --map-root-user --mount --pid --fork sh -c \
    'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" "$@"
}
cp "$packed/bin/interlock" "$root/interlock"
if ! in_root /interlock --version >"$work/said" 2>&1; then
  unshare --map-root-user --mount --pid --fork true 2>/dev/null || exit 77
  fail "in an empty root: $(cat "$work/said")"
fi
[[ $(cat "$work/said") == "interlock $version (stores: sqlite, redis, memory)" ]] || fail "it says: $(cat "$work/said")"

echo '-- a lock in a file, and a search'
store=sqlite:/tmp/locks
in_root /interlock run --store $store orders -- /interlock status --store $store orders >"$work/said" ||
  fail "run: exit code $?"
grep -q 'held by' "$work/said" || fail "status under the lock: $(cat "$work/said")"
code=0
in_root /interlock explore del-setnx-lock >"$work/said" || code=$?
grep -q VIOLATION "$work/said" || fail "explore: exit code $code, $(cat "$work/said")"

echo '-- names, with a module of the system that ends every process that loads it'
echo 'hosts: ender files' >"$root/etc/nsswitch.conf"
echo 'passwd: ender' >>"$root/etc/nsswitch.conf"
echo '127.0.0.1 redis.example' >"$root/etc/hosts"
echo '__attribute__((constructor)) static void end(void) {' >"$work/ender.c"
echo '  __asm__ volatile("syscall" ::"a"(231), "D"(99)); }' >>"$work/ender.c"
"$compiler" -x c -shared -fPIC -nostdlib "$work/ender.c" -o "$root/lib/$(uname -m)-linux-gnu/libnss_ender.so.2"
# Nothing listens at port 1: the name was found if the connection is refused. With TLS, OpenSSL begins first.
for scheme in redis rediss; do
  code=0
  in_root /interlock status --store "$scheme://redis.example:1/0" orders 2>"$work/said" || code=$?
  [ $code -eq 69 ] || fail "$scheme: exit code $code: $(cat "$work/said")"
  grep -q 'Connection refused' "$work/said" || fail "$scheme: $(cat "$work/said")"
done
echo "the static program of $version is well"
