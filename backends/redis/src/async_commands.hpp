// Operations on an event loop: as many in flight as there are, on one connection.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "async_connection.hpp"
#include "back_off.hpp"
#include "command.hpp"
#include "completions.hpp"
#include "interlock/store/key_value_store.hpp"
#include "patience.hpp"
#include "redirection.hpp"

namespace interlock::redis {

// On the loop's thread. Held by shared pointer: see AsyncConnection.
//
// Claims that are submitted one after the other, before anything is sent, leave as one command, and
// so do renewals and releases: a script for thirty locks costs the server less than half of thirty
// scripts. No operation waits for others to join it, and each operation has its own reply. A
// command that fails as a whole has changed nothing or can be repeated. Then each of its operations
// is sent again alone, so that an error of one lock (a key that this user may not touch) is
// reported for that lock only.
//
// If replies are doubled, the copy of one is taken for the answer to the next command, and so on
// for as long as commands are under way. So a PING with a number follows the claims, and their
// answers count when that number has come back in its place. If something else has come in its
// place, the connection is closed, and the outcome of the claims is unknown.
class AsyncCommands final : public AsyncConnection::Owner,
                            public std::enable_shared_from_this<AsyncCommands> {
 public:
  // Operations that may wait for a connection.
  static constexpr std::size_t longest_queue = 65'536;
  // Locks in one command: the server does nothing else meanwhile, about 0.1 ms. More gain little.
  static constexpr std::size_t most_joined = 32;

  // `cluster`: to which the server belongs. Without one, redirections are errors.
  AsyncCommands(std::shared_ptr<Endpoint> endpoint,
                Reactor& reactor,
                std::weak_ptr<ClusterLink> cluster = {});
  // Called on the loop for each connection, when what waited for it has been sent.
  void when_connected(std::function<void()> call) { connected_ = std::move(call); }

  // `asking`: the command follows an ASKING (RedirectionKind::ask).
  enum class Asking : bool { no, yes };
  Submitted submit(PendingOperation& pending, Asking asking = Asking::no);
  // Another server has become the primary. Only from a callback of the loop.
  void move_to(const std::string& server);
  // Completes what is pending; from then on every operation fails.
  void close();

  void opened() override;
  void about_to_send() override;
  void answered(Answer answer) override;
  void failed(Error why) override;
  void lost(std::string fact) override;

 private:
  class SentCommand {
   public:
    SentCommand(std::size_t of, Duration until, std::uint64_t ends, Naming named)
        : operations(of), expires(until), end(ends), naming(named) {}
    std::size_t operations;  // how many it carries
    Duration expires;        // by patience_
    std::uint64_t end;       // in the connection's output
    Naming naming;
    bool claims = false;
    std::optional<std::int64_t> ping;  // the number, if it is a PING: it carries no operation
  };
  class QueuedOperation {
   public:
    PendingOperation* pending;
    Asking asking;
  };

  bool may_send();
  void send(PendingOperation& pending);
  void send_asking(PendingOperation& pending);
  void send_alone(PendingOperation& pending, Naming naming);
  // `lock`: the hash of its lock's name.
  bool can_join(const Operation& operation, std::size_t lock) const;
  void encode_joining();
  void append(Joined operations, Naming naming);
  void ping_after_claims();
  void process(Answer answer);
  // Removes the operations of the oldest command, which has been answered.
  std::vector<PendingOperation*> take(const SentCommand& command);
  void send_with_text(const SentCommand& command);
  void answered_alone(PendingOperation& pending, Answer answer);
  bool sent_on(PendingOperation& pending, const Answer& answer);
  void doubt_map();
  void leave_replica();
  void answered_joined(const SentCommand& command, const Answer& answer);
  void silent_too_long();
  void end_in_flight(const std::string& fact);
  void end_queued(const Error& error);

  std::shared_ptr<Endpoint> endpoint_;
  const bool in_cluster_;
  std::weak_ptr<ClusterLink> cluster_;
  Patience patience_;  // of all commands: one timer, so that an operation costs it nothing
  std::shared_ptr<AsyncConnection> connection_;
  CommandEncoder encoder_;
  BackOff back_off_;
  // All operations that were submitted and not answered, in order: those of the commands that were
  // sent, and then those that still join and have not been encoded.
  std::deque<PendingOperation*> in_flight_;
  std::deque<SentCommand> commands_;
  std::deque<Answer> unconfirmed_;        // to the first of the commands, until a PING is answered
  std::optional<Answer> refused_asking_;  // to the ASKING before the next command
  bool claims_ = false;                   // were encoded since the last PING
  std::int64_t last_ping_ = 0;
  std::vector<const Operation*> joining_;
  std::vector<std::size_t> joining_locks_;  // the hashes of their locks' names
  bool may_join_ = true;
  // The server has become a replica: what is under way is still answered, and nothing more is sent
  // there. The next connection may lead to its successor.
  bool demoted_ = false;
  std::deque<QueuedOperation> queued_;
  std::function<void()> connected_;
  Completions completions_;
  bool closed_ = false;
};

}  // namespace interlock::redis
