#include "faults.hpp"

namespace interlock::test {

std::string faults_document() {
  std::string text = R"(# What is promised when things break

Real processes compete for locks on a real `redis-server` while faults are injected. The history of who
entered when, under which lease and with which fencing token, is checked afterwards (`tests/faults`).
`scripts/document` writes this table from those tests; a test fails when it is stale. It holds for both
kinds of lock, `lease-lock` and `queue-lock`.

A lease is valid until it is released, or ends by its holder's own clock; the client tells the holder of
that end (`lost_token()`). If the store itself loses a grant, a lease that was granted before or during
the loss may overlap with one that is granted after it, and with no other. A resource that checks
fencing tokens is still safe, in every row: of two acquires, the one that began after the other was
granted has the greater token. One case that is not in the table breaks that: the counter is lost *and*
the store's clock is set back.

Also in every row: no waiter waits for ever, a holder finishes or is told that its lease is lost, and no
lock is left behind.
)";
  text +=
      "\n| where | what happens | valid leases exclude each other | fencing tokens | who holds | "
      "who "
      "waits |\n|---|---|---|---|---|---|\n";
  for (const Fault& fault : faults()) {
    const Promise& promise = fault.promise;
    text += "| " + fault.group + " | " + fault.title + " | " +
            (promise.exclusion ? "yes" : "**no**") + " | grow | " + promise.holders + " | " +
            promise.waiters + " |\n";
  }
  text += R"(
## A lock file

On SQLite there is no server and no network. What the rows above say of processes is promised there, too;
what remains is the file (`tests/sqlite`, `tests/cli/full_disk.bash`). Fencing tokens grow in every row.

| what happens | valid leases exclude each other | who holds | who asks or waits |
|---|---|---|---|
| Its file system is full | yes | keeps its lease if it can renew in time again; else it is told when its lease ends, and `interlock run` has ended the command by then (79). A release is refused, and the ttl ends the lock | is told `rejected`: the file system is full (71); no lock is granted |
| A process is killed in the midst of a write | yes | keeps its lease | goes on waiting; the file is neither locked nor damaged |
| Its log (`-wal`) is removed by another process, because the holder opened and closed the file by other means than SQLite | **no** | is told at the next renewal, or when the lease ends | one operation is `unavailable`; then it goes on with the new log |
| The index of the log (`-shm`) is removed or replaced | yes, but for what two processes write in that very moment; the file may be damaged then | renews with the new index; if that fails, it is told when the lease ends | one operation is `unavailable`; then it goes on with the new index |
| The index of the log (`-shm`) is truncated in place, by a user who may write the file | yes | is as if killed if it reads the index before another process has made it anew: SQLite maps the index into memory, and the system sends SIGBUS | is as if killed likewise |
| It has two names: a hard link, or a bind mount of the file alone | yes | keeps its lease, unless it has to open the file anew | is told `rejected` (78), under both names of a hard link and under the mounted one: mount the folder instead |
| The file is deleted or replaced | **no** | is told at the next renewal, or when the lease ends | goes on with the new file |
| The machine restarts | yes | has ended with it | enters at once |

## Run it

    build/release/bin/fault_suite --seconds 3600 --seed 7

does random ones of these, one after another, for an hour, and prints what came of it. `--fair` and
`--lease` take one kind of lock alone, `--fault NAME` one fault alone (`--list` names them), or those of
one kind: `process`, `server`, `network`.
)";
  return text;
}

}  // namespace interlock::test
