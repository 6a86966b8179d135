#include "interlock/sqlite/sqlite_backend.hpp"
#include "store_conformance.hpp"
#include "support/scratch_folder.hpp"

namespace interlock::testing_support {
namespace {

class SqliteWorld final : public BlockingWorld {
 public:
  SqliteWorld() : SqliteWorld(test::ScratchFolder()) {}
  bool counts_listeners() const override { return false; }

 private:
  explicit SqliteWorld(test::ScratchFolder directory)
      : BlockingWorld(*sqlite::backend(directory.path() / "locks.sqlite3")),
        directory_(std::move(directory)) {}
  test::ScratchFolder directory_;
};

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreConformance, testing::Values(WorldFactory([] {
                           return std::make_unique<SqliteWorld>();
                         })));

}  // namespace
}  // namespace interlock::testing_support
