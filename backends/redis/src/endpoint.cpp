#include "endpoint.hpp"

#include <algorithm>
#include <functional>

#include "command.hpp"

namespace interlock::redis {
namespace {

Options with_sane_limits(Options options) {
  const Duration shortest = milliseconds{1};
  options.connect_timeout = std::max(options.connect_timeout, shortest);
  options.command_timeout = std::max(options.command_timeout, shortest);
  return options;
}

std::string name_of(const Options& options, Endpoint::Peer peer) {
  const bool is_ipv6 = options.host.find(':') != std::string::npos;
  const std::string host = is_ipv6 ? "[" + options.host + "]" : options.host.substr(0, 255);
  const std::string address = host + ":" + std::to_string(options.port);
  switch (peer) {
    case Endpoint::Peer::sentinel:
      return "the Sentinel " + address;
    case Endpoint::Peer::node:
      return "the cluster's server " + address;
    case Endpoint::Peer::store:
      break;
  }
  return describe(options);
}

// Adds the advice: not every refusal of AUTH is about the user or the password.
std::string why_not_let_in(const Error& said, const std::string& text) {
  const bool has_advice = said.detail() != text;
  if (has_advice) return said.detail();
  const bool is_about_login = text.starts_with("WRONGPASS") || text.starts_with("ERR ");
  return text + (is_about_login ? ": correct the user or the password" : ": see the server's log");
}

}  // namespace

Endpoint::Endpoint(Options options, Peer peer)
    : options_(with_sane_limits(std::move(options))),
      peer_(peer),
      name_(name_of(options_, peer)),
      resolver_(options_) {
  if (!options_.password.empty() || !options_.user.empty()) {
    steps_.push_back(GreetingStep::authenticate);
    // Before Redis 6, AUTH takes no user.
    if (options_.user.empty()) {
      append_command(greeting_, "AUTH", options_.password);
    } else {
      append_command(greeting_, "AUTH", options_.user, options_.password);
    }
  }
  if (options_.database != 0) {
    steps_.push_back(GreetingStep::select);
    append_command(greeting_, "SELECT", std::int64_t{options_.database});
  }
  if (options_.sentinel) {
    steps_.push_back(GreetingStep::role);
    append_command(greeting_, "ROLE");
  }
  if (!options_.client_name.empty()) {
    steps_.push_back(GreetingStep::name);
    append_command(greeting_, "CLIENT", "SETNAME", options_.client_name);
  } else {
    steps_.push_back(GreetingStep::ping);
    append_command(greeting_, "PING");
  }
  // Servers before 7.2 do not know it.
  steps_.push_back(GreetingStep::library);
  append_command(greeting_, "CLIENT", "SETINFO", "LIB-NAME", "interlock");
}

std::optional<Error> Endpoint::judge_greeting(std::size_t index, const Answer& answer) const {
  if (!answer.is_error) {
    return steps_[index] == GreetingStep::role ? judge_role(answer) : std::nullopt;
  }
  const std::string text = told(answer.error_text());
  // The server sends this without a request, before it closes the connection.
  if (text.starts_with("ERR max number of clients")) {
    return Error(Errc::unavailable,
                 "cannot connect to " + name_ + ": " + text + ": raise maxclients, or try later");
  }
  const Error said = server_error(answer.error_text());
  if (said.code() == Errc::unavailable) return cannot_connect(said);
  if (text.starts_with("NOAUTH")) {
    const std::string advice =
        peer_ == Peer::sentinel
            ? "give it by the parameters sentinel-user and sentinel-password of the URL"
            : "write :password@ or user:password@ after the // of its URL";
    return Error(Errc::rejected,
                 "cannot use " + name_ + ": it wants a password (NOAUTH): " + advice);
  }
  if (text.starts_with("DENIED")) {
    return Error(Errc::rejected,
                 "cannot use " + name_ + ": " + text.substr(0, text.find('.')) +
                     ": give the server a password, or connect from its own machine");
  }
  switch (steps_[index]) {
    case GreetingStep::authenticate:
      return Error(Errc::rejected, "cannot log in to " + name_ + ": " + why_not_let_in(said, text));
    case GreetingStep::select:
      return Error(Errc::rejected, "cannot select database " + std::to_string(options_.database) +
                                       " at " + name_ + ": " + text +
                                       ": choose one that the server has (usually 0 to 15)");
    case GreetingStep::role:
      return Error(Errc::rejected,
                   "cannot use " + name_ + ": " + text + ": let this user run ROLE (ACL SETUSER)");
    // The names are optional, and any answer to a PING will do: the operations themselves show what
    // the user may do.
    case GreetingStep::name:
    case GreetingStep::library:
    case GreetingStep::ping:
      break;
  }
  return std::nullopt;
}

// A Sentinel may not know yet that this server is a replica, or not any more.
std::optional<Error> Endpoint::judge_role(const Answer& answer) const {
  const std::vector<Value>* const parts = answer.value.list();
  const std::string* const role =
      parts == nullptr || parts->empty() ? nullptr : parts->front().text();
  if (role != nullptr && *role == "master") return std::nullopt;
  return Error(Errc::unavailable,
               "cannot connect to " + name_ + ": the server that a Sentinel tells is no primary (" +
                   (role == nullptr ? "?" : told(*role)) + "): wait for the end of the failover");
}

Error Endpoint::of_address(const Error& error, const Address& address) {
  if (!options_.sentinel) return error;
  if (error.code() == Errc::unavailable) resolver_.distrust();
  std::string text = error.detail();
  const auto at = text.find(name_);
  if (at != std::string::npos) {
    text.insert(at + name_.size(), " (" + address.text_with_port() + ")");
  }
  return {error.code(), text};
}

void Endpoint::note_new_primary(const std::string& server) {
  told_primary_ = std::hash<std::string>()(server);
  told_at_ = Clock::now().time_since_epoch().count();
}

bool Endpoint::is_replaced(const std::string& server) const {
  // A Sentinel that has not heard of it asks the others every second or two.
  constexpr std::chrono::seconds long_enough{10};
  const Clock::time_point told_at{Clock::duration(told_at_.load())};
  return told_at_ != 0 && Clock::now() - told_at < long_enough &&
         told_primary_ != std::hash<std::string>()(server);
}

Error Endpoint::replaced() const {
  return {Errc::unavailable,
          "cannot connect to " + name_ + ": another server has become the primary: try again"};
}

std::string Endpoint::certificate_name(const Address& address) const {
  if (!options_.tls->server_name.empty()) return options_.tls->server_name;
  return options_.sentinel ? address.text() : options_.host;
}

Error Endpoint::no_answer(const std::string& fact) const {
  return {Errc::indeterminate, "no answer from " + name_ + ": " + fact +
                                   ": see whether the server or the network has a problem"};
}

Error Endpoint::not_greeted(const std::string& fact) const {
  return {Errc::unavailable, "cannot connect to " + name_ + ": " + fact +
                                 ": does the server hang, or is it no Redis server " +
                                 (options_.tls ? "with TLS?" : "without TLS?")};
}

Error Endpoint::cannot_connect(const std::string& fact) const {
  return {Errc::unavailable, "cannot connect to " + name_ + ": " + fact +
                                 ": is the server running, and is the address right?"};
}

Error Endpoint::cannot_connect(const Error& error) const {
  // If something has run out in this process, the error has its own advice.
  const bool has_advice = error.detail().find(": ") != std::string::npos;
  if (has_advice) return {error.code(), "cannot connect to " + name_ + ": " + error.detail()};
  if (error.code() == Errc::unavailable) return cannot_connect(error.detail());
  return {error.code(),
          "cannot connect to " + name_ + ": " + error.detail() + ": correct the address"};
}

Error Endpoint::refused(const std::string& why) const {
  return {Errc::rejected, "cannot connect to " + name_ + ": " + why};
}

std::string Endpoint::silence() const {
  return "connected, but the server said nothing within " + in_ms(options_.connect_timeout);
}

Error Endpoint::judge_dialect(const Error& error, Dialect found) const {
  if (found != suspected()) return error;
  return refused(options_.tls ? "the server does not speak TLS at this port: write redis" +
                                    scheme_end() + ", or the server's port for TLS"
                              : "the server speaks TLS at this port: write rediss" + scheme_end());
}

std::string Endpoint::scheme_end() const {
  if (peer_ == Peer::node) return "+cluster://";
  return peer_ == Peer::sentinel || options_.sentinel ? "+sentinel://" : "://";
}

}  // namespace interlock::redis
