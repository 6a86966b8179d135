#include "interlock/sim/catalogue/stamp_lock.hpp"

#include "clients.hpp"

namespace interlock::sim::catalogue {

Scenario stamp_lock_scenario(TakeOver take_over,
                             std::size_t clients,
                             std::int64_t attempts,
                             std::size_t instants) {
  flawed::StampOptions options;
  options.id = take_over == TakeOver::getset ? "stamp-lock" : "del-setnx-lock";
  options.take_over = take_over;
  Visit visit;
  visit.attempts = attempts;
  Scenario scenario(options.id);
  scenario.clients(clients, visitor(stamp_lock_of(options), visit))
      .clocks_start_at(std::chrono::seconds{100})
      .instants(instants)
      .initially(Key(foo), interlock::Entry("50"))
      .require(mutual_exclusion(foo))
      .offer(every_waiter_acquires(foo));
  return scenario;
}

}  // namespace interlock::sim::catalogue
