// The operations of an example twice: as Lua on a real server, and natively. A user who copies them
// gets the same in the simulator and in production.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "own_operations/operations.hpp"
#include "server_and_model.hpp"

namespace interlock::redis {
namespace {

Operation call(const Script& script, std::vector<std::string> arguments) {
  Operation operation(OperationKind::run);
  operation.script = &script;
  operation.keys = KeyList{Key("k")};
  operation.arguments = ArgumentList(arguments);
  return operation;
}

class OwnOperations : public testing::Test {
 protected:
  Reply both(const Operation& operation) {
    const auto [lua, native] = pair_.both(operation);
    EXPECT_TRUE(lua && native && *lua == *native)
        << test::shown(lua) << ", " << test::shown(native);
    return native;
  }
  void put(const std::string& value) {
    static_cast<void>(both(test::operation(OperationKind::set, "k", value, long_ttl)));
  }

 private:
  Pair pair_;
};

TEST_F(OwnOperations, TakeOneStopsAtNone) {
  EXPECT_EQ(*both(call(own_operations::take_one, {})), Value(std::int64_t{0})) << "no key";
  put("2");
  for (const std::int64_t taken : {1, 1, 0, 0}) {
    EXPECT_EQ(*both(call(own_operations::take_one, {})), Value(taken));
  }
}

TEST_F(OwnOperations, GetAndDeleteGivesTheValueOnce) {
  put("x");
  EXPECT_EQ(*both(call(own_operations::get_and_delete, {})), Value(std::string("x")));
  EXPECT_EQ(*both(call(own_operations::get_and_delete, {})), Value());
}

TEST_F(OwnOperations, CompareAndSetKeepsWhatIsNotTheSameAndTheExpiry) {
  EXPECT_EQ(*both(call(own_operations::compare_and_set, {"a", "b"})), Value(std::int64_t{0}));
  put("a");
  EXPECT_EQ(*both(call(own_operations::compare_and_set, {"x", "b"})), Value(std::int64_t{0}));
  EXPECT_EQ(*both(call(own_operations::compare_and_set, {"a", "b"})), Value(std::int64_t{1}));
  EXPECT_EQ(*both(test::operation(OperationKind::get, "k")), Value(std::string("b")));
}

}  // namespace
}  // namespace interlock::redis
