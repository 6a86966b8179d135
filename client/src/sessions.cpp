#include "sessions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "blocking_time.hpp"
#include "idle_looks.hpp"
#include "interlock/protocols/lease_lock.hpp"
#include "interlock/protocols/queue_lock.hpp"

namespace interlock {

// A blocking connection and what runs over it.
class Sessions::Session {
 public:
  Session(Backend& backend,
          TokenSource& tokens,
          const ClientOptions& options,
          const LockClient::LeftBehind& left_behind)
      : store_(backend.open()),
        protocol_(*store_, time_, options.margin),
        queue_protocol_(*store_, time_, options.margin, options.queue_policy),
        client_(*store_, protocol_, time_, tokens, options.events, options.wait_policy),
        queue_client_(
            *store_, queue_protocol_, time_, tokens, options.events, options.wait_policy) {
    client_.on_left_behind(left_behind);
    queue_client_.on_left_behind(left_behind);
  }

  LockClient& client(bool fair) noexcept { return fair ? queue_client_ : client_; }

  int looks = 0;  // since it was used; under the mutex of the sessions

 private:
  std::unique_ptr<KeyValueStore> store_;
  BlockingTime time_;
  LeaseLock protocol_;
  QueueLock queue_protocol_;
  LockClient client_;
  LockClient queue_client_;
};

Sessions::Sessions(Backend& backend,
                   TokenSource& tokens,
                   const ClientOptions& options,
                   EventLoop& loop,
                   LockClient::LeftBehind left_behind)
    : backend_(backend),
      tokens_(tokens),
      options_(options),
      loop_(loop),
      left_behind_(std::move(left_behind)) {
  // So that giving one back needs no memory.
  idle_.reserve(options_.connections_max);
}

Sessions::~Sessions() = default;

Sessions::Borrowed::Borrowed(Sessions& from, std::unique_ptr<Session> session) noexcept
    : from_(from), session_(std::move(session)) {}
Sessions::Borrowed::Borrowed(Borrowed&& other) noexcept = default;
Sessions::Borrowed::~Borrowed() {
  if (session_) from_.give_back(std::move(session_));
}

LockClient& Sessions::Borrowed::client(bool fair) noexcept {
  return session_->client(fair);
}

Sessions::Borrowed Sessions::borrow() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Borrowed borrowed(*this, std::move(idle_.back()));
      idle_.pop_back();
      return borrowed;
    }
    if (open_ >= options_.connections_max) return {*this, nullptr};
    ++open_;
  }
  try {
    return {*this, std::make_unique<Session>(backend_, tokens_, options_, left_behind_)};
  } catch (...) {
    const std::lock_guard lock(mutex_);
    --open_;
    throw;
  }
}

void Sessions::give_back(std::unique_ptr<Session> session) noexcept {
  session->looks = 0;
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(session));
    is_first = !std::exchange(is_looked_after_, true);
  }
  if (is_first) loop_.post([this] { look_soon(); });
}

void Sessions::close_idle() {
  std::vector<std::unique_ptr<Session>> closing;
  const std::lock_guard lock(mutex_);
  closing.swap(idle_);
  open_ -= closing.size();
}

void Sessions::begin() {
  look_timer_ = loop_.timer([this] { look(); });
}

void Sessions::end() {
  look_timer_.reset();
}

void Sessions::look_soon() {
  if (look_timer_) look_timer_->arm(idle_look_interval(options_.connection_idle_limit));
}

void Sessions::look() {
  std::vector<std::unique_ptr<Session>> closing;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& session : idle_) ++session->looks;
    // Who rests behind another was used later.
    const auto kept = std::find_if(idle_.begin(), idle_.end(), [](const auto& session) {
      return session->looks < idle_looks_until_closed;
    });
    std::move(idle_.begin(), kept, std::back_inserter(closing));
    idle_.erase(idle_.begin(), kept);
    open_ -= closing.size();
    is_looked_after_ = !idle_.empty();
    if (!is_looked_after_) return;
  }
  look_soon();
}

}  // namespace interlock
