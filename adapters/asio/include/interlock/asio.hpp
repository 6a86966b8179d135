// Locks in programs whose event loop is Asio: acquire and release with a completion token.
//
//   interlock::AcquireResult lock =
//       co_await interlock::async_acquire(client, "deploy", {}, asio::use_awaitable);
//   ...
//   co_await interlock::async_release(client, *std::move(lock), asio::use_awaitable);
//
// Works with every completion token: use_awaitable, use_future, deferred, a callback. Needs
// Asio 1.18 or later, standalone or as part of Boost (1.74 or later). If both are there, the
// standalone one is taken; define INTERLOCK_BOOST_ASIO before the first include to take Boost's.
// All files of a program must choose the same. Source: Asio's reference, "Requirements on
// asynchronous operations".
//
// co_spawn() default-constructs what its coroutine returns, which an AcquireResult and a Guard do
// not allow: let such a coroutine return a std::optional of it.
#pragma once

#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#if !defined(INTERLOCK_BOOST_ASIO) && !__has_include(<asio/async_result.hpp>)
#define INTERLOCK_BOOST_ASIO
#endif
#if defined(INTERLOCK_BOOST_ASIO)
#if !__has_include(<boost/asio/async_result.hpp>)
#error \
    "interlock/asio.hpp: no Asio was found: install libasio-dev or libboost-dev, or add its folder to the include path"
#endif
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#if __has_include(<boost/asio/associated_cancellation_slot.hpp>)
#include <boost/asio/associated_cancellation_slot.hpp>
#define INTERLOCK_ASIO_CANCELS
#endif
namespace interlock::detail {
namespace net = boost::asio;
}
#else
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#if __has_include(<asio/associated_cancellation_slot.hpp>)
#include <asio/associated_cancellation_slot.hpp>
#define INTERLOCK_ASIO_CANCELS
#endif
namespace interlock::detail {
namespace net = ::asio;
}
#endif

#include "interlock/client.hpp"
#include "interlock/lock_failure.hpp"

namespace interlock {
namespace detail {

// A handler that waits for the client's loop. Meanwhile its executor has work, so that run() of its
// context does not return.
template <class Handler>
class AsioHandler {
 public:
  explicit AsioHandler(Handler handler)
      : work_(net::get_associated_executor(handler)), handler_(std::move(handler)) {}

  // A request to stop by either: the caller's token, or the cancellation slot of the handler.
  std::stop_token stopped_by(const std::stop_token& caller) {
    if (caller.stop_possible()) on_stop_.emplace(caller, RequestStop{stop_});
#ifdef INTERLOCK_ASIO_CANCELS
    if (auto slot = net::get_associated_cancellation_slot(handler_); slot.is_connected()) {
      slot.assign([stop = stop_](net::cancellation_type kind) mutable {
        if (kind != net::cancellation_type::none) stop.request_stop();
      });
    }
#endif
    return stop_.get_token();
  }

  // Calls the handler on its executor, never inside this call.
  template <class Outcome>
  static void complete(std::shared_ptr<AsioHandler> waiting, Outcome outcome) {
    const auto executor = waiting->work_.get_executor();
    net::post(executor, [waiting = std::move(waiting), outcome = std::move(outcome)]() mutable {
      waiting->on_stop_.reset();
#ifdef INTERLOCK_ASIO_CANCELS
      if (auto slot = net::get_associated_cancellation_slot(waiting->handler_);
          slot.is_connected()) {
        slot.clear();
      }
#endif
      Handler handler = std::move(waiting->handler_);
      waiting.reset();
      std::move(handler)(std::move(outcome));
    });
  }

 private:
  struct RequestStop {
    std::stop_source stop;
    void operator()() { stop.request_stop(); }
  };

  net::executor_work_guard<net::associated_executor_t<Handler>> work_;
  std::stop_source stop_;
  std::optional<std::stop_callback<RequestStop>> on_stop_;
  Handler handler_;
};

template <class Handler>
std::shared_ptr<AsioHandler<Handler>> waiting_handler(Handler handler) {
  return std::make_shared<AsioHandler<Handler>>(std::move(handler));
}

// Why the operation could not be begun. An exception must not leave an initiation: use_awaitable
// ends the process then.
template <class Begin>
std::optional<Error> why_not_begun(const Begin& begin) {
#ifdef __cpp_exceptions
  try {
    begin();
  } catch (const LockFailure& failure) {
    return failure.error();
  } catch (const std::bad_alloc&) {
    return Error(Errc::unavailable, "not begun: memory ran out: end something else");
  }
#else
  begin();
#endif
  return std::nullopt;
}

}  // namespace detail

// Acquires as Client::acquire() does, without blocking any thread. Completes with an AcquireResult,
// on the executor that is associated with the completion handler, never before this returns.
// Errors: see Client::acquire_then. `name` is copied. Cancellation by Asio (cancellation slots,
// from Asio 1.19 on; any type) and LockOptions::stop end the wait: the result is `cancelled`. A
// grant that came just before is delivered all the same. ~Client ends the wait in the same way, and
// waits until the result is posted. The executor's context must outlive the operation. Destroy the
// client before the context, also when the operation has completed: the client's thread may not
// have returned from its post() yet. A result that the context does not deliver, because it is
// destroyed before, is destroyed with it. Its client is gone by then, so its lock ends with its
// ttl. If memory runs out before the operation is begun, the result is `unavailable`, or, if there
// is none for the handler either, std::bad_alloc leaves the initiation: with use_awaitable, that
// ends the process. Any thread. In a child of fork() the result is `forked`.
template <class CompletionToken>
auto async_acquire(Client& client,
                   std::string_view name,
                   LockOptions options,
                   CompletionToken&& token) {
  return detail::net::async_initiate<CompletionToken, void(AcquireResult)>(
      [](auto handler, Client* from, const std::string& wanted, LockOptions how) {
        auto waiting = detail::waiting_handler(std::move(handler));
        how.stop = waiting->stopped_by(how.stop);
        const auto refused = detail::why_not_begun([&] {
          from->acquire_then(wanted, how, [waiting](AcquireResult result) mutable {
            waiting->complete(std::move(waiting), std::move(result));
          });
        });
        if (refused) waiting->complete(waiting, AcquireResult(*refused));
      },
      token, &client, std::string(name), std::move(options));
}

// Releases as Guard::release() does, without blocking any thread. Completes with a
// Result<ReleaseOutcome>, as async_acquire() does; cancellation has no effect. A guard that is
// dropped instead is released too: ~Guard says when it waits for the store. `client` is the client
// of the guard.
template <class CompletionToken>
auto async_release(Client& client, Guard guard, CompletionToken&& token) {
  return detail::net::async_initiate<CompletionToken, void(Result<ReleaseOutcome>)>(
      [](auto handler, Client* of, Guard held) {
        auto waiting = detail::waiting_handler(std::move(handler));
        const auto refused = detail::why_not_begun([&] {
          of->release_then(std::move(held), [waiting](Result<ReleaseOutcome> result) mutable {
            waiting->complete(std::move(waiting), std::move(result));
          });
        });
        if (refused) waiting->complete(waiting, Result<ReleaseOutcome>(*refused));
      },
      token, &client, std::move(guard));
}

}  // namespace interlock
