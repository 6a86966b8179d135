#include "trial.hpp"

#include <algorithm>

#include "interlock/store/lock_keys.hpp"

namespace interlock::sim::independent {

std::string key_name(int key, const std::string& stored) {
  if (key == own_key) return "node:" + stored;
  return "k" + std::to_string(key);
}
std::string lock_name(int lock) {
  return "l" + std::to_string(lock);
}
std::string resource_name(int resource) {
  return "r" + std::to_string(resource);
}
std::string channel_name(int channel, const std::string& stored) {
  if (channel == 0) return release_channel(Key(key_name(0))).text();
  if (channel == own_channel) return "ear:" + stored;
  return "c" + std::to_string(channel);
}
std::string event_name(int event) {
  return "e" + std::to_string(event);
}

namespace {

bool is_inside(const ClientView& client, const std::string& lock) {
  return std::count(client.inside.begin(), client.inside.end(), lock) > 0;
}

Property guarded(int number) {
  const std::string lock = lock_name(number);
  const std::string key = key_name(number);
  return always("who is inside " + lock + " finds " + key, [lock, key](const Snapshot& now) {
    return now.find(key) != nullptr ||
           std::none_of(now.clients.begin(), now.clients.end(),
                        [&](const ClientView& client) { return is_inside(client, lock); });
  });
}

Property ordered(const std::string& lock) {
  return always("the last is not inside " + lock + " once A has ended",
                [lock](const Snapshot& now) {
                  return now.clients.front().status != ClientView::Status::done ||
                         !is_inside(now.clients.back(), lock);
                });
}

Property unwritten(const std::string& resource) {
  return always("the last has not written to " + resource + " as the last",
                [resource](const Snapshot& now) {
                  return std::none_of(
                      now.resources.begin(), now.resources.end(), [&](const ResourceView& one) {
                        return one.name == resource && one.last_writer == now.clients.back().name;
                      });
                });
}

Property alone(const std::string& lock) {
  return always("no two want " + lock, [lock](const Snapshot& now) {
    return std::count_if(now.clients.begin(), now.clients.end(), [&](const ClientView& client) {
             return std::count(client.wants.begin(), client.wants.end(), lock) > 0;
           }) < 2;
  });
}

Property recognised() {
  return always("nothing names the last once A has ended", [](const Snapshot& now) {
    const std::string last = "il1:" + now.clients.back().name;
    return now.clients.front().status != ClientView::Status::done ||
           std::none_of(now.keys.begin(), now.keys.end(), [&last](const KeyView& key) {
             return (key.key + " " + key.value).find(last) != std::string::npos;
           });
  });
}

Property never_together() {
  return always("k0 and k1 are never there together", [](const Snapshot& now) {
    return now.find(key_name(0)) == nullptr || now.find(key_name(1)) == nullptr;
  });
}

}  // namespace

Property property_of(const Rule& rule) {
  const milliseconds within(rule.within);
  switch (rule.kind) {
    case Rule::Kind::mutual_exclusion:
      return mutual_exclusion(lock_name(rule.name));
    case Rule::Kind::lease_exclusion:
      return lease_exclusion(lock_name(rule.name));
    case Rule::Kind::owner_only:
      return owner_only(key_name(rule.name));
    case Rule::Kind::no_overwrite:
      return no_overwrite(key_name(rule.name));
    case Rule::Kind::fencing_grows:
      return fencing_grows(key_name(rule.name));
    case Rule::Kind::fenced_writes:
      return fenced_writes(resource_name(rule.name));
    case Rule::Kind::no_orphan:
      return no_orphan(key_name(rule.name));
    case Rule::Kind::no_lost_wake_up:
      return no_lost_wake_up(key_name(rule.name), within);
    case Rule::Kind::no_unheard_grant:
      return no_unheard_grant(key_name(rule.name), within);
    case Rule::Kind::never:
      return never(event_name(rule.name));
    case Rule::Kind::together:
      return never_together();
    case Rule::Kind::guarded:
      return guarded(rule.name);
    case Rule::Kind::ordered:
      return ordered(lock_name(rule.name));
    case Rule::Kind::unwritten:
      return unwritten(resource_name(rule.name));
    case Rule::Kind::alone:
      return alone(lock_name(rule.name));
    case Rule::Kind::recognised:
      return recognised();
    case Rule::Kind::every_waiter_acquires:
      break;
  }
  return every_waiter_acquires(lock_name(rule.name));
}

namespace {

std::string number(int value) {
  return std::to_string(value);
}

std::string say(When when, int amount) {
  switch (when) {
    case When::always:
      return "";
    case When::yes:
      return " if yes";
    case When::no:
      return " if no";
    case When::failed:
      return " if failed";
    case When::in_doubt:
      return " if in doubt";
    case When::picked:
      return " if branch " + number(amount);
    case When::mine:
      return " if mine";
    case When::smaller:
      return " if smaller than mine";
    case When::nothing:
      return " if nothing was read";
    case When::older:
      return " if the reading is " + number(amount) + " ms old";
    case When::later_than:
      return " if the clock shows " + number(amount) + " ms";
    case When::shared:
      return " if shared";
    case When::rounds_left:
      return " for " + number(amount) + " rounds";
  }
  return "";
}

std::string say(Stored stored) {
  switch (stored) {
    case Stored::constant:
      return " v";
    case Stored::read:
      return " what was read";
    case Stored::mine:
      return " mine";
    case Stored::clock:
      return " the reading";
  }
  return "";
}

std::string with_ttl(const Instruction& in) {
  return in.amount > 0 ? " for " + number(in.amount) + " ms" : "";
}

std::string on_key(const std::string& verb, const Instruction& in) {
  return verb + " " + key_name(in.name, say(in.stored)) +
         (in.server > 0 ? "@" + number(in.server) : "");
}

std::string say_operation(const Instruction& in) {
  switch (in.op) {
    case Op::get:
      return on_key("get", in);
    case Op::set:
      return on_key("set", in) + say(in.stored) + with_ttl(in);
    case Op::set_if_absent:
      return on_key("set if absent", in) + say(in.stored) + with_ttl(in);
    case Op::exchange:
      return on_key("exchange", in) + say(in.stored);
    case Op::erase:
      return on_key("erase", in);
    case Op::expire:
      return on_key("expire", in) + with_ttl(in);
    case Op::remaining:
      return on_key("remaining", in);
    case Op::increment:
      return on_key("increment", in);
    case Op::claim:
      return on_key("claim", in) + with_ttl(in);
    case Op::renew:
      return on_key("renew", in) + with_ttl(in);
    case Op::recognise:
      return "recognise" + (in.server > 0 ? "@" + number(in.server) : "");
    default:
      return on_key("release", in);
  }
}

std::string say_message(const Instruction& in) {
  const std::string at = in.server > 0 ? "@" + number(in.server) : "";
  switch (in.op) {
    case Op::publish:
      return "publish " + channel_name(in.name, say(in.stored)) + at;
    case Op::subscribe:
      return "subscribe " + channel_name(in.name, say(in.stored)) + at;
    case Op::await:
      return "await for " + number(in.amount) + " ms" + at;
    default:
      return "unsubscribe" + at;
  }
}

std::string say(const Instruction& in) {
  switch (in.op) {
    case Op::publish:
    case Op::subscribe:
    case Op::await:
    case Op::unsubscribe:
      return say_message(in);
    case Op::sleep:
      return "sleep " + number(in.amount) + " ms";
    case Op::sleep_wall:
      return "sleep " + number(in.amount) + " ms by the wall clock";
    case Op::read_clock:
      return "read the clock";
    case Op::read_wall:
      return "read the wall clock";
    case Op::enter:
      return "enter " + lock_name(in.name);
    case Op::enter_until:
      return "enter " + lock_name(in.name) + with_ttl(in);
    case Op::enter_until_wall:
      return "enter " + lock_name(in.name) + with_ttl(in) + " by the wall clock";
    case Op::leave:
      return "leave " + lock_name(in.name);
    case Op::write:
      return "write " + resource_name(in.name) + " with what was read, or " + number(in.amount);
    case Op::wants:
      return "wants " + lock_name(in.name);
    case Op::gives_up:
      return "gives up " + lock_name(in.name);
    case Op::reach:
      return "reach " + event_name(in.name);
    case Op::choose:
      return "choose one of " + number(in.amount);
    case Op::draw:
      return "draw a token";
    case Op::loop_head:
      return "loop head";
    case Op::jump:
      return "jump to " + number(in.target) + say(in.when, in.amount);
    case Op::spawn:
      return "spawn at " + number(in.target);
    case Op::share:
      return "share the answer";
    case Op::stop:
      return "stop";
    default:
      return say_operation(in);
  }
}

}  // namespace

std::string describe(const Trial& trial) {
  std::string text = "trial " + std::to_string(trial.seed) + ": ";
  text += number(trial.servers) + " server(s), " + number(trial.instants) + " instant(s) from " +
          number(trial.first) + " ms" + (trial.remembers ? ", remembers" : "") + "\n";
  for (std::size_t client = 0; client < trial.clients.size(); ++client) {
    text += std::string(1, static_cast<char>('A' + client)) + " runs program " +
            number(trial.clients[client]) + "\n";
  }
  for (std::size_t code = 0; code < trial.codes.size(); ++code) {
    text += "program " + std::to_string(code) + ":\n";
    for (std::size_t at = 0; at < trial.codes[code].size(); ++at) {
      text += "  " + std::to_string(at) + "  " + say(trial.codes[code][at]) + "\n";
    }
  }
  for (const InitialKey& key : trial.keys) {
    text += "initially " + key_name(key.name) + "@" + number(key.server) + " = " + key.value +
            (key.ttl > 0 ? " for " + number(key.ttl) + " ms" : "") + "\n";
  }
  for (std::size_t fault = 0; fault < fault_kinds; ++fault) {
    if (trial.faults[fault] == 0) continue;
    text += "fault " + std::string(to_string(static_cast<Fault>(fault))) + " " +
            number(trial.faults[fault]) + "\n";
  }
  text += "at most " + number(trial.at_most) + " faults" +
          (trial.pauses_count ? ", pauses count" : "") +
          (trial.requests_survive ? ", requests survive" : "") + "\n";
  if (trial.replica != Replica()) {
    text += "replica: misses up to " + std::to_string(trial.replica.missed_writes) +
            " writes, ahead " + number(trial.replica.instants_ahead) + "\n";
  }
  if (trial.checks_fencing) text += resource_name(0) + " checks fencing\n";
  for (const Rule& rule : trial.rules) {
    text += "requires '" + property_of(rule).name + "' within " + number(rule.within) + " ms\n";
  }
  for (const int goal : trial.goals) text += "sometimes " + event_name(goal) + "\n";
  return text;
}

}  // namespace interlock::sim::independent
