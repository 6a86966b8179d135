# Sourced by scripts/test: whether the machine stood still while tests ran.
#
# Leases of two or three seconds end when the machine, a virtual one above all, does not run for that
# long, and a test of them cannot tell that from a fault of the lock. Nothing else excuses a failure.

# watch_for_standstills FILE: writes a line into FILE for each half second or more in which this
# process was not run although it was due. Ends with the shell that started it.
watch_for_standstills() {
  local file=$1 last now seconds fraction never
  exec {never}<> <(:)  # nothing is ever written there: a pause without a process for each
  last=''
  while kill -0 $$ 2>/dev/null; do
    # Since the machine was started, in hundredths, whatever is done to the wall clock.
    read -r now _ </proc/uptime
    IFS=. read -r seconds fraction <<<"$now"
    now=$((10#$seconds * 100 + 10#$fraction))
    if [ -n "$last" ] && [ $((now - last)) -ge 60 ]; then
      echo "$(((now - last) * 10)) ms" >>"$file"
    fi
    last=$now
    read -r -t 0.1 -u "$never" || true
  done
}
