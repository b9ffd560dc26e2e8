// What a reader and a program are told of a claim.
#include "papers/output.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace bricard {
namespace paper_output_test {

Reproduction three_claims() {
  Reproduction r;
  r.paper = "book", r.item = "table-1", r.title = "Table 1";
  r.tables.push_back(
      {.caption = "times", .header = {"method", "CPU, ms"}, .rows = {{"QR", "3"}}, .timed = {"CPU, ms"}});
  r.claims.push_back({"it is small", true, "1e-9"});
  r.claims.push_back({.text = "it is fast", .measured = "3 ms", .of_times = true});
  r.claims.push_back({.text = "it is lost", .confirmed = true, .measured = "0 of 0", .not_judged = "too short"});
  return r;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(PaperOutput, SaysWhenAClaimIsNotJudged) {
  const std::string text = reproduction_text(three_claims());
  EXPECT_TRUE(contains(text, "    confirmed: 1e-9\n")) << text;
  EXPECT_TRUE(contains(text, "    not confirmed here: 3 ms\n")) << text;
  EXPECT_TRUE(contains(text, "    not judged: too short: 0 of 0\n")) << text;
  const ReportData report = reproductions_report({three_claims()}, "");
  EXPECT_EQ(report.summary[1].text, "1 of 2 confirmed by our measurements, 1 not judged");
}

TEST(PaperOutput, TellsProgramsWhatIsOfOneMachine) {
  std::string json = reproductions_json({three_claims()});
  json.erase(std::remove_if(json.begin(), json.end(), [](char c) { return c == ' ' || c == '\n'; }), json.end());
  EXPECT_TRUE(contains(json, R"("timed":["CPU,ms"])")) << json;
  EXPECT_TRUE(contains(json, R"("confirmed":true,"verdict":"confirmed","measured":"1e-9","of_times":false)")) << json;
  EXPECT_TRUE(contains(json, R"("confirmed":null,"verdict":"notjudged:tooshort")")) << json;
}

}  // namespace paper_output_test
}  // namespace bricard
