#include "io/results/modes_json.h"

#include "bricard/model.h"
#include "io/results/json_writer.h"

namespace bricard {
namespace {

void write_complex(JsonWriter& json, Complex number) {
  json.begin_array().value(number.real()).value(number.imag()).end_array();
}

void write_matrix(JsonWriter& json, const std::string& name, const Matrix& matrix) {
  json.key(name).begin_array();
  for (int i = 0; i < matrix.rows(); ++i) {
    json.begin_array();
    for (int j = 0; j < matrix.cols(); ++j) json.value(matrix(i, j));
    json.end_array();
  }
  json.end_array();
}

void write_texts(JsonWriter& json, const std::string& name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

void write_shape(JsonWriter& json, const Model& model, const std::vector<BodyShape>& shape) {
  json.key("shape").begin_object();
  for (std::size_t b = 0; b < shape.size(); ++b) {
    json.key(model.bodies[b].name).begin_object();
    json.key("translation").begin_array();
    for (int k = 0; k < (model.planar() ? 2 : 3); ++k) write_complex(json, shape[b].translation[k]);
    json.end_array();
    json.key("rotation").begin_array();
    for (int k = model.planar() ? 2 : 0; k < 3; ++k) write_complex(json, shape[b].rotation[k]);
    json.end_array().end_object();
  }
  json.end_object();
}

const char* stability_name(MotionStability stability) {
  switch (stability) {
    case MotionStability::asymptotic: return "asymptotic";
    case MotionStability::marginal: return "marginal";
    case MotionStability::unstable: return "unstable";
    case MotionStability::unknown: break;
  }
  return "unknown";
}

}  // namespace

std::string modes_json(const Model& model, const Modes& modes) {
  const Linearization& linear = modes.linear;
  JsonWriter json;
  json.begin_object();
  json.member("status", modes.ok ? "ok" : "failed").member("model", model.name);
  if (modes.ok) {
    json.member("displacements", linear.displacements).member("speeds", linear.speeds);
    json.member("friction_states", linear.states).member("steady", linear.steady);
    json.member("stability", stability_name(modes.stability)).member("verdict", modes.verdict);
    json.key("modes").begin_array();
    for (const Mode& mode : modes.modes) {
      json.begin_object().key("eigenvalue");
      write_complex(json, mode.eigenvalue);
      json.member("frequency", mode.frequency).member("damping_ratio", mode.damping_ratio);
      json.member("time_constant", mode.time_constant);
      write_shape(json, model, mode.shape);
      json.end_object();
    }
    json.end_array();
    json.member("zero_eigenvalues", modes.zero_eigenvalues);
    json.key("unrestored").begin_array();
    for (const Mode& mode : modes.unrestored) {
      json.begin_object();
      write_shape(json, model, mode.shape);
      json.end_object();
    }
    json.end_array();
    json.key("speed_eigenvalues").begin_array();
    for (Complex eigenvalue : modes.speed_eigenvalues) write_complex(json, eigenvalue);
    json.end_array();
    json.member("characteristic_length", modes.length).member("derivative_error", linear.derivative_error);
    write_texts(json, "independent", linear.names);
    write_matrix(json, "M", linear.M);
    write_matrix(json, "C", linear.C);
    write_matrix(json, "K", linear.K);
    write_matrix(json, "A", linear.A);
  }
  std::vector<std::string> messages = modes.messages;
  if (!modes.ok) messages.push_back(modes.failure);
  write_texts(json, "messages", messages);
  json.end_object();
  return json.text();
}

}  // namespace bricard
