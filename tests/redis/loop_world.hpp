// A store on an event loop for the suite that every store passes.
#pragma once

#include <memory>
#include <utility>

#include "../conformance/store_conformance.hpp"
#include "support/test_reactor.hpp"

namespace interlock::testing_support {

class LoopWorld final : public StoreWorld {
 public:
  explicit LoopWorld(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}

  std::unique_ptr<KeyValueStore> open() override { return backend_->open_on(reactor_); }
  void complete(Task<void> task) override {
    task.start();
    ASSERT_TRUE(reactor_.run_until([&] { return task.done(); }));
  }
  void complete_together(Task<void> waiting, Task<void> meanwhile) override {
    waiting.start();
    reactor_.run_for(milliseconds{5});
    meanwhile.start();
    ASSERT_TRUE(reactor_.run_until([&] { return waiting.done() && meanwhile.done(); }));
  }
  TimePoint local_now() override { return reactor_.now(); }
  void advance(Duration time) override { reactor_.run_for(time); }

 private:
  std::shared_ptr<Backend> backend_;
  test::TestReactor reactor_;
};

}  // namespace interlock::testing_support
