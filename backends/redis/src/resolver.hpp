// Host names, and the answers of Sentinels, without waiting for them. getaddrinfo() cannot be given
// a limit or be interrupted, so it runs on a thread of its own, and a caller can stop waiting for
// it at any time. The thread is detached, because joining it would be such a wait. It touches
// nothing but the shared state below, which it keeps alive.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "address.hpp"
#include "interlock/posix/fork.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "patience.hpp"
#include "sentinels.hpp"

namespace interlock::redis {

// Safe for several threads.
class Resolver final : public posix::ForkGuard {
 public:
  explicit Resolver(const Options& options);
  ~Resolver() { leave(); }

  // The addresses, if no name has to be resolved. Otherwise null.
  const Addresses* known() const noexcept { return known_ ? known_.get() : nullptr; }

  // Looks the name up. Calls `found` once, on another thread, unless the handle is destroyed
  // before; after that destructor `found` does not run any more. It must not destroy the handle. At
  // most one thread asks at a time, for all callers.
  class Lookup;
  std::unique_ptr<Lookup> look_up(std::function<void(const Addresses&)> found);

  // Looks the name up and waits. `unavailable`: no answer in time, or no address.
  Addresses resolve(PatientWait& wait);

  // The server that was found is not the one that was looked for.
  void distrust();
  // Null: there are none.
  const std::shared_ptr<Sentinels>& sentinels() const noexcept { return sentinels_; }

 private:
  class Names;
  void before_fork() override {}
  void after_fork_in_parent() override {}
  void after_fork_in_child() override;

  std::string host_;
  std::uint16_t port_;
  std::shared_ptr<Sentinels> sentinels_;
  std::unique_ptr<const Addresses> known_;
  std::shared_ptr<Names> state_;
};

class Resolver::Lookup {
 public:
  Lookup(std::shared_ptr<Names> state, std::uint64_t id) : state_(std::move(state)), id_(id) {}
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;
  ~Lookup();

 private:
  const posix::ForkMark fork_;
  std::shared_ptr<Names> state_;
  std::uint64_t id_;
};

}  // namespace interlock::redis
