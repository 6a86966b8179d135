# usage: bash pack_static.bash BUILD-DIR FOLDER
#
# Packs the program that contains all its libraries, which the target interlock_static has made in BUILD-DIR,
# with manuals, completion and licences: FOLDER/interlock-VERSION-linux-ARCHITECTURE.tar.gz.
# SOURCE_DATE_EPOCH is the time of its files.
set -euo pipefail
build=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=interlock-$version-linux-$(uname -m)
work=$(mktemp -d "${TMPDIR:-/tmp}/interlock-static.XXXXXX")
trap 'rm -rf "$work"' EXIT

# The list of what was installed belongs to who installs, and not to this script.
cmake --install "$build" --component program --prefix "$work/$name" >"$work/log" || {
  cat "$work/log"
  exit 1
}
rm -f "$build/install_manifest_program.txt"
strip -o "$work/$name/bin/interlock" "$build/bin/interlock_static"
cp "$here/../../packaging/static/README" "$work/$name/README"

# The licences of the libraries in full, from Debian's packages of them, and those that these refer to: other
# systems have neither.
licences=$work/$name/share/doc/interlock/licences
mkdir -p "$licences"
{
  bash "$here/archives_in_program.bash" "$build/bin/interlock_static.map"
  # Libraries that are headers.
  ls /usr/include/fmt/format.h /usr/include/nlohmann/json.hpp /usr/include/tl/expected.hpp
} | while read -r archive; do
  package=$(dpkg-query --search "$archive" 2>/dev/null | sed -n '1s/:.*//p')
  [ -n "$package" ] || { echo "pack_static: $archive belongs to no package: its licence is not known" >&2 && exit 1; }
  cp -L "/usr/share/doc/$package/copyright" "$licences/$package"
done
for common in $(grep -rhow '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$licences" | sort -u); do
  cp -L "$common" "$licences/$(basename "$common")"
done

find "$work/$name" -type d -exec chmod 755 {} +
find "$work/$name" -type f -not -path '*/bin/*' -exec chmod 644 {} +
mkdir -p "$folder"
tar --create --directory "$work" --sort=name --mtime="@${SOURCE_DATE_EPOCH:?}" --owner=0 --group=0 \
  --numeric-owner --format=gnu "$name" | gzip -9 --no-name >"$folder/$name.tar.gz"
