#include "sentinels.hpp"

#include <algorithm>

#include "blocking_connection.hpp"
#include "command.hpp"
#include "interlock/detail/number.hpp"

namespace interlock::redis {
namespace {

Options options_of(const Options& store, const HostAndPort& sentinel) {
  Options options;
  options.host = sentinel.host;
  options.port = sentinel.port;
  options.tls = store.sentinel->tls;
  options.user = store.sentinel->user;
  options.password = store.sentinel->password;
  // All have been asked in good time before the limit of the caller, even if each is silent and is
  // asked once more whether it speaks TLS (Endpoint::longest_probe()).
  const auto sentinels = static_cast<Duration::rep>(store.sentinel->addresses.size());
  options.connect_timeout = options.command_timeout = store.connect_timeout * 2 / (3 * sentinels);
  options.client_name = store.client_name;
  return options;
}

}  // namespace

Sentinels::Sentinels(const Options& options) : name_(options.sentinel->primary) {
  for (const HostAndPort& each : options.sentinel->addresses) {
    endpoints_.push_back(
        std::make_shared<Endpoint>(options_of(options, each), Endpoint::Peer::sentinel));
  }
}

void Sentinels::distrust() {
  if (!endpoints_.empty()) first_ = (first_ + 1) % endpoints_.size();
}

Addresses Sentinels::primary() {
  if (endpoints_.empty()) {
    return Error(Errc::rejected, "no Sentinel is named: give their addresses (Options::sentinel)");
  }
  const std::size_t first = first_;
  std::optional<Error> refused;
  std::optional<Error> away;
  for (std::size_t at = 0; at < endpoints_.size(); ++at) {
    const std::size_t index = (first + at) % endpoints_.size();
    Addresses found = ask(endpoints_[index]);
    if (found) {
      first_ = index;
      return found;
    }
    (found.error().code() == Errc::rejected ? refused : away) = found.error();
  }
  if (refused) return *refused;
  return Error(Errc::unavailable, "no Sentinel answers; the last one: " + away->detail());
}

// Source: Redis, "Guidelines for Redis clients with support for Redis Sentinel".
Addresses Sentinels::ask(const std::shared_ptr<Endpoint>& sentinel) const {
  BlockingConnection connection(sentinel);
  std::string question;
  append_command(question, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", name_);
  const Result<Answer> answer = connection.exchange(question);
  const std::string& where = sentinel->name();
  if (!answer) {
    const bool is_refused = answer.error().code() == Errc::rejected;
    return Error(is_refused ? Errc::rejected : Errc::unavailable, answer.error().detail());
  }
  if (answer->is_error) {
    return Error(Errc::rejected, where + " says " + told(without_arguments(answer->error_text())) +
                                     ": name Sentinels, and a user that may ask them");
  }
  const std::vector<Value>* const parts = answer->value.list();
  if (parts == nullptr || parts->size() != 2) {
    return Error(Errc::rejected,
                 where + " knows no primary '" + name_ + "': correct the name in the URL");
  }
  const std::string* const host = (*parts)[0].text();
  const std::string* const port = (*parts)[1].text();
  const auto number = port == nullptr ? std::nullopt : detail::parse_number(*port, 1, 65535);
  if (host == nullptr || !number) {
    return Error(Errc::unavailable, where + " names an address that is none: try again");
  }
  return tcp_addresses(*host, static_cast<std::uint16_t>(*number), false);
}

}  // namespace interlock::redis
