// Computes the pauses between attempts to connect; it does not sleep.
#pragma once

#include <optional>
#include <random>

#include "address.hpp"
#include "interlock/vocabulary.hpp"

namespace interlock::redis {

class BackOff {
 public:
  static constexpr Duration first = milliseconds{10};
  static constexpr Duration longest = milliseconds{1000};

  BackOff();

  // Why the last attempt failed, while the pause after it lasts.
  std::optional<Error> pause(Clock::time_point now) const;
  // If the server refused the connection, the longest pause follows, because the reason will not go
  // away in 10 ms.
  void failed(Error why, Clock::time_point now);
  void succeeded();

  // The length of the present pause.
  Duration length() const noexcept { return length_; }

 private:
  std::minstd_rand random_;
  Duration next_ = first;
  Duration length_{};
  Clock::time_point until_{};
  std::optional<Error> why_;
};

}  // namespace interlock::redis
