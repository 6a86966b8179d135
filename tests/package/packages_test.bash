# usage: bash packages_test.bash CPACK BUILD-DIR SHARED-BUILD WORK-DIR VERSION COMPILER [FLAG...]
#
# Packs what was built as scripts/package does, with the shared libraries of SHARED-BUILD, and looks at the packages as one who installs them: control
# fields, contents, and programs that are built with pkg-config from the unpacked files.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cpack=$1 build=$2 shared=$3 work=$4 version=$5 compiler=("${@:6}" -std=c++20 -Wall -Wextra)
minor=${version%.*}

fail() {
  echo "FAILED: $*"
  exit 1
}
contents() { dpkg-deb --fsys-tarfile "${file_of[$1]}" | tar -t | sed 's|^\./||'; }
field() { dpkg-deb --field "${file_of[$1]}" "$2"; }

rm -rf "$work"
mkdir -p "$work"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1700000000}
"$cpack" --config "$build/CPackConfig.cmake" -D "CPACK_INTERLOCK_SHARED_BUILD=$shared" -B "$work" >"$work/cpack.log" 2>&1 || {
  cat "$work/cpack.log"
  fail "cpack"
}
declare -A file_of
for package in interlock "libinterlock$minor" libinterlock-dev libinterlock-simulator-dev; do
  file_of[$package]=$(echo "$work/${package}_$version-1_"*.deb)
  [ -f "${file_of[$package]}" ] || fail "no ${file_of[$package]} among $(echo "$work"/*.deb)"
done
[ "$(ls "$work"/*.deb | wc -l)" -eq 4 ] || fail "other packages: $(ls "$work"/*.deb)"

echo '-- the version, where it stands a second time'
# says FILE TEXT: the file has the text.
says() { grep -qF -- "$2" "$here/../../$1" || fail "$1 is not of version $version: no $2"; }
says packaging/vcpkg/interlock/vcpkg.json "\"version\": \"$version\""
says CHANGELOG.md "## [$version] - "
says docs/versions.md "find_package(interlock $minor)"
says docs/install.md "libinterlock${minor}_*.deb"
says docs/install.md "interlock-$version-linux-x86_64.tar.gz"
says scripts/package "libinterlock$minor "

echo '-- each package: fields, licence, changelog, sums'
for package in "${!file_of[@]}"; do
  for name in Maintainer Section Priority Architecture Description Depends; do
    [ -n "$(field "$package" $name)" ] || fail "$package: no $name"
  done
  [ "$(field "$package" Version)" = "$version-1" ] || fail "$package: version $(field "$package" Version)"
  root=$work/$package
  dpkg-deb --extract "${file_of[$package]}" "$root"
  dpkg-deb --control "${file_of[$package]}" "$root.control"
  grep -q 'Permission is hereby granted' "$root/usr/share/doc/$package/copyright" || fail "$package: no licence"
  gunzip --stdout "$root/usr/share/doc/$package/changelog.Debian.gz" >"$work/changelog"
  grep -q "^interlock ($version-1) " "$work/changelog" || fail "$package: changelog of another version"
  grep -qF "$(LC_ALL=C date --utc --date "@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %T +0000')" "$work/changelog" || fail "$package: not SOURCE_DATE_EPOCH"
  (cd "$root" && md5sum --check --quiet "$root.control/md5sums") || fail "$package: md5sums"
  ! contents "$package" | grep -v '^$\|^usr/' || fail "$package: files outside /usr"
  # A manual that is not compressed breaks Debian's policy.
  ! contents "$package" | grep '^usr/share/man/.*[0-9]$' || fail "$package: a manual is not compressed"
done
# One file in two packages would make dpkg refuse the second.
twice=$(for package in "${!file_of[@]}"; do contents "$package" | grep -v '/$'; done | sort | uniq --repeated)
[ -z "$twice" ] || fail "in two packages: $twice"

echo '-- the program: no compiler, no archive, no header'
[[ $(field interlock Depends) == *libc6* ]] || fail "no C library in Depends: $(field interlock Depends)"
[[ $(field interlock Depends) != *-dev* ]] || fail "needs: $(field interlock Depends)"
! contents interlock | grep '\.a$\|\.hpp$\|\.cmake$\|\.pc$' || fail "files of the library"
# has PACKAGE FILE
has() { contents "$1" | grep -qxF "usr/share/$2" || fail "$1: no $2"; }
has interlock zsh/vendor-completions/_interlock
has interlock fish/vendor_completions.d/interlock.fish
has interlock bash-completion/completions/interlock
has interlock doc/interlock/changelog.gz
! contents interlock | grep 'site-functions' || fail "zsh of Debian does not look there"
# As it was installed: with the page of the laboratory, if it had been built.
page=$(sed -n 's/^INTERLOCK_LAB_PAGE:FILEPATH=//p' "$build/CMakeCache.txt")
if [ -f "$page" ]; then
  has interlock interlock/lab.html
else
  ! contents interlock | grep 'share/interlock/' || fail "a folder for a page that is not there"
fi
said=$("$work/interlock/usr/bin/interlock" --version)
[[ $said == "interlock $version "* ]] || fail "interlock --version: $said"

echo '-- the shared library: it alone, and the system told of it'
! contents "libinterlock$minor" | grep '[^/]$' | grep -v "/libinterlock_[a-z]*\.so\.$minor\(\.[0-9]*\)\?$\|/share/doc/\|/share/lintian/overrides/" ||
  fail "other files in libinterlock$minor"
grep -q "^libinterlock_core $minor libinterlock$minor" "$work/libinterlock$minor.control/shlibs" || fail 'no shlibs'
grep -q 'ldconfig' "$work/libinterlock$minor.control/triggers" || fail 'no trigger of ldconfig'
[[ $(field "libinterlock$minor" Depends) == *libhiredis* ]] || fail "Depends: $(field "libinterlock$minor" Depends)"
[[ $(field libinterlock-dev Depends) == *"libinterlock$minor (= $version-1)"* ]] ||
  fail "development: $(field libinterlock-dev Depends)"
for package in "${!file_of[@]}"; do
  for program in $(find "$work/$package" -name '*.so.*.*.*' -o -path '*/bin/*' -type f); do
    ! readelf --dynamic "$program" | grep 'RPATH\|RUNPATH' | grep -v '\[$ORIGIN\]' || fail "$program looks for libraries elsewhere"
  done
done

echo '-- the library: nothing of the simulator'
! contents libinterlock-dev | grep 'flawed\|interlock/sim/\|simulator\|catalogue\|render\|harness' ||
  fail "files of the simulator"
for name in libhiredis-dev libssl-dev libsqlite3-dev libexpected-dev; do
  [[ $(field libinterlock-dev Depends) == *$name* ]] || fail "$name is missing: $(field libinterlock-dev Depends)"
done
[[ $(field libinterlock-simulator-dev Depends) == *"libinterlock-dev (= $version-1)"* ]] ||
  fail "simulator: $(field libinterlock-simulator-dev Depends)"

# As apt does: the links beside what they point to.
cp -r "$work/libinterlock$minor/usr" "$work/libinterlock-dev/"

# The headers of one package must not include those of the other. That for Asio needs Asio.
(cd "$work/libinterlock-dev/usr/include" && find . -name '*.hpp' -not -name asio.hpp | sed 's|^\./\(.*\)$|#include "\1"|' | sort) \
  >"$work/every_header.cpp"
[ -s "$work/every_header.cpp" ] || fail 'no headers'
"${compiler[@]}" -fsyntax-only -I "$work/libinterlock-dev/usr/include" "$work/every_header.cpp" ||
  fail 'a header of libinterlock-dev needs one that it does not have'

# modules ROOT: tells pkg-config where to look besides the system's.
modules() { export PKG_CONFIG_PATH=$(dirname "$(find "$1" -name interlock.pc)"); }
# build ROOT PROGRAM MODULE...: with what pkg-config says, and nothing else.
build() {
  local program=$2 flags
  modules "$1"
  read -ra flags <<<"$(pkg-config --cflags --libs "${@:3}")"
  "${compiler[@]}" "$here/pkg_config/$program.cpp" -o "$work/$program" "${flags[@]}" || fail "$program"
}

echo '-- programs by pkg-config'
modules "$work/libinterlock-dev"
for module in interlock interlock-redis interlock-sqlite; do
  [ "$(pkg-config --modversion $module)" = "$version" ] || fail "$module: version"
  pkg-config --validate $module || fail "$module: not valid"
done
export LD_LIBRARY_PATH=$(dirname "$(find "$work/libinterlock-dev" -name "libinterlock_core.so.$minor")")
build "$work/libinterlock-dev" every_store interlock interlock-redis interlock-sqlite
readelf --dynamic "$work/every_store" | grep -q "libinterlock_client.so.$minor" || fail 'every_store uses no shared library'
"$work/every_store" "$work/locks.sqlite3" || fail "every_store: exit code $?"
cp -r "$work/libinterlock-simulator-dev/usr" "$work/libinterlock-dev/"
build "$work/libinterlock-dev" search interlock-catalogue interlock-render
"$work/search" || fail "search: exit code $?"

echo '-- components of the CMake package: those of the simulator only with its package'
# found PREFIX COMPONENT: find_package() finds it there.
found() {
  rm -rf "$work/component"
  "${cpack%cpack}cmake" -S "$here/consumer" -B "$work/component" -D "CMAKE_PREFIX_PATH=$1" -D "CMAKE_CXX_COMPILER=${compiler[0]}" \
    -D "CONSUMER_COMPONENTS=$2" -D "CONSUMER_VERSION=$minor" >"$work/component.log" 2>&1
}
found "$work/libinterlock-dev/usr" simulator_testing || fail "simulator_testing: $(cat "$work/component.log")"
cp -r "$work/libinterlock-dev" "$work/no_simulator"
(cd "$work/libinterlock-simulator-dev" && find . -type f) | (cd "$work/no_simulator" && xargs rm)
! found "$work/no_simulator/usr" simulator_testing || fail 'simulator_testing without its package'
tr -s '\n ' ' ' <"$work/component.log" | grep -q 'are in the package libinterlock-simulator-dev' || fail "not told: $(cat "$work/component.log")"

echo "the packages of $version are well"
