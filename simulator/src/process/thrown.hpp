// The simulator is built without exceptions, the programs that it runs are not: what they throw is
// caught here, and becomes text.
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

// `oops`, on one line; of what is no std::exception, that it is none.
std::string text_of(const std::exception_ptr& thrown);

// What the user's function gives; none, and `thrown`: what it threw instead.
std::optional<Task<void>> begin(const Program& program, Client& client, std::string& thrown);
std::vector<std::int64_t> ask(const std::function<std::vector<std::int64_t>()>& memory,
                              std::string& thrown);
bool ask(const Property::Predicate& holds, const Snapshot& world, std::string& thrown);
// 0, if it throws.
bool begin_run(Strategy& strategy, std::uint64_t run, std::string& thrown);
std::size_t choose(Strategy& strategy,
                   const Run& so_far,
                   const std::vector<RunStep>& choices,
                   std::string& thrown);

}  // namespace interlock::sim
