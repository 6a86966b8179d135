#include "faults.hpp"
#include "interlock/local_clock.hpp"

namespace interlock::test {

using std::chrono::seconds;

std::string live_through(World& world, const Fault& fault) {
  const Promise& promise = fault.promise;
  const std::size_t lost_before = world.history().losses();
  const TimePoint from = local_now();
  fault.happens(world);
  const TimePoint to = local_now();
  // Known only now: the records are judged at the end.
  History& history = world.history();
  const Window window(from, to);
  if (!promise.exclusion) history.forfeit(window);
  if (promise.losses == Losses::of_the_victim) history.allow_losses(window, world.victim());
  if (promise.losses == Losses::of_anybody) history.allow_losses(window);
  if (promise.store_is_away) history.allow_losses_of_offers(window);
  if (promise.acquires == Acquires::are_refused) {
    // A request of the last moment is answered only now.
    history.allow_failures(Window(from, to + seconds{5}), Errc::rejected);
  }
  const std::string trouble = world.progress_since(to);
  if (!trouble.empty()) return fault.name + ": " + trouble;
  const auto somebody_lost = [&] { return history.losses() > lost_before; };
  if (promise.somebody_loses && !world.comes_true(somebody_lost)) {
    return fault.name + ": nobody was told of a loss";
  }
  return "";
}

}  // namespace interlock::test
