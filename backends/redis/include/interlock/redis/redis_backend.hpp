// Locks on a Redis server: one primary, 5.0 or newer (older ones let no script write after it has
// asked for the time), reached by TCP or by a unix socket.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "interlock/store/backend.hpp"

namespace interlock::redis {

// Where the server is and how long to wait for it. All waits are bounded: by these two limits a
// call on a server that has fallen silent ends, whatever it was.
class Options {
 public:
  Options() = default;

  std::string host = "127.0.0.1";
  std::uint16_t port = 6379;
  std::string unix_socket;  // if not empty, instead of host and port

  std::string user;      // empty: the server's default user
  std::string password;  // empty: do not authenticate
  int database = 0;

  // Both limits count the time in which we listened: while this process, or its machine, stands
  // still, at most a sixth of the limit passes.

  // Name resolution, connecting and authenticating, together. At least 1 ms.
  Duration connect_timeout = std::chrono::seconds{1};
  // From sending a command to having its whole answer. At least 1 ms.
  Duration command_timeout = std::chrono::seconds{1};

  // What CLIENT LIST shows, without spaces; empty: no name.
  std::string client_name = "interlock";
};

// `redis://[user:password@]host[:port][/database]`, with [::1] for IPv6, or
// `redis+unix://[user:password@]/path[?db=number]`. User, password, host and path may be
// percent-encoded; `:password@` leaves the user out. `invalid_argument`: anything else, in one line
// that never shows a password.
Result<Options> parse_url(std::string_view url);

// As a URL, without user and password.
std::string describe(const Options& options);

// Nothing is sent, and no name is resolved, before the first operation of a store.
//
// Errors: `unavailable` when no connection can be made or a command cannot have been executed (not
// even its last byte was sent; LOADING, MASTERDOWN, READONLY, CLUSTERDOWN, TRYAGAIN, NOREPLICAS,
// BUSY);
// `rejected` when the server refused the connection (password, database) or the command;
// `indeterminate` when the command was sent and no usable answer came. After such an error the
// connection is given up. The next operation makes a new one, at once or, if the last attempt
// failed, after a growing pause (10 ms to 1 s, jittered) during which operations fail at once.
// A run() whose script fails half-way is `rejected` although its first half stays: Redis has no
// rollback. The scripts of claim, renew and release cannot fail half-way.
//
// A server that says READONLY or MASTERDOWN is a replica, perhaps since a moment ago: its
// connection is given up, because the address may lead the next one to the primary.
//
// A reply that nobody asked for ends the connection: it would be taken for the answer to the next
// command. So does a grant whose fencing token is not greater than the last one of that lock that
// was seen here (the last of each of about a thousand locks are remembered), or lies more than a
// day behind all tokens that were: such a claim is `indeterminate`. If the same owner gets the same
// token again on a new connection, it is believed: the server was restored from a copy, and its
// clock set back.
//
// A store connects twice: once for commands and, when first needed, once for messages. If the
// latter breaks, a store of open_on() connects again by itself, and waits go on meanwhile; one of
// open() does so in the next await_message, which fails, and has then ended its subscription, if
// the server cannot be reached. Either way a new connection counts as a message to everybody. If
// the server has forgotten the connection and our side was not told, a PING that must be answered
// in time finds that out: the store sends it after a wait in which no message came (a store of
// open() sends it in the waits that follow).
//
// A store of open_on() sends what was submitted in one turn of the loop in one write, and executes
// in the order of the calls, except that what must be sent again (a script which the server has
// forgotten, locks that were refused together) goes to the end. Claims that follow each other with
// the same ttl leave as one command for up to 32 locks, and so do renewals, and releases. Each lock
// keeps its own answer and errors, and each operation stays one atomic step.
//
// In a child of fork() a store that its parent opened answers `forked`, uses no descriptor of the
// parent's (they are closed there at the fork) and makes no connection; destroying it sends
// nothing. The backend serves both, and opens stores for the child.
//
// Redis Cluster is not supported: its answers (MOVED, ASK) are `rejected`. A cluster of one node
// serves, with a command for each lock.
std::shared_ptr<Backend> backend(Options options);

// `invalid_argument`: see parse_url().
Result<std::shared_ptr<Backend>> backend(std::string_view url);

}  // namespace interlock::redis
