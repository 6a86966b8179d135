#include "interlock/store/backend.hpp"

namespace interlock {
namespace {

class WholeSearch final : public LockSearch {
 public:
  explicit WholeSearch(Backend& backend) : backend_(backend) {}
  Result<FoundPart> next(std::size_t /*keys_max*/) override {
    auto held = backend_.held_locks();
    if (!held) return std::move(held).error();
    FoundPart part;
    part.found = *std::move(held);
    return part;
  }

 private:
  Backend& backend_;
};

}  // namespace

Result<std::vector<Finding>> Backend::inspect_for(const LockName& /*lock*/) {
  return inspect();
}

std::unique_ptr<LockSearch> Backend::search_locks() {
  return std::make_unique<WholeSearch>(*this);
}

}  // namespace interlock
