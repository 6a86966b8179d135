# Mutants of the lock with a queue: see ../CMakeLists.txt.

# --- queue_scripts.cpp, and the client that calls it ---

mutant(queue_is_a_stack
  IN core/src/queue.cpp
  ORIGINAL [[lines_.push_back(std::move(line));]]
  MUTATED [[lines_.insert(lines_.begin(), std::move(line));]]
  SEARCH queueing
  BREAKS "first come, first served on deploy"
  WITHIN 1600)
mutant(newcomer_passes_the_queue
  IN core/src/queue_scripts.cpp
  ORIGINAL [[if (!holder && queue.empty() && !quarantine)]]
  MUTATED [[if (!holder && !quarantine)]]
  SEARCH queueing-crash
  BREAKS "first come, first served on deploy"
  WITHIN 4600)
mutant(offer_to_the_last
  IN core/src/queue.cpp
  ORIGINAL [[if (first.owner) break;]]
  MUTATED [[]]
  SEARCH queueing
  BREAKS "first come, first served on deploy"
  WITHIN 1600)
mutant(first_is_told_and_the_lock_left_free
  IN core/src/queue.cpp
  ORIGINAL [[keyspace_.put(keys_[0], Entry(owner, now() + window_));]]
  MUTATED [[keyspace_.erase(keys_[0]);]]
  SEARCH queueing
  BREAKS "first come, first served on deploy"
  WITHIN 700)
mutant(offered_and_the_last_waiter_forgotten
  IN core/src/queue.cpp
  ORIGINAL [[if (first.owner) break;]]
  MUTATED [[if (first.owner) {
        if (n + 1 < lines_.size()) drop(lines_.size() - 1);
        break;
      }]]
  SEARCH queueing
  BREAKS "no lost wake-up on deploy"
  WITHIN 3000)
mutant(place_is_taken_for_the_lock
  IN core/src/lease_protocol.cpp
  ORIGINAL [[      co_return AcquireOutcome(std::move(*busy));
]]
  MUTATED [[      co_return AcquireOutcome(Lease(name, owner, FencingToken(1), ttl, sent, margin_));
]]
  SEARCH queueing-with-pauses
  BREAKS "no stale write to database after a newer one"
  WITHIN 100)
mutant(offer_that_is_not_told
  IN core/src/queue.cpp
  ORIGINAL [[const std::int64_t listeners = keyspace_.publish(Channel(place.wake_up), offer.text());]]
  MUTATED [[const std::int64_t listeners = 0;]]
  SEARCH queueing-with-pauses
  BREAKS "no unheard grant of deploy"
  WITHIN 6000)
mutant(offer_only_where_listeners_are_counted
  IN core/src/queue.cpp
  ORIGINAL [[return listeners > 0 || !keyspace_.knows_listeners();]]
  MUTATED [[return listeners > 0;]]
  SEARCH queueing
  BREAKS "first come, first served on deploy"
  WITHIN 900)
mutant(offer_without_an_end
  IN core/src/queue.cpp
  ORIGINAL [[Entry(owner, now() + window_)]]
  MUTATED [[Entry(owner)]]
  SEARCH queueing-with-pauses-crash
  BREAKS "no orphan of deploy"
  WITHIN 2000000)
mutant(offer_without_a_number
  IN core/src/queue.cpp
  ORIGINAL [[next_number(counter_kept);]]
  MUTATED [[]]
  SEARCH queueing-with-pauses
  BREAKS "fencing tokens of deploy grow"
  WITHIN 6000)
mutant(confirmed_by_anybody
  IN core/src/queue_scripts.cpp
  ORIGINAL [[if (holder && holder->value == claim.owner) return confirm]]
  MUTATED [[if (holder) return confirm]]
  SEARCH queueing-with-pauses
  BREAKS "nobody overwrites deploy while another has it"
  WITHIN 20)
mutant(released_by_anybody
  IN core/src/queue.cpp
  ORIGINAL [[const bool mine = holder && *holder == owner;]]
  MUTATED [[const bool mine = holder.has_value();]]
  SEARCH queueing-with-pauses
  BREAKS "only the owner releases or renews deploy"
  WITHIN 8000)
mutant(released_and_nobody_offered
  IN core/src/queue.cpp
  ORIGINAL [[  if (first) {
    queue.offer_to(*first, parse_ms(arguments[4]));
  } else]]
  MUTATED [[]]
  SEARCH queueing
  BREAKS "first come, first served on deploy"
  WITHIN 900)
mutant(asked_again_and_at_the_end
  IN core/src/queue_scripts.cpp
  ORIGINAL [[if (place != Queue::nowhere) queue.change(place, mine.text());]]
  MUTATED [[if (place != Queue::nowhere) queue.drop(place), queue.append(mine.text());]]
  SEARCH queueing-crash
  BREAKS "first come, first served on deploy"
  WITHIN 6800)
mutant(place_that_ends_with_the_holder
  IN core/src/queue_scripts.cpp
  ORIGINAL [[const milliseconds life = comes_back + claim.grace;]]
  MUTATED [[const milliseconds life = comes_back - milliseconds{1};]]
  SEARCH queueing-crash
  BREAKS "first come, first served on deploy"
  WITHIN 4600)

# --- a waiter that enters by the message of its offer ---

mutant(offer_counted_from_its_message
  IN core/src/queue_lock.cpp
  ORIGINAL [[now, answer.asked + lifetime, margin()]]
  MUTATED [[now, now + lifetime, margin()]]
  SEARCH offers
  BREAKS "exclusion within leases of deploy"
  WITHIN 600000)
mutant(offer_of_before_the_request_is_believed
  IN core/src/queue_lock.cpp
  ORIGINAL [[  if (offer->fencing <= *answer.last_given) return std::nullopt;
]]
  MUTATED [[]]
  SEARCH offers-said-twice
  BREAKS "exclusion within leases of deploy"
  WITHIN 1000000)
mutant(offer_longer_than_the_ttl
  IN core/src/queue_lock.cpp
  ORIGINAL [[const Ttl lasts = std::min(offer->window, ttl);]]
  MUTATED [[const Ttl lasts = offer->window;]]
  SEARCH offers-beyond-the-ttl
  BREAKS "exclusion within leases of deploy"
  WITHIN 2000000)
mutant(offer_that_has_ended_is_taken
  IN core/src/queue_lock.cpp
  ORIGINAL [[  if ((now - answer.asked) * 2 >= lifetime) return std::nullopt;
]]
  MUTATED [[]]
  SEARCH offers
  BREAKS "never a lease is granted that has ended already"
  WITHIN 400000)
mutant(entered_by_a_message_and_for_ever_in_the_queue
  IN core/src/queue.cpp
  ORIGINAL [[    for (const std::size_t n : places_of_mine) queue.drop(n);
    first = std::move(owner_in_line);
]]
  MUTATED [[    first = std::move(owner_in_line);
]]
  SEARCH offers
  BREAKS "clients that have gone leave nothing of deploy"
  WITHIN 300000)

mutant(offer_to_another_is_taken
  IN core/src/queue_lock.cpp
  ORIGINAL [[offer->owner != owner.text() || ]]
  MUTATED [[]]
  CAUGHT_BY core_lock_client_test
  TEST Offered.AMessageThatIsNoOfferToItIsAWakeUp)
mutant(offer_with_the_tokens_of_the_waiters_policy
  IN core/src/queue_lock.cpp
  ORIGINAL [[               offer->tokens, offer->others_queue);]]
  MUTATED [[               fencing_block(), offer->others_queue);]]
  CAUGHT_BY core_lock_client_test
  TEST Offered.AWaiterEntersWithoutAsking)
mutant(offer_that_lasts_as_long_as_the_waiters_policy_says
  IN core/src/queue_lock.cpp
  ORIGINAL [[std::min(offer->window, ttl)]]
  MUTATED [[std::min(Ttl(policy().claim_window), ttl)]]
  CAUGHT_BY core_lock_client_test
  TEST Offered.TheOfferSaysHowLongItLasts)
mutant(whole_ttl_is_asked_for_and_an_offer_taken
  IN core/src/lock_client.cpp
  ORIGINAL [[!attempt.takes_offers || ]]
  MUTATED [[]]
  CAUGHT_BY core_lock_client_test
  TEST Offered.AWaiterThatWantsItsWholeTtlConfirms)

# --- clients that wait in the queue, give up, are cut off; clients that do not queue ---

mutant(queue_that_never_ends
  IN core/src/queue_scripts.cpp
  ORIGINAL [[  if (waits) queue.keep(life, claim.retention());
]]
  MUTATED [[]]
  SEARCH queueing-crash
  BREAKS "no orphan of {deploy}:interlock:queue"
  WITHIN 20000)
mutant(place_in_the_middle_is_not_given_up
  IN core/src/queue.cpp
  ORIGINAL [[if (place != Queue::nowhere) queue.drop(place);]]
  MUTATED [[if (place == 0) queue.drop(place);]]
  SEARCH giving-up-in-the-queue
  BREAKS "clients that have gone leave nothing of deploy"
  WITHIN 100000)
mutant(released_and_offered_to_itself
  IN core/src/queue.cpp
  ORIGINAL [[if (claims && place->waits) first.owner]]
  MUTATED [[if (place->waits) first.owner]]
  SEARCH asked-twice
  BREAKS "clients that have gone leave nothing of deploy"
  WITHIN 20000)
mutant(confirmed_and_still_first_in_the_queue
  IN core/src/queue_scripts.cpp
  ORIGINAL [[    queue.drop_front();]]
  MUTATED [[    if (claim.block > 1) queue.drop_front();]]
  SEARCH inside-and-not-queued
  BREAKS "who is inside is not in the queue"
  WITHIN 600000)
mutant(queue_is_empty_and_nobody_is_told
  IN core/src/queue.cpp
  ORIGINAL [[    keyspace.publish(Channel(arguments[1]), "");
]]
  MUTATED [[]]
  SEARCH beside-the-queue
  BREAKS "no lost wake-up on deploy"
  WITHIN 20000)
mutant(cancelled_and_still_in_the_queue
  IN core/src/lock_client.cpp
  ORIGINAL [[(attempt.may_be_held || attempt.queued)]]
  MUTATED [[(attempt.may_be_held || (attempt.queued && outcome))]]
  SEARCH cancelled-in-the-queue
  BREAKS "clients that have gone leave nothing of deploy"
  WITHIN 20000)
mutant(refused_and_still_in_the_queue
  IN core/src/lock_client.cpp
  ORIGINAL [[(attempt.may_be_held || attempt.queued)]]
  MUTATED [[(attempt.may_be_held || (attempt.queued && (outcome || attempt.cancelled())))]]
  SEARCH refused-in-the-queue
  BREAKS "who has gone is not in the queue"
  WITHIN 50000)
mutant(cut_off_and_still_listening_in_the_queue
  IN core/src/lock_client.cpp
  ORIGINAL [[  attempt->wake_up.reset();
  tell_error]]
  MUTATED [[  tell_error]]
  SEARCH cut-off-in-the-queue
  BREAKS "never a client listens on a subscription that has ended"
  WITHIN 20000)
mutant(cut_off_and_still_listening
  IN core/src/lock_client.cpp
  ORIGINAL [[    attempt->subscription.reset();
]]
  MUTATED [[]]
  SEARCH waiting-cut-off
  BREAKS "never a client listens on a subscription that has ended"
  WITHIN 20000)
mutant(waited_and_still_subscribed
  IN core/src/lock_client.cpp
  ORIGINAL [[  if (attempt.subscription) co_await end_subscription(&attempt);
]]
  MUTATED [[]]
  SEARCH waiting
  BREAKS "never an acquire leaves its subscription behind"
  WITHIN 20000)
# Not in the list, because it breaks no promise: a wake-up channel is given back before the place is given up. The
# next waiter on that channel may get a message that was meant for the place, and claim in vain once. But
# that happens also if a message comes too late for the wait before, which no order can prevent.
