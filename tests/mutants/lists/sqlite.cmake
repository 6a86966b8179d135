# Mutants of the SQLite store, each with the test that must fail: see ../CMakeLists.txt.

mutant(journal_beside_a_file_is_played_back
  IN backends/sqlite/src/database.cpp
  ORIGINAL [[flags, guarded_vfs())]]
  MUTATED [[flags, nullptr)]]
  CAUGHT_BY sqlite_processes_test
  TEST SeveralUsers.CannotMakeOthersDeleteAFileByAJournalBesideTheStore)
mutant(log_that_is_planted_meanwhile_is_believed
  IN backends/sqlite/src/guarded_vfs.cpp
  ORIGINAL [[if ((flags & SQLITE_OPEN_WAL) != 0 && !may_open_log(name)) {]]
  MUTATED [[if ((flags & SQLITE_OPEN_WAL) != 0 && name == nullptr) {]]
  CAUGHT_BY sqlite_processes_test
  TEST SeveralUsers.BelieveNoLogThatAnotherOnePutsBesideAPrivateFileMeanwhile)
mutant(tables_of_others_are_compiled
  IN backends/sqlite/src/database.cpp
  ORIGINAL [[is_pinned_ ? SQLITE_DENY : SQLITE_OK;]]
  MUTATED [[is_pinned_ ? SQLITE_OK : SQLITE_OK;]]
  CAUGHT_BY sqlite_backend_test
  TEST SqliteRefusals.TablesThatAnotherProgramChangesMeanwhileAreNotUsed)
mutant(tables_of_others_are_taken_for_ours
  IN backends/sqlite/src/schema.cpp
  ORIGINAL [[return ours ? Contents::ours : Contents::altered;]]
  MUTATED [[return ours ? Contents::ours : Contents::ours;]]
  CAUGHT_BY sqlite_backend_test
  TEST SqliteRefusals.TablesThatAnotherProgramHasChangedAreNotUsed)
mutant(statistics_of_others_are_taken_for_those_of_sqlite
  IN backends/sqlite/src/schema.cpp
  ORIGINAL [[made) == statistics.end()) return false;]]
  MUTATED [[made) == statistics.end()) return true;]]
  CAUGHT_BY sqlite_backend_test
  TEST SqliteRefusals.StatisticsThatComputeSomethingAreNotUsed)
mutant(packed_file_fails_an_operation
  IN backends/sqlite/src/connection.cpp
  ORIGINAL [[|| tries == most_tries) break;]]
  MUTATED [[|| tries != most_tries) break;]]
  CAUGHT_BY sqlite_backend_test
  TEST SqliteRefusals.AFileThatIsPackedAnewOrAnalysedGoesOn)
mutant(mode_is_changed_by_name
  IN backends/sqlite/src/file_access.cpp
  ORIGINAL [[  if (fchmod(made.get(), mode) != 0) {]]
  MUTATED [[  if (chmod(draft.c_str(), mode) != 0) {]]
  CAUGHT_BY sqlite_processes_test
  TEST SeveralUsers.DoNotChangeTheModeOfAFileToWhichAnotherOneLeadsThem)
mutant(root_uses_files_of_others_with_all_its_rights
  IN backends/sqlite/src/file_rights.cpp
  ORIGINAL [[if (const auto identity = lesser_identity(file)) {]]
  MUTATED [[if (const auto identity = lesser_identity(file); identity && false) {]]
  CAUGHT_BY sqlite_processes_test
  TEST SeveralUsers.LeadRootToNoFileOfItsInTheLogsPlace)
mutant(log_of_another_user_is_believed
  IN backends/sqlite/src/file_access.cpp
  ORIGINAL [[return (folder.st_mode & S_IWOTH) != 0 && (file.st_mode & S_IWOTH) == 0;]]
  MUTATED [[return false;]]
  CAUGHT_BY sqlite_processes_test
  TEST SeveralUsers.CannotPutALogBesideAnothersPrivateFile)
mutant(log_is_removed_whenever_the_file_is_closed
  IN backends/sqlite/src/database.cpp
  ORIGINAL [[const bool stays = log_pages_ < short_log || has_lost_log();]]
  MUTATED [[const bool stays = log_pages_ < 0 * short_log || has_lost_log();]]
  CAUGHT_BY sqlite_processes_test
  TEST SqliteProcesses.AShortLogOutlivesItsLastUserAndALongOneDoesNot)
mutant(long_log_stays_when_the_file_is_closed
  IN backends/sqlite/src/database.cpp
  ORIGINAL [[const bool stays = log_pages_ < short_log || has_lost_log();]]
  MUTATED [[const bool stays = log_pages_ >= 0 * short_log || has_lost_log();]]
  CAUGHT_BY sqlite_processes_test
  TEST SqliteProcesses.AShortLogOutlivesItsLastUserAndALongOneDoesNot)
mutant(log_is_never_copied_into_the_file
  IN backends/sqlite/src/database.cpp
  ORIGINAL [[if (self.checkpoint_after_ && pages >= *self.checkpoint_after_) {]]
  MUTATED [[if (self.checkpoint_after_ && pages < 0) {]]
  CAUGHT_BY sqlite_processes_test
  TEST SmallDefaultStore.IsNotFilledByLocksThatWereReleased)
mutant(removed_log_is_written_on
  IN backends/sqlite/src/database.cpp
  ORIGINAL [[  if (log_files() != *log_) file_->lost_log = true;
]]
  MUTATED [[]]
  CAUGHT_BY sqlite_processes_test
  TEST SqliteProcesses.AHolderWhoseLogWasRemovedRenewsNothing)
mutant(removed_index_of_the_log_is_used_on
  IN backends/sqlite/src/database.cpp
  ORIGINAL [[  return {id_of(log_path_), id_of(index_path_)};]]
  MUTATED [[  return {id_of(log_path_), std::nullopt};]]
  CAUGHT_BY sqlite_processes_test
  TEST SqliteProcesses.AHolderWhoseIndexOfTheLogWasRemovedOrReplacedRenewsNothing)
mutant(new_connection_hides_that_the_index_was_removed
  IN backends/sqlite/src/database.cpp
  ORIGINAL [[  if (file_) file_->compare(log_files());
]]
  MUTATED [[]]
  CAUGHT_BY sqlite_processes_test
  TEST SqliteProcesses.ANewStoreDoesNotShareAnIndexOfTheLogThatWasRemoved)
mutant(idle_connection_keeps_the_lost_log
  IN backends/sqlite/src/schema.cpp
  ORIGINAL [[database.close_with_others();]]
  MUTATED [[database.close();]]
  CAUGHT_BY sqlite_processes_test
  TEST SqliteProcesses.AHolderWhoseLogWasRemovedRenewsNothing)
mutant(locks_of_the_parent_for_a_child_that_has_none
  IN backends/sqlite/src/schema.cpp
  ORIGINAL [[if (has_files_of_parent()) {]]
  MUTATED [[if (false) {]]
  CAUGHT_BY fork_test
  TEST Stores/UntoldFork.WhatTheParentsBackendOpensInTheChildAnswersThatAndABackendOfItsOwnServes/sqlite)
mutant(descriptors_of_closed_connections_stay
  IN backends/sqlite/src/database.cpp
  ORIGINAL [[  if (file->keeps_many_descriptors()) file->close_unused();
]]
  MUTATED [[]]
  CAUGHT_BY sqlite_descriptors_test
  TEST SqliteDescriptors.OfABurstAreGivenBackBesideALockThatIsHeld)
mutant(periods_end_with_the_machine
  IN backends/sqlite/src/schema.cpp
  ORIGINAL [[is_kept_for_period(database, key, value);]]
  MUTATED [[(key.text().empty() && is_kept_for_period(database, key, value));]]
  CAUGHT_BY sqlite_processes_test
  TEST SqliteReboot.KeepsALockForTheRestOfThePeriodInWhichItsCommandHasRun)
mutant(leases_outlive_the_machine_if_any_run_is_noted
  IN backends/sqlite/src/schema.cpp
  ORIGINAL [[note.text(0).ends_with(" " + owner);]]
  MUTATED [[note.text(0).size() > owner.size();]]
  CAUGHT_BY sqlite_processes_test
  TEST SqliteReboot.KeepsALockForTheRestOfThePeriodInWhichItsCommandHasRun)
