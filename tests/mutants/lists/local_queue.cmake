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
  IN core/src/local_queue.cpp
  ORIGINAL [[  notify(next.holds);
]]
  MUTATED [[]]
  SEARCH local-queue-of-three
  BREAKS "never a thread waits for a lock that nobody holds"
  WITHIN 100)
mutant(handed_over_for_the_last_time_and_nobody_leads
  IN core/src/local_queue.cpp
  ORIGINAL [[  notify(next.leads);
]]
  MUTATED [[]]
  SEARCH local-queue-of-three
  BREAKS "never a thread waits for a lock that nobody holds"
  WITHIN 100)
mutant(granted_for_one_section_and_nobody_leads
  IN core/src/local_queue.cpp
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
  IN core/src/local_queue.cpp
  ORIGINAL [[  } else {
    notify(queues_.got_nothing(name));]]
  MUTATED [[  } else {
    static_cast<void>(queues_.got_nothing(name));]]
  SEARCH local-queue-with-one-who-leads-in-vain
  BREAKS "never a thread waits for a lock that nobody holds"
  WITHIN 300)
mutant(released_and_not_passed_on
  IN core/src/local_queue.cpp
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
