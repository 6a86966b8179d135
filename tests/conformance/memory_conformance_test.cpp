#include "interlock/memory/memory_backend.hpp"
#include "store_conformance.hpp"

namespace interlock::testing_support {
namespace {

INSTANTIATE_TEST_SUITE_P(Memory, StoreConformance, testing::Values(WorldFactory([] {
                           return std::make_unique<BlockingWorld>(memory::backend());
                         })));

}  // namespace
}  // namespace interlock::testing_support
