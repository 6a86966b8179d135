#include "interlock/flawed/source_locks.hpp"

#include <algorithm>

#include "interlock/flawed/bill_lock.hpp"
#include "interlock/flawed/compare_script_lock.hpp"
#include "interlock/flawed/script_lock.hpp"
#include "interlock/flawed/setnx_expire_lock.hpp"
#include "interlock/flawed/stamp_lock.hpp"
#include "interlock/flawed/ttl_lock.hpp"

namespace interlock::flawed {
namespace {

using Made = std::unique_ptr<LockProtocol>;

StampOptions del_setnx() {
  StampOptions options;
  options.id = "del-setnx-lock";
  options.take_over = TakeOver::del_setnx;
  return options;
}

StampOptions stamp_equal() {
  StampOptions options;
  options.id = "stamp-equal-lock";
  options.take_over = TakeOver::getset_equal;
  options.release = StampRelease::blind;
  options.granularity = milliseconds{1};
  options.hides_errors = true;
  return options;
}

StampOptions repaired(std::string id, Duration granularity) {
  StampOptions options;
  options.id = std::move(id);
  options.take_over = TakeOver::script;
  options.release = StampRelease::compare;
  options.granularity = granularity;
  options.unique = true;
  return options;
}

Made ttl_lock(KeyValueStore& store, TimeSource& clock, std::string id) {
  TtlOptions options;
  options.id = std::move(id);
  options.knows_itself = true;
  return std::make_unique<TtlLock>(store, clock, options);
}

Polling counted_down(Duration pause, Duration wait) {
  Polling how(pause);
  how.wait = wait;
  how.counts_down = true;
  return how;
}

Polling three_tries() {
  Polling how(milliseconds{300});
  how.attempts = 3;
  return how;
}

}  // namespace

const std::vector<SourceLock>& source_locks() {
  using std::chrono::seconds;
  static const std::vector<SourceLock> all{
      {"stamp-lock", "", Ttl(seconds{10}), Polling(milliseconds{10}),
       [](KeyValueStore& store, TimeSource& clock) -> Made {
         return std::make_unique<StampLock>(store, clock, StampOptions());
       }},
      {"stamp-lock-repaired", "stamp-lock", Ttl(seconds{10}), Polling(milliseconds{10}),
       [](KeyValueStore& store, TimeSource& clock) -> Made {
         return std::make_unique<StampLock>(store, clock,
                                            repaired("stamp-lock-repaired", seconds{1}));
       }},
      {"del-setnx-lock", "", Ttl(seconds{10}), Polling(milliseconds{10}),
       [](KeyValueStore& store, TimeSource& clock) -> Made {
         return std::make_unique<StampLock>(store, clock, del_setnx());
       }},
      {"stamp-equal-lock", "", Ttl(seconds{60}), counted_down(milliseconds{100}, seconds{10}),
       [](KeyValueStore& store, TimeSource& clock) -> Made {
         return std::make_unique<StampLock>(store, clock, stamp_equal());
       }},
      {"stamp-equal-lock-repaired", "stamp-equal-lock", Ttl(seconds{60}),
       counted_down(milliseconds{100}, seconds{10}),
       [](KeyValueStore& store, TimeSource& clock) -> Made {
         return std::make_unique<StampLock>(store, clock,
                                            repaired("stamp-equal-lock-repaired", milliseconds{1}));
       }},
      {"setnx-expire-lock", "", Ttl(seconds{10}), Polling(milliseconds{10}),
       [](KeyValueStore& store, TimeSource& clock) -> Made {
         return std::make_unique<SetnxExpireLock>(store, clock);
       }},
      {"setnx-expire-lock-repaired", "setnx-expire-lock", Ttl(seconds{10}),
       Polling(milliseconds{10}),
       [](KeyValueStore& store, TimeSource& clock) -> Made {
         return ttl_lock(store, clock, "setnx-expire-lock-repaired");
       }},
      {"bill-lock", "", Ttl(BillLock::usual_ttl), BillLock::polling(),
       [](KeyValueStore& store, TimeSource& clock) -> Made {
         return std::make_unique<BillLock>(store, clock);
       }},
      {"bill-lock-repaired", "bill-lock", Ttl(BillLock::usual_ttl), BillLock::polling(),
       [](KeyValueStore& store, TimeSource& clock) -> Made {
         return ttl_lock(store, clock, "bill-lock-repaired");
       }},
      {"script-lock", "", Ttl(seconds{10}), ScriptLock::polling(),
       [](KeyValueStore& store, TimeSource& clock) -> Made {
         return std::make_unique<ScriptLock>(store, clock);
       }},
      {"script-lock-repaired", "script-lock", Ttl(seconds{10}), three_tries(),
       [](KeyValueStore& store, TimeSource& clock) -> Made {
         return std::make_unique<ScriptLock>(store, clock, Edition::repaired);
       }},
      {"compare-script-lock", "", Ttl(seconds{10}), Polling(milliseconds{10}),
       [](KeyValueStore& store, TimeSource& clock) -> Made {
         return std::make_unique<CompareScriptLock>(store, clock);
       }},
      {"compare-script-lock-repaired", "compare-script-lock", Ttl(seconds{10}),
       Polling(milliseconds{10}),
       [](KeyValueStore& store, TimeSource& clock) -> Made {
         return std::make_unique<CompareScriptLock>(store, clock, Edition::repaired);
       }},
  };
  return all;
}

const SourceLock* find_source_lock(std::string_view id) {
  const auto at = std::find_if(source_locks().begin(), source_locks().end(),
                               [id](const SourceLock& lock) { return lock.id == id; });
  return at == source_locks().end() ? nullptr : &*at;
}

}  // namespace interlock::flawed
