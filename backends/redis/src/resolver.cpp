#include "resolver.hpp"

#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include "interlock/posix/signals_blocked.hpp"

namespace interlock::redis {

class Resolver::Names {
 public:
  std::uint64_t add(std::function<void(const Addresses&)> found, bool& must_ask) {
    const std::lock_guard lock(mutex_);
    must_ask = !asking_;
    asking_ = true;
    waiting_.emplace(++last_id_, std::move(found));
    return last_id_;
  }
  void remove(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    waiting_.erase(id);
  }
  // Called under the mutex, so that remove() returns only when `found` is not running.
  void tell(const Addresses& addresses) {
    const std::lock_guard lock(mutex_);
    asking_ = false;
    for (const auto& [id, found] : waiting_) found(addresses);
    waiting_.clear();
  }

 private:
  std::mutex mutex_;
  bool asking_ = false;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, std::function<void(const Addresses&)>> waiting_;
};

namespace {

Addresses unix_addresses(const std::string& path) {
  auto address = unix_address(path);
  if (!address) return std::move(address).error();
  return std::vector<Address>{*address};
}

}  // namespace

Resolver::Resolver(const Options& options)
    : host_(options.host), port_(options.port), state_(std::make_shared<Names>()) {
  if (options.sentinel) {
    sentinels_ = std::make_shared<Sentinels>(options);
  } else if (!options.unix_socket.empty()) {
    known_ = std::make_unique<const Addresses>(unix_addresses(options.unix_socket));
  } else {
    Addresses numeric = tcp_addresses(host_, port_, true);
    if (numeric && !numeric->empty()) {
      known_ = std::make_unique<const Addresses>(std::move(numeric));
    }
  }
  enter();
}

// The parent's thread may be asking, and will answer in the parent only.
void Resolver::after_fork_in_child() {
  posix::leave_behind(std::exchange(state_, std::make_shared<Names>()));
}

std::unique_ptr<Resolver::Lookup> Resolver::look_up(std::function<void(const Addresses&)> found) {
  bool must_ask = false;
  auto lookup = std::make_unique<Lookup>(state_, state_->add(std::move(found), must_ask));
  if (!must_ask) return lookup;
  const auto ask = [state = state_, host = host_, port = port_, sentinels = sentinels_] {
    state->tell(sentinels ? sentinels->primary() : tcp_addresses(host, port, false));
  };
  auto thread = posix::thread_with_signals_blocked(ask);
  if (thread) {
    thread->detach();
  } else {
    state_->tell(std::move(thread).error());
  }
  return lookup;
}

void Resolver::distrust() {
  if (sentinels_) sentinels_->distrust();
}

Resolver::Lookup::~Lookup() {
  if (fork_.in_child()) return;  // a thread of the parent's may have held its lock
  state_->remove(id_);
}

Addresses Resolver::resolve(PatientWait& wait) {
  if (known_) {
    if (!*known_) return known_->error();
    // The vector is copied before: tl::expected ends the process if its own copy throws.
    return std::vector<Address>(**known_);
  }
  std::mutex mutex;
  std::condition_variable told;
  std::optional<Addresses> answer;
  const auto lookup = look_up([&](const Addresses& addresses) {
    const std::lock_guard lock(mutex);
    answer = addresses;
    told.notify_one();
  });
  std::unique_lock lock(mutex);
  while (!answer && !wait.is_over()) {
    if (told.wait_for(lock, wait.step()) == std::cv_status::timeout) wait.step_is_over();
  }
  if (answer) return *std::move(answer);
  lock.unlock();  // before the lookup's destructor waits for the thread that is telling us
  return Error(Errc::unavailable, sentinels_ ? "no answer from a Sentinel in time"
                                             : "no answer from the name service in time");
}

}  // namespace interlock::redis
