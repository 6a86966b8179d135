#include "interlock/protocols/queued_protocol.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "interlock/detail/assert.hpp"
#include "interlock/detail/ranges.hpp"
#include "interlock/store/lock_keys.hpp"

namespace interlock {
namespace {

constexpr const char* no_channel = "-";

// The queue separates the words of a line by white space.
bool has_white_space(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char byte) { return byte <= ' '; });
}

Task<Result<AcquireOutcome>> refuse(LockName name) {
  co_return Error(Errc::invalid_argument,
                  "claiming '" + name.text() + "': white space in an owner token or a channel");
}

}  // namespace

std::optional<Error> QueuePolicy::wrong() const {
  constexpr std::int64_t largest_block = 1'000'000;
  return detail::Ranges("QueuePolicy")
      .duration("claim_window", claim_window, milliseconds{1})
      .duration("grace", grace, milliseconds{1})
      .duration("recheck", recheck, milliseconds{1})
      .number("fencing_block", fencing_block, 1, largest_block)
      .error();
}

QueuedProtocol::QueuedProtocol(KeyValueStore& store,
                               TimeSource& time,
                               SafetyMargin margin,
                               QueuePolicy policy,
                               std::optional<Quarantine> quarantine,
                               Retention retention)
    : LeaseProtocol(store, time, margin, quarantine, retention), policy_(policy) {
  if (const auto error = policy.wrong()) detail::misused(error->detail());
}

Task<Result<AcquireOutcome>> QueuedProtocol::try_acquire(LockName name, OwnerToken owner, Ttl ttl) {
  if (has_white_space(owner.text())) return refuse(std::move(name));
  return claim(std::move(name), std::move(owner), ttl, ClaimDetails(), Asks::first);
}

Task<Result<AcquireOutcome>> QueuedProtocol::queue_up(
    LockName name, OwnerToken owner, Ttl ttl, std::optional<Channel> wake_up, Asks asks) {
  ClaimDetails details;
  details.wake_up = wake_up ? wake_up->text() : no_channel;
  if (has_white_space(owner.text() + details.wake_up)) return refuse(std::move(name));
  return claim(std::move(name), std::move(owner), ttl, std::move(details), asks);
}

std::vector<detail::SharedText> QueuedProtocol::claim_arguments(const OwnerToken& owner,
                                                                Ttl ttl,
                                                                const ClaimDetails& details,
                                                                Asks asks) const {
  // This runs for every section, and uses no initializer list, which would be copied.
  const bool waits = !details.wake_up.empty();
  const milliseconds window = std::min(policy_.claim_window, ttl.duration());
  std::vector<detail::SharedText> arguments;
  arguments.reserve((waits ? 9U : 5U) + (quarantine() ? 1U : 0U));
  arguments.push_back(owner.shared());
  arguments.emplace_back(std::to_string(ttl.duration().count()));
  arguments.emplace_back(std::to_string(retention().with(ttl.duration()).count()));
  arguments.emplace_back(std::to_string(policy_.fencing_block));
  arguments.emplace_back(std::to_string(window.count()));
  if (!waits) return arguments;
  arguments.emplace_back(details.wake_up);
  arguments.emplace_back(std::to_string(policy_.recheck.count()));
  arguments.emplace_back(std::to_string(policy_.grace.count()));
  arguments.emplace_back(asks == Asks::again ? "1" : "0");
  return arguments;
}

std::vector<detail::SharedText> detail::release_arguments(
    const LockName& name,
    const OwnerToken& owner,
    const QueuePolicy& policy,
    const std::optional<Quarantine>& quarantine,
    Retention retention) {
  milliseconds window = policy.claim_window;
  // An offer is a lease of the store, too.
  if (quarantine) window = std::min(window, quarantine->longest_ttl.duration());
  std::vector<SharedText> arguments;
  arguments.reserve(6);
  arguments.push_back(owner.shared());
  arguments.push_back(name.keys().released().shared());
  arguments.emplace_back(std::to_string(policy.fencing_block));
  arguments.emplace_back(std::to_string(window.count()));
  arguments.emplace_back(std::to_string(retention.with(window).count()));
  if (quarantine) arguments.emplace_back(std::to_string(quarantine->lasts().count()));
  return arguments;
}

}  // namespace interlock
