# What --output writes: all or nothing, and where.
source "$(dirname "$0")/harness.bash"
export LC_ALL=C.UTF-8

write() { interlock replay del-setnx-lock:11221122 -f "${2:-html}" -o "$1" >out 2>err; }

test_what_was_there_stays_if_there_is_no_room() {
  echo old >keep.html
  (
    trap '' XFSZ
    ulimit -f 1
    exec "$program" replay del-setnx-lock:11221122 -f html -o keep.html >out 2>err
  )
  equal $? 71
  lines err 1
  says err "'keep.html' cannot be written: File too large: choose another file"
  equal "$(cat keep.html)" old
  equal "$(ls)" "$(printf 'err\nkeep.html\nout')"
}

test_a_file_is_replaced_and_keeps_its_permissions() {
  echo old >file.html
  chmod 640 file.html
  write file.html
  equal $? 1
  grep -q '^<!DOCTYPE html>' file.html || fail "not written"
  equal "$(stat -c %a file.html)" 640
}

test_links_and_devices_are_written_through() {
  mkdir folder
  echo old >folder/target.html
  ln -s folder/target.html link.html
  ln folder/target.html other.html
  write link.html
  [ -L link.html ] || fail "the link was replaced"
  grep -q '^<!DOCTYPE html>' folder/target.html || fail "the target was not written"
  cmp folder/target.html other.html || fail "its other name names another file"
  ln -s folder/nothing.html dangling.html
  write dangling.html
  grep -q '^<!DOCTYPE html>' folder/nothing.html || fail "a link to nothing was not followed"
  write /dev/stdout short
  equal "$(cat out)" del-setnx-lock:11221122
  echo before >log
  "$program" replay del-setnx-lock:11221122 -f short -o /dev/stdout >>log
  equal "$(cat log)" "$(printf 'before\ndel-setnx-lock:11221122')"
  write /dev/null
  [ -c /dev/null ] || fail "no device any more"
  mkfifo pipe
  cat pipe >through &
  write pipe short
  wait $!
  equal "$(cat through)" del-setnx-lock:11221122
}

test_a_dash_is_standard_output() {
  write - short
  equal $? 1
  equal "$(cat out)" del-setnx-lock:11221122
  [ ! -e ./- ] || fail "a file called -"
}

test_standard_error_is_written_where_it_is() {
  ln -s /proc/self/fd/2 standard
  echo before >log
  "$program" replay del-setnx-lock:11221122 -f short -o standard 2>>log
  [ -L standard ] || fail "the link was replaced"
  equal "$(head -1 log)" before
  [ "$(wc -l <log)" -gt 1 ] || fail "nothing was written"
}

test_a_file_that_may_not_be_written_is_not_replaced() {
  [ "$(id -u)" != 0 ] || return 0 # root may
  echo old >mine.html
  chmod 444 mine.html
  write mine.html
  equal $? 71
  says err "'mine.html' cannot be written: Permission denied"
  equal "$(cat mine.html)" old
}

run_tests
