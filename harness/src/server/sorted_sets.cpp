// Commands on sorted sets.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "interlock/vocabulary.hpp"
#include "server/command.hpp"
#include "server/notes.hpp"

namespace interlock::harness {
namespace {

constexpr auto sorted_type = DataType::sorted_set;
constexpr const char* not_a_float = "ERR value is not a valid float";

class SortedMember {
 public:
  double score;
  std::string name;
};
using Members = std::vector<SortedMember>;

// As addReplyDouble() of Redis 7.0 writes it.
std::string score_text(double score) {
  if (std::isinf(score)) return score > 0 ? "inf" : "-inf";
  std::array<char, 64> text{};
  const int size = std::snprintf(text.data(), text.size(), "%.17g", score);
  return {text.data(), static_cast<std::size_t>(size)};
}

std::optional<double> parse_score(const std::string& word) {
  if (word.empty() || std::isspace(static_cast<unsigned char>(word.front())) != 0) {
    return std::nullopt;
  }
  char* end = nullptr;
  const double score = std::strtod(word.c_str(), &end);
  if (end != word.c_str() + word.size() || std::isnan(score)) return std::nullopt;
  return score;
}

// Redis compares names where scores are equal. Names of different clients have no order of their
// own: another choice of tokens may have another.
bool is_before(const SortedMember& one, const SortedMember& other) {
  if (one.score != other.score) return one.score < other.score;
  const auto has_token = [](const SortedMember& member) {
    return member.name.find(OwnerToken::mark) != std::string::npos;
  };
  if (one.name != other.name && has_token(one) && has_token(other)) {
    notes().tells_clients_apart = true;
  }
  return one.name < other.name;
}

Result<Members> members_at(TypedKeys& database, const std::string& key) {
  const auto data = database.find(key);
  Members all;
  if (!data) return all;
  if (data->type != sorted_type) return wrong_type().error();
  for (std::size_t at = 0; at + 1 < data->items.size(); at += 2) {
    all.push_back(SortedMember{std::strtod(data->items[at].c_str(), nullptr), data->items[at + 1]});
  }
  std::stable_sort(all.begin(), all.end(), is_before);
  return all;
}

void keep(TypedKeys& database, const std::string& key, Members members) {
  std::stable_sort(members.begin(), members.end(), is_before);
  const auto before = database.find(key);
  Data data(sorted_type);
  if (before) data.expiry = before->expiry;
  for (const SortedMember& member : members) {
    data.items.push_back(score_text(member.score));
    data.items.push_back(member.name);
  }
  database.put(key, data);
}

auto find_member(Members& members, const std::string& name) {
  return std::find_if(members.begin(), members.end(),
                      [&](const SortedMember& member) { return member.name == name; });
}

Value listed(const Members& some, bool scores) {
  std::vector<Value> all;
  for (const SortedMember& member : some) {
    all.push_back(text(member.name));
    if (scores) all.push_back(text(score_text(member.score)));
  }
  return Value(std::move(all));
}

// --- ZADD ----------------------------------------------------------------------------------------

class AddOptions {
 public:
  bool nx = false;
  bool xx = false;
  bool gt = false;
  bool lt = false;
  bool changed = false;
  bool incr = false;
  std::size_t first = 2;  // of the pairs
};

Result<AddOptions> add_options(const Words& words) {
  AddOptions given;
  for (; given.first < words.size(); ++given.first) {
    const std::string option = in_capitals(words[given.first]);
    if (option == "NX") {
      given.nx = true;
    } else if (option == "XX") {
      given.xx = true;
    } else if (option == "GT") {
      given.gt = true;
    } else if (option == "LT") {
      given.lt = true;
    } else if (option == "CH") {
      given.changed = true;
    } else if (option == "INCR") {
      given.incr = true;
    } else {
      break;
    }
  }
  const std::size_t rest = words.size() - given.first;
  if (rest == 0 || rest % 2 != 0) return syntax_error().error();
  if (given.nx && given.xx) {
    return Error(Errc::rejected, "ERR XX and NX options at the same time are not compatible");
  }
  if ((given.gt && given.nx) || (given.lt && given.nx) || (given.gt && given.lt)) {
    return Error(Errc::rejected,
                 "ERR GT, LT, and/or NX options at the same time are not compatible");
  }
  if (given.incr && rest > 2) {
    return Error(Errc::rejected, "ERR INCR option supports a single increment-element pair");
  }
  return given;
}

class Added {
 public:
  std::int64_t added = 0;
  std::int64_t changed = 0;
  std::optional<double> score;  // of the last member; none: left alone
};

// An error: the sum is no number.
std::optional<Error> add_member(Members& members,
                                const AddOptions& how,
                                SortedMember member,
                                Added& done) {
  const auto at = find_member(members, member.name);
  if (at == members.end()) {
    if (how.xx) return std::nullopt;
    done.score = member.score;
    members.push_back(std::move(member));
    ++done.added;
    return std::nullopt;
  }
  if (how.nx) return std::nullopt;
  const double score = how.incr ? at->score + member.score : member.score;
  if (std::isnan(score)) return Error(Errc::rejected, "ERR resulting score is not a number (NaN)");
  if ((how.gt && score <= at->score) || (how.lt && score >= at->score)) return std::nullopt;
  done.score = score;
  if (score != at->score) ++done.changed;
  at->score = score;
  return std::nullopt;
}

Reply zadd(TypedKeys& database, const Words& words) {
  const auto how = add_options(words);
  if (!how) return how.error();
  Members wanted;
  for (std::size_t at = how->first; at < words.size(); at += 2) {
    const auto score = parse_score(words[at]);
    if (!score) return refuse(not_a_float);
    wanted.push_back(SortedMember{*score, words[at + 1]});
  }
  auto members = members_at(database, words[1]);
  if (!members) return members.error();
  Added done;
  for (const SortedMember& member : wanted) {
    if (const auto wrong = add_member(*members, *how, member, done)) return *wrong;
  }
  if (done.added + done.changed > 0) keep(database, words[1], *members);
  if (how->incr) return done.score ? text(score_text(*done.score)) : Value();
  return number(done.added + (how->changed ? done.changed : 0));
}

Reply zincrby(TypedKeys& database, const Words& words) {
  return zadd(database, {"ZADD", words[1], "INCR", words[2], words[3]});
}

// --- one member ----------------------------------------------------------------------------------

Reply zscore(TypedKeys& database, const Words& words) {
  auto members = members_at(database, words[1]);
  if (!members) return members.error();
  const auto at = find_member(*members, words[2]);
  return at == members->end() ? Value() : text(score_text(at->score));
}

Reply zrank(TypedKeys& database, const Words& words) {
  auto members = members_at(database, words[1]);
  if (!members) return members.error();
  if (in_capitals(words[0]) == "ZREVRANK") std::reverse(members->begin(), members->end());
  const auto at = find_member(*members, words[2]);
  return at == members->end() ? Value() : number(at - members->begin());
}

Reply zcard(TypedKeys& database, const Words& words) {
  const auto members = members_at(database, words[1]);
  if (!members) return members.error();
  return number(static_cast<std::int64_t>(members->size()));
}

Reply zrem(TypedKeys& database, const Words& words) {
  auto members = members_at(database, words[1]);
  if (!members) return members.error();
  std::int64_t removed = 0;
  for (std::size_t at = 2; at < words.size(); ++at) {
    removed += static_cast<std::int64_t>(
        std::erase_if(*members, [&](const SortedMember& one) { return one.name == words[at]; }));
  }
  if (removed > 0) keep(database, words[1], *members);
  return number(removed);
}

// --- ranges --------------------------------------------------------------------------------------

class Bound {
 public:
  double score;
  bool open;
};

std::optional<Bound> parse_bound(const std::string& word) {
  const bool open = word.starts_with('(');
  const auto score = parse_score(open ? word.substr(1) : word);
  if (!score) return std::nullopt;
  return Bound{*score, open};
}

class Scores {
 public:
  Bound least;
  Bound most;
  bool contain(double score) const {
    return (least.open ? score > least.score : score >= least.score) &&
           (most.open ? score < most.score : score <= most.score);
  }
};

Result<Scores> parse_scores(const std::string& least, const std::string& most) {
  const auto from = parse_bound(least);
  const auto to = parse_bound(most);
  if (!from || !to) return Error(Errc::rejected, "ERR min or max is not a float");
  return Scores{*from, *to};
}

class RangeOptions {
 public:
  bool by_score = false;
  bool reversed = false;
  bool scores = false;
  bool limited = false;
  std::int64_t offset = 0;
  std::int64_t count = -1;
};

Result<RangeOptions> range_options(const Words& words) {
  const std::string name = in_capitals(words[0]);
  RangeOptions given;
  given.by_score = name.ends_with("BYSCORE");
  given.reversed = name.starts_with("ZREV");
  const bool general = name == "ZRANGE";
  for (std::size_t at = 4; at < words.size(); ++at) {
    const std::string option = in_capitals(words[at]);
    if (option == "WITHSCORES") {
      given.scores = true;
    } else if (option == "LIMIT" && at + 2 < words.size() && name != "ZREVRANGE") {
      const auto offset = whole_number(words[at + 1]);
      const auto count = whole_number(words[at + 2]);
      if (!offset || !count) return not_a_number().error();
      given.limited = true;
      given.offset = *offset;
      given.count = *count;
      at += 2;
    } else if (option == "BYSCORE" && general) {
      given.by_score = true;
    } else if (option == "REV" && general) {
      given.reversed = true;
    } else {
      if (option == "BYLEX") notes().stop("ZRANGE BYLEX is not modelled");
      return syntax_error().error();
    }
  }
  if (given.limited && !given.by_score) {
    return Error(Errc::rejected,
                 "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or "
                 "BYLEX");
  }
  return given;
}

Members by_index(const Members& members, std::int64_t from, std::int64_t to) {
  const auto size = static_cast<std::int64_t>(members.size());
  const std::int64_t first = std::max<std::int64_t>(0, from < 0 ? size + from : from);
  const std::int64_t last = std::min(size - 1, to < 0 ? size + to : to);
  if (first > last) return {};
  return {members.begin() + first, members.begin() + last + 1};
}

Reply zrange(TypedKeys& database, const Words& words) {
  const auto how = range_options(words);
  if (!how) return how.error();
  if (how->by_score) {
    const auto scores =
        how->reversed ? parse_scores(words[3], words[2]) : parse_scores(words[2], words[3]);
    if (!scores) return scores.error();
    auto members = members_at(database, words[1]);
    if (!members) return members.error();
    std::erase_if(*members, [&](const SortedMember& one) { return !scores->contain(one.score); });
    if (how->reversed) std::reverse(members->begin(), members->end());
    if (how->limited) {
      if (how->offset < 0) return Value(std::vector<Value>());
      const auto size = static_cast<std::int64_t>(members->size());
      const std::int64_t first = std::min(size, how->offset);
      const std::int64_t count = how->count < 0 ? size - first : std::min(how->count, size - first);
      *members = Members(members->begin() + first, members->begin() + first + count);
    }
    return listed(*members, how->scores);
  }
  const auto from = whole_number(words[2]);
  const auto to = whole_number(words[3]);
  if (!from || !to) return not_a_number();
  auto members = members_at(database, words[1]);
  if (!members) return members.error();
  if (how->reversed) std::reverse(members->begin(), members->end());
  return listed(by_index(*members, *from, *to), how->scores);
}

Reply zcount(TypedKeys& database, const Words& words) {
  const auto scores = parse_scores(words[2], words[3]);
  if (!scores) return scores.error();
  const auto members = members_at(database, words[1]);
  if (!members) return members.error();
  return number(std::count_if(members->begin(), members->end(),
                              [&](const SortedMember& one) { return scores->contain(one.score); }));
}

// Removes what `goes` says.
Reply remove(TypedKeys& database, const std::string& key, Members members, const auto& goes) {
  const auto removed = static_cast<std::int64_t>(std::erase_if(members, goes));
  if (removed > 0) keep(database, key, std::move(members));
  return number(removed);
}

Reply zremrangebyscore(TypedKeys& database, const Words& words) {
  const auto scores = parse_scores(words[2], words[3]);
  if (!scores) return scores.error();
  const auto members = members_at(database, words[1]);
  if (!members) return members.error();
  return remove(database, words[1], *members,
                [&](const SortedMember& one) { return scores->contain(one.score); });
}

Reply zremrangebyrank(TypedKeys& database, const Words& words) {
  const auto from = whole_number(words[2]);
  const auto to = whole_number(words[3]);
  if (!from || !to) return not_a_number();
  const auto members = members_at(database, words[1]);
  if (!members) return members.error();
  const Members gone = by_index(*members, *from, *to);
  return remove(database, words[1], *members, [&](const SortedMember& one) {
    return std::any_of(gone.begin(), gone.end(),
                       [&](const SortedMember& other) { return other.name == one.name; });
  });
}

Reply zpop(TypedKeys& database, const Words& words) {
  if (words.size() > 3) return syntax_error();
  const auto count = words.size() > 2 ? whole_number(words[2]) : 1;
  if (!count || *count < 0) return refuse("ERR value is out of range, must be positive");
  auto members = members_at(database, words[1]);
  if (!members) return members.error();
  const bool largest = in_capitals(words[0]) == "ZPOPMAX";
  if (largest) std::reverse(members->begin(), members->end());
  const auto size = std::min(*count, static_cast<std::int64_t>(members->size()));
  const Members popped(members->begin(), members->begin() + size);
  members->erase(members->begin(), members->begin() + size);
  if (size > 0) keep(database, words[1], *members);
  return listed(popped, true);
}

}  // namespace

const std::vector<ServerCommand>& sorted_set_commands() {
  static const std::vector<ServerCommand> all{
      {"ZADD", -4, true, 1, 1, 1, Shape::plain, zadd},
      {"ZINCRBY", 4, true, 1, 1, 1, Shape::number, zincrby},
      {"ZSCORE", 3, false, 1, 1, 1, Shape::number, zscore},
      {"ZRANK", 3, false, 1, 1, 1, Shape::plain, zrank},
      {"ZREVRANK", 3, false, 1, 1, 1, Shape::plain, zrank},
      {"ZCARD", 2, false, 1, 1, 1, Shape::plain, zcard},
      {"ZREM", -3, true, 1, 1, 1, Shape::plain, zrem},
      {"ZRANGE", -4, false, 1, 1, 1, Shape::scored, zrange},
      {"ZREVRANGE", -4, false, 1, 1, 1, Shape::scored, zrange},
      {"ZRANGEBYSCORE", -4, false, 1, 1, 1, Shape::scored, zrange},
      {"ZREVRANGEBYSCORE", -4, false, 1, 1, 1, Shape::scored, zrange},
      {"ZCOUNT", 4, false, 1, 1, 1, Shape::plain, zcount},
      {"ZREMRANGEBYSCORE", 4, true, 1, 1, 1, Shape::plain, zremrangebyscore},
      {"ZREMRANGEBYRANK", 4, true, 1, 1, 1, Shape::plain, zremrangebyrank},
      {"ZPOPMIN", -2, true, 1, 1, 1, Shape::scored, zpop},
      {"ZPOPMAX", -2, true, 1, 1, 1, Shape::scored, zpop},
  };
  return all;
}

}  // namespace interlock::harness
