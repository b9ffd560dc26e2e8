// Files are read back with the library itself.
#include "io/results/hdf5_sink.h"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "bricard/load.h"
#include "io/results/column_units.h"
#include "support/command.h"

namespace bricard {
namespace hdf5_sink_test {

class Hdf5 : public testing::Test {
 protected:
  void SetUp() override {
    file_ = std::filesystem::temp_directory_path() /
            ("bricard-" + std::to_string(getpid()) + "-" +
             testing::UnitTest::GetInstance()->current_test_info()->name() + ".h5");
  }
  void TearDown() override { std::filesystem::remove(file_); }

  static std::shared_ptr<const Model> shipped(const std::string& name) {
    return load(std::string(BRICARD_SOURCE_DIR) + "/models/" + name + ".yaml");
  }
  std::vector<double> column(const std::string& name) const {
    const hid_t file = H5Fopen(file_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return {};
    const hid_t data = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
    std::vector<double> values;
    if (data >= 0) {
      const hid_t space = H5Dget_space(data);
      values.resize(H5Sget_simple_extent_npoints(space));
      H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
      H5Sclose(space);
      H5Dclose(data);
    }
    H5Fclose(file);
    return values;
  }
  std::string text(const std::string& owner, const std::string& name) const {
    const hid_t file = H5Fopen(file_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t attribute = H5Aopen_by_name(file, owner.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    std::string value;
    if (attribute >= 0) {
      const hid_t type = H5Aget_type(attribute);
      value.resize(H5Tget_size(type));
      H5Aread(attribute, type, value.data());
      H5Tclose(type);
      H5Aclose(attribute);
    }
    H5Fclose(file);
    return value;
  }
  double number(const std::string& owner, const std::string& name) const {
    const hid_t file = H5Fopen(file_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t attribute = H5Aopen_by_name(file, owner.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    double value = -1;
    if (attribute >= 0) {
      H5Aread(attribute, H5T_NATIVE_DOUBLE, &value);
      H5Aclose(attribute);
    }
    H5Fclose(file);
    return value;
  }

  std::filesystem::path file_;
};

TEST_F(Hdf5, HoldsTheSameNumbersAsMemory) {
  const auto model = shipped("five-bar");
  Method method;
  method.duration = 5;
  MemorySink memory;
  const Summary summary = simulate(model, method, memory);
  ASSERT_TRUE(summary.ok());
  {
    const auto sink = open_hdf5_sink(file_, {});
    ASSERT_TRUE(simulate(model, method, *sink).ok());
  }
  for (const std::string name : {"time", "link1.x", "coupler.omega", "A1.fx", "energy.total", "constraint.position"}) {
    const std::vector<double> values = column(name);
    ASSERT_EQ(values.size(), memory.rows.size()) << name;
    for (std::size_t k = 0; k < values.size(); ++k) ASSERT_EQ(values[k], memory.at(k, name)) << name << " " << k;
  }
  EXPECT_EQ(text("/", "model"), model->name);
  EXPECT_EQ(text("/", "model_text"), model->text);
  EXPECT_EQ(text("/", "formulation"), summary.chosen.method.formulation);
  EXPECT_EQ(number("/", "tolerance"), summary.chosen.method.tolerance);
  EXPECT_EQ(text("/link1.x", "unit"), "m");
  EXPECT_EQ(text("/A1.fx", "unit"), "N");
  // Along the links the forces are not unique, at 30 degrees to both axes.
  EXPECT_EQ(number("/A1.fx", "unique"), 0);
  EXPECT_EQ(number("/A1.mz", "unique"), 1);
  EXPECT_EQ(number("/link1.x", "unique"), -1);
}

TEST_F(Hdf5, KeepsTheWantedColumns) {
  const auto model = shipped("pendulum");
  {
    const auto sink = open_hdf5_sink(file_, {"energy.*"});
    Method method;
    method.duration = 0.1;
    simulate(model, method, *sink);
  }
  EXPECT_EQ(column("energy.total").size(), column("time").size());
  EXPECT_GT(column("time").size(), 1U);
  EXPECT_TRUE(column("constraint.position").empty());
}

TEST_F(Hdf5, HoldsATableWithNamesUnitsAndMarks) {
  MemorySink memory;
  Method method;
  method.duration = 1;
  simulate(shipped("five-bar"), method, memory);
  {
    const auto sink = open_hdf5_sink(file_, {});
    simulate(shipped("five-bar"), method, *sink);
  }
  const hid_t file = H5Fopen(file_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const auto texts = [&](const char* name) {
    const hid_t data = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(data), space = H5Dget_space(data);
    const std::size_t width = H5Tget_size(type), count = H5Sget_simple_extent_npoints(space);
    std::string all(width * count, '\0');
    H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data());
    std::vector<std::string> result;
    for (std::size_t k = 0; k < count; ++k) result.emplace_back(all.substr(width * k, width).c_str());
    H5Sclose(space), H5Tclose(type), H5Dclose(data);
    return result;
  };
  EXPECT_EQ(texts("columns"), memory.columns);
  const std::vector<std::string> units = texts("units");
  ASSERT_EQ(units.size(), memory.columns.size());
  EXPECT_EQ(units[0], "s");
  EXPECT_EQ(units[memory.index("A1.fx")], "N");
  const hid_t rows = H5Dopen2(file, "rows", H5P_DEFAULT), space = H5Dget_space(rows);
  hsize_t size[2] = {0, 0};
  ASSERT_EQ(H5Sget_simple_extent_dims(space, size, nullptr), 2);
  ASSERT_EQ(size[0], memory.rows.size());
  ASSERT_EQ(size[1], memory.columns.size());
  std::vector<double> numbers(size[0] * size[1]);
  H5Dread(rows, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
  for (std::size_t k = 0; k < numbers.size(); ++k)
    ASSERT_EQ(numbers[k], memory.rows[k / size[1]][static_cast<int>(k % size[1])]);
  std::vector<signed char> marks(size[1]);
  const hid_t unique = H5Dopen2(file, "unique", H5P_DEFAULT);
  H5Dread(unique, H5T_NATIVE_SCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, marks.data());
  EXPECT_EQ(marks[memory.index("A1.fx")], 0);
  EXPECT_EQ(marks[memory.index("A1.mz")], 1);
  EXPECT_EQ(marks[0], -1);
  H5Dclose(unique), H5Sclose(space), H5Dclose(rows), H5Fclose(file);
}

// Few rows of many columns: the file is of the size of its numbers, and has no data set for each column.
TEST_F(Hdf5, TakesTheRoomOfItsNumbers) {
  constexpr int columns = 60000, rows = 11;
  {
    const auto sink = open_hdf5_sink(file_, {});
    std::vector<std::string> names = {"time"};
    for (int k = 1; k < columns; ++k) names.push_back("body" + std::to_string(k) + ".x");
    sink->begin(names);
    Vector row(columns);
    for (int n = 0; n < rows; ++n) {
      for (int k = 0; k < columns; ++k) row[k] = std::sin(1.7 * k + 0.3 * n);
      sink->row(row);
    }
    sink->end();
  }
  EXPECT_LT(std::filesystem::file_size(file_), 8U * columns * rows * 12 / 10);
  // A small run is small too.
  {
    const auto sink = open_hdf5_sink(file_, {});
    Method method;
    method.duration = 1;
    simulate(shipped("five-bar"), method, *sink);
  }
  EXPECT_LT(std::filesystem::file_size(file_), 8U * 101 * 61 + 61 * 1024 + 20000);
}

TEST_F(Hdf5, ARunWithoutRowsLeavesWhatWasThere) {
  std::ofstream(file_) << "old";
  {
    const auto sink = open_hdf5_sink(file_, {"nosuch"});
    EXPECT_THROW(simulate(shipped("pendulum"), {}, *sink), InputError);
  }
  std::ifstream stream(file_);
  std::string text;
  stream >> text;
  EXPECT_EQ(text, "old");
  EXPECT_FALSE(std::filesystem::exists(file_.string() + ".unfinished"));
}

TEST_F(Hdf5, SaysThatAFileCannotBeWritten) { EXPECT_THROW(open_hdf5_sink("/proc/nowhere/run.h5", {}), InputError); }

// A long run is killed without warning: what was flushed can be read, whole rows from the start.
TEST_F(Hdf5, AKilledRunLeavesAReadableFile) {
  const pid_t child = testing_support::start_command(
      "run " BRICARD_SOURCE_DIR "/models/double-pendulum.yaml --duration 50000 --output-step 0.001 --json --output " +
      file_.string());
  ASSERT_GE(child, 0);
  const std::filesystem::path unfinished = file_.string() + ".unfinished";
  for (int k = 0; k < 600; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::error_code missing;
    if (std::filesystem::file_size(unfinished, missing) > 1000000 && !missing) break;
  }
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the run ended by itself";
  EXPECT_FALSE(std::filesystem::exists(file_));
  std::filesystem::rename(unfinished, file_);
  const std::vector<double> time = column("time"), energy = column("energy.total");
  ASSERT_GT(time.size(), 256U);
  ASSERT_GT(energy.size(), 256U);
  for (std::size_t k = 0; k < std::min<std::size_t>(time.size(), 1000); ++k) EXPECT_NEAR(time[k], 0.001 * k, 1e-12);
  EXPECT_NEAR(energy[256], energy[0], 1e-3);
}

TEST(ColumnUnits, FollowTheJointsCoordinates) {
  const auto model = load(std::string(BRICARD_SOURCE_DIR) + "/models/slider-crank.yaml");
  EXPECT_EQ(column_unit(*model, "time"), "s");
  EXPECT_EQ(column_unit(*model, "crank.angle"), "rad");
  EXPECT_EQ(column_unit(*model, "A.rate"), "rad/s");
  EXPECT_EQ(column_unit(*model, "guide.rate"), "m/s");
  EXPECT_EQ(column_unit(*model, "A.mz"), "N m");
  EXPECT_EQ(column_unit(*model, "energy.kinetic"), "J");
  EXPECT_EQ(column_unit(*model, "constraint.position"), "");
}

}  // namespace hdf5_sink_test
}  // namespace bricard
