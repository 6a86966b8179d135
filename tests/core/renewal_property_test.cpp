// Whatever the network does and whenever the holder stops: the loss is told before the store can
// grant to another, and nothing is renewed after stop().
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "interlock/renewal.hpp"
#include "lease_keeper_world.hpp"

namespace interlock {
namespace {

using scripted::Fate;
using scripted::KeeperWorld;

constexpr auto renew = OperationKind::renew;

// Moves time in small steps, and looks at store and keeper after each.
void advance_watching(KeeperWorld& world, Duration by) {
  const TimePoint end = world.time.now() + by;
  while (world.time.now() < end) {
    world.time.advance(std::min<Duration>(milliseconds{1}, end - world.time.now()));
    const bool mine = world.holder() == "il1:me";
    const bool stopped_or_told = world.keeper->lost() || world.renewing->done();
    // A key that the store took away by itself (never by expiry) is learned with the next renewal.
    RC_ASSERT(mine || stopped_or_told);
    RC_ASSERT(world.keeper->lost() ||
              world.keeper->lease().state(world.time.now()) != LeaseState::lost ||
              world.renewing->done());
  }
}

RC_GTEST_PROP(LeaseKeeperProperty, LossIsToldBeforeTheStoreCanGrantToAnother, ()) {
  KeeperWorld world;
  world.start();
  const int steps = *rc::gen::inRange(1, 40);
  for (int step = 0; step < steps && !world.keeper->lost(); ++step) {
    switch (*rc::gen::inRange(0, 7)) {
      case 4:
        world.store.weather = *rc::gen::element(Fate::served, Fate::unavailable, Fate::held_back);
        break;
      case 0:
        world.store.next(renew, *rc::gen::element(Fate::unavailable, Fate::rejected,
                                                  Fate::request_lost, Fate::reply_lost, Fate::late,
                                                  Fate::held_back, Fate::reply_held));
        break;
      case 1:
        if (world.store.parked() > 0) world.store.release_parked();
        break;
      case 2:
        if (world.store.parked() > 0) world.store.fail_parked(Errc::indeterminate);
        break;
      default:
        advance_watching(world, Duration{*rc::gen::inRange(1, 400'000)});
        break;
    }
  }
  RC_TAG(world.keeper->lost() ? "lost" : "kept");
  if (world.keeper->lost()) {
    RC_ASSERT(world.listener.count("lost") == 1);
    RC_ASSERT(world.listener.told.back() == "lost");
  }
}

RC_GTEST_PROP(LeaseKeeperProperty, NothingIsRenewedOrToldAfterStop, ()) {
  KeeperWorld world;
  world.time.newest_first = *rc::gen::arbitrary<bool>();
  std::optional<std::pair<int, std::size_t>> at_stop;
  const auto stop = [&] {
    world.keeper->stop();
    if (!at_stop) at_stop = std::pair(world.renewals(), world.listener.told.size());
  };
  // At any instant, those of a renewal, of risk and of loss more often than chance would have it.
  const int instant =
      *rc::gen::oneOf(rc::gen::inRange(0, 2'000'000),
                      rc::gen::element(0, 300'000, 345'000, 600'000, 900'000, 1'200'000));
  const bool registered_first = *rc::gen::arbitrary<bool>();
  if (registered_first) world.time.at(world.began + Duration{instant}, stop);
  world.start();
  if (!registered_first) world.time.at(world.began + Duration{instant}, stop);

  const int steps = *rc::gen::inRange(1, 20);
  for (int step = 0; step < steps; ++step) {
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        world.store.next(renew, *rc::gen::element(Fate::unavailable, Fate::reply_lost,
                                                  Fate::held_back, Fate::reply_held));
        break;
      case 1:
        if (world.store.parked() > 0) world.store.release_parked();
        break;
      default:
        world.time.advance(Duration{*rc::gen::inRange(1, 400'000)});
        break;
    }
  }
  world.time.advance(std::chrono::seconds{3});
  while (world.store.parked() > 0) world.store.release_parked();
  world.time.advance(std::chrono::seconds{3});
  RC_ASSERT(at_stop.has_value());
  RC_ASSERT(world.renewals() == at_stop->first);
  RC_ASSERT(world.listener.told.size() == at_stop->second);
  RC_ASSERT(world.done());
}

}  // namespace
}  // namespace interlock
