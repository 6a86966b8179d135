// The simulator is built without exceptions, but the programs that it runs are not: their
// exceptions are caught here, and become text.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "interlock/sim/client.hpp"
#include "interlock/sim/property.hpp"
#include "interlock/sim/strategy.hpp"

namespace interlock::sim {

// The message of the exception, on one line; if it is no std::exception, a text that says so.
std::string text_of(const std::exception_ptr& thrown);

// The result of the user's function. None: it threw, and `thrown` has the exception.
std::optional<Task<void>> begin(const Program& program, Client& client, std::string& thrown);
std::vector<std::int64_t> ask(const std::function<std::vector<std::int64_t>()>& memory,
                              std::string& thrown);
bool ask(const Property::Predicate& holds, const Snapshot& world, std::string& thrown);
bool ask(const Property::StepPredicate& holds, const StepView& step, std::string& thrown);
std::vector<AllowedResult> ask(const Sequential::Apply& apply,
                               const std::vector<std::int64_t>& state,
                               const std::string& operation,
                               std::optional<std::int64_t> argument,
                               std::string& thrown);
// 0, if it throws.
bool begin_run(Strategy& strategy, std::uint64_t run, std::string& thrown);
std::size_t choose(Strategy& strategy,
                   const Run& so_far,
                   const std::vector<RunStep>& choices,
                   std::string& thrown);

}  // namespace interlock::sim
