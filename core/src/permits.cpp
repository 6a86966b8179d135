#include "interlock/permits.hpp"

#include "interlock/detail/assert.hpp"
#include "interlock/vocabulary.hpp"

namespace interlock {
namespace {

std::optional<Error> wrong(std::int64_t wanted, std::int64_t all) {
  if (all < 1 || all > Permits::most) {
    return Error(Errc::invalid_argument, "permits: there are " + std::to_string(all) +
                                             ": choose 1 to " + std::to_string(Permits::most));
  }
  if (wanted < 1 || wanted > all) {
    return Error(Errc::invalid_argument, "permits: " + std::to_string(wanted) + " of " +
                                             std::to_string(all) + " are wanted: choose 1 to " +
                                             std::to_string(all));
  }
  return std::nullopt;
}

}  // namespace

Result<Permits> Permits::parse(std::int64_t wanted, std::int64_t all) {
  if (const auto error = wrong(wanted, all)) return *error;
  return Permits(wanted, all);
}

Permits::Permits(std::int64_t wanted, std::int64_t all) : wanted_(wanted), all_(all) {
  if (const auto error = wrong(wanted, all)) detail::misused(error->detail());
}

std::string Permits::mark() const {
  return std::string(OwnerToken::permits_mark) + std::to_string(wanted_) + "of" +
         std::to_string(all_) + std::string(OwnerToken::fair_mark);
}

}  // namespace interlock
