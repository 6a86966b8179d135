#include "world.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "interlock/local_clock.hpp"
#include "interlock/store/lock_keys.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): not in every unistd.h

namespace interlock::test {
namespace {

using std::chrono::seconds;

[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "faults: %s\n", what.c_str());
  std::abort();
}

// Held open: who builds anew during a long run does not change the workers of that run.
const std::string& worker_program() {
  static const std::string path = [] {
    const int file = ::open(INTERLOCK_FAULT_WORKER, O_PATH | O_CLOEXEC);
    if (file < 0) give_up("no " INTERLOCK_FAULT_WORKER);
    return "/proc/self/fd/" + std::to_string(file);
  }();
  return path;
}

RedisSettings durable() {
  RedisSettings settings;
  settings.append_only = true;
  return settings;
}

}  // namespace

// --- a worker ------------------------------------------------------------------------------------

Worker::Worker(int number,
               const std::string& store,
               int pipe,
               std::uint64_t seed,
               Ttl ttl,
               const std::vector<std::string>& contenders)
    : number_(number) {
  constexpr int pipe_there = 3;
  std::vector<std::string> words{
      INTERLOCK_FAULT_WORKER,     store,
      std::to_string(pipe_there), std::to_string(number),
      std::to_string(seed),       std::to_string(ttl.duration().count())};
  words.insert(words.end(), contenders.begin(), contenders.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, pipe, pipe_there);
  // Orders that come before the worker listens must not end it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t orders;
  sigemptyset(&orders);
  for (const int each : {SIGTERM, SIGUSR1, SIGUSR2, SIGHUP}) sigaddset(&orders, each);
  posix_spawnattr_setsigmask(&attributes, &orders);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const int error =
      posix_spawn(&pid_, worker_program().c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) give_up("cannot start " + words[0]);
}

Worker::~Worker() {
  kill();
}

void Worker::stop() {
  if (code_) return;
  ::kill(pid_, SIGSTOP);
  int status = 0;
  if (::waitpid(pid_, &status, WUNTRACED) != pid_ || !WIFSTOPPED(status)) {
    give_up("worker " + std::to_string(number_) + " ended of itself");
  }
}

void Worker::resume() {
  if (!code_) ::kill(pid_, SIGCONT);
}

void Worker::kill() {
  if (exit_code()) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) == pid_ && !WIFEXITED(status) && !WIFSIGNALED(status)) {
  }
  code_ = 128 + SIGKILL;
}

void Worker::tell_to_end() const {
  if (!code_) ::kill(pid_, SIGTERM);
}

void Worker::tell_sections_to_last(bool last) const {
  if (!code_) ::kill(pid_, last ? SIGUSR1 : SIGUSR2);
}

void Worker::tell_to_fork() const {
  if (!code_) ::kill(pid_, SIGHUP);
}

std::optional<int> Worker::exit_code() {
  if (code_) return code_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return code_;
}

std::size_t Worker::resident_kib() const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6));
  }
  return 0;
}

void Worker::limit_descriptors(bool limited) const {
  rlimit limit{};
  if (code_ || ::prlimit(pid_, RLIMIT_NOFILE, nullptr, &limit) != 0) return;
  limit.rlim_cur = limited ? 1 : limit.rlim_max;
  ::prlimit(pid_, RLIMIT_NOFILE, &limit, nullptr);
}

// --- the world -----------------------------------------------------------------------------------

World::World(const WorldSettings& settings)
    : settings_(settings), chance_(settings.seed), history_(settings.ttl) {
  if (settings.store == StoreOf::one_server) {
    server_ = std::make_unique<RedisServer>(durable());
    probe_ = std::make_unique<Probe>(*server_);
  }
  if (settings.store == StoreOf::sentinels) sentinels_ = std::make_unique<SentinelTrio>();
  if (settings.store == StoreOf::cluster) {
    cluster_ = std::make_unique<RedisCluster>(RedisCluster::Replicas::one_each);
  }
  if (settings.lease) locks_.emplace_back("plain");
  if (settings.fair) {
    const auto locks = {"fair", "shared", "permits", "set", "scheduler"};
    locks_.insert(locks_.end(), locks.begin(), locks.end());
  }
  if (settings.lease && settings.fair) locks_.emplace_back("mixed");
  if (settings.lease && settings.fair) locks_.emplace_back("stays");
  if (::pipe2(pipe_, O_CLOEXEC) != 0) give_up("no pipe");
  // For what the workers write while nobody reads.
  ::fcntl(pipe_[0], F_SETPIPE_SZ, 1 << 20);
  ::fcntl(pipe_[0], F_SETFL, O_NONBLOCK);
  for (std::size_t slot = 0; slot < static_cast<std::size_t>(settings.workers); ++slot) {
    if (server_) networks_.push_back(std::make_unique<FaultProxy>(server_->port()));
    workers_.emplace_back();
    start_worker(slot);
  }
}

World::~World() {
  workers_.clear();
  ::close(pipe_[0]);
  ::close(pipe_[1]);
}

namespace {

// Those who want it are served in their order.
bool is_served_in_order(const std::string& lock) {
  return lock == "fair" || lock == "shared" || lock == "permits";
}

// How a contender wants the lock: see HoldMode. Half of the contenders for a mixed lock queue.
std::string mode_of(const std::string& lock, bool is_of_one_half) {
  if (lock == "shared") return is_of_one_half ? "fair" : "shared";
  if (lock == "permits") return is_of_one_half ? "2of2" : "1of2";
  if (lock == "scheduler") return is_of_one_half ? "leads" : "fair";
  if (lock == "set") return is_of_one_half ? "set" : "fair";
  return lock == "fair" || (lock != "plain" && is_of_one_half) ? "fair" : "lease";
}

}  // namespace

std::vector<std::string> World::contenders_of(std::size_t slot) const {
  std::vector<std::string> contenders;
  for (const std::string& lock : locks_) {
    const std::string mode = mode_of(lock, slot % 2 == 0);
    contenders.push_back(lock + ":" + mode + (lock == "stays" ? ":stays" : ""));
    // Threads of one process that want one fair lock hand it over. Others are readers, or hold
    // permits, beside each other.
    const bool once = mode == "lease" || mode == "2of2" || lock == "set" || lock == "scheduler";
    if (!once) contenders.push_back(contenders.back());
  }
  return contenders;
}

std::string World::url_for(std::size_t slot) const {
  if (sentinels_) return sentinels_->url();
  if (cluster_) return cluster_->url();
  return url(networks_[slot]->port());
}

std::string World::url(int port) const {
  std::string url = "redis://127.0.0.1:" + std::to_string(port);
  if (!settings_.quarantine) return url;
  return url +
         "?after-failover=wait&longest-ttl=" + std::to_string(settings_.ttl.duration().count()) +
         "ms";
}

void World::start_worker(std::size_t slot) {
  const int number = ++last_number_;
  const std::vector<std::string> contenders = contenders_of(slot);
  std::vector<std::string> locks;
  for (const std::string& each : contenders) {
    locks.push_back(each.ends_with(":stays") ? each.substr(0, each.rfind(':')) : each);
  }
  history_.begin(number, locks);
  workers_[slot] = std::make_unique<Worker>(number, url_for(slot), pipe_[1], settings_.seed,
                                            settings_.ttl, contenders);
}

void World::read_records() {
  const auto stalls = probe_ ? probe_->take_stalls() : std::vector<Window>();
  for (const Window& stall : stalls) history_.stalled(stall);
  std::array<Record, 1024> records;
  for (;;) {
    const ssize_t size = ::read(pipe_[0], records.data(), sizeof records);
    if (size <= 0) return;
    const auto count = static_cast<std::size_t>(size) / sizeof(Record);
    for (std::size_t each = 0; each < count; ++each) history_.take(records[each]);
  }
}

bool World::comes_true(const std::function<bool()>& condition, Duration limit) {
  const TimePoint give_up_at = local_now() + limit;
  for (;;) {
    read_records();
    if (condition()) return true;
    const Duration left = give_up_at - local_now();
    if (left <= Duration::zero()) return false;
    pollfd pipe{pipe_[0], POLLIN, 0};
    const auto longest = std::min<Duration>(left, milliseconds{20});
    ::poll(&pipe, 1, static_cast<int>(std::chrono::ceil<milliseconds>(longest).count()));
  }
}

void World::pass(Duration time) {
  comes_true([] { return false; }, time);
}

std::string World::command(const std::vector<std::string>& parts) {
  return PlainRedis(*server_).command(parts);
}

std::string World::command_about(const std::string& lock, const std::vector<std::string>& parts) {
  if (server_) return command(parts);
  if (sentinels_) return PlainRedis(sentinels_->primary()).command(parts);
  const auto keeper = cluster_->present_keeper(lock);
  return keeper ? PlainRedis(cluster_->server(*keeper)).command(parts) : "(nobody keeps it)";
}

std::unique_ptr<RedisServer> World::replica() {
  RedisSettings settings = durable();
  settings.replica_of = server_->port();
  auto replica = std::make_unique<RedisServer>(settings);
  PlainRedis there(*replica);
  const bool linked = comes_true([&] {
    return there.command({"INFO", "replication"}).find("master_link_status:up") !=
           std::string::npos;
  });
  if (!linked) give_up("a replica does not come about");
  return replica;
}

void World::move_to(std::unique_ptr<RedisServer> server) {
  server_.swap(server);
  probe_->ask(*server_);
  for (const auto& network : networks_) {
    network->lead_to(server_->port());
    network->cut();
    network->set(FaultProxy::Mode::forward);
  }
}

void World::hand_over_to(std::unique_ptr<RedisServer> server) {
  server_->demote(server->port());
  demoted_ = std::move(server_);
  server_ = std::move(server);
  probe_->ask(*server_);
  for (const auto& network : networks_) {
    network->lead_to(server_->port());
    network->set(FaultProxy::Mode::forward);
  }
}

FaultProxy& World::network_of(const Worker& worker) {
  for (std::size_t slot = 0; slot < workers_.size(); ++slot) {
    if (workers_[slot].get() == &worker) return *networks_[slot];
  }
  give_up("no such worker");
}

Worker* World::by_number(int number) {
  for (const auto& worker : workers_) {
    if (worker->number() == number) return worker.get();
  }
  return nullptr;
}

bool World::is_spared(const Worker& worker, Spare spared) const {
  return spared == Spare::the_first && &worker == workers_.front().get();
}

std::pair<Worker*, std::string> World::stop_a_holder(Spare spared) {
  const std::string& lock = locks_[chance_.below(locks_.size())];
  // By the time it has been stopped it may have left: then another try.
  for (int attempt = 0; attempt < 5000; ++attempt) {
    std::optional<int> holder;
    if (!comes_true([&] { return (holder = history_.inside(lock)).has_value(); })) break;
    Worker* const worker = by_number(*holder);
    if (is_spared(*worker, spared)) {
      pass(milliseconds{1});
      continue;
    }
    worker->stop();
    read_records();
    if (history_.inside(lock) == holder) {
      victim_ = holder;
      return {worker, lock};
    }
    worker->resume();
  }
  give_up("nobody enters '" + lock + "'");
}

Worker& World::stop_a_waiter(Spare spared) {
  for (int attempt = 0; attempt < 5000; ++attempt) {
    pass(chance_.between(milliseconds{0}, milliseconds{20}));
    Worker& worker = *workers_[chance_.below(workers_.size())];
    const auto only_waits = [&] {
      return history_.is_waiting(worker.number()) && !history_.is_inside(worker.number());
    };
    if (!only_waits() || is_spared(worker, spared)) continue;
    worker.stop();
    read_records();
    if (only_waits()) {
      victim_ = worker.number();
      return worker;
    }
    worker.resume();
  }
  give_up("nobody only waits");
}

Worker& World::add(const std::string& contender) {
  const std::string lock = contender.substr(0, contender.find(':'));
  if (std::find(locks_.begin(), locks_.end(), lock) == locks_.end()) locks_.push_back(lock);
  const int number = ++last_number_;
  history_.begin(number, {lock});
  networks_.push_back(std::make_unique<FaultProxy>(server_->port()));
  workers_.push_back(std::make_unique<Worker>(number, url(networks_.back()->port()), pipe_[1],
                                              settings_.seed, settings_.ttl,
                                              std::vector<std::string>{contender}));
  return *workers_.back();
}

std::size_t World::queued(const std::string& lock) {
  const Key key = queue_key(lock_key(*LockName::parse(lock)));
  return std::strtoul(command({"LLEN", key.text()}).c_str(), nullptr, 10);
}

void World::sections_last() {
  for (const auto& worker : workers_) worker->tell_sections_to_last(true);
  const bool all = comes_true([this] {
    return std::all_of(locks_.begin(), locks_.end(),
                       [this](const std::string& lock) { return history_.inside(lock); });
  });
  if (!all) give_up("nobody enters");
}

void World::sections_end() {
  for (const auto& worker : workers_) worker->tell_sections_to_last(false);
}

void World::replace(const Worker& worker) {
  for (std::size_t slot = 0; slot < workers_.size(); ++slot) {
    if (workers_[slot].get() != &worker) continue;
    read_records();
    history_.end(worker.number());
    start_worker(slot);
    return;
  }
}

bool World::another_enters(const std::string& lock) {
  return comes_true([&, since = local_now()] { return history_.entered_since(lock, since); });
}

World::Run World::run_program() {
  Run run;
  run.number = ++last_number_;
  run.lock = locks_[chance_.below(locks_.size())];
  const std::string mode = mode_of(run.lock, chance_.below(2) == 0);
  history_.begin(run.number, {run.lock + ":" + mode});
  std::vector<std::string> words{mode == "leads" ? "elect" : "run", "--store", url(server_->port()),
                                 "--ttl", std::to_string(settings_.ttl.duration().count()) + "ms"};
  if (mode == "lease") words.emplace_back("--unfair");
  if (mode == "set") words.emplace_back("--all");
  if (mode == "shared") words.emplace_back("--shared");
  if (mode.ends_with("of2")) {
    words.emplace_back("--permits");
    words.push_back(mode.substr(0, 1) + "/2");
  }
  const std::string pipe =
      "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(pipe_[1]);
  const std::string begun = std::to_string(local_now().time_since_epoch().count());
  const std::string names = mode == "set" ? run.lock + "," + run.lock + "-too" : run.lock;
  for (const std::string& word : {names, std::string("--"), std::string(INTERLOCK_FAULT_COMMAND),
                                  pipe, std::to_string(run.number), begun}) {
    words.push_back(word);
  }
  run.program = std::make_unique<Program>(folder_, words);
  // A lock that is not fair promises nobody a turn. There the program may wait while others enter.
  const auto inside = [&] { return history_.inside(run.lock) == run.number; };
  for (TimePoint since = local_now(); !comes_true(inside); since = local_now()) {
    if (!is_served_in_order(run.lock) && history_.entered_since(run.lock, since)) continue;
    give_up("interlock run does not enter '" + run.lock + "': " + run.program->err());
  }
  return run;
}

void World::forget(const Run& run) {
  constexpr milliseconds some_beats{50};
  pass(some_beats);
  history_.end(run.number);
}

std::string World::progress_since(TimePoint since) {
  for (const std::string& lock : locks_) {
    if (!comes_true([&] { return history_.entered_since(lock, since); })) {
      return "nobody enters '" + lock + "' any more";
    }
    if (!is_served_in_order(lock)) continue;
    if (!comes_true([&] { return history_.everybody_entered_since(lock, since); })) {
      std::string text = "'" + lock + "' is entered by others for ever, and not by worker";
      for (const int each : history_.late(lock, since)) text += " " + std::to_string(each);
      const Key key = lock_key(*LockName::parse(lock));
      return text + "\n  held by " + command_about(lock, {"GET", key.text()}) +
             "\n  in the queue: " +
             command_about(lock, {"LRANGE", queue_key(key).text(), "0", "-1"});
    }
  }
  return "";
}

std::string World::finish() {
  // That ends their waits. If a claim went unanswered while the store was away, it may not be
  // certain that it is withdrawn; but no lock may stay held, see below.
  if (history_.store_was_away()) {
    history_.allow_failures(Window(local_now(), TimePoint::max()), Errc::indeterminate);
  }
  for (const auto& worker : workers_) worker->tell_to_end();
  std::string trouble;
  for (const auto& worker : workers_) {
    comes_true([&] { return worker->exit_code().has_value(); });
    const auto code = worker->exit_code();
    if (code == 0 || code == 128 + SIGKILL) continue;
    trouble += "worker " + std::to_string(worker->number()) +
               (code ? " ended with " + std::to_string(*code) : " does not end") + "\n";
  }
  read_records();
  for (const std::string& lock : locks_) {
    const auto key = lock_key(*LockName::parse(lock)).text();
    if (!comes_true([&] { return command_about(lock, {"EXISTS", key}) == "0"; })) {
      trouble += "'" + lock + "' stays locked\n";
    }
  }
  return trouble;
}

}  // namespace interlock::test
