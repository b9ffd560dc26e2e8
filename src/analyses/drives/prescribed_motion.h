// A motion given by samples: joint coordinates and places of bodies as columns over time, as the results of a run have
// them, made smooth by splines. As targets of a DrivenMotion in coordinates of free bodies.
//   joint coordinate  s(q) = s(t)          place of a body  r = r(t)
//   orientation       log(A A(t)^T) = 0,   omega = 2 Im(p' p^-1),   omega' = 2 Im(p'' p^-1 - (p' p^-1)^2),
//                     p a spline through the quaternions, of any length
#pragma once

#include <string>
#include <vector>

#include "analyses/drives/driven_motion.h"
#include "analyses/drives/motion_spline.h"
#include "analyses/structure/joint_freedoms.h"
#include "bricard/motion_table.h"

namespace bricard {

class PrescribedMotion : public Targets {
 public:
  /// Takes the columns that give positions, with their rates where the table has them; ignores others.
  /// Throws InputError for a table that is not one of this model, or has a misspelt column.
  PrescribedMotion(const System& system, const MotionTable& table, const std::vector<std::string>& result_columns);

  int size() const override { return rows_; }
  void errors(System& system, double t, VectorRef errors, Matrix& G) override;
  void rates(System& system, double t, VectorRef rates) override;
  void accelerations(System& system, double t, VectorRef accelerations) override;

  /// Joint coordinates that the table gives.
  const std::vector<JointCoordinateId>& coordinates() const { return coordinates_; }
  bool empty() const { return rows_ == 0; }
  const std::vector<double>& times() const { return times_; }
  /// Compares where the system was evaluated last with what was given; keeps the largest deviations.
  void watch(System& system, double t);
  const Correction& largest_length() const { return largest_length_; }
  const Correction& largest_angle() const { return largest_angle_; }
  /// What was made of the table beyond what it says.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Item {
    enum class Kind { joint, place, angle, orientation };
    Kind kind = Kind::joint;
    int body = -1, axis = 0, signal = -1;
    bool is_length = false;
    std::string column;
    std::vector<MotionSpline> splines;  // one; four for a quaternion
  };
  void add_joints(const System& system, const MotionTable& table);
  void add_bodies(const System& system, const MotionTable& table);
  void refuse_misspelt(const System& system, const MotionTable& table,
                       const std::vector<std::string>& result_columns) const;
  /// An angle over full turns.
  std::vector<double> continuous(const MotionTable& table, const std::string& column, std::vector<double> angles);
  double given(const Item& item, double t) const { return item.splines[0].at(t).value; }

  std::vector<Item> items_;
  std::vector<JointCoordinateId> coordinates_;
  std::vector<double> times_;
  int rows_ = 0, stride_ = 3;
  double length_ = 1;
  Correction largest_length_, largest_angle_;
  std::vector<std::string> notes_;
};

}  // namespace bricard
