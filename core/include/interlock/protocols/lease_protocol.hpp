// The common part of all protocols whose grant is a lease at a store: what a lost answer means,
// when a lease begins, and when it is over. A derived protocol says which requests to send.
#pragma once

#include "interlock/lock_protocol.hpp"
#include "interlock/quarantine.hpp"
#include "interlock/retention.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/time_source.hpp"

#pragma GCC visibility push(default)

namespace interlock {

class LeaseProtocol : public LockProtocol {
 public:
  Task<Result<RenewOutcome>> renew(Lease lease) override;
  Task<Result<ReleaseOutcome>> release(Lease lease) override;
  std::optional<Channel> release_channel(const LockName& name) const override;

 protected:
  // A quarantine out of its ranges ends the process with a message.
  LeaseProtocol(KeyValueStore& store,
                TimeSource& time,
                SafetyMargin margin,
                std::optional<Quarantine> quarantine,
                Retention retention);

  // For protocols with a queue: what a claim says besides.
  class ClaimDetails {
   public:
    ClaimDetails() = default;  // makes the class no aggregate: see vocabulary.hpp
    std::string wake_up;       // the channel of a caller that is going to wait
    std::string instead_of;    // the owner whose lease becomes that of the claim
  };
  // Sends one claim, and repeats it after a lost answer.
  Task<Result<AcquireOutcome>> claim(
      LockName name, OwnerToken owner, Ttl ttl, ClaimDetails details, Asks asks);

  KeyValueStore& store() const noexcept { return store_; }
  TimeSource& time() const noexcept { return time_; }
  const SafetyMargin& margin() const noexcept { return margin_; }
  const std::optional<Quarantine>& quarantine() const noexcept { return quarantine_; }
  Retention retention() const noexcept { return retention_; }

 private:
  // Both may be sent again: a repeated claim of the same owner must give the same grant, and a
  // repeated release must not touch a lock that another owner holds by now.
  virtual OperationAwaiter<ClaimReply> send_claim(const LockName& name,
                                                  const OwnerToken& owner,
                                                  Ttl ttl,
                                                  const ClaimDetails& details,
                                                  Asks asks) = 0;
  virtual OperationAwaiter<OwnerCheck> send_release(const LockName& name,
                                                    const OwnerToken& owner) = 0;
  // The release, or what leaves a lease to its owner for the rest of its time.
  OperationAwaiter<OwnerCheck> send_end(const Lease& lease, const std::optional<Ttl>& rest);
  virtual OperationAwaiter<OwnerCheck> send_renewal(const LockName& name,
                                                    const OwnerToken& owner,
                                                    Ttl ttl);
  // How many fencing tokens a claim asks for.
  virtual std::int64_t fencing_block() const noexcept { return 1; }

  KeyValueStore& store_;
  TimeSource& time_;
  SafetyMargin margin_;
  std::optional<Quarantine> quarantine_;
  Retention retention_;
};

}  // namespace interlock

#pragma GCC visibility pop
