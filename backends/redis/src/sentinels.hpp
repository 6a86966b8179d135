// Finds the primary by asking the Sentinels that watch it.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "address.hpp"
#include "interlock/redis/redis_backend.hpp"

namespace interlock::redis {

class Endpoint;
using Addresses = Result<std::vector<Address>>;

// Safe for several threads. Makes a connection for each question and keeps none, so that it has
// nothing that a fork() would leave in two processes.
class Sentinels {
 public:
  explicit Sentinels(const Options& options);

  // The address that the first of them tells that answers and knows the primary. Begins with the
  // one that answered last, and gives each the same part of the connect_timeout. `unavailable`:
  // none answers, or none knows an address now. `rejected`: one refused the connection, or all that
  // answer know no primary of that name.
  Addresses primary();
  // What the last one told is out of date: the next question goes to another.
  void distrust();

  // The name under which they know the primary.
  const std::string& name() const noexcept { return name_; }
  const std::vector<std::shared_ptr<Endpoint>>& endpoints() const noexcept { return endpoints_; }

 private:
  Addresses ask(const std::shared_ptr<Endpoint>& sentinel) const;

  std::string name_;
  std::vector<std::shared_ptr<Endpoint>> endpoints_;
  std::atomic<std::size_t> first_{0};
};

}  // namespace interlock::redis
