// Work shared by several threads.
#pragma once

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace bricard {

/// Calls `work` on `count` threads, this one among them, and waits for all. Where the system gives fewer threads, fewer
/// do the work. The first exception of any of them is thrown here.
template <class Work>
void run_on_threads(int count, const Work& work) {
  std::mutex guard;
  std::exception_ptr problem;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!problem) problem = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;  // each is waited for, whatever happens
    try {
      for (int k = 1; k < count; ++k) threads.emplace_back(guarded);
    } catch (const std::exception&) {
    }
    guarded();
  }
  if (problem) std::rethrow_exception(problem);
}

}  // namespace bricard
