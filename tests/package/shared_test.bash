# usage: bash shared_test.bash CMAKE SOURCE-DIR STATIC-BUILD SHARED-BUILD WORK-DIR VERSION COMPILER LAUNCHER
#
# Builds the project once more with BUILD_SHARED_LIBS=ON, in SHARED-BUILD, and installs it. What the libraries
# export, how they are named, and that programs use them by CMake and by pkg-config; then the same programs with the
# archives of STATIC-BUILD, which are installed beside them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cmake=$1 source=$2 static=$3 shared=$4 work=$5 version=$6 compiler=$7 launcher=$8
minor=${version%.*}

fail() {
  echo "FAILED: $*"
  exit 1
}

# quietly COMMAND...: shows what it says if it fails.
quietly() {
  "$@" >"$work/log" 2>&1 || {
    tail -60 "$work/log"
    fail "$*"
  }
}

rm -rf "$work"
mkdir -p "$work"
quietly "$cmake" -S "$source" -B "$shared" -G Ninja -DBUILD_SHARED_LIBS=ON -DINTERLOCK_CLI=OFF \
  -DINTERLOCK_SIMULATOR=OFF -DINTERLOCK_EXAMPLES=OFF -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr/local \
  -DCMAKE_INSTALL_LIBDIR="$(sed -n 's/^CMAKE_INSTALL_LIBDIR:PATH=//p' "$static/CMakeCache.txt")"
quietly "$cmake" --build "$shared"
prefix=$work/prefix
quietly "$cmake" --install "$shared" --prefix "$prefix"
libraries=$(dirname "$(find "$prefix" -name 'libinterlock_core.so')")

echo '-- names, and what is exported'
for name in core posix memory sqlite redis client; do
  library=$libraries/libinterlock_$name.so.$version
  [ -f "$library" ] || fail "no $library"
  readelf --dynamic "$library" >"$work/dynamic"
  grep -q "SONAME.*\[libinterlock_$name.so.$minor\]" "$work/dynamic" || fail "$name: $(grep SONAME "$work/dynamic")"
  # The libraries lie beside each other, and are found there: not where they were built.
  ! grep 'RUNPATH\|RPATH' "$work/dynamic" | grep -v '\[$ORIGIN\]' || fail "$name: run path"
  nm --dynamic --defined-only --demangle "$library" | sed 's/^[0-9a-f]* //' >"$work/exported"
  grep -q '^T interlock::' "$work/exported" || fail "$name exports nothing"
  # What belongs to others is only what the compiler instantiates in each library that uses it.
  ! grep -v '^[A-Za-z] .*interlock::' "$work/exported" |
    grep -v '^[WVu] .*\(std\|tl\|__gnu_cxx\)::' || fail "$name exports what is not interlock's"
done
# What no public header declares.
for hidden in interlock::redis::AsyncCluster interlock::sqlite::Connection interlock::WantedLocks interlock::lua; do
  nm --demangle "$static"/core/*.a "$static"/client/*.a "$static"/backends/*/*.a 2>/dev/null >"$work/all"
  grep -q "^[0-9a-f]* [A-TV-Za-z] $hidden::" "$work/all" || fail "nothing begins with $hidden any more: name another"
  for library in "$libraries"/*.so; do
    ! nm --dynamic --defined-only --demangle "$library" | grep "$hidden::" || fail "$library exports $hidden"
  done
done

# try_consumer NAME KIND [OPTION...]: builds and runs it; KIND says what it must use.
try_consumer() {
  local name=$1 kind=$2
  shift 2
  quietly "$cmake" -S "$here/shared" -B "$work/$name" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" "$@"
  quietly "$cmake" --build "$work/$name"
  uses "$work/$name/shared_consumer" "$kind"
  "$work/$name/shared_consumer" "$work/$name/locks.sqlite3" || fail "$name: exit code $?"
}
# uses PROGRAM KIND
uses() {
  local needed
  needed=$(readelf --dynamic "$1" | sed -n 's/.*NEEDED.*\[\(libinterlock.*\)\]/\1/p')
  case $2 in
    shared) [[ $needed == *libinterlock_client.so.$minor* ]] || fail "$1 needs: $needed" ;;
    static) [ -z "$needed" ] || fail "$1 needs: $needed" ;;
  esac
}

echo '-- programs by CMake'
# A program with shared libraries alone needs no package of theirs.
try_consumer alone shared -DCMAKE_DISABLE_FIND_PACKAGE_hiredis=ON -DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON
quietly "$cmake" --install "$static" --prefix "$prefix" --component development
rm -f "$static/install_manifest_development.txt"
try_consumer beside shared
try_consumer static static -Dinterlock_USE_STATIC_LIBS=ON

echo '-- programs by pkg-config'
# The files of the shared libraries, which were just written over.
quietly "$cmake" --install "$shared" --prefix "$prefix"
export PKG_CONFIG_PATH=$libraries/pkgconfig
modules=(interlock interlock-redis interlock-sqlite)
read -ra flags <<<"$(pkg-config --cflags --libs "${modules[@]}")"
[[ ${flags[*]} != *-lhiredis* ]] || fail "pkg-config names hiredis: ${flags[*]}"
quietly "$compiler" -std=c++20 "$here/shared/shared_consumer.cpp" -o "$work/by_pkg_config" "${flags[@]}" \
  -Wl,-rpath,"$libraries"
uses "$work/by_pkg_config" shared
"$work/by_pkg_config" "$work/locks.sqlite3" || fail "by pkg-config: exit code $?"
# The archives, where the links to the shared libraries are not.
rm "$libraries"/*.so
read -ra flags <<<"$(pkg-config --cflags --libs --static "${modules[@]}")"
quietly "$compiler" -std=c++20 "$here/shared/shared_consumer.cpp" -o "$work/static_by_pkg_config" "${flags[@]}"
uses "$work/static_by_pkg_config" static
"$work/static_by_pkg_config" "$work/locks.sqlite3" || fail "static by pkg-config: exit code $?"
echo "the shared libraries of $version are well"
