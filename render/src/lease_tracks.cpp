#include "lease_tracks.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/names.hpp"

namespace interlock::sim::draw {
namespace {

const Snapshot& world_at(const Run& run, std::size_t moment) {
  return moment == 0 ? run.before : run.steps[moment - 1].after;
}

// A token names its client; another value is the client's that has written it.
std::optional<std::size_t> owner_of(const Run& run, const KeyView& key, std::size_t moment) {
  const std::uint32_t named = mentions(key.value);
  if (std::has_single_bit(named)) return static_cast<std::size_t>(std::countr_zero(named));
  return moment == 0 ? std::nullopt : run.steps[moment - 1].client;
}

class Follower {
 public:
  Follower(const Run& run, LeaseTrack& track) : run_(run), track_(track) {}

  void follow() {
    for (std::size_t moment = 0; moment <= run_.steps.size(); ++moment) {
      const KeyView* const now = world_at(run_, moment).find(track_.key, track_.server);
      track_.stands.push_back(now == nullptr || !now->remaining ? lost() : stand(*now, moment));
    }
  }

 private:
  std::optional<LeaseStand> lost() {
    whole_ = milliseconds{0};
    return std::nullopt;
  }
  std::optional<LeaseStand> stand(const KeyView& now, std::size_t moment) {
    const bool granted = whole_.count() == 0 || value_ != now.value;
    if (granted) owner_ = owner_of(run_, now, moment);
    if (granted || *now.remaining > left_) whole_ = std::max(*now.remaining, milliseconds{1});
    value_ = now.value;
    left_ = *now.remaining;
    const auto share = (left_.count() * 100 + whole_.count() - 1) / whole_.count();
    return LeaseStand{static_cast<int>(std::clamp<std::int64_t>(share, 1, 100)), owner_};
  }

  const Run& run_;
  LeaseTrack& track_;
  std::string value_;
  std::optional<std::size_t> owner_;
  milliseconds whole_{0};
  milliseconds left_{0};
};

}  // namespace

std::vector<LeaseTrack> lease_tracks(const Run& run, const std::string& key, std::size_t most) {
  std::vector<LeaseTrack> tracks;
  for (std::size_t moment = 0; moment <= run.steps.size(); ++moment) {
    for (const KeyView& view : world_at(run, moment).keys) {
      if (!view.remaining) continue;
      const bool known = std::any_of(tracks.begin(), tracks.end(), [&](const LeaseTrack& one) {
        return one.server == view.server && one.key == view.key;
      });
      if (!known) tracks.push_back({view.server, view.key, {}});
    }
  }
  std::stable_partition(tracks.begin(), tracks.end(),
                        [&key](const LeaseTrack& one) { return one.key == key; });
  std::vector<LeaseTrack> kept;
  for (LeaseTrack& track : tracks) {
    const auto same = std::count_if(kept.begin(), kept.end(), [&track](const LeaseTrack& one) {
      return one.server == track.server;
    });
    if (static_cast<std::size_t>(same) >= most) continue;
    Follower(run, track).follow();
    kept.push_back(std::move(track));
  }
  return kept;
}

}  // namespace interlock::sim::draw
