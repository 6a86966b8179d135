// The one source of the simulator that is compiled with exceptions.
#include "process/thrown.hpp"

#include "base/escaped.hpp"

namespace interlock::sim {

std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return escaped(error.what());
  } catch (...) {
    return "something that is no std::exception";
  }
}

std::optional<Task<void>> begin(const Program& program, Client& client, std::string& thrown) {
  try {
    return program(client);
  } catch (...) {
    thrown = text_of(std::current_exception());
    return std::nullopt;
  }
}

std::vector<std::int64_t> ask(const std::function<std::vector<std::int64_t>()>& memory,
                              std::string& thrown) {
  try {
    return memory();
  } catch (...) {
    thrown = text_of(std::current_exception());
    return {};
  }
}

bool ask(const Property::Predicate& holds, const Snapshot& world, std::string& thrown) {
  try {
    return holds(world);
  } catch (...) {
    thrown = text_of(std::current_exception());
    return true;
  }
}

bool ask(const Property::StepPredicate& holds, const StepView& step, std::string& thrown) {
  try {
    return holds(step);
  } catch (...) {
    thrown = text_of(std::current_exception());
    return true;
  }
}

std::vector<AllowedResult> ask(const Sequential::Apply& apply,
                               const std::vector<std::int64_t>& state,
                               const std::string& operation,
                               std::optional<std::int64_t> argument,
                               std::string& thrown) {
  try {
    return apply(state, operation, argument);
  } catch (...) {
    thrown = text_of(std::current_exception());
    return {};
  }
}

bool begin_run(Strategy& strategy, std::uint64_t run, std::string& thrown) {
  try {
    return strategy.begin_run(run);
  } catch (...) {
    thrown = text_of(std::current_exception());
    return false;
  }
}

std::size_t choose(Strategy& strategy,
                   const Run& so_far,
                   const std::vector<RunStep>& choices,
                   std::string& thrown) {
  try {
    return strategy.choose(so_far, choices);
  } catch (...) {
    thrown = text_of(std::current_exception());
    return 0;
  }
}

}  // namespace interlock::sim
