#include "lock/foreign_flags.hpp"

#include <array>

namespace interlock::cli {
namespace {

constexpr std::string_view flock = "flock";
constexpr std::string_view consul = "consul lock";
constexpr std::string_view etcdctl = "etcdctl";

constexpr std::string_view no_wait = "write --wait 0";
constexpr std::string_view time = "write --wait with a unit, as in --wait 30s";
constexpr std::string_view exclusive = "leave it out, a lock without --shared is exclusive";
constexpr std::string_view not_inherited = "leave it out, the command does not inherit the lock";
constexpr std::string_view renews =
    "leave it out, interlock stays beside the command to renew the lock";
constexpr std::string_view login = "write it into the URL in the file of --store-file";
constexpr std::string_view certificate =
    "write --store 'rediss://host:port/db?ca=FILE&cert=FILE&key=FILE'";

constexpr std::array table{
    ForeignFlag{"-n", "flock", "write --wait 0, or --permits 1/3 for one of consul's 3 holders"},
    ForeignFlag{"--nb", flock, no_wait},
    ForeignFlag{"--nonblock", flock, no_wait},
    ForeignFlag{"--nonblocking", flock, no_wait},
    ForeignFlag{"--timeout", flock, time},
    ForeignFlag{"-s", flock, "write --shared"},
    ForeignFlag{"-x", flock, exclusive},
    ForeignFlag{"-e", flock, exclusive},
    ForeignFlag{"--exclusive", flock, exclusive},
    ForeignFlag{"-o", flock, not_inherited},
    ForeignFlag{"--close", flock, not_inherited},
    ForeignFlag{"-u", flock, "leave it out, the lock is released at the end"},
    ForeignFlag{"--unlock", flock, "leave it out, the lock is released at the end"},
    ForeignFlag{"-F", flock, renews},
    ForeignFlag{"--no-fork", flock, renews},
    ForeignFlag{"-W", "lckdo", time},
    ForeignFlag{"-t", "lockf", time},
    ForeignFlag{"-timeout", consul, time},
    ForeignFlag{"-try", consul, time},
    ForeignFlag{"-monitor-retry", consul,
                "leave it out, a held lock is renewed until its ttl ends"},
    ForeignFlag{"-child-exit-code", consul, "leave it out, the exit code is the command's"},
    ForeignFlag{"-pass-stdin", consul, "leave it out, the command has the standard input"},
    ForeignFlag{"-shell", consul, "write -c 'COMMAND' for a shell, or nothing for none"},
    ForeignFlag{"-name", consul, "write --note TEXT"},
    ForeignFlag{"-verbose", consul, "write --verbose"},
    ForeignFlag{"-http-addr", consul, "write --store URL"},
    ForeignFlag{"-token", consul, login},
    ForeignFlag{"--endpoints", etcdctl, "write --store URL"},
    ForeignFlag{"--user", etcdctl, login},
    ForeignFlag{"--password", etcdctl, login},
    ForeignFlag{"--password-file", "etcd", login},
    ForeignFlag{"--cacert", etcdctl, certificate},
    ForeignFlag{"--cert", etcdctl, certificate},
    ForeignFlag{"--key", etcdctl, certificate},
    ForeignFlag{"-l", "etcdctl elect", "write interlock watch NAME"},
    ForeignFlag{"--listen", "etcdctl elect", "write interlock watch NAME"},
    ForeignFlag{"--command-timeout", etcdctl, time},
    ForeignFlag{"--dial-timeout", etcdctl, "write --store-outage with a unit, as in 10s"},
    ForeignFlag{"--lease", etcdctl, "write --ttl with a unit, as in --ttl 30s"},
};

}  // namespace

std::span<const ForeignFlag> flags_of_other_locks() {
  return table;
}

}  // namespace interlock::cli
