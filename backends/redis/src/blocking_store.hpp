#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blocking_connection.hpp"
#include "blocking_messages.hpp"
#include "command.hpp"
#include "interlock/posix/fork.hpp"
#include "interlock/store/pipelined_store.hpp"
#include "redirection.hpp"

namespace interlock::redis {

// Answers inside submit(), unless it was told not to wait. One thread at a time, but for interrupt.
class BlockingStore final : public PipelinedStore {
 public:
  // `cluster`, if the server belongs to one: it outlives this store. And which numbers the
  // subscriptions have.
  explicit BlockingStore(std::shared_ptr<Endpoint> endpoint,
                         ClusterLink* cluster = nullptr,
                         SubscriptionId first = 1,
                         SubscriptionId step = 1)
      : fork_(endpoint->process()),
        endpoint_(std::move(endpoint)),
        cluster_(cluster),
        first_subscription_(first),
        subscription_step_(step),
        connection_(endpoint_) {}

  ~BlockingStore() override { give_up_answer(); }
  BlockingStore(const BlockingStore&) = delete;
  BlockingStore& operator=(const BlockingStore&) = delete;

  Submitted submit(PendingOperation& pending) override;
  // After an ASKING; waits for the answer.
  Submitted submit_asking(PendingOperation& pending);
  void wait_for_answers(bool wait) override { waits_ = wait; }
  bool take_answer(Duration at_most) override;
  void give_up_answer() override;
  bool has_outstanding() const noexcept { return outstanding_ != nullptr; }

 private:
  Reply answer(const Operation& operation);
  Reply execute(const Operation& operation);
  std::string_view encoded(const Operation& operation, Naming naming);
  Reply judged(const Operation& operation, Answer answer);
  Result<Answer> exchange(std::string_view command);
  Submitted send_ahead(PendingOperation& pending);
  void answered(Result<Answer> answer);
  void send_by_text();
  void finish_outstanding(Reply reply);
  void finish(PendingOperation& pending, Reply reply, ClusterLink::Waits waits);
  void complete(PendingOperation& pending, Reply reply);
  void follow_commands();
  BlockingMessages& messages();

  const posix::ForkMark fork_;
  std::shared_ptr<Endpoint> endpoint_;
  ClusterLink* const cluster_;
  const SubscriptionId first_subscription_;
  const SubscriptionId subscription_step_;
  CommandEncoder encoder_;
  BlockingConnection connection_;
  std::string command_;
  // Made when first needed, because most stores never wait for a message. An interruption from
  // another thread names a subscription, so this exists by then.
  std::unique_ptr<BlockingMessages> messages_;
  std::uint64_t connections_followed_ = 0;  // by messages_

  // The scripts that the server has executed on the present connection, and so knows.
  class Executed {
   public:
    OperationKind kind;
    const Script* script;
    friend bool operator==(const Executed&, const Executed&) = default;
  };
  bool is_known(const Operation& operation) const;
  void note_known(const Operation& operation);
  std::vector<Executed> known_;
  std::uint64_t known_on_ = 0;  // the connection's number

  bool waits_ = true;
  PendingOperation* outstanding_ = nullptr;  // its command was sent, and its answer not taken
  bool asked_by_text_ = false;               // the outstanding one's script
  TimePoint answer_due_{};                   // of the outstanding one
  std::optional<Redirection> sent_on_;       // what the last answer was, until finish()
  std::optional<Error> refuses_;             // while the outstanding one fails with this
};

}  // namespace interlock::redis
