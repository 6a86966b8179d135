// The operations that a process calls on objects: for linearizable().
#include <utility>

#include "process/live_process.hpp"

namespace interlock::sim {

void LiveProcess::invokes(std::string object,
                          std::string operation,
                          std::optional<std::int64_t> argument) {
  if (!called_.insert(object).second) {
    blame("invokes " + object + "." + operation + " while its operation before on " + object +
              " has not returned",
          "call Client::returns, or Client::leaves_open, first");
  }
  step_.marks.emplace_back(MarkKind::invokes, std::move(object), std::move(operation), argument);
}

void LiveProcess::end_call(const std::string& object, const std::string& how) {
  if (called_.erase(object) > 0) return;
  blame(how + " " + object + " without having invoked an operation on it",
        "call Client::invokes first");
}

void LiveProcess::returns(std::string object, std::optional<std::int64_t> result) {
  end_call(object, "returns from");
  step_.marks.emplace_back(MarkKind::returns, std::move(object), std::string(), result);
}

void LiveProcess::leaves_open(std::string object) {
  end_call(object, "leaves open");
  step_.marks.emplace_back(MarkKind::leaves_open, std::move(object), std::string(), std::nullopt);
}

}  // namespace interlock::sim
