// The server of a backend: its address, and how a connection to it begins.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "address.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "probe.hpp"
#include "resolver.hpp"
#include "resp.hpp"
#include "seen_tokens.hpp"

namespace interlock::redis {

// Why a connection with an unexpected reply is closed: the next reply would be taken for the answer
// to another command.
inline constexpr const char* unasked_answer = "an answer that nobody asked for";

// Safe for several threads.
class Endpoint {
 public:
  // A Sentinel and a server of a cluster are named and advised upon in other words.
  enum class Peer { store, sentinel, node };
  explicit Endpoint(Options options, Peer peer = Peer::store);

  const Options& options() const noexcept { return options_; }
  const std::string& name() const noexcept { return name_; }
  Resolver& resolver() noexcept { return resolver_; }
  // The process in which its stores may be used.
  const posix::ForkMark& process() const noexcept { return resolver_.process(); }
  SeenTokens& tokens() noexcept { return tokens_; }

  // The first commands on every connection: AUTH, SELECT, ROLE, CLIENT SETNAME and CLIENT SETINFO,
  // as the options say, in one piece. It is never empty, so that a server which accepts and then
  // stays silent is noticed before an operation depends on it.
  const std::string& greeting() const noexcept { return greeting_; }
  std::size_t greeting_answers() const noexcept { return steps_.size(); }
  // None: go on. `unavailable` or `rejected`: the connection is of no use.
  std::optional<Error> judge_greeting(std::size_t index, const Answer& answer) const;
  // The name that the certificate of the server at this address must have.
  std::string certificate_name(const Address& address) const;

  // `indeterminate`, in full, for a command that was sent.
  Error no_answer(const std::string& fact) const;

  // `unavailable`, in full: "cannot connect to redis://...: fact: what to do".
  Error cannot_connect(const std::string& fact) const;
  // The same for a server that accepts connections but does not answer as a Redis server does.
  Error not_greeted(const std::string& fact) const;
  // As cannot_connect, from the error of a step of connecting.
  Error cannot_connect(const Error& error) const;
  // The error of connecting to this address, if a Sentinel has told it: says which address it is,
  // and lets another Sentinel tell next time. Otherwise it is `error`.
  Error of_address(const Error& error, const Address& address);
  // A Sentinel has told a moment ago that this server ("127.0.0.1:6379") has become the primary.
  void note_new_primary(const std::string& server);
  // Whether it was another server. Other Sentinels may not know it yet, and name the old one, which
  // takes itself for the primary if it only stood still.
  bool is_replaced(const std::string& server) const;
  // `unavailable`, for a server that is replaced.
  Error replaced() const;
  // `rejected`, for a Transfer that is a refusal.
  Error refused(const std::string& why) const;
  // The fact that the server has said nothing while connecting.
  std::string silence() const;

  // For a connection that broke while it was greeted. One side may speak TLS and the other not:
  // what to look for, and for how long.
  Dialect suspected() const noexcept { return options_.tls ? Dialect::redis : Dialect::tls; }
  Duration longest_probe() const { return options_.connect_timeout / 4; }
  // `rejected`, if that was found; otherwise the error of the connection.
  Error judge_dialect(const Error& error, Dialect found) const;

 private:
  enum class GreetingStep { authenticate, select, role, name, library, ping };
  std::optional<Error> judge_role(const Answer& answer) const;
  std::string scheme_end() const;

  Options options_;
  Peer peer_;
  std::string name_;
  Resolver resolver_;
  SeenTokens tokens_;
  // Without a lock, which a thread might hold at a fork(). The primary is a hash of its text.
  std::atomic<std::size_t> told_primary_{0};
  std::atomic<Clock::rep> told_at_{0};  // by Clock; 0: never
  std::string greeting_;
  std::vector<GreetingStep> steps_;
};

}  // namespace interlock::redis
