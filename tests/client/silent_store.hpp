// A backend that can fall silent: what is sent is not applied, and no answer ever comes.
#pragma once

#include <atomic>
#include <memory>

#include "interlock/store/backend.hpp"

namespace interlock::testing {

// Blocking stores answer `indeterminate` while it is silent, as they do after a timeout; a store on
// a loop keeps operations pending until it is destroyed, and blocks the loop while somebody waits
// for a message. Without one, loops offload to blocking stores.
class SilentBackend final : public Backend {
 public:
  enum class OnLoops : bool { offload, open };
  explicit SilentBackend(std::shared_ptr<Backend> real, OnLoops on_loops = OnLoops::open)
      : real_(std::move(real)), on_loops_(on_loops) {}

  std::unique_ptr<KeyValueStore> open() override;
  std::unique_ptr<KeyValueStore> open_on(Reactor& reactor) override;
  std::string description() const override { return "silent"; }
  Result<std::vector<Finding>> inspect() override { return std::vector<Finding>(); }
  Result<std::vector<Key>> held_locks() override { return real_->held_locks(); }

  void fall_silent() { silent_ = true; }
  void speak() { silent_ = false; }
  bool silent() const { return silent_; }
  // Operations that reached the real store, by kind.
  int count(OperationKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  void note(OperationKind kind) { ++counts_[static_cast<std::size_t>(kind)]; }

 private:
  std::shared_ptr<Backend> real_;
  OnLoops on_loops_;
  std::atomic<bool> silent_ = false;
  std::atomic<int> counts_[32] = {};
};

}  // namespace interlock::testing
