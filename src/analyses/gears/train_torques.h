// Torques on the bodies of a gear train with parallel axes, their exact slopes with respect to the bodies' speeds, and
// the inertia that belongs to those speeds, at one state. With the velocities of the centres of mass, c' = J omega,
//   I = diag(moments about the axis) + sum of m J^T J:   a planet at the radius r adds m r^2 to its carrier.
#pragma once

#include "analyses/assembly/assembly.h"
#include "bricard/model.h"
#include "joints/signals.h"
#include "system/system.h"

namespace bricard {

class TrainTorques {
 public:
  TrainTorques(const std::shared_ptr<const Model>& model, const Vec3& axis, const Assembly& start);

  System& system() { return system_; }
  const Vector& omega() const { return omega_; }
  const Vector& torque() const { return torque_; }
  const Matrix& slopes() const { return slopes_; }  // row: torque on a body, column: speed of a body
  const Matrix& inertia() const { return inertia_; }
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  void find_inertia(const std::vector<BodyState>& states);
  void find_torques();
  void add_law(const std::string& name, const BoundExpression& law, const Eigen::RowVectorXd& acts_on);
  void add_damping(const Eigen::RowVectorXd& rate, double damping);
  Eigen::RowVectorXd rate_row(const Joint& joint) const;
  void leave_out(const std::string& what);

  System system_;
  const Model& model_;
  Vec3 axis_;
  int n_;
  Vector omega_, torque_;
  Matrix slopes_, inertia_;
  std::vector<std::string> messages_;
};

}  // namespace bricard
