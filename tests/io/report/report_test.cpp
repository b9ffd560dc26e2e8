// The data of reports: what is kept of a run, how numbers are encoded, what columns are said to be. What a reader sees
// of it is tested in a browser (tests/web).
#include "io/report/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bricard/input_error.h"
#include "bricard/load.h"
#include "io/report/report_run.h"

namespace bricard {
namespace report_test {

const std::string models = BRICARD_SOURCE_DIR "/models/";

TEST(ReportSink, KeepsEveryNthRowAndTheExtremesOfAll) {
  MemorySink next;
  ReportSink sink(&next, 100);
  sink.begin({"time", "peak"});
  for (int k = 0; k <= 1000; ++k) sink.row(Vector{{0.01 * k, k == 333 ? 7.0 : k == 334 ? -5.0 : 1.0}});
  EXPECT_EQ(next.rows.size(), 1001U);
  EXPECT_EQ(next.columns, sink.columns());
  EXPECT_EQ(sink.stride(), 16);  // 1001 rows: 63 of them, and the last
  const std::vector<double> time = sink.values(sink.find("time"));
  ASSERT_EQ(time.size(), 64U);
  EXPECT_DOUBLE_EQ(time[1], 0.16);
  EXPECT_DOUBLE_EQ(time[62], 9.92);
  EXPECT_DOUBLE_EQ(time.back(), 10);
  const ReportSink::Extent extent = sink.extent(sink.find("peak"));
  EXPECT_EQ(extent.least, -5);
  EXPECT_EQ(extent.greatest, 7);
  EXPECT_DOUBLE_EQ(extent.root_mean_square, std::sqrt((999 + 49 + 25) / 1001.0));
  EXPECT_EQ(sink.find("nothing"), -1);
}

/// The bytes of the n-th base64 text that follows a key.
std::string bytes(const std::string& json, const std::string& key, int number = 0) {
  std::size_t at = 0;
  const std::string start = "\"" + key + "\": \"";
  for (int k = 0; k <= number; ++k) at = json.find(start, at) + start.size();
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  unsigned bits = 0, count = 0;
  for (; json[at] != '"' && json[at] != '='; ++at) {
    bits = bits << 6 | static_cast<unsigned>(digits.find(json[at]));
    count += 6;
    if (count >= 8) result += static_cast<char>(bits >> (count -= 8) & 255);
  }
  return result;
}

TEST(Report, EncodesNumbersAsFloats) {
  ReportData data;
  data.series.time = {0, 0.1};
  data.series.columns.push_back({.name = "a", .values = {-1.25, 3e-12}});
  const std::string encoded = bytes(report_json(data), "floats", 1);
  ASSERT_EQ(encoded.size(), 8U);
  float values[2];
  std::memcpy(values, encoded.data(), 8);
  EXPECT_EQ(values[0], -1.25F);
  EXPECT_EQ(values[1], 3e-12F);
}

TEST(Report, EncodesManyNumbersIn16BitsButKeepsSmallOnesOnLogarithmicAxes) {
  ReportData data;
  for (int k = 0; k < 3000; ++k) data.series.time.push_back(k);
  for (int c = 0; c < 100; ++c) {
    ReportColumn column{.name = "c" + std::to_string(c), .logarithmic = c == 99};
    for (int k = 0; k < 3000; ++k)
      column.values.push_back(c == 99 ? std::pow(10, -k / 300.0) : std::sin(0.01 * k) * (c + 1));
    data.series.columns.push_back(column);
  }
  const std::string json = report_json(data);
  EXPECT_LT(json.size(), 1'000'000U);
  const std::string encoded = bytes(json, "integers", 1);  // of the second column
  ASSERT_EQ(encoded.size(), 6000U);
  const std::size_t least = json.find("\"least\": ", json.find("\"c1\"")), step = json.find("\"step\": ", least);
  for (int k : {0, 157, 471, 2999}) {
    const auto byte = [&](int n) { return static_cast<unsigned char>(encoded[2 * k + n]); };
    const double value =
        std::stod(json.substr(least + 9)) + std::stod(json.substr(step + 8)) * (byte(0) + 256 * byte(1));
    EXPECT_NEAR(value, 2 * std::sin(0.01 * k), 4.0 / 65535) << k;
  }
  EXPECT_EQ(bytes(json, "floats", 1).size(), 12000U);
}

TEST(Report, LetsNoTextEndTheScript) {
  ReportData data;
  data.title = "</script><b>";
  data.tables.push_back({.caption = "<!--", .header = {"a"}, .rows = {{"<i>"}}});
  EXPECT_EQ(report_json(data).find('<'), std::string::npos);
}

class RunReport : public ::testing::Test {
 protected:
  static ReportData of(const std::string& file, double duration) {
    const auto model = load(models + file);
    ReportSink sink;
    Method method;
    method.duration = duration;
    return run_report(model, simulate(model, method, sink), sink);
  }
  static const ReportColumn& column(const ReportData& report, const std::string& name) {
    for (const ReportColumn& candidate : report.series.columns) {
      if (candidate.name == name) return candidate;
    }
    throw std::out_of_range(name);
  }
};

TEST_F(RunReport, SaysWhatColumnsAre) {
  const ReportData report = of("five-bar.yaml", 0.3);
  EXPECT_EQ(report.series.time.size(), 31U);
  EXPECT_EQ(column(report, "link2.vx").group, "Bodies");
  EXPECT_EQ(column(report, "link2.vx").owner, "link2");
  EXPECT_EQ(column(report, "link2.vx").unit, "m/s");
  EXPECT_EQ(column(report, "B1.angle").quantity, "Joint angle");
  EXPECT_EQ(column(report, "B1.rate").unit, "rad/s");
  EXPECT_EQ(column(report, "A1.fx").mark, "not unique");
  EXPECT_EQ(column(report, "A1.mz").unit, "N m");
  EXPECT_TRUE(column(report, "constraint.position").logarithmic);
  EXPECT_TRUE(column(report, "energy.total").shown);
  // At rest at the start, nothing dissipates: the change is what the integrator lost.
  EXPECT_EQ(column(report, "energy.change").values.front(), 0);
  EXPECT_LT(std::abs(column(report, "energy.change").values.back()), 1e-6);
  EXPECT_NEAR(column(report, "link1.angle").values.front(), -0.5235987755982988, 1e-12);
}

TEST_F(RunReport, KnowsPositionsFromAngles) {
  const ReportData report = of("mcpherson.yaml", 0.1);
  EXPECT_EQ(column(report, "guide.position").unit, "m");
  EXPECT_EQ(column(report, "guide.rate").unit, "m/s");
  EXPECT_EQ(column(report, "hinge.rate").unit, "rad/s");
  EXPECT_EQ(column(report, "hinge.fx").mark, "unique");
}

TEST_F(RunReport, TabulatesReactions) {
  const ReportData report = of("five-bar.yaml", 0.3);
  ASSERT_EQ(report.tables.size(), 1U);
  const ReportTable& table = report.tables.front();
  ASSERT_EQ(table.rows.size(), 18U);  // six joints with fx fy mz
  for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.header.size());
  EXPECT_EQ(table.rows[0][0], "A1");
  EXPECT_EQ(table.rows[0].back(), "not unique");
  EXPECT_EQ(table.rows[2][1], "mz");
  EXPECT_EQ(table.rows[2].back(), "unique");  // a pin gives no moment
}

TEST_F(RunReport, IsOnePageWithTheModelInIt) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "bricard-report" / "page.html";
  ReportData report = of("pendulum.yaml", 0.1);
  report.title = "A title to find";
  write_report(file, report);
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  const std::string page = text.str();
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_NE(page.find("\"title\": \"A title to find\""), std::string::npos);
  EXPECT_EQ(page.find("@REPORT_DATA@"), std::string::npos);
  std::filesystem::remove_all(file.parent_path());
}

// Joints, springs and modes name bodies: readers need no list's order.
TEST(Report, NamesBodies) {
  ReportData data;
  data.model = load_text(R"(
bricard: 1
dimension: planar
bodies: {left: {mass: 1, inertia: 1, center: [0, 0]}, right: {mass: 1, inertia: 1, center: [1, 0]}}
joints:
  A: {type: revolute, bodies: [right, ground], at: [2, 0]}
  B: {type: revolute, bodies: [left, right], at: [0.5, 0]}
forces: {s: {type: spring, between: [[ground, [0, 1]], [left, [0, 0]]], stiffness: 1}}
)",
                         "bodies.yaml", {});
  data.modes = {{.label = "1", .shape = {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}}}};
  std::string json = report_json(data);
  std::erase_if(json, [](char c) { return c == ' ' || c == '\n'; });
  for (const std::string part :
       {R"("name":"A","type":"revolute","bodies":["right","ground"])",
        R"("name":"B","type":"revolute","bodies":["left","right"])", R"("name":"s","bodies":["ground","left"])",
        R"("shape":{"left":[1,0,2,0,3,0,4,0,5,0,6,0],"right":[7,0,8,0,9,0,10,0,11,0,12,0]})"})
    EXPECT_NE(json.find(part), std::string::npos) << part << " in\n" << json;
}

TEST(Report, RefusesNamesOfOtherFormats) {
  EXPECT_THROW(check_report_name("run.csv"), InputError);
  EXPECT_NO_THROW(check_report_name("out/run.html"));
  EXPECT_NO_THROW(check_report_name(""));
}

}  // namespace report_test
}  // namespace bricard
