#include "machine.hpp"

#include <algorithm>
#include <functional>

namespace interlock::sim::independent {

Answer Answer::of(std::int64_t value) {
  Answer answer;
  answer.kind = Kind::number;
  answer.number = value;
  return answer;
}
Answer Answer::of(const std::string& value) {
  Answer answer;
  answer.kind = Kind::text;
  answer.text = value;
  return answer;
}
Answer Answer::error(const std::string& which) {
  Answer answer;
  answer.kind = Kind::error;
  answer.text = which;
  return answer;
}

std::string Answer::written() const {
  return std::to_string(static_cast<int>(kind)) + "," + std::to_string(number) + "," + text + "," +
         std::to_string(remaining) + "," + std::to_string(held_for);
}

std::string Request::written() const {
  return std::to_string(static_cast<int>(op)) + "," + std::to_string(server) + "," + key + "," +
         value + "," + std::to_string(ttl) + "," + std::to_string(task);
}

int Process::waiting() const {
  int count = 0;
  for (const TaskState& task : tasks) count += task.waiting.what != Waiting::For::nothing ? 1 : 0;
  return count;
}

namespace {

std::string written(const Waiting& waiting) {
  return std::to_string(static_cast<int>(waiting.what)) + "," + waiting.request.written() + "," +
         std::to_string(waiting.until) + (waiting.wall ? "w" : "m") +
         std::to_string(waiting.subscription) + "," + std::to_string(waiting.name) + "," +
         std::to_string(waiting.fencing);
}

std::string written(const TaskState& task) {
  if (!task.there) return "-";
  std::string text = std::to_string(task.at) + (task.yes ? "y" : "n") + (task.failed ? "f" : "") +
                     (task.doubt ? "d" : "") + "'" + task.text + "'";
  text += task.reading ? std::to_string(*task.reading) : "?";
  text += "," + std::to_string(task.picked) + "," + std::to_string(task.rounds) + "," +
          std::to_string(task.subscription);
  return text + "[" + written(task.waiting) + "]";
}

}  // namespace

std::string Process::inside() const {
  return std::string(entered[0] ? "0" : "-") + (entered[1] ? "1" : "-");
}

std::string Process::written(bool by_history) const {
  std::string text = std::to_string(static_cast<int>(status)) + "," + std::to_string(life) + ";";
  std::vector<std::string> left_behind;
  for (const Request& request : late) left_behind.push_back(request.written());
  std::sort(left_behind.begin(), left_behind.end());
  for (const std::string& one : left_behind) text += "late " + one + ";";
  if (finished()) return text;
  if (by_history) {
    text += history + ";";
  } else {
    for (const TaskState& task : tasks) text += independent::written(task) + ";";
    text += (shared ? "s" : "-") + std::to_string(drawn) + inside() + ";";
  }
  for (const TaskState& task : tasks) {
    text += task.held ? "held " + task.held->written() + ";" : ".;";
    text += std::string(task.sent ? "sent;" : "") + (task.cut ? "cut;" : "") +
            (task.awaits_break ? "awaits break;" : "");
  }
  for (const Subscription& one : subscriptions) {
    text += std::to_string(one.server) + "/" + one.channel + (one.open ? "o" : "c") +
            (one.pending ? "p" : "-") + (one.broken ? "b;" : ";");
  }
  return text;
}

std::string token(int client, int drawn, int life) {
  if (drawn == 0) return "none";
  const std::string of_life = life > 0 ? "r" + std::to_string(life) : "";
  return "il1:" + std::string(1, static_cast<char>('A' + client)) + std::to_string(drawn) + of_life;
}

namespace {

// One run from a step's beginning to where all tasks wait again.
class Runner {
 public:
  Runner(const Trial& trial, int client, const Process& before, Clocks now, std::vector<int> picks)
      : trial_(trial),
        client_(client),
        code_(
            trial.codes[static_cast<std::size_t>(trial.clients[static_cast<std::size_t>(client)])]),
        now_(now),
        picks_(std::move(picks)) {
    ran_.after = before;
  }

  void start() {
    my().status = Process::Status::running;
    my().history = "started";
    my().tasks[0].there = true;
    go_on(0);
    settle();
  }
  void tell(int task, const Answer& answer) {
    my().history += "|" + std::to_string(task) + ":" + answer.written();
    TaskState& told = my().tasks[task];
    const Waiting waited = told.waiting;
    told.waiting = Waiting();
    note(told, waited, answer);
    go_on(task);
    settle();
  }

  const Ran& ran() const { return ran_; }
  // For each choice that was made: which branch, of how many.
  const std::vector<std::pair<int, int>>& choices() const { return choices_; }

 private:
  Process& my() { return ran_.after; }

  std::int64_t read(bool wall) {
    ran_.read_clock = true;
    const std::int64_t now = wall ? now_.wall : now_.monotonic;
    (wall ? read_wall_ : read_monotonic_) = std::to_string(now);
    return now;
  }

  static void note(TaskState& task, const Waiting& waited, const Answer& answer) {
    if (waited.what == Waiting::For::sleep || waited.what == Waiting::For::leave) return;
    if (waited.what == Waiting::For::write) {
      task.yes = !answer.failed() && answer.number != 0;
      if (answer.failed()) task.failed = task.doubt = true;
      return;
    }
    task.failed = answer.failed();
    task.doubt = task.failed && answer.text == in_doubt;
    task.yes = false;
    task.text.clear();
    if (task.failed) return;
    if (waited.what == Waiting::For::message) {
      task.yes = answer.number != 0;
      return;
    }
    note_reply(task, waited.request.op, answer);
  }

  static void note_reply(TaskState& task, Op op, const Answer& answer) {
    switch (op) {
      case Op::get:
      case Op::exchange: {
        const bool there = answer.kind == Answer::Kind::text;
        task.text = there ? answer.text : "";
        task.yes = op == Op::get ? there : task.text.empty();
        break;
      }
      case Op::remaining:
        task.yes = answer.number >= 0;
        if (task.yes) task.text = std::to_string(answer.number);
        break;
      case Op::increment:
      case Op::publish:
        task.yes = answer.number > 0;
        task.text = std::to_string(answer.number);
        break;
      case Op::claim:
        task.yes = answer.kind == Answer::Kind::granted;
        task.text = task.yes ? std::to_string(answer.number) : answer.text;
        break;
      case Op::subscribe:
        task.yes = true;
        task.subscription = static_cast<int>(answer.number);
        break;
      case Op::set:
      case Op::unsubscribe:
        task.yes = true;
        break;
      default:
        task.yes = answer.number > 0;
    }
  }

  // What a step leaves behind of itself: clocks that were read, branches that were taken.
  void settle() {
    if (!my().history.empty()) {
      if (!read_monotonic_.empty()) my().history += "@" + read_monotonic_;
      if (!read_wall_.empty()) my().history += "#" + read_wall_;
      for (std::size_t at = counted_; at < choices_.size(); ++at) {
        my().history += "=" + std::to_string(choices_[at].first);
      }
    }
    TaskState& main = my().tasks[0];
    const TaskState& second = my().tasks[1];
    const bool main_at_end = is_over(main);
    if (!main_at_end) return;
    if (second.there && !is_over(second)) {
      main.waiting.what = Waiting::For::tasks;
      return;
    }
    main.waiting = Waiting();
    my().status = Process::Status::done;
    my().history.clear();
    my().subscriptions.clear();
  }
  bool is_over(const TaskState& task) const {
    const bool waits =
        task.waiting.what != Waiting::For::nothing && task.waiting.what != Waiting::For::tasks;
    return !waits && task.at >= static_cast<int>(code_.size());
  }

  void go_on(int number) {
    while (my().tasks[number].at < static_cast<int>(code_.size()) &&
           my().tasks[number].waiting.what == Waiting::For::nothing) {
      const Instruction in = code_[static_cast<std::size_t>(my().tasks[number].at++)];
      carry_out(number, in);
    }
  }

  void carry_out(int number, const Instruction& in) {
    TaskState& task = my().tasks[number];
    switch (in.op) {
      case Op::stop:
        task.at = static_cast<int>(code_.size());
        break;
      case Op::jump:
        if (holds(task, in)) task.at = in.target;
        break;
      case Op::loop_head:
        pass_loop_head(number);
        break;
      case Op::spawn:
        if (my().tasks[1].there) break;
        my().tasks[1].there = true;
        my().tasks[1].at = in.target;
        go_on(1);
        break;
      case Op::sleep:
      case Op::sleep_wall:
        task.waiting.what = Waiting::For::sleep;
        task.waiting.wall = in.op == Op::sleep_wall;
        task.waiting.until = read(task.waiting.wall) + in.amount;
        break;
      case Op::await:
        task.waiting.what = Waiting::For::message;
        task.waiting.until = read(false) + in.amount;
        task.waiting.subscription = task.subscription;
        break;
      case Op::leave:
        if (!std::exchange(my().entered[in.name], false)) break;
        task.waiting.what = Waiting::For::leave;
        task.waiting.name = in.name;
        break;
      case Op::write:
        task.waiting.what = Waiting::For::write;
        task.waiting.name = in.name;
        task.waiting.fencing = fencing_from(task, in);
        break;
      case Op::enter:
        mark(Mark::Kind::enter, in);
        break;
      case Op::enter_until:
      case Op::enter_until_wall: {
        const bool wall = in.op == Op::enter_until_wall;
        const std::int64_t until = read(wall) + in.amount;
        mark(Mark::Kind::enter, in);
        ran_.marks.back().until = until;
        ran_.marks.back().wall = wall;
        break;
      }
      case Op::wants:
        mark(Mark::Kind::wants, in);
        break;
      case Op::gives_up:
        mark(Mark::Kind::gives_up, in);
        break;
      case Op::reach:
        mark(Mark::Kind::reach, in);
        break;
      case Op::read_clock:
      case Op::read_wall:
        task.reading = read(in.op == Op::read_wall);
        break;
      case Op::choose:
        task.picked = choose(in.amount);
        break;
      case Op::draw:
        ++my().drawn;
        break;
      case Op::share:
        my().shared = task.yes;
        break;
      default:
        ask(task, in);
    }
  }

  void mark(Mark::Kind kind, const Instruction& in) {
    Mark mark;
    mark.kind = kind;
    mark.name = in.name;
    ran_.marks.push_back(mark);
    if (kind == Mark::Kind::enter) my().entered[in.name] = true;
  }

  void ask(TaskState& task, const Instruction& in) {
    task.waiting.what = Waiting::For::server;
    Request& request = task.waiting.request;
    request.op = in.op;
    request.server = in.server;
    request.task = &task == &my().tasks[1] ? 1 : 0;
    task.waiting.subscription = task.subscription;
    const bool takes_value =
        in.op == Op::set || in.op == Op::set_if_absent || in.op == Op::exchange;
    const bool takes_owner = in.op == Op::claim || in.op == Op::renew || in.op == Op::release;
    if (takes_value) request.value = value(task, in.stored);
    const bool tells = in.op == Op::publish || in.op == Op::subscribe;
    if (in.op != Op::unsubscribe) {
      const std::string stored = value(task, in.stored);
      request.key = tells ? channel_name(in.name, stored) : key_name(in.name, stored);
    }
    if (in.op == Op::recognise) request.key = seen_key;
    if (takes_owner) request.value = token(client_, my().drawn, my().life);
    if (in.op == Op::unsubscribe) request.value = std::to_string(task.subscription);
    const bool takes_ttl = in.op == Op::set || in.op == Op::set_if_absent || in.op == Op::expire ||
                           in.op == Op::claim || in.op == Op::renew;
    if (takes_ttl) request.ttl = in.amount;
  }

  std::string value(const TaskState& task, Stored what) const {
    switch (what) {
      case Stored::constant:
        return "v";
      case Stored::read:
        return task.text.empty() ? "nothing" : task.text;
      case Stored::mine:
        return token(client_, ran_.after.drawn, ran_.after.life);
      case Stored::clock:
        break;
    }
    return task.reading ? std::to_string(*task.reading * 1000) : "never";
  }

  static std::uint64_t fencing_from(const TaskState& task, const Instruction& in) {
    const bool is_number =
        !task.text.empty() && std::all_of(task.text.begin(), task.text.end(),
                                          [](char byte) { return byte >= '0' && byte <= '9'; });
    return is_number ? std::stoull(task.text) : static_cast<std::uint64_t>(in.amount);
  }

  // Cuts the past off, unless another task is alive.
  void pass_loop_head(int number) {
    TaskState& task = my().tasks[number];
    task.yes = task.failed = task.doubt = false;
    task.text.clear();
    task.reading.reset();
    task.picked = 0;
    if (number == 0) my().shared = false;
    const TaskState& other = my().tasks[1 - number];
    if (other.waiting.what != Waiting::For::nothing) return;
    my().history = "head " + std::to_string(task.at) + "," + std::to_string(task.rounds) + "," +
                   std::to_string(task.subscription) + "," + std::to_string(my().drawn) +
                   my().inside() + (my().tasks[1].there ? "s" : "");
    read_monotonic_.clear();
    read_wall_.clear();
    counted_ = choices_.size();
  }

  bool holds(TaskState& task, const Instruction& in) {
    const std::string mine = token(client_, my().drawn, my().life);
    switch (in.when) {
      case When::always:
        return true;
      case When::yes:
        return task.yes;
      case When::no:
        return !task.yes;
      case When::failed:
        return task.failed;
      case When::in_doubt:
        return task.doubt;
      case When::picked:
        return task.picked == in.amount;
      case When::mine:
        return task.text == mine;
      case When::smaller:
        return task.text < mine;
      case When::nothing:
        return task.text.empty();
      case When::older:
        return task.reading && read(false) - *task.reading >= in.amount;
      case When::later_than:
        return read(false) >= trial_.first + in.amount;
      case When::shared:
        return my().shared;
      case When::rounds_left:
        break;
    }
    return task.rounds++ < in.amount;
  }

  int choose(int bound) {
    const std::size_t at = choices_.size();
    const int pick = at < picks_.size() ? picks_[at] : 0;
    choices_.emplace_back(pick, bound);
    return pick;
  }

  const Trial& trial_;
  int client_;
  const Code& code_;
  Clocks now_;
  std::vector<int> picks_;
  std::vector<std::pair<int, int>> choices_;
  std::size_t counted_ = 0;  // choices that a loop head has cut off
  std::string read_monotonic_;
  std::string read_wall_;
  Ran ran_;
};

// Goes through all combinations of choices as an odometer does.
std::vector<Ran> all_runs(const std::function<Runner(std::vector<int>)>& run) {
  std::vector<Ran> all;
  std::vector<int> picks;
  for (;;) {
    const Runner runner = run(picks);
    all.push_back(runner.ran());
    auto choices = runner.choices();
    while (!choices.empty() && choices.back().first + 1 == choices.back().second) {
      choices.pop_back();
    }
    if (choices.empty()) return all;
    ++choices.back().first;
    picks.clear();
    for (const auto& [pick, bound] : choices) picks.push_back(pick);
  }
}

}  // namespace

std::vector<Ran> Machine::start(int client, const Process& before, Clocks now) const {
  return all_runs([&](std::vector<int> picks) {
    Runner runner(trial_, client, before, now, std::move(picks));
    runner.start();
    return runner;
  });
}

std::vector<Ran> Machine::tell(
    int client, const Process& before, int task, const Answer& answer, Clocks now) const {
  return all_runs([&](std::vector<int> picks) {
    Runner runner(trial_, client, before, now, std::move(picks));
    runner.tell(task, answer);
    return runner;
  });
}

}  // namespace interlock::sim::independent
