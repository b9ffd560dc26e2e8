// The BLAS has one thread, whatever the machine and its settings for all programs are; others do nothing.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "linear/minimum_norm.h"

extern "C" int openblas_get_num_threads();

namespace bricard {
namespace blas_threads_test {

/// Processor time of all threads but this one, in ticks of the clock.
long ticks_of_others() {
  long sum = 0;
  const std::string self = std::to_string(syscall(SYS_gettid));
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    if (entry.path().filename() == self) continue;
    std::ifstream file(entry.path() / "stat");
    std::stringstream text;
    text << file.rdbuf();
    const std::string all = text.str();
    std::istringstream fields(all.substr(all.rfind(')') + 1));
    std::string field;
    for (int k = 0; k < 11; ++k) fields >> field;
    long user = 0, kernel = 0;
    fields >> user >> kernel;
    sum += user + kernel;
  }
  return sum;
}

TEST(BlasThreads, IsOneWhateverTheEnvironmentSays) { EXPECT_EQ(openblas_get_num_threads(), 1); }

// Rows of a chain with a drive in each joint: what `kinematics` factorises again and again.
TEST(BlasThreads, DoNotSpinWhileLargeSystemsAreSolved) {
  const int size = 700;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<Eigen::Triplet<double>> entries;
  for (int row = 0; row < size; ++row) {
    for (int column = std::max(0, row - 40); column <= row; ++column) entries.emplace_back(row, column, number(random));
    entries.emplace_back(row, row, 50.0);
  }
  SparseRows A(size, size);
  A.setFromTriplets(entries.begin(), entries.end());
  MinimumNorm solver;
  Vector x;
  long before = ticks_of_others();
  // Threads that the BLAS has made at its start, before it was told, wait busily for some time and then sleep.
  for (long now = -1; now != before;) {
    now = before;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    before = ticks_of_others();
  }
  for (int k = 0; k < 20; ++k) {
    solver.factorize(A, 1e-9);
    solver.solve(Vector::Ones(size), x);
  }
  EXPECT_EQ(solver.rank(), size);
  EXPECT_LE(ticks_of_others() - before, 1);
}

}  // namespace blas_threads_test
}  // namespace bricard
