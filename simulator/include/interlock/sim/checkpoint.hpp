// An exhaustive search that writes what it has found to a file, so that another process can go on
// with it after a limit, an interruption or a crash.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "interlock/error.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

// What has come of writing a checkpoint.
class CheckpointNews {
 public:
  std::string
      failure;  // one line, if it could not be written; empty: it was not tried, or is there
  // With which a search can go on from it. 0: none was tried, because a limit or the caller has
  // ended the search before it had begun, or before it had gone on from Checkpoints::resumed.
  std::uint64_t states = 0;
  bool at_end = false;  // a limit or the caller has ended the search
};

// Where checkpoints are written, and with which one a search goes on.
class Checkpoints {
 public:
  // Is written when the search is ended by Limits::states, by Limits::memory, because there is no
  // memory left, or by Limits::proceed; and whenever `is_due` says so. Empty: none is written. The
  // file is replaced as a whole, so that it always holds a complete checkpoint, and only its owner
  // may read it. It is never removed. A process that is killed while it writes leaves a draft: a
  // file beside it, whose name has a dot and six characters more.
  std::string file;
  // The file of the checkpoint with which the search goes on; empty: it begins at the beginning.
  // May be the same as `file`.
  std::string resumed;
  // Stands for the programs, predicates and specifications of the scenario, and for what they
  // depend on: the search cannot compare these. A checkpoint with another identity is refused. If
  // they change and the identity does not, the verdict may be wrong. It may name a version, or be
  // the digest of an executable.
  std::string identity;
  // Asked several times within each level, as Limits::proceed. Null: a checkpoint is written only
  // at the end.
  std::function<bool()> is_due;
  // Called after each try to write one, and once if a limit or the caller has ended the search and
  // there was nothing to write. A failure does not end the search. May be null.
  std::function<void(const CheckpointNews&)> tell;
};

// As explore(). A search that was ended, and that goes on with its checkpoint under the limits that
// a search without interruption would have had, comes to the verdict of that search, with the same
// run, figures and coverage. The limits may be other ones, and so may the number of threads.
//
// Fails before it searches: `invalid_argument` if `resumed` is no checkpoint of this format, is
// damaged, was written with another identity, or for another scenario, other bounds or another
// Limits::count_violations, belongs to another user or may be written by others; or if `file` names
// something that is no checkpoint. `unavailable`: a file cannot be read or written. It also fails,
// with `invalid_argument`, if the programs do not do what they did for the checkpoint.
//
// The search goes on from the beginning of a block of at most 4096 states. It then runs the
// programs again to learn what it had learned, in the same order. The search for cycles, where
// liveness is required, begins anew. The states for which predicates are asked again at the end are
// those that the last process has found. If 16 bits turn out to be too few for the numbers of a
// state, the search begins anew with 32 bits, as explore() does, and learns the programs anew, too.
//
// The file has a version. Another version of the library may refuse it: checkpoints are no archive.
// Its size is that of the states, 24 to 72 bytes for each, and 4 bytes for each state that has
// taught the search something. Any thread may call this, but two searches at a time must not write
// the same file; see client.hpp about threads.
Result<Verdict> explore_resumable(const Scenario& scenario,
                                  const Limits& limits,
                                  const Checkpoints& checkpoints);

}  // namespace interlock::sim
