#include "interlock/posix/fork.hpp"

#include <pthread.h>
#include <unistd.h>

#include <mutex>
#include <vector>

#include "interlock/key_value_store.hpp"
#include "interlock/posix/descriptor.hpp"

namespace interlock::posix {
namespace {

// How many forks lie between the first process and this one.
std::atomic<unsigned> generation = 0;

class Registry {
 public:
  // Never destroyed: a fork may come while the process ends.
  static Registry& instance() {
    static Registry* const registry = new Registry();
    return *registry;
  }

  void add(ForkGuard* guard) {
    const std::lock_guard lock(mutex_);
    guards_.push_back(guard);
  }
  void remove(ForkGuard* guard) {
    const std::lock_guard lock(mutex_);
    std::erase(guards_, guard);
  }

  // False: the system had no memory to note our handlers.
  bool hears_of_forks() const noexcept { return hears_of_forks_; }

 private:
  Registry()
      : hears_of_forks_(pthread_atfork([] { instance().before_fork(); },
                                       [] { instance().after_fork_in_parent(); },
                                       [] { instance().after_fork_in_child(); }) == 0) {}

  // The descriptors' lock last: guards open and close descriptors under their own.
  void before_fork() {
    mutex_.lock();
    for (ForkGuard* guard : guards_) guard->before_fork();
    detail::hold_descriptors();
  }
  void after_fork_in_parent() {
    detail::let_go_descriptors();
    for (ForkGuard* guard : guards_) guard->after_fork_in_parent();
    mutex_.unlock();
  }
  void after_fork_in_child() {
    generation.fetch_add(1, std::memory_order_relaxed);
    detail::close_descriptors_of_parent();
    for (ForkGuard* guard : guards_) guard->after_fork_in_child();
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::vector<ForkGuard*> guards_;
  const bool hears_of_forks_;
};

std::atomic<detail::LeftBehind*> left_behind = nullptr;

}  // namespace

unsigned this_process() noexcept {
  static const bool counted = Registry::instance().hears_of_forks();
  if (!counted) return static_cast<unsigned>(getpid());
  return generation.load(std::memory_order_relaxed);
}

Error used_in_child(const std::string& what, const std::string& object) {
  return {Errc::forked, what + ": " + object +
                            " was made before fork(), by the parent of this process: make a new "
                            "one here"};
}

bool refuses_in_child(const ForkMark& made_in, PendingOperation& pending) {
  if (!made_in.in_child()) return false;
  const std::string what(to_string(pending.operation().kind));
  pending.complete(used_in_child("cannot carry out '" + what + "'", "the store"));
  return true;
}

void ForkGuard::enter() {
  Registry::instance().add(this);
}

void ForkGuard::leave() {
  Registry::instance().remove(this);
}

void detail::keep_for_ever(LeftBehind* object) noexcept {
  object->next = left_behind.load(std::memory_order_relaxed);
  while (!left_behind.compare_exchange_weak(object->next, object)) {
  }
}

}  // namespace interlock::posix
