#include "queue.hpp"

#include <algorithm>
#include <utility>

#include "fencing_counter.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/group.hpp"
#include "offer.hpp"

namespace interlock {
namespace {

// Removes the next word of a line and returns it. It ends at every kind of white space, as Lua's
// %S+ does.
std::string take_word(std::string_view& rest) {
  const auto end = std::min(rest.find_first_of(" \t\n\v\f\r"), rest.size());
  std::string word(rest.substr(0, end));
  rest.remove_prefix(end);
  return word;
}

}  // namespace

std::string Place::text() const {
  return owner + (waits ? " w" : " o") + std::to_string(kept_until.count()) + " " + wake_up;
}

std::optional<Place> Place::parse(std::string_view line) {
  Place place;
  place.owner = take_word(line);
  if (place.owner.empty() || line.size() < 2 || line[0] != ' ') return std::nullopt;
  if (line[1] != 'w' && line[1] != 'o') return std::nullopt;
  place.waits = line[1] == 'w';
  line.remove_prefix(2);
  const std::string kept = take_word(line);
  if (kept.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  const auto instant = detail::parse_number<std::int64_t>(kept);
  if (!instant || line.empty() || line[0] != ' ') return std::nullopt;
  place.kept_until = milliseconds{*instant};
  line.remove_prefix(1);
  place.wake_up = take_word(line);
  if (place.wake_up.empty() || !line.empty()) return std::nullopt;
  return place;
}

bool Queue::read() {
  const auto queue = keyspace_.find(keys_[2]);
  const auto holder = keyspace_.find(keys_[0]);
  if (holder && !holder->is_string()) return false;
  if (queue && queue->type != Entry::Type::list) return false;
  if (queue) lines_ = queue->lines();
  if (queue) ends_ = queue->expiry;
  return true;
}

bool Queue::read_counter() {
  const auto counter = keyspace_.find(keys_[1]);
  if (counter && !counter->is_string()) return false;
  previous_ = parse_counter(counter);
  if (previous_ && *previous_ > largest_fencing - block_) previous_.reset();
  return true;
}

milliseconds Queue::now() const {
  return now_ms(keyspace_);
}

std::int64_t Queue::held_by(const Entry& holder) const {
  std::optional<std::int64_t> granted;
  if (previous_) granted = *previous_ - block_ + 1;
  return ms_since(keyspace_, holder, granted);
}

void Queue::save() {
  if (!changed_) return;
  if (goes_) std::erase(lines_, std::string());
  if (lines_.empty()) return keyspace_.erase(keys_[2]);
  keyspace_.put(keys_[2], Entry::list(lines_, ends_));
}

void Queue::keep(milliseconds life, milliseconds retention) {
  const milliseconds least = now() + life + retention;
  if (!ends_ || *ends_ < least) ends_ = least + retention;
}

std::int64_t Queue::fencing() const {
  const std::int64_t clock = keyspace_.now().time_since_epoch().count();
  const std::int64_t fencing = std::max<std::int64_t>(1, clock);
  return previous_ && *previous_ >= fencing ? *previous_ + 1 : fencing;
}

std::int64_t Queue::next_number(milliseconds kept) {
  const std::int64_t fencing = this->fencing();
  previous_ = fencing + block_ - 1;
  keyspace_.put(keys_[1], Entry(std::to_string(*previous_), now() + kept));
  return fencing;
}

std::size_t Queue::place_of(const std::string& owner) const {
  for (std::size_t n = 0; n < lines_.size(); ++n) {
    if (lines_[n].starts_with(owner + " ")) return n;
  }
  return nowhere;
}

void Queue::change(std::size_t n, std::string line) {
  lines_[n] = std::move(line);
  changed_ = true;
}

void Queue::drop(std::size_t n) {
  change(n, std::string());
  goes_ = true;
}

void Queue::drop_front() {
  lines_.erase(lines_.begin());
  changed_ = true;
}

void Queue::append(std::string line) {
  lines_.push_back(std::move(line));
  changed_ = true;
}

Queue::First Queue::first_in_line(const std::string& owner, bool claims, Joins joins) {
  First first;
  bool others_wait = joins == Joins::yes;
  for (std::size_t n = 0; n < lines_.size(); ++n) {
    auto place = Place::parse(lines_[n]);
    if (!place) {
      drop(n);
    } else if (place->kept_until < now()) {
      drop(n);
      // The owner of this call needs no message.
      if (place->owner != owner) rouse(*place);
    } else if (place->owner == owner) {
      first.places_of_mine.push_back(n);
      if (claims && place->waits) first.owner = owner;
    } else if (place->waits) {
      place->waits = false;
      change(n, place->text());
      if (is_heard(*place, others_wait || n + 1 < lines_.size())) first.owner = place->owner;
      others_wait = true;
    } else {
      others_wait = true;
    }
    if (first.owner) break;
  }
  return first;
}

void Queue::offer_to(const std::string& owner, milliseconds counter_kept) {
  keyspace_.put(keys_[0], Entry(owner, now() + window_));
  next_number(counter_kept);
}

void Queue::rouse(const Place& place) {
  if (place.listens()) keyspace_.publish(Channel(place.wake_up), place.owner);
}

void Queue::rouse_after(std::size_t n) {
  while (++n < lines_.size()) {
    const auto place = Place::parse(lines_[n]);
    if (place && place->waits) return rouse(*place);
  }
}

bool Queue::is_heard(const Place& place, bool others_queue) {
  if (!place.listens()) return true;
  Offer offer;
  offer.owner = place.owner;
  offer.fencing = FencingToken(static_cast<std::uint64_t>(fencing()));
  offer.tokens = block_;
  offer.others_queue = others_queue;
  offer.window = Ttl(window_);
  const std::int64_t listeners = keyspace_.publish(Channel(place.wake_up), offer.text());
  return listeners > 0 || !keyspace_.knows_listeners();
}

bool is_group(std::string_view holder) {
  return holder.starts_with(GroupOfHolders::mark);
}

Reply release_lock(Keyspace& keyspace,
                   const std::vector<Key>& keys,
                   const std::vector<std::string>& arguments,
                   Offers offers,
                   const std::optional<std::string>& holder) {
  const std::string& owner = arguments[0];
  Queue queue(keyspace, keys, parse_ms(arguments[3]),
              *detail::parse_number<std::int64_t>(arguments[2]));
  if (!queue.read()) return wrong_type();
  if (!queue.empty() && !queue.read_counter()) return wrong_type();
  const bool mine = holder && *holder == owner;
  if (!mine || offers == Offers::none) {
    const std::size_t place = queue.place_of(owner);
    if (place != Queue::nowhere) queue.drop(place);
    if (place != Queue::nowhere && holder && is_group(*holder)) queue.rouse_after(place);
  }
  if (holder && !mine) {
    queue.save();
    return Value(-1);
  }
  std::optional<std::string> first;
  if (offers == Offers::to_the_first) {
    auto [owner_in_line, places_of_mine] = queue.first_in_line(owner, false);
    for (const std::size_t n : places_of_mine) queue.drop(n);
    first = std::move(owner_in_line);
  }
  queue.save();
  if (first) {
    queue.offer_to(*first, parse_ms(arguments[4]));
  } else {
    if (holder) keyspace.erase(keys[0]);
    keyspace.publish(Channel(arguments[1]), "");
  }
  return Value(holder ? 1 : 0);
}

std::optional<std::string> holder_of(Keyspace& keyspace, const Key& lock) {
  const auto holder = keyspace.find(lock);
  return holder ? std::optional<std::string>(holder->value) : std::nullopt;
}

}  // namespace interlock
