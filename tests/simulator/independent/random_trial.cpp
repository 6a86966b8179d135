#include "random_trial.hpp"

#include <algorithm>
#include <vector>

#include "dice.hpp"
#include "last_answers.hpp"

namespace interlock::sim::independent {
namespace {

// Those before lost_write: what happens to writes is drawn apart.
constexpr int faults_of_stores = static_cast<int>(Fault::client_restart);

// The keys, locks and channels that the programs of one trial use.
class Flavour {
 public:
  int servers = 1;
  bool time = false;
  bool wall = false;
  bool messages = false;
  bool claims = false;
  bool choices = false;
  bool loops = false;
  bool names = false;  // its clients may look at who is who
  bool wants = false;
};

class Writer {
 public:
  Writer(Dice& dice, const Flavour& flavour, int size)
      : dice_(dice), flavour_(flavour), size_(size) {}

  Code write() {
    if (dice_.in(70)) put(Op::draw);
    if (flavour_.messages && dice_.in(60)) put_on_channel(Op::subscribe);
    if (flavour_.time && dice_.in(25)) put(Op::sleep).amount = span();
    const int spawner = dice_.in(12) ? put_spawn() : -1;
    if (dice_.in(75)) lock_like();
    while (static_cast<int>(code_.size()) < size_) something();
    if (spawner >= 0) second_task(spawner);
    const int end = static_cast<int>(code_.size());
    for (Instruction& in : code_) in.target = std::min(in.target, end);
    return std::move(code_);
  }

 private:
  Instruction& put(Op op) {
    Instruction in;
    in.op = op;
    code_.push_back(in);
    return code_.back();
  }
  int here() const { return static_cast<int>(code_.size()); }
  int span() { return dice_.one_of({500, 1000, 1000, 1500, 2000}); }
  int ttl() { return flavour_.time && dice_.in(60) ? dice_.one_of({500, 1000, 1500, 2000}) : 0; }
  int key() { return dice_.one_of({0, 0, 0, 0, 0, 0, 1, 1, own_key}); }
  int server() { return dice_.below(flavour_.servers); }

  // A subscriber's own channel is named after its token, a teller's after what it read, or its own.
  void put_on_channel(Op op) {
    Instruction& in = put(op);
    in.name = dice_.one_of({0, 0, 1, own_channel});
    in.server = server();
    const bool reads = op == Op::publish && dice_.in(70);
    in.stored = reads ? Stored::read : Stored::mine;
  }

  int put_spawn() {
    put(Op::spawn);
    return here() - 1;
  }
  void second_task(int spawner) {
    put(Op::stop);
    code_[static_cast<std::size_t>(spawner)].target = here();
    for (int count = 1 + dice_.below(2); count > 0; --count) operation();
    if (dice_.in(50)) put(Op::share);
    if (dice_.in(30)) put(Op::reach).name = 1;
  }

  // Asks, enters if it may, leaves, gives back.
  void lock_like() {
    if (flavour_.wants) put(Op::wants);
    const int head = here();
    const bool loops = flavour_.loops && dice_.in(50);
    if (loops) put(Op::loop_head);
    acquire();
    Instruction refused;
    refused.op = Op::jump;
    refused.when = dice_.one_of({When::no, When::no, When::failed});
    const int jump = here();
    code_.push_back(refused);
    if (dice_.in(25)) inside_or_not();
    put_enter();
    if (dice_.in(50)) inside_or_not();
    if (flavour_.claims && dice_.in(40)) put(Op::write).amount = 1 + dice_.below(2);
    if (dice_.in(80)) put(Op::leave);
    if (dice_.in(80)) give_back();
    if (!loops) {
      code_[static_cast<std::size_t>(jump)].target = here() + dice_.below(2);
      return;
    }
    put(Op::stop);
    code_[static_cast<std::size_t>(jump)].target = here();
    if (flavour_.messages && dice_.in(60)) {
      put(Op::await).amount = dice_.one_of({1000, 2000, for_ever});
    } else if (flavour_.time) {
      put(Op::sleep).amount = span();
    }
    Instruction& again = put(Op::jump);
    again.target = head;
    if (!dice_.in(30)) {
      again.when = When::rounds_left;
      again.amount = 1 + dice_.below(2);
    }
    if (flavour_.wants) put(Op::gives_up);
  }

  void put_enter() {
    const bool ends = flavour_.time && dice_.in(50);
    const Op until = flavour_.wall && dice_.in(40) ? Op::enter_until_wall : Op::enter_until;
    put(ends ? until : Op::enter).amount = span();
  }

  void acquire() {
    const bool token = dice_.in(80);
    const Stored stored = token ? Stored::mine : Stored::constant;
    const Op op = flavour_.claims && dice_.in(60)
                      ? Op::claim
                      : dice_.one_of({Op::set_if_absent, Op::set_if_absent, Op::set_if_absent,
                                      Op::exchange, Op::get, Op::increment});
    Instruction& in = put(op);
    in.stored = stored;
    in.server = server();
    if (op == Op::set_if_absent) in.amount = ttl();
    if (op == Op::claim) in.amount = std::max(500, ttl());
  }
  void give_back() {
    const Op op = dice_.one_of({Op::erase, Op::release, Op::erase, Op::expire, Op::set});
    Instruction& in = put(op);
    in.server = server();
    if (op == Op::expire) in.amount = std::max(500, ttl());
    if (flavour_.messages && op != Op::release && dice_.in(60)) put_on_channel(Op::publish);
  }
  void inside_or_not() {
    if (dice_.in(50)) {
      something();
    } else {
      operation();
    }
  }

  void something() {
    const int what = dice_.below(100);
    if (what < 45) {
      operation();
    } else if (what < 60) {
      condition();
    } else if (what < 68) {
      mark();
    } else if (what < 80 && flavour_.time) {
      time();
    } else if (what < 88 && flavour_.messages) {
      message();
    } else if (what < 95 && flavour_.choices) {
      choose();
    } else if (flavour_.loops && dice_.in(30)) {
      loop();
    }
  }

  void operation() {
    Op op = dice_.one_of({Op::get, Op::set, Op::set_if_absent, Op::exchange, Op::erase, Op::expire,
                          Op::remaining, Op::increment});
    if (flavour_.claims && dice_.in(40)) op = dice_.one_of({Op::claim, Op::renew, Op::release});
    if (op == Op::remaining && !flavour_.time) op = Op::get;
    if (op == Op::expire && !flavour_.time) op = Op::erase;
    Instruction& in = put(op);
    in.name = key();
    in.server = server();
    in.stored = dice_.one_of({Stored::constant, Stored::mine, Stored::mine, Stored::read});
    if (flavour_.time && dice_.in(15)) in.stored = Stored::clock;
    if (op == Op::set || op == Op::set_if_absent) in.amount = ttl();
    if (op == Op::expire || op == Op::claim || op == Op::renew) in.amount = std::max(500, ttl());
  }

  void condition() {
    Instruction& in = put(Op::jump);
    in.when = dice_.one_of({When::yes, When::no, When::no, When::failed, When::in_doubt, When::mine,
                            When::nothing, When::shared});
    if (flavour_.names && dice_.in(40)) in.when = When::smaller;
    in.target = here() + 1 + dice_.below(3);
  }

  void mark() {
    const int what = dice_.below(4);
    if (what == 0) {
      put(Op::enter).name = dice_.below(2);
    } else if (what == 1) {
      put(Op::leave).name = dice_.below(2);
    } else if (what == 2) {
      put(Op::reach).name = dice_.below(2);
    } else {
      Instruction& in = put(Op::write);
      in.name = dice_.below(2);
      in.amount = dice_.below(3);
    }
  }

  void time() {
    if (dice_.in(40)) {
      put(flavour_.wall && dice_.in(40) ? Op::sleep_wall : Op::sleep).amount = span();
      return;
    }
    if (dice_.in(60)) {
      put(flavour_.wall && dice_.in(40) ? Op::read_wall : Op::read_clock);
      return;
    }
    Instruction& in = put(Op::jump);
    in.when = dice_.in(70) ? When::older : When::later_than;
    in.amount = span();
    in.target = here() + 1 + dice_.below(3);
  }

  void message() {
    const int what = dice_.below(6);
    if (what < 2) {
      put_on_channel(Op::publish);
    } else if (what == 2) {
      put_on_channel(Op::subscribe);
    } else if (what < 5) {
      put(Op::await).amount = dice_.one_of({500, 1000, 2000, for_ever});
    } else {
      put(Op::unsubscribe);
    }
  }

  void choose() {
    const int bound = dice_.one_of({2, 2, 3, 5, 6});
    put(Op::choose).amount = bound;
    Instruction& in = put(Op::jump);
    in.when = When::picked;
    in.amount = dice_.below(bound);
    in.target = here() + 1 + dice_.below(3);
  }

  void loop() {
    const int head = here();
    put(Op::loop_head);
    operation();
    if (dice_.in(40)) operation();
    Instruction& in = put(Op::jump);
    in.target = head;
    in.when = dice_.one_of({When::rounds_left, When::rounds_left, When::no, When::failed});
    in.amount = 1 + dice_.below(2);
  }

  Dice& dice_;
  const Flavour& flavour_;
  int size_;
  Code code_;
};

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : dice_(seed) { trial_.seed = seed; }

  Trial make() {
    draw_world();
    draw_clients();
    draw_faults();
    draw_rules();
    return std::move(trial_);
  }

 private:
  void draw_world() {
    trial_.servers = dice_.in(75) ? 1 : 2;
    trial_.instants = dice_.one_of({1, 2, 2, 3, 3});
    trial_.first = dice_.in(30) ? 5000 : 0;
    trial_.checks_fencing = dice_.in(40);
    if (dice_.in(30)) {
      InitialKey key;
      key.name = dice_.below(2);
      key.server = dice_.below(trial_.servers);
      key.value = dice_.in(50) ? "7" : "old";
      key.ttl = dice_.in(40) ? 1000 : 0;
      trial_.keys.push_back(key);
    }
    flavour_.servers = trial_.servers;
    flavour_.time = trial_.instants > 1 && dice_.in(80);
    flavour_.wall = dice_.in(30);
    flavour_.messages = dice_.in(35);
    flavour_.claims = dice_.in(40);
    flavour_.choices = dice_.in(40);
    flavour_.loops = dice_.in(40);
    flavour_.wants = dice_.in(20);
  }

  void draw_clients() {
    const bool three = dice_.in(30);
    const int kinds = dice_.below(three ? 3 : 2) + 1;
    const int count = three ? 3 : 2;
    for (int client = 0; client < count; ++client) {
      trial_.clients.push_back(std::min(client, kinds - 1));
    }
    if (three && kinds == 2 && dice_.in(50)) trial_.clients = {0, 0, 1};
    // Numbers cannot be renamed: one of three identical clients must not remember, as a number,
    // which of the two others it has read of.
    trial_.remembers = (!three || kinds > 1) && dice_.in(25);
    flavour_.names = kinds == count && dice_.in(20);
    const int size = three ? 2 + dice_.below(3) : 3 + dice_.below(5);
    for (int kind = 0; kind < kinds; ++kind) {
      // Sometimes the same program again, for clients that are not declared identical.
      if (kind > 0 && dice_.in(15)) {
        trial_.codes.push_back(trial_.codes[0]);
      } else {
        trial_.codes.push_back(Writer(dice_, flavour_, size).write());
      }
    }
  }

  void draw_faults() {
    trial_.requests_survive = Dice(~trial_.seed - 3'000'000'019).in(15);
    trial_.at_most = dice_.one_of({0, 0, 1, 1, 1, 2});
    if (dice_.in(25)) {
      trial_.pauses_count = true;
      trial_.faults[static_cast<std::size_t>(Fault::pause)] = dice_.below(2);
    }
    for (int kinds = 1 + dice_.below(2); kinds > 0 && trial_.at_most > 0; --kinds) {
      const auto fault = static_cast<Fault>(dice_.below(faults_of_stores));
      if (fault == Fault::pause) continue;
      trial_.faults[static_cast<std::size_t>(fault)] = 1 + dice_.below(2);
    }
    if (dice_.in(50)) {
      trial_.replica.missed_writes = dice_.in(70) ? 1 : 0;
      trial_.replica.instants_ahead = dice_.below(3) - 1;
    }
    draw_faults_of_writes();
  }

  // With dice of its own, so that the other trials stay what they were.
  void draw_faults_of_writes() {
    constexpr std::uint64_t other_dice = 7'000'003;
    Dice dice(~trial_.seed * other_dice);
    if (trial_.replica.missed_writes > 0 && dice.in(40)) {
      trial_.replica.missed_writes = static_cast<std::size_t>(2 + dice.below(2));
    }
    if (!(uses(Op::write, 0) || uses(Op::write, 1)) || dice.in(50)) return;
    const Fault fault = dice.one_of(
        {Fault::lost_write, Fault::late_write, Fault::late_write, Fault::duplicate_write});
    trial_.faults[static_cast<std::size_t>(fault)] = 1 + dice.below(2);
    trial_.at_most = std::max(trial_.at_most, 1);
  }

  bool uses(Op op, int name) const {
    return std::any_of(trial_.codes.begin(), trial_.codes.end(), [&](const Code& code) {
      return std::any_of(code.begin(), code.end(),
                         [&](const Instruction& in) { return in.op == op && in.name == name; });
    });
  }

  void draw_rules() {
    for (int count = 1 + dice_.below(2); count > 0; --count) draw_rule();
    for (const int event : {0, 1}) {
      const bool forbidden = std::any_of(trial_.rules.begin(), trial_.rules.end(), [&](auto& rule) {
        return rule.kind == Rule::Kind::never && rule.name == event;
      });
      if (uses(Op::reach, event) && !forbidden) trial_.goals.push_back(event);
    }
  }

  Rule::Kind other_than_together(int name) const {
    Dice dice(~trial_.seed);
    if (uses(Op::write, name) && dice.in(70)) return Rule::Kind::unwritten;
    if (uses(Op::wants, name) && dice.in(70)) return Rule::Kind::alone;
    return Rule::Kind::together;
  }

  void draw_rule() {
    Rule rule;
    rule.name = dice_.in(85) ? 0 : 1;
    rule.within = dice_.one_of({0, 0, 1000, 1500});
    rule.kind = dice_.one_of({Rule::Kind::mutual_exclusion, Rule::Kind::mutual_exclusion,
                              Rule::Kind::no_orphan, Rule::Kind::never, Rule::Kind::together,
                              Rule::Kind::guarded, Rule::Kind::fenced_writes});
    if (flavour_.claims && dice_.in(30)) {
      rule.kind = dice_.one_of({Rule::Kind::fencing_grows, Rule::Kind::fenced_writes});
    }
    if (flavour_.time && dice_.in(25)) rule.kind = Rule::Kind::lease_exclusion;
    if (flavour_.wants && !trial_.pauses_count && dice_.in(60)) {
      rule.kind = Rule::Kind::every_waiter_acquires;
    }
    if (flavour_.messages && trial_.servers == 1 && dice_.in(50)) {
      rule.kind = dice_.one_of({Rule::Kind::no_lost_wake_up, Rule::Kind::no_unheard_grant});
    }
    // With dice of its own, so that the other trials stay what they were.
    if (rule.kind == Rule::Kind::guarded && Dice(~trial_.seed).in(70)) {
      const bool by_tokens = Dice(trial_.seed + 1'000'000'007).in(40);
      rule.kind = by_tokens ? Rule::Kind::recognised : Rule::Kind::ordered;
    }
    if (rule.kind == Rule::Kind::together) rule.kind = other_than_together(rule.name);
    // Not by `rule.name`: some kinds are about all there is, whichever name was drawn.
    const std::string name = property_of(rule).name;
    const bool known = std::any_of(trial_.rules.begin(), trial_.rules.end(),
                                   [&](auto& other) { return property_of(other).name == name; });
    if (!known) trial_.rules.push_back(rule);
  }

  Dice dice_;
  Flavour flavour_;
  Trial trial_;
};

}  // namespace

Trial random_trial(std::uint64_t seed) {
  // With dice of its own, so that the other trials stay what they were.
  constexpr std::uint64_t other_dice = 14;
  if (Dice(~seed - other_dice).in(8)) return trial_of_last_answers(seed);
  return Maker(seed).make();
}

Trial random_trial_with_incarnations(std::uint64_t seed) {
  constexpr std::uint64_t other_dice = 1'000'003;
  Dice dice(seed * other_dice);
  Trial trial = random_trial(seed);
  for (Code& code : trial.codes) {
    for (Instruction& in : code) {
      const bool asks = in.op <= Op::release;  // get, and all behind it
      if (asks && dice.in(50)) in.op = Op::recognise;
    }
  }
  const Fault fault = dice.one_of({Fault::restart, Fault::restart_empty, Fault::failover});
  int& limit = trial.faults[static_cast<std::size_t>(fault)];
  limit = std::max(limit, 1);
  trial.at_most = std::max(trial.at_most, 1);
  return trial;
}

Trial random_trial_with_restarts(std::uint64_t seed) {
  constexpr std::uint64_t other_dice = 1'000'033;
  Dice dice(seed * other_dice);
  Trial trial = random_trial(seed);
  trial.faults[static_cast<std::size_t>(Fault::client_restart)] = dice.one_of({1, 1, 2});
  trial.at_most = std::max(trial.at_most, dice.one_of({1, 1, 2}));
  const bool listens = std::any_of(trial.codes.begin(), trial.codes.end(), [](const Code& code) {
    return std::any_of(code.begin(), code.end(), [](auto& in) { return in.op == Op::await; });
  });
  if (listens && trial.servers == 1 && dice.in(50)) {
    std::erase_if(trial.rules, [](auto& rule) { return rule.kind != Rule::Kind::never; });
    Rule rule;
    rule.kind = Rule::Kind::no_unheard_grant;
    rule.within = dice.one_of({0, 1000});
    trial.rules.push_back(rule);
  }
  return trial;
}

}  // namespace interlock::sim::independent
