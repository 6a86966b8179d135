# Mutants of the locks that several owners have together: see ../CMakeLists.txt.

mutant(reader_joins_a_writer
  IN core/src/held_group.cpp
  ORIGINAL [[if (wish.kind.empty() || wish.kind != kind_) return false;]]
  MUTATED [[if (wish.kind.empty()) return false;]]
  CAUGHT_BY group_lock_search_test
  TEST GroupLockSearch.KindsOnOneName)
mutant(one_permit_too_many
  IN core/src/held_group.cpp
  ORIGINAL [[used_ + wish.weight <= *number_of(kind_)]]
  MUTATED [[used_ + wish.weight <= *number_of(kind_) + 1]]
  CAUGHT_BY group_lock_search_test
  TEST GroupLockSearch.PermitsOfTwo)
mutant(heavy_holder_counts_once
  IN core/src/held_group.cpp
  ORIGINAL [[used_ += wish.weight;]]
  MUTATED [[used_ += 1;]]
  CAUGHT_BY group_lock_search_test
  TEST GroupLockSearch.AHeavyHolderJoinsALightOne)
mutant(first_holder_counts_nothing
  IN core/src/held_group.cpp
  ORIGINAL [[used_ = wish.weight;]]
  MUTATED [[used_ = 0;]]
  CAUGHT_BY group_lock_search_test
  TEST GroupLockSearch.AHeavyHolderAndTwoLight)
mutant(permits_are_not_given_back
  IN core/src/held_group.cpp
  ORIGINAL [[  take_away(owner);
  ends_.erase(owner);]]
  MUTATED [[  ends_.erase(owner);]]
  CAUGHT_BY group_lock_search_test
  TEST GroupLockSearch.PermitsThatAreGivenBackAreTakenAtOnce)
mutant(dead_holders_keep_their_permits
  IN core/src/held_group.cpp
  ORIGINAL [[      take_away(owner);
    }
  }
  return true;]]
  MUTATED [[    }
  }
  return true;]]
  CAUGHT_BY group_lock_search_test
  TEST GroupLockSearch.PermitsOfADeadHolderAreFreeWhenItsLeaseEnds)
mutant(lock_ends_with_the_first_reader
  IN core/src/held_group.cpp
  ORIGINAL [[last = std::max(last, ends);]]
  MUTATED [[last = last.count() == 0 ? ends : std::min(last, ends);]]
  CAUGHT_BY group_lock_search_test
  TEST GroupLockSearch.LeasesOfDifferentLength)
mutant(readers_have_the_token_of_the_writer_before
  IN core/src/group_scripts.cpp
  ORIGINAL [[group_.start(wish_, queue_.fencing());]]
  MUTATED [[group_.start(wish_, queue_.previous().value_or(1));]]
  CAUGHT_BY group_lock_search_test
  TEST GroupLockSearch.TwoReadersAndAWriter)
mutant(readers_number_is_not_kept
  IN core/src/group_scripts.cpp
  ORIGINAL [[const std::int64_t number = queue_.next_number(kept_);]]
  MUTATED [[const std::int64_t number = group_.is_shared() ? queue_.fencing() : queue_.next_number(kept_);]]
  CAUGHT_BY group_lock_search_test
  TEST GroupLockSearch.AReaderAndTwoWriters)
mutant(newcomer_passes_the_waiting_writer
  IN core/src/group_scripts.cpp
  ORIGINAL [[  if (!group_.fits(its)) return Admitting::stops;
]]
  MUTATED [[  if (!group_.fits(its)) return Admitting::goes_on;
]]
  CAUGHT_BY group_lock_search_test
  TEST GroupLockSearch.AWriterThatWaitsStopsNewReaders)
mutant(admitted_and_not_told
  IN core/src/group_scripts.cpp
  ORIGINAL [[  has_admitted_ = true;
  queue_.drop(n);
  queue_.rouse(place);]]
  MUTATED [[  has_admitted_ = true;
  queue_.drop(n);]]
  CAUGHT_BY group_lock_search_test
  TEST GroupLockSearch.ReadersAreAdmittedTogether)
mutant(only_the_first_reader_enters
  IN core/src/group_scripts.cpp
  ORIGINAL [[if (!quarantine_) static_cast<void>(admission_.admit(false));]]
  MUTATED [[]]
  CAUGHT_BY group_lock_search_test
  TEST GroupLockSearch.ReadersAreAdmittedTogether)
mutant(last_of_a_group_leaves_the_lock
  IN core/src/group_scripts.cpp
  ORIGINAL [[  if (group.size() == 1) {]]
  MUTATED [[  if (false) {]]
  CAUGHT_BY group_lock_search_test
  TEST GroupLockSearch.OneReaderAndOneWriter)
mutant(one_who_leaves_admits_nobody
  IN core/src/group_scripts.cpp
  ORIGINAL [[  if (!queue.empty() && offers == Offers::to_the_first) {]]
  MUTATED [[  if (false) {]]
  CAUGHT_BY group_lock_search_test
  TEST GroupLockSearch.PermitsThatAreGivenBackAreTakenAtOnce)
mutant(one_who_leaves_is_kept
  IN core/src/group_scripts.cpp
  ORIGINAL [[  group.remove(owner);
]]
  MUTATED [[]]
  CAUGHT_BY group_lock_search_test
  TEST GroupLockSearch.ReadersThatHaveLeftKeepNobodyOut)
mutant(renewal_of_one_who_has_left
  IN core/src/group_scripts.cpp
  ORIGINAL [[if (!group.has(owner)) return Value(entry && !group.is_there() ? -1 : 0);]]
  MUTATED [[]]
  CAUGHT_BY group_lock_search_test
  TEST GroupLockSearch.RenewedLeases)
mutant(downgrade_of_another_lease
  IN core/src/group_scripts.cpp
  ORIGINAL [[bool starts = holder && (*holder == owner_ || (!instead_of_.empty() && *holder == instead_of_));]]
  MUTATED [[bool starts = holder && (*holder == owner_ || !instead_of_.empty());]]
  CAUGHT_BY core_group_lock_test
  TEST SharedLockTest.ALeaseThatIsNotThereIsNotDowngraded)
mutant(nobody_is_told_that_a_writer_gave_up
  IN core/src/queue.cpp
  ORIGINAL [[    if (place != Queue::nowhere && holder && is_group(*holder)) queue.rouse_after(place);
]]
  MUTATED [[]]
  CAUGHT_BY group_lock_search_test
  TEST GroupLockSearch.WhoCanJoinWhenAWriterGivesUpJoins)
mutant(permits_of_another_number_are_waited_for
  IN core/src/group_lock.cpp
  ORIGINAL [[if (!group || group->are_readers || ours.kind == std::to_string(group->all_permits))]]
  MUTATED [[if (true)]]
  CAUGHT_BY core_group_lock_test
  TEST PermitLockTest.AnotherNumberOfPermitsIsTold)
