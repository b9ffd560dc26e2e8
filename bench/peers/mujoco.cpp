// MuJoCo: joint coordinates of the spanning tree, loops by its soft equality constraints (`connect`; a hinge in space
// by two of them). Settings: integrator=rk4|euler|implicit, step=, stiffness= (time constant of the constraints in
// steps; `refsafe`, which would keep it above two, is off), jacobian=auto|sparse|dense, duration=
#include <mujoco/mujoco.h>

#include <algorithm>
#include <memory>

#include "mechanism.h"

namespace {

using bench::Joint;
using bench::Mechanism;
using bench::Triple;

std::string text(const Triple& a) {
  return bench::json_number(a[0]) + " " + bench::json_number(a[1]) + " " + bench::json_number(a[2]);
}

const Mechanism* current = nullptr;  // for the callback
const std::vector<int>* body_ids = nullptr;

/// Forces c + s sin(t) at centres of mass and constant torques.
void apply_forces(const mjModel*, mjData* data) {
  for (const bench::Force& force : current->forces) {
    mjtNum* wrench = data->xfrc_applied + 6 * (*body_ids)[static_cast<std::size_t>(force.body)];
    for (std::size_t k = 0; k < 3; ++k) wrench[k] = force.constant[k] + std::sin(data->time) * force.sine[k];
  }
  for (const bench::Torque& torque : current->torques) {
    mjtNum* wrench = data->xfrc_applied + 6 * (*body_ids)[static_cast<std::size_t>(torque.body)];
    for (std::size_t k = 0; k < 3; ++k) wrench[3 + k] = torque.value[k];
  }
}

class Simulation {
 public:
  Simulation(const Mechanism& mechanism, const bench::Settings& settings) : mechanism_(mechanism) {
    mjcb_control = nullptr;  // that of a run before
    children_.resize(mechanism.bodies.size() + 1);
    origin_.resize(mechanism.bodies.size());
    std::vector<int> depth(mechanism.bodies.size() + 1);
    int deepest = 0;
    for (const Joint& joint : mechanism.tree) {
      children_[static_cast<std::size_t>(joint.i + 1)].push_back(&joint);
      origin_[static_cast<std::size_t>(joint.j)] = joint.at;  // frames of bodies are at their joints
      deepest = std::max(
          deepest, depth[static_cast<std::size_t>(joint.j + 1)] = depth[static_cast<std::size_t>(joint.i + 1)] + 1);
    }
    // The XML parser allows nesting of 100 elements: longer chains as URDF, which does not nest.
    load(deepest < 90 ? mjcf() : urdf(), deepest < 90 ? "model.xml" : "model.urdf");
    ids_.resize(mechanism.bodies.size());
    for (std::size_t k = 0; k < ids_.size(); ++k)
      ids_[k] = mj_name2id(model_, mjOBJ_BODY, ("b" + std::to_string(k)).c_str());
    set_options(settings);
    add_loops(settings.number("stiffness", 0.5) * model_->opt.timestep);
    data_ = mj_makeData(model_);
    if (!data_) throw std::runtime_error("mj_makeData failed");
    set_velocities();
    current = &mechanism_;
    body_ids = &ids_;
    if (!mechanism.conservative()) mjcb_control = apply_forces;
    mj_forward(model_, data_);
  }
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  bench::Outcome run(double duration) {
    bench::Outcome outcome;
    outcome.energy_start = energy();
    const long steps = std::lround(duration / model_->opt.timestep);
    const double started = bench::cpu_seconds();
    for (long k = 0; k < steps && !warned(); ++k) mj_step(model_, data_);
    outcome.cpu = bench::cpu_seconds() - started;
    outcome.ok = !warned() && std::abs(data_->time - duration) < 1e-9 * duration;
    if (warned()) outcome.failure = "the simulation became unstable";
    outcome.steps = steps;
    outcome.evaluations = steps * (model_->opt.integrator == mjINT_RK4 ? 4 : 1);
    mj_forward(model_, data_);
    outcome.energy_end = energy();
    for (const bench::Point& point : mechanism_.points) {
      const Triple local = point.at - origin(point.body);
      const int id = ids_[static_cast<std::size_t>(point.body)];
      Triple at{};
      mju_rotVecMat(at.data(), local.data(), data_->xmat + 9 * id);
      for (std::size_t c = 0; c < 3; ++c) at[c] += data_->xpos[3 * id + static_cast<int>(c)];
      outcome.points.push_back(at);
    }
    return outcome;
  }

 private:
  Triple origin(int body) const { return body < 0 ? Triple{} : origin_[static_cast<std::size_t>(body)]; }

  static void load_failed(const std::string& why) { throw std::runtime_error("MuJoCo cannot load the model: " + why); }

  void load(const std::string& content, const char* name) {
    // Parsed from memory.
    auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    if (mj_makeEmptyFileVFS(files.get(), name, static_cast<int>(content.size())) != 0) load_failed("no memory");
    std::copy(content.begin(), content.end(), static_cast<char*>(files->filedata[mj_findFileVFS(files.get(), name)]));
    char error[1000] = "";
    model_ = mj_loadXML(name, files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (!model_) load_failed(error);
  }

  // --- the model as text ---

  std::string joint_text(const Joint& joint) const {
    const std::string tail = " axis=\"" + text(joint.axis) + "\"/>\n";
    if (joint.type == "revolute") return "<joint type=\"hinge\"" + tail;
    if (joint.type == "prismatic") return "<joint type=\"slide\"" + tail;
    if (joint.type == "cylindrical") return "<joint type=\"slide\"" + tail + "<joint type=\"hinge\"" + tail;
    if (joint.type == "spherical") return "<joint type=\"ball\"/>\n";
    throw std::runtime_error("no joint " + joint.type);
  }

  void add_body(const Joint& joint, std::string& out) const {
    const bench::Body& body = mechanism_.bodies[static_cast<std::size_t>(joint.j)];
    const auto& I = body.inertia;
    out += "<body name=\"b" + std::to_string(joint.j) + "\" pos=\"" + text(joint.at - origin(joint.i)) + "\">\n";
    out += "<inertial pos=\"" + text(body.center - joint.at) + "\" mass=\"" + bench::json_number(body.mass) +
           "\" fullinertia=\"" + text({I[0], I[1], I[2]}) + " " + text({I[3], I[4], I[5]}) + "\"/>\n";
    out += joint_text(joint);
    for (std::size_t k = 0; k < mechanism_.springs.size(); ++k) {
      const bench::Spring& spring = mechanism_.springs[k];
      const std::string site = "<site name=\"s" + std::to_string(k);
      if (spring.i == joint.j) out += site + "i\" pos=\"" + text(spring.from - joint.at) + "\"/>\n";
      if (spring.j == joint.j) out += site + "j\" pos=\"" + text(spring.to - joint.at) + "\"/>\n";
    }
    for (const Joint* child : children_[static_cast<std::size_t>(joint.j + 1)]) add_body(*child, out);
    out += "</body>\n";
  }

  std::string mjcf() const {
    std::string out = "<mujoco><compiler angle=\"radian\" boundmass=\"0\" boundinertia=\"0\"/>\n<worldbody>\n";
    for (std::size_t k = 0; k < mechanism_.springs.size(); ++k) {
      const bench::Spring& spring = mechanism_.springs[k];
      if (spring.i < 0) out += "<site name=\"s" + std::to_string(k) + "i\" pos=\"" + text(spring.from) + "\"/>\n";
      if (spring.j < 0) out += "<site name=\"s" + std::to_string(k) + "j\" pos=\"" + text(spring.to) + "\"/>\n";
    }
    for (const Joint* joint : children_[0]) add_body(*joint, out);
    out += "</worldbody>\n<tendon>\n";
    for (std::size_t k = 0; k < mechanism_.springs.size(); ++k) {
      const bench::Spring& spring = mechanism_.springs[k];
      out += "<spatial stiffness=\"" + bench::json_number(spring.stiffness) + "\" damping=\"" +
             bench::json_number(spring.damping) + "\" springlength=\"" + bench::json_number(spring.free_length) +
             "\"><site site=\"s" + std::to_string(k) + "i\"/><site site=\"s" + std::to_string(k) + "j\"/></spatial>\n";
    }
    return out + "</tendon></mujoco>\n";
  }

  std::string urdf() const {
    if (!mechanism_.springs.empty()) throw std::runtime_error("no springs in deep trees");
    std::string out =
        "<robot name=\"r\"><mujoco><compiler fusestatic=\"false\" discardvisual=\"false\"/></mujoco>\n"
        "<link name=\"world\"/>\n";
    for (const Joint& joint : mechanism_.tree) {
      if (joint.type != "revolute") throw std::runtime_error("only hinges in deep trees");
      const bench::Body& body = mechanism_.bodies[static_cast<std::size_t>(joint.j)];
      const auto& I = body.inertia;
      const std::string name = "b" + std::to_string(joint.j);
      const std::string parent = joint.i < 0 ? "world" : "b" + std::to_string(joint.i);
      const auto entry = [](const char* key, double value) {
        return std::string(" ") + key + "=\"" + bench::json_number(value) + "\"";
      };
      out += "<link name=\"" + name + "\"><inertial><origin xyz=\"" + text(body.center - joint.at) +
             "\"/><mass value=\"" + bench::json_number(body.mass) + "\"/><inertia" + entry("ixx", I[0]) +
             entry("iyy", I[1]) + entry("izz", I[2]) + entry("ixy", I[3]) + entry("ixz", I[4]) + entry("iyz", I[5]) +
             "/></inertial></link>\n";
      out += "<joint name=\"j" + name + "\" type=\"continuous\"><parent link=\"" + parent + "\"/><child link=\"" +
             name + "\"/><origin xyz=\"" + text(joint.at - origin(joint.i)) + "\"/><axis xyz=\"" + text(joint.axis) +
             "\"/></joint>\n";
    }
    return out + "</robot>\n";
  }

  // --- after loading ---

  void set_options(const bench::Settings& settings) {
    const std::string integrator = settings.text("integrator", "rk4");
    model_->opt.integrator = integrator == "rk4" ? mjINT_RK4 : integrator == "euler" ? mjINT_EULER : mjINT_IMPLICIT;
    // A whole number of steps.
    const double duration = settings.number("duration", mechanism_.duration);
    model_->opt.timestep = duration / std::round(duration / settings.number("step", 1e-3));
    for (int k = 0; k < 3; ++k) model_->opt.gravity[k] = mechanism_.gravity[static_cast<std::size_t>(k)];
    model_->opt.solver = mjSOL_NEWTON;
    model_->opt.tolerance = 1e-15;
    model_->opt.iterations = 20;
    const std::string jacobian = settings.text("jacobian", "auto");
    model_->opt.jacobian = jacobian == "sparse" ? mjJAC_SPARSE : jacobian == "dense" ? mjJAC_DENSE : mjJAC_AUTO;
    model_->opt.disableflags |= mjDSBL_REFSAFE | mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS | mjDSBL_SENSOR;
    if (mechanism_.springs.empty()) model_->opt.disableflags |= mjDSBL_PASSIVE;
  }

  /// Equality constraints are written into the model: URDF has none.
  void add_loops(double time_constant) {
    struct Connection {
      int i, j;
      Triple at;
    };
    std::vector<Connection> connections;
    for (const Joint& joint : mechanism_.loops) {
      if (joint.type == "revolute" && !mechanism_.planar) {
        const Triple arm = joint.at - mechanism_.center(joint.i < 0 ? joint.j : joint.i);
        const double half = 0.5 * std::sqrt(bench::dot(arm, arm));
        connections.push_back({joint.i, joint.j, joint.at + half * joint.axis});
        connections.push_back({joint.i, joint.j, joint.at - half * joint.axis});
      } else if (joint.type == "revolute" || joint.type == "spherical") {
        connections.push_back({joint.i, joint.j, joint.at});
      } else {
        throw std::runtime_error("no loop with a joint " + joint.type);
      }
    }
    const std::size_t count = connections.size();
    types_.assign(count, mjEQ_CONNECT);
    active_.assign(count, 1);
    references_.resize(mjNREF * count);
    impedances_.resize(mjNIMP * count);
    anchors_.resize(mjNEQDATA * count);
    const mjtNum impedance[mjNIMP] = {mjMAXIMP, mjMAXIMP, 0.001, 0.5, 2};
    for (std::size_t k = 0; k < count; ++k) {
      const Connection& connection = connections[k];
      const auto id = [&](int body) { return body < 0 ? 0 : ids_[static_cast<std::size_t>(body)]; };
      first_.push_back(id(connection.i));
      second_.push_back(id(connection.j));
      references_[mjNREF * k] = time_constant;
      references_[mjNREF * k + 1] = 1;
      std::copy(impedance, impedance + mjNIMP, impedances_.begin() + static_cast<long>(mjNIMP * k));
      const Triple a = connection.at - origin(connection.i), b = connection.at - origin(connection.j);
      std::copy(a.begin(), a.end(), anchors_.begin() + static_cast<long>(mjNEQDATA * k));
      std::copy(b.begin(), b.end(), anchors_.begin() + static_cast<long>(mjNEQDATA * k) + 3);
    }
    model_->neq = static_cast<int>(count);
    model_->eq_type = types_.data();
    model_->eq_obj1id = first_.data();
    model_->eq_obj2id = second_.data();
    model_->eq_active = active_.data();
    model_->eq_solref = references_.data();
    model_->eq_solimp = impedances_.data();
    model_->eq_data = anchors_.data();
    model_->nemax = static_cast<int>(3 * count);
    model_->njmax = model_->nemax + 1;
    model_->nconmax = 0;
    const double rows = model_->njmax, columns = model_->nv;
    model_->nstack = static_cast<int>(std::min(2e9, 1e6 + 20 * columns * columns + 10 * rows * (columns + rows)));
  }

  void set_velocities() {
    for (const Joint& joint : mechanism_.tree) {
      const Triple spin = bench::relative_spin(mechanism_, joint);
      const Triple velocity = bench::relative_velocity(mechanism_, joint);
      const int address = model_->jnt_dofadr[model_->body_jntadr[ids_[static_cast<std::size_t>(joint.j)]]];
      if (joint.type == "revolute") {
        data_->qvel[address] = bench::dot(spin, joint.axis);
      } else if (joint.type == "prismatic") {
        data_->qvel[address] = bench::dot(velocity, joint.axis);
      } else if (bench::dot(spin, spin) + bench::dot(velocity, velocity) > 0) {
        throw std::runtime_error("no initial velocities of joints " + joint.type);
      }
    }
  }

  double energy() {
    model_->opt.enableflags |= mjENBL_ENERGY;
    mj_energyPos(model_, data_);
    mj_energyVel(model_, data_);
    model_->opt.enableflags &= ~mjENBL_ENERGY;
    return data_->energy[0] + data_->energy[1];
  }

  bool warned() const {
    return data_->warning[mjWARN_BADQPOS].number + data_->warning[mjWARN_BADQVEL].number +
               data_->warning[mjWARN_BADQACC].number >
           0;
  }

  const Mechanism& mechanism_;
  std::vector<std::vector<const Joint*>> children_;
  std::vector<Triple> origin_;
  std::vector<int> ids_;
  // The process ends with the run, so neither is freed: the model points into the vectors below.
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
  std::vector<int> types_, first_, second_;
  std::vector<mjtByte> active_;
  std::vector<mjtNum> references_, impedances_, anchors_;
};

void be_silent(const char*) {}
void fail(const char* message) {
  bench::Outcome outcome;
  outcome.failure = message;
  bench::print(outcome);
  std::exit(0);
}

}  // namespace

int main(int count, char** arguments) {
  mju_user_warning = be_silent;  // else it writes a log file
  mju_user_error = fail;
  return bench::run_driver(count, arguments, [](const Mechanism& mechanism, const bench::Settings& settings) {
    const double heap = bench::heap_bytes(), begun = bench::cpu_seconds();
    Simulation simulation(mechanism, settings);
    const double ready = bench::cpu_seconds(), used = bench::heap_bytes() - heap;
    bench::Outcome outcome = simulation.run(settings.number("duration", mechanism.duration));
    outcome.setup = ready - begun;
    outcome.heap = used;
    return outcome;
  });
}
