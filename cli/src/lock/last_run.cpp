#include "lock/last_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "console/duration_text.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/script.hpp"
#include "interlock/task.hpp"
#include "lock/holder.hpp"
#include "lock/lua/scripts.hpp"
#include "lock/native_script.hpp"

namespace interlock::cli {
namespace {

Reply note_native(Keyspace& keyspace,
                  const std::vector<Key>& keys,
                  const std::vector<std::string>& arguments) {
  const auto holder = keyspace.find(keys[0]);
  if (holder && !holder->is_string()) return wrong_type();
  if (!holder || holder->value != arguments[0]) return Value(0);
  const milliseconds now = store_time(keyspace);
  const milliseconds kept{*detail::parse_number<std::int64_t>(arguments[3])};
  keyspace.put(keys[1], Entry(std::to_string(now.count()) + " " + arguments[1] + " " +
                                  arguments[2] + " " + arguments[0],
                              now + kept));
  return Value(1);
}

Reply look_native(Keyspace& keyspace,
                  const std::vector<Key>& keys,
                  const std::vector<std::string>& /*arguments*/) {
  const auto noted = keyspace.find(keys[0]);
  if (noted && !noted->is_string()) return wrong_type();
  return Value(std::vector<Value>{Value(noted ? noted->value : std::string()),
                                  Value(store_time(keyspace).count())});
}

const Script& note_run_script() {
  static const Script script("note_run", lua::note_run, note_native);
  return script;
}
const Script& look_for_run_script() {
  static const Script script("look_for_run", lua::look_for_run, look_native);
  return script;
}

Task<Result<Value>> ask(KeyValueStore& store,
                        const Script* script,
                        std::vector<Key> keys,
                        std::vector<std::string> arguments) {
  co_return co_await store.run(*script, std::move(keys), arguments);
}

// `<end, ms of the store's clock> <ms it was held> <exit code> <owner>`.
std::optional<LastRun> parse(std::string_view text, std::int64_t now) {
  std::array<std::int64_t, 3> numbers{};
  for (std::int64_t& number : numbers) {
    const auto blank = text.find(' ');
    const auto parsed = detail::parse_number<std::int64_t>(text.substr(0, blank), 0);
    if (blank == std::string_view::npos || !parsed) return std::nullopt;
    number = *parsed;
    text.remove_prefix(blank + 1);
  }
  if (text.empty() || numbers[2] > 255) return std::nullopt;
  return LastRun{OwnerToken(std::string(text)),
                 milliseconds{std::max<std::int64_t>(0, now - numbers[0])},
                 milliseconds{numbers[1]}, static_cast<int>(numbers[2])};
}

}  // namespace

std::optional<Error> note_run(KeyValueStore& store,
                              const LockName& name,
                              const OwnerToken& owner,
                              milliseconds held,
                              int exit_code,
                              milliseconds period,
                              Retention retention) {
  std::vector<std::string> arguments{owner.text(), std::to_string(held.count()),
                                     std::to_string(exit_code),
                                     std::to_string(retention.with(period).count())};
  const Result<Value> noted =
      run(ask(store, &note_run_script(), {lock_key(name), last_run_key(lock_key(name))},
              std::move(arguments)));
  return noted ? std::nullopt : std::optional(noted.error());
}

Result<std::optional<LastRun>> look_for_run(KeyValueStore& store, const LockName& name) {
  const Result<Value> answer =
      run(ask(store, &look_for_run_script(), {last_run_key(lock_key(name))}, {}));
  if (!answer) return answer.error();
  const auto* const list = answer->list();
  if (list == nullptr || list->size() != 2 || (*list)[0].text() == nullptr ||
      (*list)[1].number() == nullptr) {
    return Error(Errc::indeterminate, "the store's answer cannot be read: " + to_string(*answer));
  }
  return parse(*(*list)[0].text(), *(*list)[1].number());
}

std::string last_run_text(const LastRun& run) {
  return fmt::format("the last run ended {} ago with exit code {}, after {}, by {}",
                     readable(run.ago), run.exit_code, readable(run.took), holder_text(run.owner));
}

nlohmann::ordered_json last_run_json(const LastRun& run) {
  nlohmann::ordered_json object{
      {"ended_ms_ago", run.ago.count()}, {"held_ms", run.took.count()}, {"exit", run.exit_code}};
  if (const auto found = whereabouts(run.owner)) {
    object["holder"] = {{"host", found->host}, {"pid", found->pid}};
  }
  object["owner"] = owner_text(run.owner);
  return object;
}

}  // namespace interlock::cli
