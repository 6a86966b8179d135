#include "../sqlite/scratch_directory.hpp"
#include "interlock/sqlite/sqlite_backend.hpp"
#include "store_conformance.hpp"

namespace interlock::testing_support {
namespace {

class SqliteWorld final : public BlockingWorld {
 public:
  SqliteWorld() : SqliteWorld(ScratchDirectory()) {}
  bool counts_listeners() const override { return false; }

 private:
  explicit SqliteWorld(ScratchDirectory directory)
      : BlockingWorld(*sqlite::backend(directory.path() / "locks.sqlite3")),
        directory_(std::move(directory)) {}
  ScratchDirectory directory_;
};

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreConformance, testing::Values(WorldFactory([] {
                           return std::make_unique<SqliteWorld>();
                         })));

}  // namespace
}  // namespace interlock::testing_support
