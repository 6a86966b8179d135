#include "server.hpp"

#include <algorithm>

#include "interlock/store/lock_keys.hpp"

namespace interlock::sim::independent {
namespace {

constexpr std::int64_t an_hour = std::int64_t{3600} * 1000;

std::optional<std::int64_t> number_in(const std::string& text) {
  const bool digits =
      !text.empty() && text.size() < 16 &&
      std::all_of(text.begin(), text.end(), [](char byte) { return byte >= '0' && byte <= '9'; });
  if (!digits || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  return std::stoll(text);
}

class Carrier {
 public:
  Carrier(Server& server, const Request& request, int client, std::int64_t now)
      : server_(server),
        keys_(server.keys),
        request_(request),
        client_(client),
        now_(now),
        key_(request.key) {}

  Applied carry_out() {
    Applied applied;
    applied.answer = answer(applied);
    return applied;
  }

 private:
  Answer answer(Applied& applied) {
    Kept* const there = find(key_);
    switch (request_.op) {
      case Op::get:
        return there != nullptr ? Answer::of(there->value) : Answer();
      case Op::set:
        put(key_, request_.value, expiry());
        return Answer::of(std::string("OK"));
      case Op::set_if_absent:
        if (there == nullptr) put(key_, request_.value, expiry());
        return yes_or_no(there == nullptr);
      case Op::exchange: {
        const Answer before = there != nullptr ? Answer::of(there->value) : Answer();
        put(key_, request_.value, std::nullopt);
        return before;
      }
      case Op::erase:
        keys_.erase(key_);
        return yes_or_no(there != nullptr);
      case Op::expire:
        if (there != nullptr) there->expiry = expiry();
        return yes_or_no(there != nullptr);
      case Op::remaining:
        if (there == nullptr) return Answer::of(std::int64_t{-2});
        return Answer::of(there->expiry ? *there->expiry - now_ : -1);
      case Op::increment:
        return increment(there);
      case Op::claim:
        return claim(there);
      case Op::renew:
        if (!is_mine(there)) return Answer::of(std::int64_t{there == nullptr ? 0 : -1});
        there->expiry = expiry();
        return Answer::of(std::int64_t{1});
      case Op::release:
        // A release that finds no key tells the channel, too.
        if (there != nullptr && !is_mine(there)) return Answer::of(std::int64_t{-1});
        applied.told.push_back(release_channel(Key(key_)).text());
        return Answer::of(std::int64_t{keys_.erase(key_) > 0 ? 1 : 0});
      case Op::recognise:
        return recognise(there);
      default:
        applied.told.push_back(key_);
        return Answer();  // the world knows how many heard it
    }
  }

  // What has expired is not there: nothing was looked at since the clock was set.
  Kept* find(const std::string& key) {
    const auto at = keys_.find(key);
    return at == keys_.end() ? nullptr : &at->second;
  }
  void put(const std::string& key, const std::string& value, std::optional<std::int64_t> until) {
    Kept kept;
    kept.value = value;
    kept.expiry = until;
    kept.writer = client_;
    keys_[key] = kept;
  }
  std::optional<std::int64_t> expiry() const {
    if (request_.ttl == 0) return std::nullopt;
    return now_ + request_.ttl;
  }
  static Answer yes_or_no(bool yes) { return Answer::of(std::int64_t{yes ? 1 : 0}); }
  bool is_mine(const Kept* there) const {
    return there != nullptr && there->value == request_.value;
  }

  Answer recognise(const Kept* there) {
    if (!server_.incarnation) server_.incarnation = 0;
    const std::string present = "i" + std::to_string(*server_.incarnation);
    if (there != nullptr && there->value == present) return yes_or_no(true);
    put(key_, present, std::nullopt);
    return yes_or_no(false);
  }

  Answer increment(Kept* there) {
    const auto before = there != nullptr ? number_in(there->value) : std::int64_t{0};
    if (!before) return Answer::error("no number");
    std::optional<std::int64_t> until;
    if (there != nullptr) until = there->expiry;
    put(key_, std::to_string(*before + 1), until);
    return Answer::of(*before + 1);
  }

  Answer claim(Kept* there) {
    const std::string counter_key = counter_of(key_);
    Kept* const counter = find(counter_key);
    if (there != nullptr && !is_mine(there)) return busy(*there, counter);
    const auto kept = counter != nullptr ? number_in(counter->value) : std::nullopt;
    const bool counts = kept && *kept > 0;
    const bool again = there != nullptr;
    put(key_, request_.value, expiry());
    Answer granted;
    granted.kind = Answer::Kind::granted;
    granted.number = counts ? *kept : 0;
    if (again && counts) return granted;
    const std::int64_t clock = std::max<std::int64_t>(1, now_ * 1000);
    granted.number = std::max(clock, granted.number + (counts ? 1 : 0));
    put(counter_key, std::to_string(granted.number), now_ + request_.ttl + an_hour);
    return granted;
  }

  Answer busy(const Kept& holder, const Kept* counter) const {
    Answer busy;
    busy.kind = Answer::Kind::busy;
    busy.text = holder.value;
    busy.remaining = holder.expiry ? *holder.expiry - now_ : -1;
    // 0: there is none.
    const std::int64_t last = counter != nullptr ? number_in(counter->value).value_or(0) : 0;
    const bool known = holder.value.substr(0, 4) == "il1:" && last > 0;
    busy.held_for = known ? std::max<std::int64_t>(0, now_ * 1000 - last) / 1000 : -1;
    return busy;
  }

  Server& server_;
  Keys& keys_;
  const Request& request_;
  int client_;
  std::int64_t now_;
  const std::string& key_;
};

std::string written_keys(const Keys& keys) {
  std::string text;
  for (const auto& [key, kept] : keys) {
    text += key + "=" + kept.value + "/" + (kept.expiry ? std::to_string(*kept.expiry) : "-");
    if (kept.writer >= 0) text += "#" + std::to_string(kept.writer);
    text += ";";
  }
  return text;
}

}  // namespace

std::string counter_of(const std::string& key) {
  return fencing_key(Key(key)).text();
}

namespace {

// Redis' rule: gone when the clock is past the expiry.
bool is_expired(const Kept& kept, std::int64_t now) {
  return kept.expiry && now > *kept.expiry;
}

}  // namespace

bool Server::has_expired(std::int64_t now) const {
  return std::any_of(keys.begin(), keys.end(),
                     [now](const auto& one) { return is_expired(one.second, now); });
}

void Server::forget_expired(std::int64_t now) {
  std::erase_if(keys, [now](const auto& one) { return is_expired(one.second, now); });
}

std::string Server::written(bool /*by_history*/) const {
  std::string history;
  for (const Keys& earlier : past) history += "before " + written_keys(earlier);
  return "keys " + written_keys(keys) + history +
         (incarnation ? "in " + std::to_string(*incarnation) : "");
}

Applied apply(Server& server, const Request& request, int client, std::int64_t now) {
  return Carrier(server, request, client, now).carry_out();
}

}  // namespace interlock::sim::independent
