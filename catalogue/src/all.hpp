// One function for each file of scenarios: a failure, and after it its repairs.
#pragma once

#include <vector>

#include "interlock/sim/catalogue.hpp"

namespace interlock::sim::catalogue {

using Entries = std::vector<CatalogueEntry>;

inline constexpr Expected proved{};
constexpr Expected violated(std::string_view property, std::size_t steps, std::size_t faults = 0) {
  return {Outcome::violated, property, steps, faults};
}

// locks/
Entries del_setnx_lock();
Entries stamp_lock();
Entries stamp_equal_lock();
Entries setnx_expire_lock();
Entries bill_lock();
Entries script_lock();
Entries compare_script_lock();
Entries lease_lock();
Entries queue_lock();

// setnx/
Entries setnx_crash();
Entries del_setnx_c0c2();
Entries getset_loser_c3c4();
Entries getset_loser_extends();
Entries getset_loser_shortens();
Entries get_nil_as_expired();
Entries getset_nil_as_fail();
Entries born_expired();
Entries second_granularity();
Entries expiry_edge();
Entries clock_skew();
Entries clock_jump();

// ttl/
Entries blind_del_after_expiry();
Entries check_then_del();
Entries pause_after_acquire();
Entries pause_before_reply_used();
Entries period_ends_with_its_command();
Entries lost_reply_new_token();
Entries lost_reply_retry_del();
Entries lost_reply_false_alarm();
Entries late_execution();
Entries reply_desync();
Entries reentrant_count_leak();
Entries renew_races_expiry();
Entries renew_resurrects();
Entries renew_nonpositive();
Entries watchdog_zombie();
Entries watchdog_outlives_unlock();
Entries watchdog_skips();
Entries negative_ttl_infinite();
Entries release_refused();
Entries evicted();
Entries local_registry_evicted();
Entries wrongtype();
Entries token_reuse();
Entries flush_or_operator_del();

// waiting/
Entries lost_wakeup();
Entries expiry_has_no_message();
Entries blpop_token_lost();
Entries thundering_herd();
Entries starvation_spin();
Entries first_waiter_dropped();
Entries dead_waiter_at_head();
Entries reader_starves_writer();
Entries partial_batch_leak();
Entries lock_order_deadlock();
Entries batch_expires_unevenly();
Entries semaphore_skew();
Entries two_names_for_one_thing();

// replication/
Entries failover_loses_write();
Entries failover_loses_release();
Entries failover_skewed_clock();
Entries failover_clock_behind();
Entries wait_not_enough();
Entries stale_replica_read();
Entries redlock_restart_no_disk();
Entries redlock_server_clock_jump();
Entries redlock_split();
Entries redlock_slow_acquire();
Entries redlock_no_cleanup();
Entries fence_counter_lost();
Entries fence_not_checked();
Entries lease_safe_store_unsafe_lock();

}  // namespace interlock::sim::catalogue
