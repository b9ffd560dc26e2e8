#include "io/report/modes_report.h"

#include <fmt/format.h>

#include <cmath>

#include "bricard/body_state.h"
#include "coordinates/coordinates.h"
#include "system/equations.h"
#include "system/system.h"

namespace bricard {
namespace {

std::string label(std::size_t number, const Mode& mode) {
  if (mode.frequency > 0)
    return fmt::format("{}: {:.4g} Hz, damping {:.3g} %", number, mode.frequency, 100 * mode.damping_ratio);
  return fmt::format("{}: {} with a time constant of {:.3g} s", number, mode.eigenvalue.real() > 0 ? "grows" : "decays",
                     std::abs(mode.time_constant));
}

ReportMode moving(const std::string& name, const Mode& mode) {
  ReportMode result{.label = name, .frequency = mode.frequency, .shape = {}};
  for (const BodyShape& body : mode.shape) {
    result.shape.push_back({body.translation.x(), body.translation.y(), body.translation.z(), body.rotation.x(),
                            body.rotation.y(), body.rotation.z()});
  }
  return result;
}

ReportTable matrix_table(const std::string& caption, const Matrix& A, const std::vector<std::string>& names) {
  ReportTable table{.caption = caption, .header = {}};
  for (int c = 0; c < A.cols(); ++c) {
    table.header.push_back(c < static_cast<int>(names.size()) ? names[c] : std::to_string(c + 1));
    table.kinds.push_back(ReportTable::Kind::number);
  }
  for (int r = 0; r < A.rows(); ++r) {
    std::vector<std::string> row;
    for (int c = 0; c < A.cols(); ++c) row.push_back(fmt::format("{:.9g}", A(r, c)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

ReportData modes_report(const std::shared_ptr<const Model>& model, const Modes& modes, const std::string& command) {
  ReportData data;
  data.title = "Modes: " + (model->name.empty() ? model->file : model->name);
  data.command = command;
  data.failure = modes.failure;
  data.messages = modes.messages;
  data.model = model;
  if (!modes.ok) return data;
  data.summary = {
      {"state", modes.linear.steady ? "an equilibrium or a steady motion" : "frozen at an instant of a motion"},
      {"freedom", fmt::format("{} displacements, {} speeds", modes.linear.displacements, modes.linear.speeds)},
      {"stability", modes.verdict},
      {"zero eigenvalues", std::to_string(modes.zero_eigenvalues)}};

  System system(model, *find_coordinates_type("reference-point"));
  Equations equations = system.empty_equations();
  system.evaluate(0, modes.q, modes.v, Vector::Zero(system.state_size()), Upto::velocities, equations);
  std::vector<BodyState> bodies;
  system.body_states(bodies);
  for (const BodyState& body : bodies) {
    const Quaternion orientation =
        model->planar() ? Quaternion(Eigen::AngleAxisd(body.angle, Vec3::UnitZ())) : body.orientation;
    data.placements.push_back({body.center, orientation});
  }

  ReportTable table{.caption = "Modes",
                    .header = {"Mode", "Re, 1/s", "Im, 1/s", "Hz", "damping ratio", "time constant, s"}};
  table.kinds.assign(table.header.size(), ReportTable::Kind::number);
  ReportPlot plane{.title = "Eigenvalues", .x_label = "real part, 1/s", .y_label = "imaginary part, 1/s"};
  ReportPlot::Curve points{.name = "eigenvalues", .x = {}, .y = {}, .line = false, .points = true};
  for (std::size_t k = 0; k < modes.modes.size(); ++k) {
    const Mode& mode = modes.modes[k];
    data.modes.push_back(moving(label(k + 1, mode), mode));
    table.rows.push_back({std::to_string(k + 1), fmt::format("{:.9g}", mode.eigenvalue.real()),
                          fmt::format("{:.9g}", mode.eigenvalue.imag()), fmt::format("{:.6g}", mode.frequency),
                          fmt::format("{:.4g}", mode.damping_ratio), fmt::format("{:.4g}", mode.time_constant)});
    points.x.push_back(mode.eigenvalue.real());
    points.y.push_back(mode.eigenvalue.imag());
    if (mode.eigenvalue.imag() > 0) {
      points.x.push_back(mode.eigenvalue.real());
      points.y.push_back(-mode.eigenvalue.imag());
    }
  }
  for (std::size_t k = 0; k < modes.unrestored.size(); ++k)
    data.modes.push_back(moving(fmt::format("nothing restores this one ({})", k + 1), modes.unrestored[k]));
  data.tables.push_back(std::move(table));
  if (!points.x.empty()) {
    plane.curves.push_back(std::move(points));
    data.plots.push_back(std::move(plane));
  }
  constexpr int largest = 12;
  if (modes.linear.speeds <= largest) {
    data.tables.push_back(matrix_table("M of M y' + C y + K z = 0", modes.linear.M, modes.linear.names));
    data.tables.push_back(matrix_table("C", modes.linear.C, modes.linear.names));
    data.tables.push_back(matrix_table("K", modes.linear.K, modes.linear.names));
  }
  return data;
}

}  // namespace bricard
