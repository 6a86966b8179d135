#include "fork_guard.hpp"

#include <pthread.h>

#include <mutex>
#include <vector>

namespace interlock::sqlite {
namespace {

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

 private:
  Registry() {
    pthread_atfork(
        [] {
          instance().mutex_.lock();
          for (ForkGuard* guard : instance().guards_) guard->before_fork();
        },
        [] {
          for (ForkGuard* guard : instance().guards_) guard->after_fork_in_parent();
          instance().mutex_.unlock();
        },
        [] {
          for (ForkGuard* guard : instance().guards_) guard->after_fork_in_child();
          instance().mutex_.unlock();
        });
  }

  std::mutex mutex_;
  std::vector<ForkGuard*> guards_;
};

}  // namespace

void ForkGuard::enter() {
  Registry::instance().add(this);
}

void ForkGuard::leave() {
  Registry::instance().remove(this);
}

}  // namespace interlock::sqlite
