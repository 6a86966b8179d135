#include "faults.hpp"

namespace interlock::test {

std::string faults_document() {
  std::string text = R"(# What is promised when things break

Real processes contend for locks of a real `redis-server`, one thing after another is done to them,
and the history of who entered when, under which lease and with which fencing token, is checked
afterwards (`tests/faults`). This table is written from those tests by `scripts/document`; a test
fails when it is stale. It holds for both kinds of lock, `lease-lock` and `queue-lock`.

A lease is valid until it is released or ends by its holder's own clock; then its holder has been
told. Where the store itself has forgotten a grant, leases do not exclude each other: those that were
granted before or meanwhile may overlap with later ones, and with no others. A resource that checks
fencing tokens is still safe: of two acquires, the one that began after the other was granted has the
greater token, in every row. (What defeats them is no row: the counter is lost *and* the store's clock
is set back.) In every row, too: nobody waits for ever, a section ends or is told, and no lock stays
behind.
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
## Run it

    build/release/bin/fault_suite --seconds 3600 --seed 7

does random ones of these, one after another, for an hour, and prints what came of it. `--fair` and
`--lease` take one kind of lock alone, `--fault NAME` one fault alone (`--list` names them), or those of
one kind: `process`, `server`, `network`.
)";
  return text;
}

}  // namespace interlock::test
