#include "system/run_on.hpp"

#include <future>

namespace interlock::cli {

void run_on(EventLoop& loop, const std::function<void()>& job) {
  std::packaged_task<void()> task(job);
  loop.post([&task] { task(); });
  task.get_future().get();
}

}  // namespace interlock::cli
