# Sourced by scripts/package and scripts/test: bare systems of Debian, in folders of their own.

# make_bare_system SUITE: one with nothing but what Debian cannot do without. Sets bare_system; it goes when the
# shell ends.
make_bare_system() {
  local suite=$1
  [ "$(id -u)" -eq 0 ] || die $unavailable "only root can make a system of its own: sudo $0 ..."
  require_packages debootstrap
  bare_system=$(mktemp -d "${TMPDIR:-/tmp}/interlock-bare.XXXXXX")
  # Nothing is mounted there but in the namespaces of in_bare_system, which are gone by then.
  trap 'rm -rf --one-file-system "$bare_system"' EXIT
  debootstrap --variant=minbase "$suite" "$bare_system" >"$bare_system.log" 2>&1 || {
    tail -5 "$bare_system.log" >&2
    rm -f "$bare_system.log"
    die $unavailable "debootstrap could not make a system of $suite: its last lines are above"
  }
  rm -f "$bare_system.log"
  # Also for the user that apt downloads as.
  chmod 755 "$bare_system"
  # The parts of the machine that installing may need. Packages must not start services.
  cp /etc/resolv.conf "$bare_system/etc/resolv.conf"
  printf '#!/bin/sh\nexit 101\n' >"$bare_system/usr/sbin/policy-rc.d"
  chmod +x "$bare_system/usr/sbin/policy-rc.d"
}

# in_bare_system COMMAND...: with processes and mounts of its own, which end with it.
in_bare_system() {
  # shellcheck disable=SC2016 # expanded in the namespace
  unshare --mount --pid --fork --kill-child sh -c '
    mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount --make-rslave "$0/dev" &&
      mount -t tmpfs tmpfs "$0/run" && exec chroot "$0" env --ignore-environment \
        HOME=/root LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
  ' "$bare_system" "$@"
}
