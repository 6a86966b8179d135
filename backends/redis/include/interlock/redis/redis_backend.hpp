// Locks on a Redis server: one primary, 5.0 or newer (in older ones a script cannot write after it
// has asked for the time), reached by TCP or by a unix socket, or found by Sentinels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/quarantine.hpp"
#include "interlock/retention.hpp"
#include "interlock/store/backend.hpp"

#pragma GCC visibility push(default)

namespace interlock::redis {

// Encrypts a connection and makes sure that it leads to the right server: by TLS 1.2 or 1.3, and
// only with a server whose certificate was signed by a trusted authority, has not expired, and has
// the server's name. There is no way to leave these checks out. The files are read anew for each
// connection, so a renewed certificate needs no restart.
class Tls {
 public:
  Tls() = default;

  // A file with the certificates of the authorities to trust (PEM), or a folder of such files with
  // hashed names, as `openssl rehash` makes it. Empty: those that the system trusts. This and the
  // next two must be regular files (or this folder), on a file system that does not hang: the
  // thread that connects reads them, and for a store of open_on() that is the loop's.
  std::string authorities;
  // For a server that asks for a client certificate: a file with it and its chain, and one with
  // its key, without a password (both PEM). An empty key: it is in the same file.
  std::string certificate;
  std::string key;  // of that certificate
  // The name or address that the server's certificate must have, without wildcards: among its
  // alternative names or, if it has none, as its common name. Empty: that of Options::host.
  std::string server_name;
};

// Where a server listens.
class HostAndPort {
 public:
  std::string host;            // a name or an address
  std::uint16_t port = 26379;  // that of Sentinels: a server of a cluster has another
  friend bool operator==(const HostAndPort&, const HostAndPort&) = default;
};

// Sentinels say which server is the primary at the moment. The store asks them for each new
// connection, and goes on only if the server says that it is the primary. A store of open() also
// asks before it uses a connection that was idle for a command_timeout, and does not use it if no
// Sentinel says that it leads to the primary. A store of open_on() keeps a connection to a Sentinel
// on which that tells of a new primary, and then leaves the old one at once.
class SentinelGroup {
 public:
  SentinelGroup() = default;

  // Give all that there are. The store asks first the one that answered last, and gives each the
  // same part of the connect_timeout. If the address that it tells is of no use, the store asks the
  // next one.
  std::vector<HostAndPort> addresses;
  std::string primary;  // the name under which they watch it
  std::string user;     // of the Sentinels: as for the server
  std::string password;
  std::optional<Tls> tls;  // of the connections to Sentinels
};

// Where the server is and how long to wait for it. These two limits bound every wait: each call on
// a server that has fallen silent ends.
class Options {
 public:
  Options() = default;

  std::string host = "127.0.0.1";  // a name or an address
  std::uint16_t port = 6379;       // where it listens
  std::string unix_socket;         // if not empty, instead of host and port
  // If there is one: instead of all three. Without addresses each operation is `rejected`.
  std::optional<SentinelGroup> sentinel;
  // If not empty: servers of a Redis Cluster, instead of all these. The store learns the others
  // from them, so two or three are enough. `database` must be 0.
  std::vector<HostAndPort> cluster;

  // What the store does when its server has been promoted, or has restarted, so that it may have
  // lost grants; none: it grants locks at once. Give all users of the server and database the same.
  // Not with a `cluster`: each operation is `rejected` then.
  // The user needs INFO, and the key `interlock:incarnation`. If a field is out of its range, every
  // Client of the backend ends the process with a message.
  std::optional<Quarantine> quarantine;

  // For how long the server keeps what a lock leaves behind: its fencing counter, some 130 bytes a
  // name. Give all users of a lock the same: the last grant decides.
  Retention retention;

  // For the connections to the server; none: nothing is encrypted. If Sentinels find it and no
  // `server_name` is given, its certificate must have the address that they tell.
  std::optional<Tls> tls;

  std::string user;      // empty: the server's default user
  std::string password;  // empty: do not authenticate
  int database = 0;      // the number for SELECT

  // Both limits count the time in which the store listened: while this process, or its machine,
  // stands still, at most a sixth of the limit passes.

  // For asking Sentinels, name resolution, connecting, the handshake of TLS and authenticating
  // together, at least 1 ms. All addresses of a host share it: one that never answers leaves no
  // time for the next. If the server breaks off or is silent, a quarter of it more may pass: the
  // store then finds out whether one side speaks TLS and the other does not.
  Duration connect_timeout = std::chrono::seconds{1};
  // From sending a command to having its whole answer. At least 1 ms.
  Duration command_timeout = std::chrono::seconds{1};

  // The name that CLIENT LIST shows, without spaces; empty: no name.
  std::string client_name = "interlock";
};

// - `redis://[user:password@]host[:port][/database]`, with [::1] for IPv6;
// - `redis+unix://[user:password@]/path[?db=number]`;
// - `rediss://[user:password@]host[:port][/database][?PARAMETERS]`, with TLS. The parameters are
//   `ca=FILE`, `cert=FILE`, `key=FILE` and `server-name=NAME`, with & between them: see Tls;
// - `redis+sentinel://[user:password@]host[:port][,host[:port]...]/NAME[/database]
//   [?PARAMETERS]`: see SentinelGroup. The parameters are `sentinel-user` and `sentinel-password`;
//   the login before the hosts is the primary's;
// - `rediss+sentinel://...`: the same, with TLS on all connections and its parameters, too;
// - `redis+cluster://[user:password@]host[:port][,host[:port]...]`: see Options::cluster. The login
//   is that of all servers;
// - `rediss+cluster://...[?PARAMETERS]`: the same, with TLS and its parameters.
//
// All but those of a cluster also take
// `after-failover=wait&longest-ttl=DURATION[&max-lag=DURATION]`, which is Options::quarantine, and
// `after-failover=grant`, which is none. A DURATION is a number with ms, s, m, h or d. `max-lag` is
// the server's min-replicas-max-lag, for which an old primary may go on to grant locks; the
// quarantine lasts 2 s more, because the server counts whole seconds and looks at its replicas once
// a second. All take `retention=DURATION`, which is Options::retention.
//
// User, password, host, path, name and parameters may be percent-encoded; `:password@` has no user.
// Characters that separate no part may stand as they are, a space in a password, too; a host has no
// space and no control character. `invalid_argument`: anything else; the message is one line and
// never shows a password.
Result<Options> parse_url(std::string_view url);

// Where the store is, as a URL: without user, password and parameters.
std::string describe(const Options& options);

// Nothing is sent, and no name is resolved, before the first operation of a store.
//
// Threads: any thread may use the backend. A store of open() is for one thread at a time, except
// for `interrupt`, which any thread may call; a store of open_on() is for the loop's thread alone.
//
// Errors:
// - `unavailable`: no connection can be made, or the command cannot have been executed: its last
//   byte (with TLS: of its last record) was not sent, or the server answered LOADING, MASTERDOWN,
//   READONLY, CLUSTERDOWN, TRYAGAIN, NOREPLICAS or BUSY.
// - `rejected`: the server refused the connection (password, database, client certificate) or the
//   command; or the store refused the server (its certificate; TLS on one side alone).
// - `indeterminate`: the command was sent and no usable answer came. The store then closes the
//   connection.
// The next operation makes a new connection, at once or, if the last attempt failed, after a
// growing pause (10 ms to 1 s, jittered) during which operations fail at once. A run() whose script
// fails half-way is `rejected` although the changes of its first half stay: Redis has no rollback.
// The scripts of claim, renew and release cannot fail half-way.
//
// A server that answers READONLY or MASTERDOWN is a replica, perhaps since a moment ago: the store
// closes the connection, because the address may lead the next connection to the primary.
//
// The store also closes the connection after a reply to no request, which would be taken for the
// answer to the next command; and after a grant whose fencing token is not greater than the last
// one that it saw of that lock (it remembers the last token of about a thousand locks), or lies
// more than a day behind all tokens that it saw: such a claim is `indeterminate`. If the same owner
// gets the same token again on a new connection, the store accepts it: the server was restored from
// a copy, and its clock set back.
//
// A store has two connections: one for commands and, when first needed, one for messages. If the
// one for messages breaks, a store of open_on() connects again by itself, and waits go on
// meanwhile. A store of open() connects again in the next await_message; if it cannot reach the
// server, that call fails and ends its subscription. Either way a new connection counts as a
// message on every subscription. The server may have forgotten the connection without a notice to
// our side. A PING that must be answered in time finds that out: the store sends it after a wait in
// which no message came (a store of open() sends it in the waits that follow).
//
// A store of open_on() sends all operations of one turn of the loop in one write, and executes them
// in the order of the calls, except that an operation which must be sent again (a script that the
// server has forgotten, locks that were refused together) goes to the end. Consecutive claims with
// the same ttl are one command for up to 32 locks; so are consecutive renewals and releases. Each
// lock has its own answer and error, and each operation stays one atomic step.
//
// With TLS a child of fork() opens stores through OpenSSL, which does not promise that its locks
// are free there if another thread of the parent was inside it at the fork.
//
// In a child of fork() a store that the parent opened answers `forked`, uses no descriptor of the
// parent (they are closed in the child at the fork) and makes no connection; destroying it sends
// nothing. The backend serves both processes, and opens stores for the child.
//
// In a Redis Cluster (Options::cluster) a store has connections as above to each server that keeps
// one of its locks. It asks a server who keeps which slots (CLUSTER SLOTS): at its first operation,
// and again, at most ten times a second, when a server is out of reach. A server that sends a
// command to another (MOVED, ASK) has not executed it: the store sends it there, up to five times,
// and then fails it as `unavailable`. All keys of a lock are in one slot, so a lock is as good as
// on one server; a run() with keys of different slots is `rejected`. Locks of different slots are
// never one command. While a slot is moved, commands about locks in it may be `unavailable`
// (TRYAGAIN). A failover in a cluster forgets what was not replicated, as everywhere.
//
// To the store of one server a Redis Cluster's MOVED and ASK are errors, `rejected`.
std::shared_ptr<Backend> backend(Options options);

// `invalid_argument`: see parse_url().
Result<std::shared_ptr<Backend>> backend(std::string_view url);

}  // namespace interlock::redis

#pragma GCC visibility pop
