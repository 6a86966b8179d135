#include "cluster.hpp"

#include <algorithm>
#include <set>

#include "command.hpp"
#include "interlock/detail/number.hpp"

namespace interlock::redis {
namespace {

// Asked in turn, by one who wants to know. A cluster may have hundreds of servers, which could not
// all be asked within the connect_timeout.
constexpr std::size_t asked_in_turn = 3;

Options of_node(const Options& cluster, const std::string& host, std::uint16_t port) {
  Options options = cluster;
  options.cluster.clear();
  options.host = host;
  options.port = port;
  return options;
}

// `CLUSTER INFO`: "name:value" in lines.
std::int64_t current_epoch(const Answer& info) {
  constexpr std::string_view field = "cluster_current_epoch:";
  const std::string* const text = info.is_error ? nullptr : info.value.text();
  const auto found = text == nullptr ? std::string::npos : text->find(field);
  if (found == std::string::npos) return -1;
  std::string_view rest = std::string_view(*text).substr(found + field.size());
  return detail::take_number<std::int64_t>(rest).value_or(-1);
}

Error refusal(const Answer& answer, const Endpoint& teller) {
  const std::string text = told(without_arguments(answer.error_text()));
  if (text.find("cluster support disabled") != std::string::npos) {
    return {Errc::rejected,
            teller.name() + " belongs to no cluster: write redis:// and this server's address"};
  }
  Error said = server_error(answer.error_text());
  if (said.code() == Errc::unavailable) return said;
  const bool is_right = text.starts_with("NOPERM");
  return {Errc::rejected,
          teller.name() + " says " + text +
              (is_right ? ": let this user run CLUSTER SLOTS and CLUSTER INFO (ACL SETUSER)"
                        : ": name servers of a Redis Cluster")};
}

}  // namespace

bool names_subscription(OperationKind kind) {
  return kind == OperationKind::await_message || kind == OperationKind::interrupt ||
         kind == OperationKind::unsubscribe;
}

Reply without_subscription(OperationKind kind) {
  if (kind != OperationKind::await_message) return Value();
  return Error(Errc::rejected,
               "cannot wait for a message: there is no such subscription: subscribe first");
}

Cluster::Cluster(const Options& options) : options_(options), name_(describe(options)) {
  for (auto& keeper : keepers_) keeper = no_node;
  for (const HostAndPort& each : options_.cluster) number_of(each.host, each.port);
  enter();
}

bool Cluster::keeps_slots(NodeNumber node) const noexcept {
  return std::any_of(keepers_.begin(), keepers_.end(),
                     [node](const auto& keeper) { return keeper.load() == node; });
}

std::vector<NodeNumber> Cluster::primaries() const {
  std::set<NodeNumber> found;
  for (const auto& keeper : keepers_) found.insert(keeper.load());
  found.erase(no_node);
  return {found.begin(), found.end()};
}

std::size_t Cluster::slots_kept() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(keepers_.begin(), keepers_.end(),
                    [](const auto& keeper) { return keeper.load() != no_node; }));
}

NodeNumber Cluster::number_of(const std::string& host, std::uint16_t port) {
  const HostAndPort address{host, port};
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&](const ClusterNode& each) { return each.address == address; });
  const auto number = static_cast<NodeNumber>(found - nodes_.begin());
  if (found == nodes_.end()) nodes_.push_back({address, nullptr});
  return number;
}

std::shared_ptr<Endpoint> Cluster::endpoint(NodeNumber node) {
  HostAndPort address;
  {
    const std::lock_guard lock(mutex_);
    const ClusterNode& found = nodes_.at(node);
    if (found.endpoint) return found.endpoint;
    address = found.address;
  }
  // Not under the mutex: it enters the registry of what a fork() concerns, and a fork() takes the
  // mutex under the registry's lock.
  auto made = std::make_shared<Endpoint>(of_node(options_, address.host, address.port),
                                         Endpoint::Peer::node);
  const std::lock_guard lock(mutex_);
  ClusterNode& found = nodes_.at(node);
  if (!found.endpoint) found.endpoint = std::move(made);
  return found.endpoint;
}

NodeNumber Cluster::follow(const Redirection& to) {
  const std::lock_guard lock(mutex_);
  const NodeNumber node = number_of(to.host, to.port);
  if (to.kind == RedirectionKind::moved && keepers_[to.slot].exchange(node) != node) ++version_;
  return node;
}

std::string Cluster::question() {
  std::string commands;
  append_command(commands, "CLUSTER", "SLOTS");
  append_command(commands, "CLUSTER", "INFO");
  return commands;
}

std::optional<Error> Cluster::learn(const Answer& slots,
                                    const Answer& info,
                                    const Endpoint& teller) {
  if (slots.is_error) return refusal(slots, teller);
  if (info.is_error) return refusal(info, teller);
  const std::vector<Value>* const ranges = slots.value.list();
  if (ranges == nullptr || ranges->empty()) {
    return Error(Errc::unavailable, teller.name() + " knows no server that keeps slots");
  }
  const std::lock_guard lock(mutex_);
  // A server that stood still, or was cut off, may not know of a failover yet. But if many answer
  // so, one after the other, the epochs have begun anew (CLUSTER RESET).
  const std::int64_t epoch = current_epoch(info);
  const bool is_stale = epoch < epoch_ && ++stale_answers_ < 2 * asked_in_turn;
  if (is_stale) return Error(Errc::unavailable, teller.name() + " does not know the latest");
  Keepers keepers;
  keepers.fill(no_node);
  for (const Value& range : *ranges) {
    if (read_range(range, teller, keepers)) continue;
    return Error(Errc::unavailable, teller.name() + " answers CLUSTER SLOTS in an unknown form");
  }
  epoch_ = epoch;
  stale_answers_ = 0;
  keep(keepers);
  return std::nullopt;
}

// [first slot, last slot, [host, port, ...] of the primary, then of replicas].
bool Cluster::read_range(const Value& range, const Endpoint& teller, Keepers& keepers) {
  const std::vector<Value>* const parts = range.list();
  if (parts == nullptr || parts->size() < 3) return false;
  const std::int64_t* const first = (*parts)[0].number();
  const std::int64_t* const last = (*parts)[1].number();
  const std::vector<Value>* const primary = (*parts)[2].list();
  if (first == nullptr || last == nullptr || primary == nullptr || primary->size() < 2)
    return false;
  if (*first < 0 || *last < *first || *last >= static_cast<std::int64_t>(hash_slots)) return false;
  const std::int64_t* const port = (*primary)[1].number();
  if (port == nullptr || *port < 1 || *port > 65'535) return false;
  // Nil, empty or "?": the address at which it was asked.
  const std::string* const told_host = (*primary)[0].text();
  const bool is_named = told_host != nullptr && !told_host->empty() && *told_host != "?";
  const NodeNumber node =
      number_of(is_named ? *told_host : teller.options().host, static_cast<std::uint16_t>(*port));
  std::fill(keepers.begin() + *first, keepers.begin() + *last + 1, node);
  return true;
}

void Cluster::keep(const Keepers& keepers) {
  bool changed = !is_known();
  for (std::size_t slot = 0; slot < hash_slots; ++slot) {
    changed = keepers_[slot].exchange(keepers[slot]) != keepers[slot] || changed;
  }
  if (changed) ++version_;
}

std::optional<Error> Cluster::wrong_options() const {
  if (!options_.quarantine) return std::nullopt;
  return Error(Errc::rejected,
               "cannot use " + name_ +
                   ": a Redis Cluster has no quarantine (Options::quarantine): leave "
                   "it out, or use servers of their own");
}

std::vector<HostAndPort> Cluster::addresses_to_ask() {
  // Those that keep slots, and those that the options name: the others may be gone.
  std::vector<NodeNumber> all = primaries();
  const std::lock_guard lock(mutex_);
  for (NodeNumber node = 0; node < options_.cluster.size(); ++node) {
    if (std::find(all.begin(), all.end(), node) == all.end()) all.push_back(node);
  }
  // A caller that tries once must not miss the one that lives.
  const std::size_t count = is_known() ? std::min(all.size(), asked_in_turn) : all.size();
  std::vector<HostAndPort> chosen;
  for (std::size_t at = 0; at < count; ++at) {
    chosen.push_back(nodes_[all[(next_to_ask_ + at) % all.size()]].address);
  }
  ++next_to_ask_;
  return chosen;
}

std::vector<std::shared_ptr<Endpoint>> Cluster::to_ask() {
  const std::vector<HostAndPort> addresses = addresses_to_ask();
  std::vector<std::shared_ptr<Endpoint>> chosen;
  for (const HostAndPort& each : addresses) {
    Options options = of_node(options_, each.host, each.port);
    // All have been asked in time even if each is silent, and is asked once more whether it speaks
    // TLS (Endpoint::longest_probe()).
    const auto parts = static_cast<Duration::rep>(addresses.size());
    options.connect_timeout = options.command_timeout = options_.connect_timeout * 2 / (3 * parts);
    chosen.push_back(std::make_shared<Endpoint>(options, Endpoint::Peer::node));
  }
  return chosen;
}

Duration Cluster::pause_before_asking(Clock::time_point now) {
  constexpr Duration shortest = milliseconds{100};
  const std::lock_guard lock(mutex_);
  const bool is_first = asked_at_ == Clock::time_point();
  const auto since = std::chrono::floor<Duration>(now - asked_at_);
  if (!is_first && since < shortest) return shortest - since;
  asked_at_ = now;
  return Duration::zero();
}

Error Cluster::nobody_keeps(HashSlot slot) const {
  return {Errc::unavailable, "no server of " + name_ + " keeps slot " + std::to_string(slot) +
                                 ": see CLUSTER SLOTS, or wait for the end of a failover"};
}

Error Cluster::sent_in_circles() const {
  return {Errc::unavailable,
          "the servers of " + name_ + " send the command to each other: try again"};
}

Error Cluster::nobody_tells(const Error& last) const {
  if (last.code() == Errc::rejected) return last;
  return {Errc::unavailable,
          "no server of " + name_ + " tells who keeps which slots; the last one: " + last.detail()};
}

}  // namespace interlock::redis
