#!/usr/bin/env bash
# usage: program_libraries_test.bash PROGRAM
#
# The program contains its C++ libraries (cmake/interlock_static_program.cmake): each shared one makes
# each `interlock run` slower, and brings a second copy of the C++ library.
set -euo pipefail
shared=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
grep -qx 'libc\.so\.6' <<<"$shared" || { echo "no C library in: $shared" && exit 1; }
if others=$(grep 'stdc++\|libgcc\|libfmt' <<<"$shared"); then
  echo "the program loads: $others"
  echo "if it is fmt: name the function that it needs in cli/src/console/fmt_in_program.cpp"
  exit 1
fi
