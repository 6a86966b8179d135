# usage: bash conan_test.bash CMAKE SOURCE-DIR WORK-DIR COMPILER
#
# What the recipe of Conan exports configures alone, with the recipe's options: a folder that it forgets shows here.
# Conan itself is not run: packaging/README.md says how it was tried.
set -euo pipefail
cmake=$1 source=$2 work=$3 compiler=$4
recipe=$source/packaging/conan/conanfile.py
rm -rf "$work"
mkdir -p "$work/exported"

# listed NAME: the words of the recipe's `for NAME in (...)`.
listed() {
  python3 -c '
import ast, sys
for node in ast.walk(ast.parse(open(sys.argv[1]).read())):
    if isinstance(node, ast.For) and node.target.id == sys.argv[2]: print(*(word.value for word in node.iter.elts))
' "$recipe" "$1"
}
(cd "$source" && cp -r --parents $(listed folder) $(listed file) "$work/exported/")
excluded=$(sed -n 's|.* excludes="\(.*\)/\*".*|\1|p' "$recipe")
[ -d "$work/exported/${excluded:?"the recipe excludes nothing"}" ] || { echo "FAILED: no folder $excluded" && exit 1; }
rm -r "${work:?}/exported/$excluded"

for kind in OFF ON; do
  options=()
  for part in $(listed part | grep -o '[A-Z]*'); do
    options+=("-DINTERLOCK_$part=OFF")
  done
  [ ${#options[@]} -gt 4 ] || { echo "FAILED: the recipe's options were not found: ${options[*]}" && exit 1; }
  "$cmake" -S "$work/exported" -B "$work/build-$kind" -G Ninja "${options[@]}" -DBUILD_SHARED_LIBS=$kind \
    -DINTERLOCK_SIMULATOR=$kind -DCMAKE_CXX_COMPILER="$compiler" >"$work/log" 2>&1 || {
    cat "$work/log"
    echo "FAILED: what the recipe exports does not configure"
    exit 1
  }
done
