// The Redis server, beside the clients: what it spends, and how long a round trip to it takes.
#pragma once

#include <hiredis/hiredis.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "clock.hpp"

namespace interlock::contention {

struct ServerAddress {
  std::string host = "127.0.0.1";
  int port = 6379;
};
inline ServerAddress address_of(const std::string& url) {
  ServerAddress address;
  const std::string rest = url.substr(url.find("://") + 3);
  const auto at = rest.rfind('@');
  const std::string place = at == std::string::npos ? rest : rest.substr(at + 1);
  const auto colon = place.find(':');
  address.host = place.substr(0, colon);
  if (colon != std::string::npos) address.port = std::atoi(place.c_str() + colon + 1);
  return address;
}

class ServerProbe {
 public:
  explicit ServerProbe(const ServerAddress& address)
      : context_(redisConnect(address.host.c_str(), address.port)) {}
  ~ServerProbe() { redisFree(context_); }
  ServerProbe(const ServerProbe&) = delete;
  ServerProbe& operator=(const ServerProbe&) = delete;

  bool is_there() const { return context_ != nullptr && context_->err == 0; }
  std::string text(const char* command) {
    auto* reply = static_cast<redisReply*>(redisCommand(context_, command));
    std::string answer;
    if (reply != nullptr && reply->str != nullptr) {
      answer.assign(reply->str, static_cast<std::size_t>(reply->len));
    }
    freeReplyObject(reply);
    return answer;
  }
  double cpu_us() {
    const std::string info = text("INFO cpu");
    return (number(info, "used_cpu_user:") + number(info, "used_cpu_sys:")) * 1e6;
  }
  // Commands that clients sent; what scripts call does not count.
  std::int64_t commands(bool plain) {
    const std::string info = text("INFO commandstats");
    double sum = 0;
    for (const char* sent : {"evalsha", "eval", "subscribe", "unsubscribe", "script|load"}) {
      sum += number(info, "cmdstat_" + std::string(sent) + ":calls=");
    }
    if (plain) sum += number(info, "cmdstat_set:calls=");
    return static_cast<std::int64_t>(sum);
  }
  // The median of so many, with a pause before each.
  double round_trip_us(std::size_t count, Nanoseconds pause) {
    std::vector<double> times;
    while (times.size() < count) {
      if (pause > 0) sleep_ns(pause);
      const Nanoseconds began = now_ns();
      text("PING");
      times.push_back(static_cast<double>(now_ns() - began) / 1000);
    }
    std::nth_element(times.begin(), times.begin() + count / 2, times.end());
    return times[count / 2];
  }

 private:
  static double number(const std::string& info, const std::string& field) {
    const auto at = info.find(field);
    return at == std::string::npos ? 0 : std::atof(info.c_str() + at + field.size());
  }
  redisContext* context_;
};

}  // namespace interlock::contention
