// What `interlock run` is to do: its command line, read and checked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "console/failure.hpp"
#include "console/flags.hpp"
#include "interlock/client.hpp"
#include "lock/lock_flags.hpp"
#include "lock/store.hpp"
#include "metrics/metrics_output.hpp"
#include "supervision/child.hpp"
#include "supervision/loss_rule.hpp"
#include "supervision/supervise.hpp"
#include "system/report_file.hpp"

namespace interlock::cli {

// What the command line says.
class RunSettings {
 public:
  // The flags that `run` and `elect` have in common.
  void add_to(Flags& flags);

  LockFlags lock;
  std::optional<Given> on_lost;
  std::optional<Given> kill_after;
  std::optional<Given> left_behind;
  std::optional<Given> shell;
  std::optional<Given> status_file;
  std::optional<Given> at_least;
  std::optional<Given> every;
  bool all = false;
  bool elects = false;         // the command of a leader
  std::optional<Given> value;  // what the leader says of itself
};

// All decisions that precede any contact with a store.
class RunPlan {
 public:
  std::vector<LockName> names;  // one, or several with --all
  std::string lock;             // these names, as messages show them
  LockOptions options;
  ClientOptions client_options;
  int conflict_code;
  OnLost on_lost;
  Duration kill_after;
  LeftBehind left_behind;
  CommandLine command;
  std::optional<ReportFile> status_file;
  std::optional<MetricsPlace> metrics;
  std::optional<std::string> proclaims;  // what a leader says of itself
  bool is_periodic = false;              // runs once in LockOptions::at_least
};

// Exit codes and variables, as help and manual of `run` and `elect` tell them.
std::vector<ExplainedWord> exits_of_guarded_runs();
std::vector<ExplainedWord> given_to_commands();

Fallible<RunPlan> make_run_plan(const Arguments& arguments, const RunSettings& settings);

// None: the store may keep the lock for as long as --every or --at-least says.
std::optional<Failure> stays_too_long(const RunSettings& settings,
                                      const LockOptions& options,
                                      const Store& store);

}  // namespace interlock::cli
