// Contracts for joints, forces, formulations and integrators of one's own, the ones that the library's own are held to.
// On top of GoogleTest, which the library does not need: headers alone, for programs that link Bricard::extend and
// GTest::gtest.
//   TEST(Slot, IsAJoint) { EXPECT_JOINT_CONTRACT("slot", {.planar = "at: [0.3, 0.2], radius: 0.1"}); }
//   TEST(Drag, IsAForce) { EXPECT_FORCE_CONTRACT("drag", {.planar = "body: b, coefficient: 2"}); }
//   TEST(DenseLu, IsAFormulation) { EXPECT_FORMULATION_CONTRACT("dense-lu"); }
//   TEST(Heun, IsAnIntegrator) { EXPECT_INTEGRATOR_CONTRACT("heun"); }
// Each takes the name under which the type has been registered (extend.h). What is examined is said at the head of each
// header below; a failure says where: the part, the coordinate set, the model.
#pragma once

#include "testing/force_contract.h"
#include "testing/formulation_contract.h"
#include "testing/integrator_contract.h"
#include "testing/joint_contract.h"

// Variadic, because commas in braces separate arguments of macros.
#define EXPECT_JOINT_CONTRACT(...) BRICARD_EXPECT_CONTRACT(expect_joint_contract, __VA_ARGS__)
#define EXPECT_FORCE_CONTRACT(...) BRICARD_EXPECT_CONTRACT(expect_force_contract, __VA_ARGS__)
#define EXPECT_FORMULATION_CONTRACT(...) BRICARD_EXPECT_CONTRACT(expect_formulation_contract, __VA_ARGS__)
#define EXPECT_INTEGRATOR_CONTRACT(...) BRICARD_EXPECT_CONTRACT(expect_integrator_contract, __VA_ARGS__)

#define BRICARD_EXPECT_CONTRACT(contract, ...)   \
  do {                                           \
    SCOPED_TRACE(#contract);                     \
    ::bricard::contracts::contract(__VA_ARGS__); \
  } while (false)
