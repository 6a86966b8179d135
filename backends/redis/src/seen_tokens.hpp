// The fencing tokens that one server has granted to this process, by which a new grant is judged.
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "interlock/posix/fork.hpp"

namespace interlock::redis {

// Each grant of a lock has a greater token than the one before, and every token is about a time of
// the server's clock in microseconds, so that two answers hardly ever grant different locks with
// one token. A number that breaks this is most likely the answer to another command, because
// somewhere a reply was doubled or lost.
//
// Safe for several threads. Remembers the last token of some thousand locks and some thousand
// grants, in memory that does not grow; of other locks only how small a token can be.
class SeenTokens final : private posix::ForkGuard {
 public:
  SeenTokens();
  ~SeenTokens() { leave(); }

  enum class Judgement : std::uint8_t { believed, not_greater, of_another_lock };
  // Why the answer is taken to be that of this claim: it came in its turn, or a PING has confirmed
  // that.
  enum class Confirmation : std::uint8_t { in_turn, confirmed };
  // Whether `token` can be that of a new grant. Claims of one owner are one grant, whose tokens do
  // not fall. A number that was refused is accepted when the same owner gets it again on another
  // connection: then the server's data and clock were set back, or it has granted two locks within
  // a microsecond.
  Judgement judge(std::string_view lock,
                  std::string_view owner,
                  std::int64_t token,
                  Confirmation answer);

 private:
  class SeenGrant {
   public:
    SeenGrant() = default;
    SeenGrant(std::size_t by, std::int64_t with) : owner(by), token(with) {}
    friend bool operator==(const SeenGrant&, const SeenGrant&) = default;
    std::size_t owner = 0;  // its hash
    std::int64_t token = 0;
  };
  // The latest grant with a token.
  class Used {
   public:
    std::int64_t token = 0;
    std::size_t lock = 0;  // its hash
  };
  class Seen {
   public:
    std::size_t lock = 0;  // its hash
    SeenGrant last;
    SeenGrant doubted;
  };

  void before_fork() override { mutex_.lock(); }
  void after_fork_in_parent() override { mutex_.unlock(); }
  void after_fork_in_child() override { mutex_.unlock(); }

  std::mutex mutex_;
  std::vector<Seen> seen_;  // by hash; a lock takes the place of another that was there
  std::vector<Used> used_;  // by token, likewise
  std::int64_t least_ = 0;
};

}  // namespace interlock::redis
