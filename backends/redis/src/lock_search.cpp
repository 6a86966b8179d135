#include "lock_search.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string>

#include "interlock/detail/number.hpp"
#include "interlock/posix/fork.hpp"
#include "interlock/store/lock_keys.hpp"
#include "server_questions.hpp"

namespace interlock::redis {
namespace {

// About how many keys one SCAN looks at. Other clients wait for it, 1.5 us for each key: one that
// looks again and again takes small steps.
constexpr std::size_t keys_of_a_small_scan = 250;
constexpr std::size_t keys_of_a_scan = 1000;
// How many locks one MGET asks for.
constexpr std::size_t locks_of_an_mget = 256;

// `CLUSTER NODES`: "ID ADDRESS FLAGS ... SLOTS" for each; ours has the flag `myself`.
bool has_all_slots(const std::string& nodes) {
  const auto flag = nodes.find("myself");
  if (flag == std::string::npos) return false;
  const std::string line = nodes.substr(flag, nodes.find('\n', flag) - flag);
  return line.find(" 0-16383") != std::string::npos;
}

// Without a cluster: SCAN counts up from the highest bit of its cursor, so that a table may grow
// meanwhile: with the bits in reverse, the cursor is how much of the table was seen.
double share_seen(std::uint64_t cursor) {
  constexpr int bits = 64;
  std::uint64_t reverse = 0;
  for (int bit = 0; bit < bits; ++bit) reverse |= (cursor >> bit & 1U) << (bits - 1 - bit);
  return static_cast<double>(reverse) / 0x1p64;
}

class ScanSearch final : public LockSearch {
 public:
  ScanSearch(std::shared_ptr<Endpoint> endpoint, ServerScope scope, std::size_t keys_of_each_scan)
      : endpoint_(std::move(endpoint)),
        server_(endpoint_),
        scope_(scope),
        step_(keys_of_each_scan) {}

  Result<FoundPart> next(std::size_t keys_max) override {
    if (endpoint_->process().in_child()) return posix::used_in_child("listing locks", "the store");
    if (cursor_ == "0") {
      if (auto error = why_it_does_not_know_all()) return *std::move(error);
      if (scope_ == ServerScope::one_of_cluster) {
        if (auto error = count_keys()) return *std::move(error);
      }
    }
    FoundPart part;
    for (std::size_t keys = 0; keys < std::max<std::size_t>(keys_max, 1); keys += step_) {
      if (auto error = scan(part.found)) {
        cursor_ = "0";
        return *std::move(error);
      }
      if (cursor_ == "0") return part;
    }
    part.share_seen = scope_ == ServerScope::one_of_cluster
                          ? share_of_keys()
                          : share_seen(detail::parse_number<std::uint64_t>(cursor_).value_or(0));
    return part;
  }

 private:
  // In a cluster, Redis 7.4 and newer have a table for each slot, and the cursor tells the slot.
  std::optional<Error> count_keys() {
    keys_ = 0;
    looked_at_ = 0;
    const Reply info = server_.ask("INFO", "keyspace");
    if (!info) return info.error();
    if (info->text() == nullptr) return std::nullopt;
    // db0:keys=2001,expires=1,...
    const std::string database = ServerInfo(*info->text()).field("db0");
    std::string_view rest = database;
    rest.remove_prefix(std::min(rest.size(), std::string_view("keys=").size()));
    keys_ = detail::take_number<std::size_t>(rest).value_or(0);
    return std::nullopt;
  }

  // Less than 1, and more than before.
  double share_of_keys() const {
    const std::size_t all = std::max(keys_, looked_at_ + step_);
    return static_cast<double>(looked_at_) / static_cast<double>(all);
  }

  std::optional<Error> why_it_does_not_know_all() {
    if (auto why = why_it_does_not_know_the_latest()) return why;
    if (scope_ == ServerScope::one_of_cluster) return std::nullopt;
    return why_it_knows_some_alone();
  }

  // A replica that is cut off from its primary would say that locks of since then are free.
  std::optional<Error> why_it_does_not_know_the_latest() {
    const Reply info = server_.ask("INFO", "replication");
    if (!info) return info.error();
    if (info->text() == nullptr) return {};
    const ServerInfo fields(*info->text());
    if (fields.field("role") != "slave" || fields.field("master_link_status") == "up") return {};
    return Error(Errc::unavailable,
                 "this server is a replica that has lost its primary, and does not know the latest "
                 "locks: use the primary's address");
  }

  // A node of a cluster sees only its own keys, and would say that locks on other nodes are free.
  std::optional<Error> why_it_knows_some_alone() {
    const Reply info = server_.ask("INFO", "cluster");
    if (!info) return info.error();
    if (info->text() == nullptr || ServerInfo(*info->text()).number("cluster_enabled") != 1)
      return {};
    const Reply nodes = server_.ask("CLUSTER", "NODES");
    if (!nodes) return nodes.error();
    if (nodes->text() != nullptr && has_all_slots(*nodes->text())) return {};
    return Error(Errc::rejected,
                 "this server is one of a Redis Cluster, and sees only a part of the locks: write "
                 "redis+cluster:// to use them all");
  }

  std::optional<Error> scan(std::vector<Key>& found) {
    const Reply page =
        server_.ask("SCAN", cursor_, "MATCH", "*:interlock:fence", "COUNT", std::to_string(step_));
    if (!page) return page.error();
    const auto* parts = page->list();
    if (parts == nullptr || parts->size() != 2 || (*parts)[0].text() == nullptr ||
        (*parts)[1].list() == nullptr) {
      return Error(Errc::indeterminate, "SCAN gave an unusable answer: " + to_string(*page));
    }
    std::vector<Key> locks;
    for (const Value& counter : *(*parts)[1].list()) {
      if (counter.text() == nullptr) continue;
      if (const auto lock = lock_of_fencing_key(Key(*counter.text()))) locks.push_back(*lock);
    }
    const std::span<const Key> all(locks);
    // A cluster takes no keys of different slots in one command.
    const std::size_t most = scope_ == ServerScope::one_of_cluster ? 1 : locks_of_an_mget;
    for (std::size_t at = 0; at < all.size(); at += most) {
      const auto some = all.subspan(at, std::min(most, all.size() - at));
      if (auto error = add_held(some, found)) return error;
    }
    cursor_ = *(*parts)[0].text();
    looked_at_ += step_;
    return std::nullopt;
  }

  // Those that are held, and whose keys this user may read: others are another user's locks. The
  // server refuses the whole command for one key, so the search halves what is refused.
  std::optional<Error> add_held(std::span<const Key> locks, std::vector<Key>& found) {
    if (scope_ == ServerScope::one_of_cluster) return add_held_of_a_cluster(locks.front(), found);
    std::vector<std::string> words{"MGET"};
    for (const Key& lock : locks) words.push_back(lock.text());
    for (const Key& lock : locks) {
      words.push_back(fencing_key(lock).text());
      words.push_back(queue_key(lock).text());
    }
    std::string command;
    append_command_size(command, words.size());
    for (const std::string& word : words) append_part(command, word);
    const Reply values = server_.ask_in_bytes(command);
    if (!values) {
      if (!is_about_patterns(values.error().detail())) return values.error();
      if (locks.size() == 1) return std::nullopt;
      const auto half = locks.size() / 2;
      if (auto error = add_held(locks.first(half), found)) return error;
      return add_held(locks.subspan(half), found);
    }
    if (values->list() == nullptr || values->list()->size() != words.size() - 1) {
      return Error(Errc::indeterminate, "MGET gave an unusable answer: " + to_string(*values));
    }
    for (std::size_t at = 0; at < locks.size(); ++at) {
      if ((*values->list())[at].text() != nullptr) found.push_back(locks[at]);
    }
    return std::nullopt;
  }

  // While a slot is moved, each of its keys is on one of two servers. Both are asked.
  std::optional<Error> add_held_of_a_cluster(const Key& lock, std::vector<Key>& found) {
    static_cast<void>(server_.ask("ASKING"));
    const Reply value = server_.ask("GET", lock.text());
    if (value && value->text() != nullptr) found.push_back(lock);
    if (value) return std::nullopt;
    const std::string& said = value.error().detail();
    const bool is_elsewhere = said.starts_with("MOVED ") || said.starts_with("ASK ");
    const bool is_another_users = is_about_patterns(said);
    const bool is_no_lock = said.starts_with("WRONGTYPE");
    if (is_elsewhere || is_another_users || is_no_lock) return std::nullopt;
    return value.error();
  }

  const std::shared_ptr<Endpoint> endpoint_;
  ServerQuestions server_;
  const ServerScope scope_;
  const std::size_t step_;
  std::string cursor_ = "0";  // at the beginning of a round
  // In this round, at a server of a cluster:
  std::size_t keys_ = 0;       // that there were
  std::size_t looked_at_ = 0;  // about so many of them
};

}  // namespace

std::unique_ptr<LockSearch> search_locks(std::shared_ptr<Endpoint> endpoint, ServerScope scope) {
  return std::make_unique<ScanSearch>(std::move(endpoint), scope, keys_of_a_small_scan);
}

Result<std::vector<Key>> find_held_locks(std::shared_ptr<Endpoint> endpoint, ServerScope scope) {
  ScanSearch search(std::move(endpoint), scope, keys_of_a_scan);
  std::set<Key> held;  // SCAN may name a key twice
  for (;;) {
    auto part = search.next(keys_of_a_scan);
    if (!part) return std::move(part).error();
    held.insert(part->found.begin(), part->found.end());
    if (part->is_complete()) return std::vector<Key>(held.begin(), held.end());
  }
}

}  // namespace interlock::redis
