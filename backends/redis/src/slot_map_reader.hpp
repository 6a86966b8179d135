// Asks servers of a cluster who keeps which slots, on an event loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "async_connection.hpp"
#include "cluster.hpp"

namespace interlock::redis {

// On the loop's thread. Held by shared pointer: see AsyncConnection.
class SlotMapReader final : public AsyncConnection::Owner,
                            public std::enable_shared_from_this<SlotMapReader> {
 public:
  // Without an error: the cluster knows its map. `done` may destroy the reader.
  using Done = std::function<void(std::optional<Error> why_not)>;
  SlotMapReader(std::shared_ptr<Cluster> cluster, Reactor& reactor, Done done);

  // Begins, and calls `done` once, later.
  void begin();
  void close();

  void opened() override;
  void answered(Answer answer) override;
  void failed(Error why) override;
  void lost(std::string fact) override;

 private:
  void ask_next();
  void finish(std::optional<Error> why_not);
  void try_next(const Error& why);

  std::shared_ptr<Cluster> cluster_;
  Reactor& reactor_;
  Done done_;
  std::vector<std::shared_ptr<Endpoint>> left_;  // to ask, the next one last
  std::shared_ptr<Endpoint> asked_;
  std::shared_ptr<AsyncConnection> connection_;
  std::optional<Patience> patience_;
  Duration answered_until_{};  // by patience_
  std::optional<Answer> slots_;
};

}  // namespace interlock::redis
