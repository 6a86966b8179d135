# usage: bash archives_in_program.bash MAP
#
# The archives of the system that a program contains parts of, from the linker's map of it (-Wl,-Map=), a line each.
set -euo pipefail
awk '/^Archive member included/ { listed = 1 } /^(Discarded input sections|Memory Configuration)/ { exit }
     listed && match($0, /^\/[^() ]*\.a\(/) { print substr($0, 1, RLENGTH - 1) }' "$1" |
  xargs -r realpath | sort -u
