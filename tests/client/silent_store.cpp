#include "silent_store.hpp"

#include <vector>

namespace interlock::testing {
namespace {

class BlockingStore final : public KeyValueStore {
 public:
  BlockingStore(SilentBackend& backend, std::unique_ptr<KeyValueStore> real)
      : backend_(backend), real_(std::move(real)) {}
  Submitted submit(PendingOperation& pending) override {
    // To interrupt a wait takes no answer of a server.
    if (backend_.silent() && pending.operation().kind != OperationKind::interrupt) {
      pending.complete(Error(Errc::indeterminate, "no answer"));
      return Submitted::completed;
    }
    backend_.note(pending.operation().kind);
    return real_->submit(pending);
  }

 private:
  SilentBackend& backend_;
  std::unique_ptr<KeyValueStore> real_;
};

class LoopStore final : public KeyValueStore {
 public:
  LoopStore(SilentBackend& backend, std::unique_ptr<KeyValueStore> real)
      : blocking_(backend, std::move(real)), backend_(backend) {}
  ~LoopStore() override {
    for (PendingOperation* pending : unanswered_) {
      pending->complete(Error(Errc::indeterminate, "closed"));
    }
  }
  Submitted submit(PendingOperation& pending) override {
    if (!backend_.silent()) return blocking_.submit(pending);
    unanswered_.push_back(&pending);
    return Submitted::pending;
  }

 private:
  BlockingStore blocking_;
  SilentBackend& backend_;
  std::vector<PendingOperation*> unanswered_;
};

}  // namespace

std::unique_ptr<KeyValueStore> SilentBackend::open() {
  return std::make_unique<BlockingStore>(*this, real_->open());
}

std::unique_ptr<KeyValueStore> SilentBackend::open_on(Reactor&) {
  if (on_loops_ == OnLoops::offload) return nullptr;
  return std::make_unique<LoopStore>(*this, real_->open());
}

}  // namespace interlock::testing
