#include "interlock/sim/catalogue/stamp_lock.hpp"

#include "clients.hpp"

namespace interlock::sim::catalogue {

namespace {

std::string id_of(TakeOver take_over) {
  switch (take_over) {
    case TakeOver::del_setnx:
      return "del-setnx-lock";
    case TakeOver::recheck_del:
      return "del-setnx-lock-recheck";
    case TakeOver::getset_unchecked:
      return "getset-unchecked-lock";
    case TakeOver::getset:
    case TakeOver::getset_equal:
    case TakeOver::script:
      break;
  }
  return "stamp-lock";
}

}  // namespace

Scenario stamp_lock_scenario(TakeOver take_over,
                             std::size_t clients,
                             std::int64_t attempts,
                             std::size_t instants) {
  flawed::StampOptions options;
  options.id = id_of(take_over);
  options.take_over = take_over;
  Visit visit;
  visit.attempts = attempts;
  Scenario scenario(options.id);
  add_visitors(scenario, clients, stamp_lock_of(options), visit)
      .clocks_start_at(std::chrono::seconds{100})
      .instants(instants)
      .initially(Key(foo), interlock::Entry("50"))
      .require(mutual_exclusion(foo))
      .offer(every_waiter_acquires(foo));
  return scenario;
}

}  // namespace interlock::sim::catalogue
