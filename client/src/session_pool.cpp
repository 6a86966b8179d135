#include "session_pool.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>
#include <utility>

#include "blocking_time.hpp"
#include "idle_looks.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/store/pipelined_store.hpp"

namespace interlock {
namespace {

// How soon the loop looks for the answer to a release, if its connection is not used before.
constexpr milliseconds answers_looked_for_after{500};

}  // namespace

// A blocking connection and what runs over it.
class SessionPool::Session {
 public:
  Session(Backend& backend,
          TokenSource& tokens,
          const ClientOptions& options,
          const LockKinds::LeftBehind& left_behind)
      : store_(backend.open()),
        pipelined_(dynamic_cast<PipelinedStore*>(store_.get())),
        kinds_(*store_, time_, tokens, options, backend, left_behind) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    if (!take_answer(Duration::zero())) give_up_answer();
  }

  LockClient& client(LockKind kind) noexcept { return kinds_.client(kind); }

  void release_soon(LockKind kind, const Lease& lease) {
    if (pipelined_ == nullptr) {
      static_cast<void>(run(client(kind).release(lease)));
      return;
    }
    // Else the frame of the release before would end while the store still refers to it.
    static_cast<void>(take_answer(Duration::max()));  // the store's limit is shorter
    pipelined_->wait_for_answers(false);
    release_.emplace(client(kind).release(lease));
    release_->start();
    pipelined_->wait_for_answers(true);
    forget_answered();
  }

  // A release whose outcome is not known yet.
  bool is_unanswered() const noexcept { return release_.has_value(); }
  void forget_answered() noexcept {
    if (release_ && release_->done()) release_.reset();
  }
  bool take_answer(Duration at_most) {
    if (pipelined_ != nullptr && release_) static_cast<void>(pipelined_->take_answer(at_most));
    forget_answered();
    return !release_;
  }
  void give_up_answer() {
    if (pipelined_ != nullptr) pipelined_->give_up_answer();
    forget_answered();
  }

  int looks = 0;  // since it was used; under the mutex of the sessions

 private:
  std::unique_ptr<KeyValueStore> store_;
  PipelinedStore* const pipelined_;  // null: the store answers at once
  BlockingTime time_;
  LockKinds kinds_;
  std::optional<Task<Result<ReleaseOutcome>>> release_;  // sent, and not known to be answered
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
  // Reserved now, so that giving a connection back needs no memory.
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

void SessionPool::Borrowed::release_soon(LockKind kind, const Lease& lease) {
  session_->release_soon(kind, lease);
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
  session->forget_answered();
  bool is_first = false;
  bool awaits_answer = false;
  {
    const std::lock_guard lock(mutex_);
    awaits_answer = session->is_unanswered() && !std::exchange(answers_are_awaited_, true);
    idle_.push_back(std::move(session));
    is_first = !std::exchange(is_looked_after_, true);
  }
  try {
    if (is_first) loop_.post([this] { look_soon(); });
    is_first = false;
    if (!awaits_answer) return;
    loop_.post([this] {
      if (answers_timer_) answers_timer_->arm(answers_looked_for_after);
    });
  } catch (const std::bad_alloc&) {
    // The next connection that is given back tries it again.
    const std::lock_guard lock(mutex_);
    if (is_first) is_looked_after_ = false;
    if (awaits_answer) answers_are_awaited_ = false;
  }
}

std::vector<std::unique_ptr<SessionPool::Session>> SessionPool::unanswered() {
  std::vector<std::unique_ptr<Session>> taken;
  const std::lock_guard lock(mutex_);
  const auto rest = std::stable_partition(
      idle_.begin(), idle_.end(), [](const auto& session) { return !session->is_unanswered(); });
  std::move(rest, idle_.end(), std::back_inserter(taken));
  idle_.erase(rest, idle_.end());
  return taken;
}

// Puts them at their places: idle_ is in the order in which the sessions were last used.
void SessionPool::put_back(std::vector<std::unique_ptr<Session>> sessions) noexcept {
  const std::lock_guard lock(mutex_);
  for (auto& session : sessions) {
    const auto place = std::find_if(idle_.begin(), idle_.end(), [&](const auto& other) {
      return other->looks < session->looks;
    });
    idle_.insert(place, std::move(session));
  }
}

void SessionPool::take_answers(Duration limit) {
  const TimePoint began = local_now();
  auto sessions = unanswered();
  for (const auto& session : sessions) {
    const Duration left = std::max(Duration::zero(), limit - (local_now() - began));
    if (!session->take_answer(left)) session->give_up_answer();
  }
  put_back(std::move(sessions));
}

// Does not wait, because renewals wait for this thread. It looks for a late answer again later.
void SessionPool::look_for_answers() {
  {
    // Cleared first, so that a connection that is given back from here on gets a look of its own.
    const std::lock_guard lock(mutex_);
    answers_are_awaited_ = false;
  }
  auto sessions = unanswered();
  bool looks_again = false;
  for (const auto& session : sessions) {
    looks_again = !session->take_answer(Duration::zero()) || looks_again;
  }
  put_back(std::move(sessions));
  if (!looks_again) return;
  {
    const std::lock_guard lock(mutex_);
    answers_are_awaited_ = true;
  }
  answers_timer_->arm(answers_looked_for_after);
}

void SessionPool::close_idle() {
  std::vector<std::unique_ptr<Session>> closing;
  const std::lock_guard lock(mutex_);
  closing.swap(idle_);
  open_ -= closing.size();
}

void SessionPool::begin() {
  look_timer_ = loop_.timer([this] { look(); });
  answers_timer_ = loop_.timer([this] { look_for_answers(); });
}

void SessionPool::end() {
  look_timer_.reset();
  answers_timer_.reset();
}

void SessionPool::look_soon() {
  if (look_timer_) look_timer_->arm(idle_look_interval(options_.connection_idle_limit));
}

void SessionPool::look() {
  std::vector<std::unique_ptr<Session>> closing;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& session : idle_) ++session->looks;
    // The sessions are in the order in which they were last used.
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
