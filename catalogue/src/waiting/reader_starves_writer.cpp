#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr const char* writing = "writing";
const std::string yes = "1";
const Key gate("writer waits");

Key flag_of(std::string reader) {
  return Key("reads/" + std::move(reader));
}

// Reads again and again. With `polite`, stays outside while a writer waits.
Task<void> read(Client& me, std::string name, bool polite) {
  const Key flag = flag_of(std::move(name));
  for (;;) {
    co_await me.loop_head();
    if (polite) {
      const Result<std::optional<std::string>> closed = co_await me.store().get(gate);
      if (!closed || *closed) continue;
    }
    static_cast<void>(co_await me.store().set(flag, yes));
    bool may_read = true;
    if (polite) {
      // The gate may have closed since; a writer that has seen the flag down must not be met.
      const Result<std::optional<std::string>> closed = co_await me.store().get(gate);
      may_read = closed && !*closed;
    }
    if (may_read) {
      me.enter("reading");
      co_await me.leave("reading");
    }
    static_cast<void>(co_await me.store().erase(flag));
  }
}

// Writes once, when nobody reads.
Task<void> write(Client& me, std::vector<std::string> readers) {
  me.wants(writing);
  static_cast<void>(co_await me.store().set(gate, yes));
  std::size_t seen_away = 0;
  while (seen_away < readers.size()) {
    co_await me.loop_head(seen_away);
    const Key flag = flag_of(readers[seen_away]);
    const Result<std::optional<std::string>> reads = co_await me.store().get(flag);
    const bool away = reads && !*reads;
    if (away) ++seen_away;
  }
  me.enter(writing);
  co_await me.leave(writing);
  static_cast<void>(co_await me.store().erase(gate));
}

// What a writer sees in one step: is anybody reading?
Task<void> write_when_none_reads(Client& me, std::vector<std::string> readers) {
  me.wants(writing);
  for (;;) {
    co_await me.loop_head();
    bool nobody = true;
    for (const std::string& reader : readers) {
      const Key flag = flag_of(reader);
      const Result<std::optional<std::string>> reads = co_await me.store().get(flag);
      nobody = nobody && reads && !*reads;
    }
    if (nobody) break;
  }
  me.enter(writing);
  co_await me.leave(writing);
}

Scenario make(bool polite) {
  const std::vector<std::string> readers{"A", "B"};
  Scenario scenario = world();
  scenario.client([=](Client& me) { return read(me, "A", polite); }).client([=](Client& me) {
    return read(me, "B", polite);
  });
  if (polite) {
    scenario.client([=](Client& me) { return write(me, readers); });
  } else {
    scenario.client([=](Client& me) { return write_when_none_reads(me, readers); });
  }
  scenario.require(every_waiter_acquires(writing));
  return scenario;
}

}  // namespace

Entries reader_starves_writer() {
  return {
      {
          .name = "reader-starves-writer",
          .family = Family::waiting,
          .summary = "readers overlap for ever: there is never a moment without one",
          .protocol = "reader-writer lock",
          .make = [](const Bounds&) { return make(false); },
          .expected = violated("every waiter acquires writing", 11),
          .explanation = R"(The writer C may write when it has seen nobody reading. A reads, and
leaves only while B reads: step 5 (A DEL), and again in step 6 (A SET). B does the same in step 8
(B DEL) and step 9 (B SET). Whenever C looks, step 10 (C GET) and step 11 (C GET), somebody reads.)",
          .fix = "a writer that waits keeps new readers out",
          .repairs = {{"reader-starves-writer-repaired", "a gate that a waiting writer closes",
                       true, "Readers that are inside eventually leave, and no new ones come."}},
          .sources =
              {"Courtois, Heymans, Parnas, Concurrent control with readers and writers, 1971"},
      },
      {
          .name = "reader-starves-writer-repaired",
          .family = Family::waiting,
          .summary = "a waiting writer closes the gate for new readers",
          .protocol = "reader-writer lock",
          .make = [](const Bounds&) { return make(true); },
          .expected = proved,
          .explanation = "A reader that finds the gate closed takes its flag down again, so "
                         "the writer needs to see each flag down once.",
          .repairs_what = "reader-starves-writer",
      }};
}

}  // namespace interlock::sim::catalogue
