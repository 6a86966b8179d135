#!/usr/bin/env bash
# usage: local_statics_test.bash ARCHIVE...
#
# If one thread runs the initialiser of a static variable of a function while another thread calls
# fork(), the child waits for ever when it comes to that variable. So each of these variables of the
# library is made before main() begins, or behind a lock for which a fork waits. This test fails for
# one that is not in the list: decide which of the two holds for it, and add it here.
set -euo pipefail
safe='
interlock::claim_script()::script                       made early (owner_scripts.cpp)
interlock::quarantined_claim_script()::script           made early
interlock::renew_script()::script                       made early
interlock::release_script()::script                     made early
interlock::queue_claim_script()::script                 made early (queue_scripts.cpp)
interlock::queue_release_script()::script               made early
interlock::quarantined_queue_claim_script()::script     made early
interlock::quarantined_queue_release_script()::script   made early
interlock::group_claim_script()::script                 made early (group_scripts.cpp)
interlock::group_downgrade_script()::script             made early
interlock::group_renew_script()::script                 made early
interlock::group_release_script()::script               made early
interlock::group_look_script()::script                  made early
interlock::quarantined_group_claim_script()::script     made early
interlock::quarantined_group_downgrade_script()::script made early
interlock::quarantined_group_release_script()::script   made early
interlock::proclaim_script()::script                    made early (leader.cpp)
interlock::withdraw_script()::script                    made early
interlock::look_for_leader_script()::script             made early
interlock::moved_from()::none                           made early (vocabulary.cpp)
interlock::no_keys()::none                              made early (operation.cpp)
interlock::detail::reserve_for()::reserve               thread_local: no other thread makes it
interlock::posix::Open::instance()::open                fork() makes it, before the child begins
interlock::posix::Registry::instance()::registry        made early (fork.cpp)
interlock::posix::look_closer()::page                   made early
interlock::redis::bounded_functions()::functions        made early (resp.cpp)
interlock::redis::hiredis_functions()::functions        made early
interlock::sqlite::original()::vfs                      under the lock of the opening connection
interlock::sqlite::registered()::vfs                    under the lock of the opening connection
interlock::sqlite::guarded_vfs()::vfs                   under the lock of the opening connection
interlock::sqlite::open_file()::files                   under the lock of the opening connection
interlock::sqlite::open_file()::mutex                   under the lock of the opening connection
'
names() {
  nm -C "$@" 2>/dev/null | sed -n 's/.*guard variable for //p' |
    sed -E 's/\(anonymous namespace\):://g; s/\([^()]*(\([^()]*\)[^()]*)*\)::/()::/' | sort -u
}
[ -n "$(names "$@")" ] || { echo "no static variable found: is nm missing?" && exit 1; }
unknown=$(names "$@" | while read -r name; do
  grep -qF "$name " <<<"$safe" || echo "$name"
done)
[ -z "$unknown" ] && exit 0
echo "static variables of functions that are not in the list of this test:"
echo "$unknown"
exit 1
