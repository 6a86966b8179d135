#include "seen_tokens.hpp"

#include <algorithm>
#include <functional>

namespace interlock::redis {
namespace {

constexpr std::size_t places = 1024;
// In microseconds. So far may the token of a lock lie behind that of another: a counter may have
// run ahead of the clock, by a clock that was set back since.
constexpr std::int64_t a_day = 86'400'000'000;

}  // namespace

SeenTokens::SeenTokens() : seen_(places) {
  enter();
}

bool SeenTokens::believes(std::string_view lock, std::string_view owner, std::int64_t token) {
  const std::hash<std::string_view> hash;
  const std::size_t name = hash(lock);
  const Grant grant(hash(owner), token);
  const std::lock_guard guard(mutex_);
  Seen& seen = seen_[name % places];
  if (seen.lock != name) {
    seen = Seen();
    seen.lock = name;
  }
  const bool grows =
      token > seen.last.token || (token == seen.last.token && grant.owner == seen.last.owner);
  if ((!grows || token < least_) && grant != seen.doubted) {
    seen.doubted = grant;
    return false;
  }
  const std::int64_t least = token - a_day;
  least_ = least_ == 0 ? least : std::min(least_, least);
  seen.last = grant;
  return true;
}

}  // namespace interlock::redis
