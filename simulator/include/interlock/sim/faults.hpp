// The faults of the simulated world, and how often each may happen in one search.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace interlock::sim {

// A restart of either kind and a failover give the server another incarnation, which scripts can
// read (Keyspace::incarnation).
//
// A client that crashes and restarts begins its program again, as a new process on the same
// machine: its memory, its subscriptions and the answers on their way to it are gone, and it draws
// other owner tokens than before. It may begin at any instant. Each request that it has on its way
// is lost or arrives at any later time. (Writes to a resource, Client::write, are on their way only
// by late_write and duplicate_write.) For every property the client is inside no lock, waits for
// none and has no ghost variables, until its program says so again. A client that has not begun or
// has ended does not restart.
//
// A client is paused if it has begun and could move, but time passes instead. A search allows that
// without a fault, and runs show it; FaultBudget::pauses() makes it count as one.
//
// If the connections to a server break, each request and each answer on its way may be lost, and
// its client gets `indeterminate` (unless FaultBudget::let_requests_survive). Copies of requests on
// their way are lost. A client that has subscribed there wakes as if by a message, because one may
// have been lost, or its wait ends with an error. That ends the subscription, and so does the error
// of a single wait (unreachable, lost_request, rejected).
enum class Fault : std::uint8_t {
  crash,           // the client never moves again
  pause,           // an instant passes although the client could move
  unreachable,     // the request is not sent; the client gets `unavailable`
  lost_request,    // sent and never applied; the client gets `indeterminate`
  lost_reply,      // applied; the client gets `indeterminate`
  late_execution,  // the client gets `indeterminate`; the request is applied at any later time
  duplicate,       // applied and answered; a second copy is applied at any later time
  rejected,        // the store refuses it (OOM, READONLY, NOSCRIPT, ...) and changes nothing
  lost_message,    // one subscriber does not get one published message
  restart,         // the server restarts with its data; connections break
  restart_empty,   // the server restarts without its data; connections break
  failover,        // a replica that has not seen the last write takes over (or one that has missed
                   // more, or nothing: Scenario::replica); connections break
  eviction,        // the server drops one key
  clock_jump,      // one client's wall clock, or the server's clock, is set forward by one instant
  clock_back,      // the same, backward
  drift,           // both clocks of one client fall behind by one instant
  client_restart,  // the client crashes and begins again without its memory
  // These three happen to a write to a protected resource (Client::write). Connections that break
  // do not touch it. If no answer comes, the client gets a WriteAnswer that is not `is_known()`.
  lost_write,       // the write never arrives; the client gets no answer
  late_write,       // the client gets no answer; the write arrives at any later time, also after
                    // the client has left, ended or crashed
  duplicate_write,  // the write arrives and is answered; a second copy arrives at any later time
};
inline constexpr std::size_t fault_kinds = 20;

// The word for a fault in messages and schedules: `crash`, `lost-reply`, ...
std::string_view to_string(Fault fault) noexcept;

// How often each fault may happen, and how many faults in all. A search goes through all runs
// without faults first, then through those with one, and so on.
class FaultBudget {
 public:
  static constexpr std::size_t count_max = 100;

  FaultBudget() = default;

  // Allows `count` faults in all, of any kinds except pauses.
  static FaultBudget any(std::size_t count);

  // Allows `count` faults of this kind, at most `count_max`: a search with more is `invalid`.
  FaultBudget& allow(Fault fault, std::size_t count = 1);
  // Allows at most `total` faults in all, of whatever kinds.
  FaultBudget& at_most(std::size_t total);
  // Counts pauses as faults, and allows `count`: one for each instant that passes while a client
  // that has begun could move. (A client may begin at any instant: that is no pause.) Without this
  // call time may pass at any moment without a fault.
  FaultBudget& pauses(std::size_t count);
  // Connections that break lose no request and no answer, but may lose messages and subscriptions.
  // A search then has far fewer states, but visits only runs in which nothing was on its way when
  // the connections broke. The bounds of its verdict say so.
  FaultBudget& let_requests_survive();

  std::size_t limit(Fault fault) const { return limits_[static_cast<std::size_t>(fault)]; }
  // The sum of the limits, or what at_most() says if that is less.
  std::size_t total() const;
  bool pauses_count() const { return pauses_count_; }
  bool requests_survive() const { return requests_survive_; }

 private:
  std::array<std::size_t, fault_kinds> limits_{};
  std::optional<std::size_t> at_most_;
  bool pauses_count_ = false;
  bool requests_survive_ = false;
};

}  // namespace interlock::sim
