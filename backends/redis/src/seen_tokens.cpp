#include "seen_tokens.hpp"

#include <algorithm>
#include <functional>

namespace interlock::redis {
namespace {

constexpr std::size_t places = 1024;
constexpr std::size_t grants = 4096;
// In microseconds: how far the token of a lock may lie behind that of another. A counter may have
// run ahead of a clock that was set back since.
constexpr std::int64_t a_day = 86'400'000'000;

}  // namespace

SeenTokens::SeenTokens() : seen_(places), used_(grants) {
  enter();
}

SeenTokens::Judgement SeenTokens::judge(std::string_view lock,
                                        std::string_view owner,
                                        std::int64_t token,
                                        Confirmation answer) {
  const std::hash<std::string_view> hash;
  const std::size_t name = hash(lock);
  const SeenGrant grant(hash(owner), token);
  const std::lock_guard guard(mutex_);
  Seen& seen = seen_[name % places];
  if (seen.lock != name) {
    seen = Seen();
    seen.lock = name;
  }
  Used& used = used_[static_cast<std::size_t>(token) % grants];
  if (grant != seen.last && grant != seen.doubted) {
    const bool is_too_small = token <= seen.last.token || token < least_;
    const bool is_anothers =
        answer == Confirmation::in_turn && used.token == token && used.lock != name;
    if (is_too_small || is_anothers) seen.doubted = grant;
    if (is_too_small) return Judgement::not_greater;
    if (is_anothers) return Judgement::of_another_lock;
  }
  used.token = token;
  used.lock = name;
  const std::int64_t least = token - a_day;
  least_ = least_ == 0 ? least : std::min(least_, least);
  seen.last = grant;
  return Judgement::believed;
}

}  // namespace interlock::redis
