#include "session_pool.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "blocking_time.hpp"
#include "idle_looks.hpp"

namespace interlock {

// A blocking connection and what runs over it.
class SessionPool::Session {
 public:
  Session(Backend& backend,
          TokenSource& tokens,
          const ClientOptions& options,
          const LockKinds::LeftBehind& left_behind)
      : store_(backend.open()), kinds_(*store_, time_, tokens, options, left_behind) {}

  LockClient& client(LockKind kind) noexcept { return kinds_.client(kind); }

  int looks = 0;  // since it was used; under the mutex of the sessions

 private:
  std::unique_ptr<KeyValueStore> store_;
  BlockingTime time_;
  LockKinds kinds_;
};

SessionPool::SessionPool(Backend& backend,
                         TokenSource& tokens,
                         const ClientOptions& options,
                         EventLoop& loop,
                         LockKinds::LeftBehind left_behind)
    : backend_(backend),
      tokens_(tokens),
      options_(options),
      loop_(loop),
      left_behind_(std::move(left_behind)) {
  // So that giving one back needs no memory.
  idle_.reserve(options_.connections_max);
}

SessionPool::~SessionPool() = default;

SessionPool::Borrowed::Borrowed(SessionPool& from, std::unique_ptr<Session> session) noexcept
    : from_(from), session_(std::move(session)) {}
SessionPool::Borrowed::Borrowed(Borrowed&& other) noexcept = default;
SessionPool::Borrowed::~Borrowed() {
  if (session_) from_.give_back(std::move(session_));
}

LockClient& SessionPool::Borrowed::client(LockKind kind) noexcept {
  return session_->client(kind);
}

SessionPool::Borrowed SessionPool::borrow() {
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

void SessionPool::give_back(std::unique_ptr<Session> session) noexcept {
  session->looks = 0;
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(session));
    is_first = !std::exchange(is_looked_after_, true);
  }
  if (is_first) loop_.post([this] { look_soon(); });
}

void SessionPool::close_idle() {
  std::vector<std::unique_ptr<Session>> closing;
  const std::lock_guard lock(mutex_);
  closing.swap(idle_);
  open_ -= closing.size();
}

void SessionPool::begin() {
  look_timer_ = loop_.timer([this] { look(); });
}

void SessionPool::end() {
  look_timer_.reset();
}

void SessionPool::look_soon() {
  if (look_timer_) look_timer_->arm(idle_look_interval(options_.connection_idle_limit));
}

void SessionPool::look() {
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
