// The two-degree-of-freedom rotary drive of Pennestri and Valentini, section 6.1, with any numbers: its text as a model
// and its matrices in closed form.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace bricard::testing_support {

struct RotaryDrive {
  // Numbers of the shipped model.
  double tau1 = -2, tau2 = 0.4, tau3 = 2.5;
  std::array<double, 5> I = {0.02, 0.5, 0.03, 0.004, 0.05};  // of 2 to 6
  double m5 = 6, delta = 0.1;
  double Kd1 = -1.5, Kd2 = -0.8, Kr = 0.9;
  double w2 = 100, w4 = -50;             // where the curves are
  double T1 = 0, T2 = 0, Tr = 0;         // torques there
  double start2 = 0, start4 = 0;         // speeds at the start
  double unit = 1;                       // of length
  bool spatial = false, shafts = false;  // shafts: every gear is fixed to a shaft of its own, without inertia

  static RotaryDrive random(unsigned seed) {
    std::mt19937 numbers(seed);
    const auto between = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(numbers);
    };
    const auto ratio = [&] { return (between(-1, 1) > 0 ? 1 : -1) * between(0.3, 3); };
    RotaryDrive drive;
    drive.tau1 = ratio(), drive.tau2 = ratio(), drive.tau3 = ratio();
    for (double& inertia : drive.I) inertia = between(0.01, 0.5);
    drive.m5 = between(0.5, 5), drive.delta = between(0.05, 0.4);
    drive.Kd1 = between(-2, 1), drive.Kd2 = between(-2, 1), drive.Kr = between(0, 2);
    drive.w2 = between(-50, 50), drive.w4 = between(-50, 50);
    drive.T1 = between(-5, 5), drive.T2 = between(-5, 5), drive.Tr = between(-5, 5);
    return drive;
  }

  double a() const { return (tau3 - tau2) / (tau1 * tau3); }
  double b() const { return tau2 / tau3; }

  /// Speeds of 2 to 6 for those of 2 and 4, as the paper solves its circuits.
  Eigen::MatrixXd V() const {
    Eigen::MatrixXd V(5, 2);
    V << 1, 0, 1 / tau1, 0, 0, 1, (1 - tau2) / tau1, tau2, a(), b();
    return V;
  }
  /// The paper's M.
  Eigen::Matrix2d M() const {
    const double M11 = I[0] + (I[1] + m5 * delta * delta) / (tau1 * tau1) + std::pow((tau2 - 1) / tau1, 2) * I[3] +
                       std::pow((tau2 - tau3) / (tau1 * tau3), 2) * I[4];
    const double M12 = (1 - tau2) * tau2 / tau1 * I[3] + (tau3 - tau2) * tau2 / (tau1 * tau3 * tau3) * I[4];
    const double M22 = I[2] + I[3] * tau2 * tau2 + tau2 * tau2 / (tau3 * tau3) * I[4];
    return (Eigen::Matrix2d() << M11, M12, M12, M22).finished();
  }
  /// The paper's K with the sign of the driving torques put right: they are on the other side of (38).
  Eigen::Matrix2d K() const {
    const double K11 = -Kd1 + std::pow((tau2 - tau3) / (tau1 * tau3), 2) * Kr;
    const double K12 = tau2 * (tau3 - tau2) / (tau1 * tau3 * tau3) * Kr;
    const double K22 = -Kd2 + tau2 * tau2 / (tau3 * tau3) * Kr;
    return (Eigen::Matrix2d() << K11, K12, K12, K22).finished();
  }

  /// The model; `order` shuffles bodies and joints.
  std::string text(unsigned order = 0) const {
    std::ostringstream text;
    text.precision(17);
    text << "bricard: 1\ndimension: " << (spatial ? "spatial" : "planar")
         << "\ngravity: " << (spatial ? "[0, 0, 0]" : "[0, 0]") << "\nbodies:\n";
    std::vector<std::string> bodies, joints;
    const char* const names[] = {"g2", "g3", "g4", "g5", "g6"};
    const double x[] = {-2 * delta * unit, 0, 0, delta * unit, 0};
    const auto place = [&](int k, double z) {
      std::ostringstream at;
      at.precision(17);
      at << "[" << x[k] << ", 0" << (spatial ? ", " + std::to_string(z) : "") << "]";
      return at.str();
    };
    for (int k = 0; k < 5; ++k) {
      std::ostringstream body, bearing;
      body.precision(17), bearing.precision(17);
      const double mass = (k == 3 ? m5 : 1.5) / (unit * unit);
      const std::string name = names[k], turning = shafts ? "s" + name : name;
      body << "  " << name << ": {mass: " << mass << ", inertia: ";
      spatial ? body << "[" << I[k] << ", " << I[k] << ", " << I[k] << "]" : body << I[k];
      body << ", center: " << place(k, 0.1 * k) << "}\n";
      bodies.push_back(body.str());
      if (shafts) {
        bodies.push_back("  " + turning + ": {mass: 0, inertia: " + (spatial ? "[0, 0, 0]" : "0") +
                         ", center: " + place(k, 0) + "}\n");
        joints.push_back("  K" + name + ": {type: fixed, bodies: [" + name + ", " + turning + "], at: " + place(k, 0) +
                         "}\n");
      }
      // Bearings at different heights; some of them the other way round.
      const std::string carrier = k == 3 ? (shafts ? "sg3" : "g3") : "ground";
      bearing << "  B" << name << ": {type: revolute, bodies: ["
              << (k % 2 ? turning + ", " + carrier : carrier + ", " + turning) << "], at: " << place(k, 0.2 - 0.05 * k)
              << (spatial ? (k < 2 ? ", axis: [0, 0, 1]" : ", axis: [0, 0, -1]") : "") << "}\n";
      joints.push_back(bearing.str());
    }
    const auto mesh = [&](const std::string& name, const std::string& pair, double tau) {
      std::ostringstream line;
      line.precision(17);
      line << "  " << name << ": {type: gear_pair, bodies: [" << pair << "], ratio: " << tau << "}\n";
      joints.push_back(line.str());
    };
    mesh("mesh1", "g2, g3", tau1);
    mesh("mesh2", "g5, g4", tau2);
    mesh("mesh3", "g5, g6", tau3);
    if (order > 0) {
      std::mt19937 random(order);
      std::shuffle(bodies.begin(), bodies.end(), random);
      std::shuffle(joints.begin(), joints.end(), random);
    }
    for (const std::string& body : bodies) text << body;
    text << "joints:\n";
    for (const std::string& joint : joints) text << joint;
    text << "forces:\n";
    const auto torque = [&](const std::string& name, int k, double T, double slope, double speed) {
      text << "  " << name << ": {type: torque, body: " << names[k] << ", value: " << (spatial ? "[0, 0, " : "") << "\""
           << T << " + " << slope << "*(wz(" << names[k] << ") - (" << speed << "))\"" << (spatial ? "]" : "") << "}\n";
    };
    torque("motor1", 0, T1, Kd1, w2);
    torque("motor2", 2, T2, Kd2, w4);
    torque("load", 4, -Tr, -Kr, a() * w2 + b() * w4);
    const auto speed = [&](int k, double value) {
      text << names[k] << ": {angular: " << (spatial ? "[0, 0, " : "") << value << (spatial ? "]}" : "}");
    };
    text << "initial: {velocities: {";
    speed(0, start2);
    text << ", ";
    speed(2, start4);
    text << "}}\n";
    return text.str();
  }
};

}  // namespace bricard::testing_support
