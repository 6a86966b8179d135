#include "model/process_table.hpp"

#include <algorithm>

#include "interlock/detail/assert.hpp"

namespace interlock::sim {

std::int32_t Instants::at_or_after(TimePoint time) const {
  const Duration since = time.time_since_epoch() - first_;
  std::int64_t instant = since / apart_;
  if (apart_ * instant < since) ++instant;
  constexpr std::int64_t far = never;
  return static_cast<std::int32_t>(std::clamp(instant, -far, far));
}

ProcessTable::ProcessTable(Automaton& automaton, EngineShared& shared)
    : instants_(Instants::of(shared.scenario)),
      vocabulary_(shared.vocabulary),
      channels_(shared.channels),
      messages_(shared.messages),
      capacity_(shared.capacity),
      automaton_(automaton) {
  if (shared.scenario.endless()) {
    automaton_.let_age(Ageing{TimePoint(shared.scenario.first()), instants_.local(0),
                              shared.scenario.apart(), &shared.longest});
  }
  intern(ProcessContent());
}

ProcessTable::Config ProcessTable::intern(ProcessContent content) {
  const Widths& widths = capacity_.widths();
  if (!capacity_.fits(content.late.size(), widths.late_requests,
                      "requests of one client on their way")) {
    return initial;
  }
  if (content.crashed || content.local == Automaton::done) {
    // Only the client's requests that are on their way are left.
    content.local = Automaton::done;
    content.held.clear();
    content.subscriptions.clear();
  }
  std::sort(content.held.begin(), content.held.end(),
            [](const Held& one, const Held& other) { return one.slot < other.slot; });
  std::sort(content.late.begin(), content.late.end());

  Encoder identity;
  identity.number(content.local).number(content.crashed ? 1 : 0).number(content.life);
  identity.number(static_cast<std::int64_t>(content.held.size()));
  for (const Held& held : content.held) {
    identity.number(held.slot).number(held.reply).number(held.awaits_break ? 1 : 0);
  }
  identity.number(static_cast<std::int64_t>(content.late.size()));
  for (const std::uint32_t wait : content.late) identity.number(wait);
  for (const Subscription& subscription : content.subscriptions) {
    identity.number(subscription.server).number(subscription.channel);
    identity.number(subscription.open ? 1 : 0);
    identity.number(subscription.pending ? 1 : 0).number(subscription.broken ? 1 : 0);
    identity.number(subscription.wants_texts ? 1 : 0).number(subscription.text);
  }
  const auto [id, added] = contents_.add(std::move(content), identity.take());
  if (!capacity_.fits(contents_.size(), widths.configs,
                      "states of one client with what is on its way to and from it")) {
    return initial;
  }
  if (added) describe_moves(id);
  return id;
}

void ProcessTable::describe_moves(Config config) {
  const ProcessContent& content = contents_[config];
  ConfigInfo info;
  info.first_move = static_cast<std::uint32_t>(moves_.size());
  info.crashed = content.crashed;
  info.finished = content.local == Automaton::done;
  info.not_started = automaton_.is_beginning(content.local);
  info.subscribed = !content.subscriptions.empty();
  info.renamable = automaton_.mentions(content.local) != 0;

  if (info.not_started) {
    moves_.push_back(
        TaskMove{TaskMoveKind::start, Automaton::start_slot, 0, false, false, 0, 0, 0});
  }
  const std::vector<std::uint32_t>& waits = automaton_.waits(content.local);
  for (std::size_t slot = 0; slot < waits.size(); ++slot) {
    if (waits[slot] == 0) continue;
    ++info.waits;
    const auto held = std::find_if(content.held.begin(), content.held.end(),
                                   [&](const Held& one) { return one.slot == slot; });
    if (held == content.held.end()) {
      add_waiting_move(content, static_cast<std::uint8_t>(slot), waits[slot]);
    } else {
      TaskMove deliver{TaskMoveKind::deliver,
                       static_cast<std::uint8_t>(slot),
                       0,
                       false,
                       false,
                       Instants::never,
                       waits[slot],
                       0};
      deliver.awaits_break = held->awaits_break;
      moves_.push_back(deliver);
    }
  }
  for (std::size_t at = 0; at < content.late.size(); ++at) {
    const Wait& wait = automaton_.wait(content.late[at]);
    moves_.push_back(TaskMove{TaskMoveKind::late, static_cast<std::uint8_t>(at),
                              static_cast<std::uint8_t>(wait.server), false, false, 0,
                              content.late[at], 0});
  }
  info.moves = static_cast<std::uint8_t>(moves_.size() - info.first_move);
  for (std::size_t at = info.first_move; at < moves_.size(); ++at) {
    info.awaits_message =
        info.awaits_message || (moves_[at].kind == TaskMoveKind::message && !moves_[at].pending);
  }
  for (const std::uint32_t late : content.late) {
    info.renamable = info.renamable || mentions(automaton_.wait(late).operation) != 0;
  }
  for (const Held& held : content.held) {
    info.renamable = info.renamable || mentions(vocabulary_.replies[held.reply]) != 0;
  }
  for (const Subscription& subscription : content.subscriptions) {
    info.renamable = info.renamable || mentions(channels_[subscription.channel]) != 0;
    if (subscription.text == 0) continue;
    info.renamable = info.renamable || mentions(vocabulary_.replies[subscription.text]) != 0;
  }
  infos_.push_back(info);
}

void ProcessTable::add_waiting_move(const ProcessContent& content,
                                    std::uint8_t slot,
                                    std::uint32_t wait_id) {
  const Wait& wait = automaton_.wait(wait_id);
  TaskMove move{TaskMoveKind::operation,
                slot,
                static_cast<std::uint8_t>(wait.server),
                wait.wall,
                false,
                0,
                wait_id,
                0};
  switch (wait.kind) {
    case WaitKind::operation:
      if (wait.operation.kind == OperationKind::subscribe) {
        move.kind = TaskMoveKind::subscribe;
        move.channel = channels_.add(wait.operation.key.text(), wait.operation.key.text()).first;
      } else if (wait.operation.kind == OperationKind::unsubscribe) {
        move.kind = TaskMoveKind::unsubscribe;
      }
      break;
    case WaitKind::message: {
      const auto id = static_cast<std::size_t>(wait.operation.subscription);
      move.kind = TaskMoveKind::message;
      move.due = instants_.at_or_after(wait.operation.until);
      if (id < content.subscriptions.size() && content.subscriptions[id].open) {
        move.pending = content.subscriptions[id].pending;
        move.broken = content.subscriptions[id].broken;
        move.channel = content.subscriptions[id].channel;
        move.text = content.subscriptions[id].text;
      } else {
        move.kind = TaskMoveKind::refused_message;
      }
      break;
    }
    case WaitKind::sleep:
      move.kind = TaskMoveKind::sleep;
      move.due = instants_.at_or_after(wait.until);
      break;
    case WaitKind::leave:
      move.kind = TaskMoveKind::leave;
      break;
    case WaitKind::write:
      move.kind = TaskMoveKind::write;
      break;
    case WaitKind::nothing:
    case WaitKind::loop_head:
    case WaitKind::joined:
      return;
  }
  moves_.push_back(move);
}

void ProcessTable::edit_content(ProcessContent& content,
                                Edit edit,
                                std::uint8_t slot,
                                std::uint32_t& reply) {
  switch (edit) {
    case Edit::none:
      break;
    case Edit::leave_behind:
      content.late.push_back(automaton_.waits(content.local)[slot]);
      break;
    case Edit::subscribe: {
      const Wait& wait = automaton_.wait(automaton_.waits(content.local)[slot]);
      const auto channel = channels_.add(wait.operation.key.text(), wait.operation.key.text());
      reply = vocabulary_.reply(Value(static_cast<std::int64_t>(content.subscriptions.size())));
      Subscription subscription{static_cast<std::uint8_t>(wait.server), channel.first, true, false};
      subscription.wants_texts = wait.operation.texts;
      content.subscriptions.push_back(subscription);
      break;
    }
    case Edit::unsubscribe: {
      const Wait& wait = automaton_.wait(automaton_.waits(content.local)[slot]);
      const auto id = static_cast<std::size_t>(wait.operation.subscription);
      if (id < content.subscriptions.size()) {
        content.subscriptions[id].open = false;
        content.subscriptions[id].pending = false;
        content.subscriptions[id].broken = false;
        content.subscriptions[id].text = 0;
      }
      break;
    }
    case Edit::take_message: {
      const Wait& wait = automaton_.wait(automaton_.waits(content.local)[slot]);
      const auto id = static_cast<std::size_t>(wait.operation.subscription);
      if (id < content.subscriptions.size()) {
        content.subscriptions[id].pending = false;
        content.subscriptions[id].broken = false;
        content.subscriptions[id].text = 0;
      }
      break;
    }
    case Edit::deliver: {
      const auto held = std::find_if(content.held.begin(), content.held.end(),
                                     [&](const Held& one) { return one.slot == slot; });
      INTERLOCK_ASSERT(held != content.held.end());
      reply = held->reply;
      content.held.erase(held);
      break;
    }
    case Edit::await_break:
      for (Held& held : content.held) held.awaits_break = held.awaits_break || held.slot == slot;
      break;
    case Edit::hear:
      for (Subscription& subscription : content.subscriptions) {
        const Message& message = messages_[reply];
        const bool same = subscription.server == slot && subscription.channel == message.channel;
        if (!(subscription.open && same)) continue;
        subscription.pending = true;
        if (subscription.wants_texts) subscription.text = message.text;
      }
      break;
    case Edit::crash:
      content.crashed = true;
      break;
    case Edit::restart:
      content = reborn(content, reply);
      break;
    case Edit::drop_late:
      content.late.erase(content.late.begin() + slot);
      break;
    case Edit::reconnect:
      std::erase_if(content.late, [&](std::uint32_t number) {
        const Wait& wait = automaton_.wait(number);
        return wait.server == slot && wait.kind != WaitKind::write;
      });
      for (Held& held : content.held) {
        const Wait& wait = automaton_.wait(automaton_.waits(content.local)[held.slot]);
        if (wait.server == slot) held.awaits_break = false;
      }
      for (Subscription& subscription : content.subscriptions) {
        if (subscription.server != slot) continue;
        subscription.pending = subscription.open;
        subscription.broken = subscription.open;
        subscription.text = 0;
      }
      break;
  }
}

std::vector<std::uint32_t> ProcessTable::requests_on_way(const ProcessContent& content) const {
  std::vector<std::uint32_t> requests;
  const std::vector<std::uint32_t>& waits = automaton_.waits(content.local);
  for (std::size_t slot = 0; slot < waits.size(); ++slot) {
    const Wait& wait = automaton_.wait(waits[slot]);
    const bool listens = wait.operation.kind == OperationKind::subscribe ||
                         wait.operation.kind == OperationKind::unsubscribe;
    const bool is_held = std::any_of(content.held.begin(), content.held.end(),
                                     [&](const Held& held) { return held.slot == slot; });
    if (wait.kind == WaitKind::operation && !listens && !is_held) requests.push_back(waits[slot]);
  }
  requests.insert(requests.end(), content.late.begin(), content.late.end());
  return requests;
}

ProcessTable::ProcessContent ProcessTable::reborn(const ProcessContent& content,
                                                  std::uint32_t arrive) {
  ProcessContent next;
  next.life = static_cast<Life>(content.life + 1);
  next.local = automaton_.beginning(next.life);
  if (classes_ != nullptr) classes_->begin(next.local);
  const std::vector<std::uint32_t> requests = requests_on_way(content);
  for (std::size_t at = 0; at < requests.size(); ++at) {
    if ((arrive >> at & 1U) != 0) next.late.push_back(requests[at]);
  }
  return next;
}

bool ProcessTable::has_step(const ProcessContent& content, Edit edit, std::uint8_t slot) const {
  if (edit == Edit::drop_late) return slot < content.late.size();
  if (edit == Edit::deliver || edit == Edit::await_break) {
    return std::any_of(content.held.begin(), content.held.end(),
                       [&](const Held& answer) { return answer.slot == slot; });
  }
  if (edit > Edit::deliver) return true;
  if (slot == Automaton::start_slot) return content.local == Automaton::not_started;
  const std::vector<std::uint32_t>& waits = automaton_.waits(content.local);
  return slot < waits.size() && waits[slot] != 0;
}

ProcessTable::Results ProcessTable::only(ProcessStep result) {
  Results results;
  results.first = static_cast<std::uint32_t>(results_.size());
  results.count = 1;
  results_.push_back(result);
  return results;
}

ProcessTable::Results ProcessTable::compute(Config config,
                                            Edit edit,
                                            std::uint8_t slot,
                                            std::uint32_t reply,
                                            ClockInstants now,
                                            bool hold) {
  ProcessContent content = contents_[config];
  // A search in components of 16 bits notices at its end that a number did not fit in one. Until
  // then the component may name another configuration, which has no such step.
  const bool may_be_another = contents_.size() > 65'536 || !capacity_.exceeded().empty();
  if (may_be_another && !has_step(content, edit, slot))
    return only(ProcessStep{config, 0, Vocabulary::no_choices});
  edit_content(content, edit, slot, reply);
  Results results;
  const bool answered = edit <= Edit::deliver;
  if (!answered || hold) {
    if (hold) content.held.push_back(Held{slot, reply});
    return only(ProcessStep{intern(std::move(content)), 0, Vocabulary::no_choices});
  }
  ClockReading clock;
  clock.monotonic = instants_.local(now.monotonic);
  clock.wall = instants_.local(now.wall);
  const Automaton::LocalSteps& step = classes_ != nullptr
                                          ? classes_->step(content.local, slot, reply, clock)
                                          : automaton_.step(content.local, slot, reply, clock);
  std::vector<ProcessStep> found;
  for (const Automaton::LocalStep& result : step.results) {
    ProcessContent next = content;
    next.local = result.local;
    found.push_back(ProcessStep{intern(std::move(next)), result.marks, result.choices});
  }
  results.first = static_cast<std::uint32_t>(results_.size());
  results.count = static_cast<std::uint16_t>(found.size());
  results.reads_clock = step.reads_clock;
  results_.insert(results_.end(), found.begin(), found.end());
  return results;
}

ProcessTable::Results ProcessTable::learn(std::uint64_t key,
                                          Config config,
                                          Edit edit,
                                          std::uint8_t slot,
                                          std::uint32_t reply,
                                          ClockInstants now,
                                          bool hold) {
  const Results results = compute(config, edit, slot, reply, now, hold);
  const auto at = static_cast<std::uint32_t>(steps_.size());
  steps_.push_back(results);
  keys_.push_back(key);
  is_taken_.push_back(true);
  if (!results.reads_clock) {
    known_.insert(key, at);
    return results;
  }
  const std::uint32_t* known = known_.find(key);
  std::uint32_t group = at;
  if (known == nullptr) {
    known_.insert(key, at);
  } else {
    group = *known;
  }
  timed_.insert(std::uint64_t{group} << 32 | now.key(), at);
  return results;
}

ProcessTable::Config ProcessTable::rename(Config config, const Permutation& permutation) {
  ProcessContent content = contents_[config];
  content.local = classes_ != nullptr ? classes_->rename(content.local, permutation)
                                      : automaton_.rename(content.local, permutation);
  for (Held& held : content.held) {
    held.reply = vocabulary_.reply(renamed(vocabulary_.replies[held.reply], permutation));
  }
  for (std::uint32_t& late : content.late) {
    Wait wait = automaton_.wait(late);
    wait.operation = renamed(wait.operation, permutation);
    late = automaton_.add_wait(std::move(wait));
  }
  for (Subscription& subscription : content.subscriptions) {
    const std::string channel = renamed(channels_[subscription.channel], permutation);
    subscription.channel = channels_.add(channel, channel).first;
    if (subscription.text != 0) {
      subscription.text =
          vocabulary_.reply(renamed(vocabulary_.replies[subscription.text], permutation));
    }
  }
  return intern(std::move(content));
}

ProcessTable::Config ProcessTable::aged(Config config) {
  if (const std::uint32_t* known = aged_.find(config)) return *known;
  ProcessContent content = contents_[config];
  content.local = automaton_.aged(content.local);
  const Config next = intern(std::move(content));
  aged_.insert(config, next);
  return next;
}

bool ProcessTable::message_due_within(Config config, ClockInstants now, std::int32_t within) const {
  const ConfigInfo& info = infos_[config];
  for (std::uint32_t at = info.first_move; at < info.first_move + info.moves; ++at) {
    const TaskMove& move = moves_[at];
    if (move.kind != TaskMoveKind::message || move.pending) continue;
    if (move.due > now.monotonic + within) return false;
  }
  return true;
}

bool ProcessTable::waits_for_message(Config config) const {
  const auto first = moves_.begin() + infos_[config].first_move;
  return std::any_of(first, first + infos_[config].moves,
                     [](const TaskMove& move) { return move.kind == TaskMoveKind::message; });
}

bool ProcessTable::waits_for_ever(const TaskMove& move) const {
  if (move.due != Instants::never || move.kind == TaskMoveKind::deliver) return false;
  const Wait& asked = automaton_.wait(move.wait);
  const bool sleeps = move.kind == TaskMoveKind::sleep;
  return instants_.is_for_ever(sleeps ? asked.until : asked.operation.until);
}

std::int64_t ProcessTable::listeners(Config config,
                                     std::size_t server,
                                     std::uint32_t channel) const {
  const std::vector<Subscription>& all = contents_[config].subscriptions;
  return std::count_if(all.begin(), all.end(), [server, channel](const Subscription& subscription) {
    return subscription.open && subscription.server == server && subscription.channel == channel;
  });
}

bool ProcessTable::listens_after(Config config, Edit edit, std::uint8_t slot) const {
  if (edit == Edit::subscribe) return true;
  const ProcessContent& content = contents_[config];
  const std::vector<Subscription>& all = content.subscriptions;
  std::size_t ended = all.size();
  if (edit == Edit::unsubscribe) {
    const Wait& wait = automaton_.wait(automaton_.waits(content.local)[slot]);
    ended = static_cast<std::size_t>(wait.operation.subscription);
  }
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (all[at].open && at != ended) return true;
  }
  return false;
}

std::uint32_t ProcessTable::held_reply(Config config, std::uint8_t slot) const {
  for (const Held& held : contents_[config].held) {
    if (held.slot == slot) return held.reply;
  }
  return 0;
}

}  // namespace interlock::sim
