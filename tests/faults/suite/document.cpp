#include "faults.hpp"

namespace interlock::test {

std::string faults_document() {
  std::string text = R"(# What is promised when things break

Real processes compete for locks on a real `redis-server` while a test injects faults (`tests/faults`).
Afterwards the test checks the history: who entered when, with which lease and which fencing token.
`scripts/document` writes this table from those tests; a test fails when it is stale. It holds for all
kinds of lock: `lease-lock`, `queue-lock`, `shared-lock` and `permit-lock`.

A lease is valid until it is released, or ends by its holder's own clock; the client tells the holder of
that end (`lost_token()`). If the store itself loses a grant, a lease that was granted before or during
the loss may overlap with one that is granted after it, and with no other. A resource that checks
fencing tokens is still safe, in every row: of two acquires, the one that began after the other was
granted has the greater token. A reader that joins others has the token of their group, which counts from
the group's beginning. So after a failover it may be smaller than that of a writer which the old primary
has let in meanwhile; then the resource refuses the readers until their group has ended.

Two cases that are not in the table break that safety. First, the counter is
lost *and* the store's clock is set back. Second, the store has lost a grant, and a process goes on with it
for up to 50 ms (`ClientOptions::hand_over`): it hands the grant over to its other threads, or keeps it
(`MutexOptions::keep`). Sections that begin in this way have the smaller tokens of that grant, even after
the store has granted the lock to another client.

A section that had to wait for a fair lock may begin with what is left of its offer, by default at least
245 ms, and has its whole lease from its first renewal on: after 10 ms, or after up to 50 ms if other
threads of its process wait for the lock (`LockOptions::enters_by_offer`). If the store is away just then,
and the section is not over when the offer ends, the section is lost and the client tells its holder. In the
table, "holders keep their leases" is about all other sections. `interlock run` and `hold` begin with a whole
lease.

With `after-failover=wait` the store grants no lock to a new owner for one longest ttl after a failover, a
restart or the loss of all its keys, so that leases which it may have forgotten are over: see
[docs/redis.md](redis.md#after-a-failover). The rows that name it are about a store with it. It does not help
against eviction, which takes a single key.

The rows about a promoted replica also hold for clients that find the primary by Sentinels
(`redis+sentinel://`), and for those of a Redis Cluster (`redis+cluster://`). The rows `sentinel` and `cluster`
are about real ones, with a ttl of 8 s.

Also in every row: no waiter waits for ever, a holder finishes or learns from its client that its lease is
lost, and no lock is left behind.
)";
  text +=
      "\n| where | what happens | valid leases exclude each other | fencing tokens | effect on "
      "holders | effect on waiters |\n|---|---|---|---|---|---|\n";
  for (const Fault& fault : faults()) {
    const Promise& promise = fault.promise;
    text += "| " + fault.group + " | " + fault.title + " | " +
            (promise.exclusion ? "yes" : "**no**") + " | grow | " + promise.holders + " | " +
            promise.waiters + " |\n";
  }
  text += R"(
## A lock file

On SQLite there is no server and no network. The promises about processes above hold there, too. This table
is about the file (`tests/sqlite`, `tests/cli/users.bash`, `tests/cli/full_disk.bash`). Fencing tokens grow in
every row.

| what happens | valid leases exclude each other | effect on the holder | effect on callers and waiters |
|---|---|---|---|
| Several users, root among them, share it, and their processes are killed and stopped | yes | the holders of the other users keep their leases | waiters enter as if all belonged to one user |
| A user who may not write it tries to lock | yes | the holder keeps its lease | that caller gets `rejected` (77) and changes nothing; the other users go on |
| Its file system is full | yes | the holder keeps its lease if it can renew again in time; else the client tells it when the lease ends, and `interlock run` has ended the command by then (79). A release is refused, and the ttl ends the lock | a caller gets `rejected`: the file system is full (71); no lock is granted, and `interlock status` may be refused, too |
| A process is killed in the midst of a write | yes | the holder keeps its lease | a waiter goes on waiting; the file is neither locked nor damaged |
| Its log (`-wal`) is removed, by hand or because the holder opened and closed the file by other means than SQLite | **no** | the client tells the holder at the next renewal, or when the lease ends | operations are `unavailable` (69) until each process that has the file open has made a request. (A holder makes its next request after a third of its ttl.) Then callers go on with the new log |
| The index of the log (`-shm`) is removed or replaced | yes, unless two processes write at that very moment, which may damage the file | the client renews with the new index; if that fails, it tells the holder when the lease ends | one operation is `unavailable`; then the caller goes on with the new index |
| The index of the log (`-shm`) is truncated in place, by a user who may write the file | yes | if a process reads the index before another process has made it anew, the system kills it (SIGBUS), because SQLite maps the index into memory | the same |
| It has two names: a hard link, or a bind mount of the file alone | yes | the holder keeps its lease, unless its process has to open the file anew | a caller gets `rejected` (78), under both names of a hard link and under the mounted name: mount the folder instead |
| The file is deleted or replaced | **no** | the client tells the holder at the next renewal, or when the lease ends | a caller goes on with the new file |
| The machine restarts | yes | the restart ends the lease | a caller enters at once |

## Run it

    build/release/bin/fault_suite --seconds 3600 --seed 7

injects random faults of the first table, one after another, for an hour, and prints the result. `--fair`
and `--lease` test one kind of lock alone. `--fault NAME` injects only that fault (`--list` names them), or
only those of one kind: `process`, `server`, `network`, `sentinel`, `cluster`. Those of the last two kinds happen
only if you name them.
)";
  return text;
}

}  // namespace interlock::test
