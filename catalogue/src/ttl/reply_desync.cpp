#include <deque>

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

const Key visits("visits");

// A connection to the store: requests go out in their order, and the answers come back in it. An
// answer does not say what it answers.
class SharedConnection : public std::enable_shared_from_this<SharedConnection> {
 public:
  explicit SharedConnection(Client& me) : me_(me) {}

  // The next answer that comes in; none within a second.
  Task<std::optional<Value>> ask(Operation request) {
    requests_.push_back(std::move(request));
    if (!busy_) me_.spawn("connection", carry(shared_from_this()));
    TimeSource::SleepAwaiter patience =
        me_.time().sleep_until(me_.time().now() + std::chrono::seconds{1});
    reader_ = &patience;
    if (answers_.empty()) co_await patience;
    reader_ = nullptr;
    std::optional<Value> answer;
    if (!answers_.empty()) {
      answer = std::move(answers_.front());
      answers_.pop_front();
    }
    co_return answer;
  }

  void throw_away_what_has_come() { answers_.clear(); }

 private:
  static Result<Value> as_it_is(Value value) { return value; }

  Task<void> carry(std::shared_ptr<SharedConnection> self) {
    busy_ = true;
    while (!requests_.empty()) {
      OperationAwaiter<Value> request(self->me_.store(), requests_.front(), as_it_is);
      requests_.pop_front();
      const Result<Value> answer = co_await request;
      if (!answer) break;  // a broken connection: nobody answers on it any more
      answers_.push_back(*answer);
      if (reader_ != nullptr) me_.time().wake(*reader_);
    }
    busy_ = false;
  }

  Client& me_;
  std::deque<Operation> requests_;
  std::deque<Value> answers_;
  PendingSleep* reader_ = nullptr;
  bool busy_ = false;
};

enum class AfterSilence : std::uint8_t { goes_on, throws_away, connects_anew };

// Counts a visit, and takes the lock. Both use the connection that the pool has.
Task<void> counts_and_locks(Client& me, AfterSilence then) {
  auto pooled = std::make_shared<SharedConnection>(me);
  const Operation count(OperationKind::increment, visits);
  const std::optional<Value> counted = co_await pooled->ask(count);
  if (!counted && then == AfterSilence::connects_anew)
    pooled = std::make_shared<SharedConnection>(me);
  if (then == AfterSilence::throws_away) pooled->throw_away_what_has_come();
  Operation setnx(OperationKind::set_if_absent, Key(foo));
  setnx.value = me.tokens().fresh().text();
  const std::optional<Value> set = co_await pooled->ask(setnx);
  if (set == Value(std::int64_t{1})) {
    me.enter(foo);
    co_await me.leave(foo);
    const Operation del(OperationKind::erase, Key(foo));
    static_cast<void>(co_await pooled->ask(del));
  }
  co_await me.joined();
}

Scenario make(AfterSilence then) {
  flawed::TtlOptions options;
  options.expires = false;
  Visit visit;
  visit.draws_token = true;
  Scenario scenario = world(3);
  scenario.client([=](Client& me) { return counts_and_locks(me, then); })
      .client(visitor(ttl_lock_of(options), visit))
      .require(mutual_exclusion(foo));
  return scenario;
}

}  // namespace

Entries reply_desync() {
  return {
      {
          .name = "reply-desync",
          .family = Family::ttl,
          .summary = "the answer to a request that was given up is read as the answer to SETNX",
          .protocol = "setnx over a pooled connection",
          .make = [](const Bounds&) { return make(AfterSilence::goes_on); },
          .expected = violated("mutual exclusion of lock.foo", 5),
          .explanation = R"(A counts a visit on a connection, and no answer comes within a second:
A wakes in step 4 (A wakes), gives up, and the connection goes back to the pool. The next
request on it asks for the lock. The SETNX waits behind the INCR, and the first answer that comes in is the INCR's, in step 5
(A/connection INCR): a 1, which A takes for "the key was set". B has had the lock since step 2 (B
SETNX). From now on every answer on this connection is that of the request before.)",
          .fix = "close a connection on which a request was given up, and open another",
          .repairs = {{"reply-desync-repaired", "close the connection, and ask on a new one", true,
                       "The late answer comes to a connection that nobody reads."},
                      {"reply-desync-drain",
                       "throw away what has come in before asking on the connection", false,
                       "What has not come in yet cannot be thrown away."}},
          .sources = {"redis-py#2624", "redis-py#2665"},
      },
      {
          .name = "reply-desync-repaired",
          .family = Family::ttl,
          .summary = "a request that was given up takes its connection with it",
          .protocol = "setnx over a pooled connection",
          .make = [](const Bounds&) { return make(AfterSilence::connects_anew); },
          .expected = proved,
          .explanation =
              "The request that was given up may still be carried out; its answer has no "
              "reader. This library's Redis backend closes a connection after any "
              "failure.",
          .repairs_what = "reply-desync",
      },
      {
          .name = "reply-desync-drain",
          .family = Family::ttl,
          .summary = "what has come in is thrown away; the late answer has not come in yet",
          .protocol = "setnx over a pooled connection",
          .make = [](const Bounds&) { return make(AfterSilence::throws_away); },
          .expected = violated("mutual exclusion of lock.foo", 5),
          .explanation =
              R"(Before A sends the SETNX, in step 4 (A wakes), it looks whether something
is there to be read on the connection, as some pools do. Nothing is. The answer to the INCR comes in
step 5 (A/connection INCR), and is taken for that to the SETNX.)",
          .repairs_what = "reply-desync",
      }};
}

}  // namespace interlock::sim::catalogue
