#include "bricard/input_error.h"

#include <gtest/gtest.h>

namespace bricard {
namespace input_error_test {

TEST(Diagnostic, LeavesOutWhatIsUnknown) {
  EXPECT_EQ((Diagnostic{"a.yaml", 3, 7, "joints.A", "wrong"}.text()), "a.yaml:3:7: joints.A: wrong");
  EXPECT_EQ((Diagnostic{"a.yaml", 3, 0, "joints.A", "wrong"}.text()), "a.yaml:3: joints.A: wrong");
  EXPECT_EQ((Diagnostic{"a.yaml", 0, 0, "", "wrong"}.text()), "a.yaml: wrong");
  EXPECT_EQ((Diagnostic{"", 3, 7, "", "wrong"}.text()), "3:7: wrong");
  EXPECT_EQ((Diagnostic{"", 0, 0, "joints.A", "wrong"}.text()), "joints.A: wrong");
  EXPECT_EQ((Diagnostic{"", 0, 0, "", "wrong"}.text()), "wrong");
}

TEST(InputError, JoinsAllTexts) {
  const InputError error({{"a.yaml", 1, 2, "", "first"}, {"a.yaml", 3, 4, "b", "second"}});
  EXPECT_STREQ(error.what(), "a.yaml:1:2: first\na.yaml:3:4: b: second");
  EXPECT_EQ(error.diagnostics.size(), 2u);
}

TEST(InputError, OfOneMessage) {
  const InputError error("no such file");
  EXPECT_STREQ(error.what(), "no such file");
  ASSERT_EQ(error.diagnostics.size(), 1u);
  EXPECT_EQ(error.diagnostics[0].message, "no such file");
}

}  // namespace input_error_test
}  // namespace bricard
