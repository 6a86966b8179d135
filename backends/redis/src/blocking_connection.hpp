// A connection that its thread waits on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "address.hpp"
#include "back_off.hpp"
#include "endpoint.hpp"
#include "patience.hpp"
#include "resp.hpp"
#include "transport.hpp"

namespace interlock::redis {

class BlockingConnection {
 public:
  explicit BlockingConnection(std::shared_ptr<Endpoint> endpoint)
      : endpoint_(std::move(endpoint)) {}

  // Sends one command and waits for its answer, connecting first if need be. `unavailable`: it
  // cannot have been executed. `indeterminate`: it was sent, and the connection is closed.
  Result<Answer> exchange(std::string_view command);
  // The two halves of it: await_answer() is for a command that begin() has sent, and after which
  // nothing else was sent.
  std::optional<Error> begin(std::string_view command);
  Result<Answer> await_answer();

  // For a connection on which the server speaks unasked.
  std::optional<Error> open();
  std::optional<Error> send(std::string_view command);
  // The next answer that has arrived or arrives while the wait lasts; none: nothing did.
  // `indeterminate`: the connection broke, and is closed.
  Result<std::optional<Answer>> receive(PatientWait& wait);

  void close();
  bool is_open() const noexcept { return static_cast<bool>(transport_); }
  // How many connections have been made, one after the other. Each may lead to another server.
  std::uint64_t made() const noexcept { return made_; }
  int descriptor() const noexcept { return transport_.descriptor(); }
  const Endpoint& endpoint() const noexcept { return *endpoint_; }

 private:
  std::optional<Error> connect();
  std::optional<Error> connect_to(const Address& address, PatientWait& wait);
  std::optional<Error> begin_session(const Address& address, PatientWait& wait);
  std::optional<Error> shake_hands(const Address& address, PatientWait& wait);
  std::optional<Error> greet(PatientWait& wait);
  void wait_in_calls();
  bool is_at_rest() const;
  Result<bool> leads_to_primary();
  std::size_t write(std::string_view command, std::string& fact);
  Result<bool> read_some();
  Error broken(const Transfer& transfer);
  Error unsent(const std::string& fact);

  std::shared_ptr<Endpoint> endpoint_;
  BackOff back_off_;
  Transport transport_;
  std::optional<AnswerReader> reader_;
  bool greeted_ = false;
  bool error_needs_probe_ = false;  // of begin_session(): see Endpoint::judge_dialect()
  std::uint64_t made_ = 0;
  // Only if Sentinels found it:
  std::string server_;  // "127.0.0.1:6379"
  Clock::time_point last_use_{};
};

}  // namespace interlock::redis
