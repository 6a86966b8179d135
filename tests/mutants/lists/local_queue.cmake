# Mutants of the callers of one process that share a grant: see ../CMakeLists.txt.

mutant(handed_over_with_the_same_token
  IN core/src/local_queue.cpp
  ORIGINAL [[= over.next();]]
  MUTATED [[= over;]]
  SEARCH local-queues
  BREAKS "never a section of a process has no greater token"
  WITHIN 2000)
mutant(handed_over_however_old
  IN core/src/local_queue.cpp
  ORIGINAL [[!in_time || ]]
  MUTATED [[]]
  SEARCH local-queue-of-long-sections
  BREAKS "never a lock is handed over with an old lease"
  WITHIN 100)
mutant(handed_over_until_the_lease_ends
  IN core/src/local_queue.cpp
  ORIGINAL [[lifetime / 100 * policy_.lease_percent]]
  MUTATED [[lifetime]]
  SEARCH local-queue-of-long-sections
  BREAKS "never a lock is handed over with an old lease"
  WITHIN 100)
mutant(handed_over_to_a_caller_that_asks_for_another_ttl
  IN core/src/local_queue.cpp
  ORIGINAL [[queue.left > 0 && same_ttl]]
  MUTATED [[queue.left > 0]]
  SEARCH local-queue-of-two-ttls
  BREAKS "never a section has a lease of another ttl than it asked for"
  WITHIN 100)
mutant(handed_over_and_not_called
  IN core/src/local_queue_client.cpp
  ORIGINAL [[  notify(next.holds);
]]
  MUTATED [[]]
  SEARCH local-queue-of-three
  BREAKS "never a thread waits for a lock that nobody holds"
  WITHIN 100)
mutant(handed_over_for_the_last_time_and_nobody_leads
  IN core/src/local_queue_client.cpp
  ORIGINAL [[  notify(next.leads);
]]
  MUTATED [[]]
  SEARCH local-queue-of-three
  BREAKS "never a thread waits for a lock that nobody holds"
  WITHIN 100)
mutant(granted_for_one_section_and_nobody_leads
  IN core/src/local_queue_client.cpp
  ORIGINAL [[notify(queues_.granted(*lease, *waiter, time_.now()));]]
  MUTATED [[static_cast<void>(queues_.granted(*lease, *waiter, time_.now()));]]
  SEARCH local-queue-without-hand-over
  BREAKS "never a thread waits for a lock that nobody holds"
  WITHIN 100)
mutant(moved_on_to_nobody
  IN core/src/local_queue.cpp
  ORIGINAL [[if (queue.waiting.empty()) {]]
  MUTATED [[if (true) {]]
  SEARCH local-queue-without-hand-over
  BREAKS "never a thread waits for a lock that nobody holds"
  WITHIN 100)
mutant(led_in_vain_and_nobody_leads
  IN core/src/local_queue_client.cpp
  ORIGINAL [[  } else {
    notify(queues_.got_nothing(name));]]
  MUTATED [[  } else {
    static_cast<void>(queues_.got_nothing(name));]]
  SEARCH local-queue-with-one-who-leads-in-vain
  BREAKS "never a thread waits for a lock that nobody holds"
  WITHIN 300)
mutant(released_and_not_passed_on
  IN core/src/local_queue_client.cpp
  ORIGINAL [[  notify(queues_.pass_on(lease, LocalQueues::Section::over));
]]
  MUTATED [[]]
  SEARCH local-queue-of-long-sections
  BREAKS "never a thread waits for a lock that nobody holds"
  WITHIN 100)
mutant(who_gave_up_stays_in_line
  IN core/src/local_queue.cpp
  ORIGINAL [[std::erase_if(queues_.at(name).waiting,
                [&](const auto& other) { return other.get() == &waiter; });]]
  MUTATED [[]]
  SEARCH local-queue-with-one-who-gives-up
  BREAKS "never a thread waits for a lock that nobody holds"
  WITHIN 100)
# --- grants that are kept between sections -------------------------------------------------------
mutant(kept_section_with_the_same_token
  IN core/src/kept_grant.cpp
  ORIGINAL [[in_time ? word + one_section : word;]]
  MUTATED [[word;]]
  SEARCH kept-and-recalled
  BREAKS "never a section of a process has no greater token"
  WITHIN 400)
mutant(kept_however_old
  IN core/src/kept_grant.cpp
  ORIGINAL [[const bool in_time = now.time_since_epoch().count() < until_.load(std::memory_order_relaxed);]]
  MUTATED [[const bool in_time = now < TimePoint::max();]]
  SEARCH kept-for-too-long
  BREAKS "never a section begins with a kept grant"
  WITHIN 100)
mutant(kept_although_it_was_taken
  IN core/src/kept_grant.cpp
  ORIGINAL [[was_kept ? KeptState::taken : KeptState::closed]]
  MUTATED [[was_kept ? KeptState::kept : KeptState::closed]]
  SEARCH kept-until-recalled
  BREAKS "never a certain lease of a section is not in the store"
  WITHIN 30000)
mutant(kept_sections_are_forgotten
  IN core/src/local_queue.cpp
  ORIGINAL [[queue.held->after(closed.section)]]
  MUTATED [[queue.held->after(0)]]
  SEARCH kept-and-taken
  BREAKS "never a section of a process has no greater token"
  WITHIN 200)
mutant(taken_with_the_same_token
  IN core/src/local_queue.cpp
  ORIGINAL [[waiter.lease_ = queue.held->next();]]
  MUTATED [[waiter.lease_ = *queue.held;]]
  SEARCH kept-and-taken
  BREAKS "never a section of a process has no greater token"
  WITHIN 200)
mutant(kept_and_not_given_back_when_its_time_is_over
  IN core/src/local_queue.cpp
  ORIGINAL [[over.kept = close_kept(queue);]]
  MUTATED [[static_cast<void>(close_kept(queue));]]
  SEARCH kept-alone
  BREAKS "never a lock stays held by nobody"
  WITHIN 200)
