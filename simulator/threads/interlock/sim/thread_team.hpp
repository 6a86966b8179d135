// Threads for a search: Limits::team. A header of its own, because the simulator itself is compiled
// for targets that have none.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "interlock/sim/explore.hpp"

namespace interlock::sim {

// A team of `threads` threads, the caller of run() included. The others sleep between two runs.
class ThreadTeam final : public Team {
 public:
  // If the system refuses a thread, this throws std::system_error, and none is left behind: the
  // destructor ends those that were made.
  explicit ThreadTeam(std::size_t threads) : ThreadTeam() {
    for (std::size_t other = 1; other < threads; ++other) {
      others_.emplace_back([this] { serve(); });
    }
  }
  ~ThreadTeam() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      over_ = true;
    }
    called_.notify_all();
    for (std::thread& other : others_) other.join();
  }
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // The number of threads that the machine runs at a time.
  static std::size_t all_cores() {
    const std::size_t cores = std::thread::hardware_concurrency();
    return cores == 0 ? 1 : cores;
  }

  std::size_t size() const override { return others_.size() + 1; }

  void run(std::size_t count, const std::function<void(std::size_t)>& job) override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      job_ = &job;
      count_ = count;
      next_.store(0, std::memory_order_relaxed);
      at_work_ = others_.size();
      ++round_;
    }
    called_.notify_all();
    take_jobs(job, count);
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return at_work_ == 0; });
  }

 private:
  ThreadTeam() = default;
  void serve() {
    std::size_t served = 0;
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      called_.wait(lock, [&] { return over_ || round_ != served; });
      if (over_) return;
      served = round_;
      const std::function<void(std::size_t)>& job = *job_;
      const std::size_t count = count_;
      lock.unlock();
      take_jobs(job, count);
      lock.lock();
      if (--at_work_ == 0) done_.notify_one();
    }
  }

  void take_jobs(const std::function<void(std::size_t)>& job, std::size_t count) {
    for (;;) {
      const std::size_t mine = next_.fetch_add(1, std::memory_order_relaxed);
      if (mine >= count) return;
      job(mine);
    }
  }

  std::mutex mutex_;
  std::condition_variable called_;
  std::condition_variable done_;
  const std::function<void(std::size_t)>* job_ = nullptr;
  std::size_t count_ = 0;
  std::size_t round_ = 0;
  std::size_t at_work_ = 0;
  bool over_ = false;
  std::atomic<std::size_t> next_{0};
  std::vector<std::thread> others_;
};

}  // namespace interlock::sim
