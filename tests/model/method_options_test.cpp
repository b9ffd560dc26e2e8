#include "model/method_options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <concepts>
#include <set>

#include "bricard/input_error.h"
#include "support/option_values.h"

namespace bricard {
namespace method_options_test {

using testing_support::bad_values;
using testing_support::good_value;
using testing_support::same;
using testing_support::set;

/// Stands for any value of a member.
struct Any {
  template <class Value>
  requires std::same_as<Value, std::string> || std::same_as<Value, double> || std::same_as<Value, bool>
  operator Value() const;  // NOLINT(google-explicit-constructor)
};

/// How many members an aggregate has: as many values as it can be made of.
template <class Aggregate, class... Values>
consteval std::size_t members() {
  if constexpr (requires { Aggregate{Values{}..., Any{}}; })
    return members<Aggregate, Values..., Any>();
  else
    return sizeof...(Values);
}

struct Three {
  std::string name = {};
  double number = 0;
  std::optional<bool> flag = {};
};
static_assert(members<Three>() == 3);

TEST(MethodOptions, AreAllMembersOfAMethod) {
  EXPECT_EQ(method_options().size(), members<Method>());
  std::set<std::string> keys;
  for (const MethodOption& option : method_options()) {
    EXPECT_TRUE(keys.insert(option.key).second) << option.key;
    // Its own member, and no other's.
    Method method;
    set(method, option, good_value(option));
    for (const MethodOption& other : method_options())
      EXPECT_EQ(testing_support::is_set(method, other), &other == &option) << option.key << ", " << other.key;
  }
}

TEST(MethodOptions, AreCompletedFromAnotherMethod) {
  Method all;
  for (const MethodOption& option : method_options()) set(all, option, good_value(option));
  Method empty;
  empty.complete_from(all);
  for (const MethodOption& option : method_options()) {
    EXPECT_TRUE(same(empty, all, option)) << option.key;
    Method chosen;
    const bool is_flag = option.values() == "true or false";
    set(chosen, option, is_flag ? "false" : option.range.most < 10 ? "0.5" : "3");
    const Method before = chosen;
    chosen.complete_from(all);
    EXPECT_TRUE(same(chosen, before, option)) << option.key << " was chosen, and is replaced";
  }
}

TEST(MethodOptions, HaveDefaults) {
  Method method;
  method.pseudoinverse = method.formulation = "auto";
  method.alpha = 3;
  complete_by_defaults(method);
  EXPECT_EQ(method.pseudoinverse, "svd");
  EXPECT_EQ(method.formulation, "auto");
  EXPECT_EQ(method.alpha, 3);
  EXPECT_EQ(method.beta, 10);
  EXPECT_EQ(method.tolerance, 1e-6);
  EXPECT_EQ(method.rescue, "on");
  EXPECT_EQ(method.diagnostics, false);
  EXPECT_TRUE(std::isnan(method.reaction_length)) << "it depends on the model";
  EXPECT_EQ(seed_of({}), 1u);
  EXPECT_EQ(seed_of({.seed = 4294967295}), 4294967295u);
  EXPECT_THROW(seed_of({.seed = 4294967296}), InputError);
}

TEST(MethodOptions, SayWhatTheirDefaultsAre) {
  for (const MethodOption& option : method_options()) {
    const std::string standard = option.standard, key = option.key;
    EXPECT_NE(option.default_words(), "") << key;
    EXPECT_EQ(testing_support::is_set(method_defaults(), option), !standard.empty()) << key;
    if (std::holds_alternative<double Method::*>(option.member) && !standard.empty()) {
      std::size_t read = 0;
      const double number = std::stod(standard, &read);
      EXPECT_EQ(read, standard.size()) << key << ": " << standard;
      EXPECT_TRUE(option.range.contains(number) || (key == "step" && number == 0)) << key;
    }
    if (standard != "auto" && standard != "false") {
      EXPECT_NE(option.command_help().find("(default"), std::string::npos) << option.command_help();
    }
  }
}

TEST(MethodOptions, RefuseBadValuesByName) {
  const auto refusal = [](const Method& method) -> std::string {
    try {
      require_valid(method);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  for (const MethodOption& option : method_options()) {
    Method method;
    set(method, option, good_value(option));
    EXPECT_EQ(refusal(method), "") << option.key;
    std::vector<std::string> bad = bad_values(option);
    if (std::holds_alternative<double Method::*>(option.member)) bad.emplace_back("inf");
    for (const std::string& value : bad) {
      set(method, option, value);
      EXPECT_NE(refusal(method).find(option.words()), std::string::npos) << option.key << " " << value;
    }
  }
  EXPECT_EQ(refusal({.iterations = 2.5}), "iterations must be a whole number from 0 to 1000000000, not 2.5");
  EXPECT_EQ(refusal({.spectral_radius = 1.5}), "spectral radius must be a number from 0 to 1, not 1.5");
  EXPECT_EQ(refusal({.rescue = "offf"}), "unknown rescue 'offf'; did you mean 'off'?");
  EXPECT_EQ(refusal({.rescue = "auto"}), "");
  EXPECT_EQ(refusal(Method()), "");
}

}  // namespace method_options_test
}  // namespace bricard
