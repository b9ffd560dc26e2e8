#include "io/hdf5_sink.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "io/chosen_columns.h"
#include "io/column_units.h"
#include "model/input_error.h"

namespace bricard {
namespace {

/// An identifier of the library, closed by the function that belongs to its kind.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_), std::swap(close_, other.close_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  herr_t (*close_)(hid_t) = nullptr;
};

constexpr hsize_t rows_a_block = 256;

void put_text(hid_t owner, const char* name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  H5Tset_size(type, std::max<std::size_t>(text.size(), 1));
  H5Tset_cset(type, H5T_CSET_UTF8);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  const Handle attribute(H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (attribute.valid()) H5Awrite(attribute, type, text.empty() ? "\0" : text.data());
}

void put_number(hid_t owner, const char* name, double number) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(owner, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (attribute.valid()) H5Awrite(attribute, H5T_NATIVE_DOUBLE, &number);
}

class Hdf5Sink : public Sink {
 public:
  Hdf5Sink(std::string file, std::vector<std::string> wanted) : name_(std::move(file)), wanted_(std::move(wanted)) {
    const std::filesystem::path folder = std::filesystem::path(name_).parent_path();
    std::error_code ignored;  // opening the file below says what is wrong
    if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    // The format of 1.8 has no mark of being open for writing: what is left by a killed run opens as it is.
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    file_ = Handle(H5Fcreate(name_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
    if (!file_.valid())
      throw InputError(fmt::format("cannot write '{}': check that the folder exists and may be written", name_));
  }
  ~Hdf5Sink() override { write_block(); }  // what an exception left
  Hdf5Sink(const Hdf5Sink&) = delete;
  Hdf5Sink& operator=(const Hdf5Sink&) = delete;

  void describe(const RunDescription& run) override {
    model_ = &run.model;
    const Method& m = run.chosen.method;
    put_text(file_, "bricard", BRICARD_VERSION);
    put_text(file_, "model", run.model.name);
    put_text(file_, "model_text", run.model.text);
    for (const auto& [key, value] :
         std::initializer_list<std::pair<const char*, const std::string&>>{{"coordinates", m.coordinates},
                                                                           {"formulation", m.formulation},
                                                                           {"pseudoinverse", m.pseudoinverse},
                                                                           {"stabilization", m.stabilization},
                                                                           {"integrator", m.integrator},
                                                                           {"selection", m.selection},
                                                                           {"reactions", m.reactions},
                                                                           {"reason", run.chosen.reason}})
      put_text(file_, key, value);
    for (const auto& [key, value] : {std::pair{"tolerance", m.tolerance},
                                     {"step", m.step},
                                     {"alpha", m.alpha},
                                     {"beta", m.beta},
                                     {"threshold", m.threshold},
                                     {"duration", m.duration},
                                     {"output_step", m.output_step}}) {
      if (!std::isnan(value)) put_number(file_, key, value);
    }
    for (const auto& [joint, components] : run.structure.reactions) {
      for (const auto& [component, unique] : components)
        (unique ? unique_ : not_unique_).insert(joint + "." + component);
    }
  }

  void begin(const std::vector<std::string>& columns) override {
    chosen_ = chosen_columns(wanted_, columns);
    const hsize_t none = 0, unlimited = H5S_UNLIMITED, chunk = 4 * rows_a_block;
    const Handle space(H5Screate_simple(1, &none, &unlimited), H5Sclose),
        layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(layout, 1, &chunk);
    for (int k : chosen_) {
      const std::string& column = columns[k];
      data_.emplace_back(H5Dcreate2(file_, column.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT),
                         H5Dclose);
      if (!data_.back().valid())
        throw InputError(fmt::format("writing '{}' failed: no data set can be made for column {}", name_, column));
      if (model_) put_text(data_.back(), "unit", column_unit(*model_, column));
      if (unique_.contains(column) || not_unique_.contains(column))
        put_number(data_.back(), "unique", unique_.contains(column) ? 1 : 0);
    }
    block_.resize(chosen_.size());
    for (std::vector<double>& values : block_) values.reserve(rows_a_block);
    H5Fflush(file_, H5F_SCOPE_GLOBAL);
  }

  void end() override {
    if (!write_block()) fail();
  }

  void row(const Vector& values) override {
    for (std::size_t k = 0; k < chosen_.size(); ++k) block_[k].push_back(values[chosen_[k]]);
    const auto now = std::chrono::steady_clock::now();
    if (block_[0].size() < rows_a_block && now - flushed_ < std::chrono::seconds(2)) return;
    flushed_ = now;
    if (!write_block()) fail();
  }

 private:
  bool write_block() {
    if (block_.empty() || block_[0].empty()) return true;
    const hsize_t count = block_[0].size(), total = written_ + count;
    const Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
    bool ok = true;
    for (std::size_t k = 0; k < data_.size(); ++k) {
      ok &= H5Dset_extent(data_[k], &total) >= 0;
      const Handle place(H5Dget_space(data_[k]), H5Sclose);
      H5Sselect_hyperslab(place, H5S_SELECT_SET, &written_, nullptr, &count, nullptr);
      ok &= H5Dwrite(data_[k], H5T_NATIVE_DOUBLE, memory, place, H5P_DEFAULT, block_[k].data()) >= 0;
      block_[k].clear();
    }
    written_ = total;
    return H5Fflush(file_, H5F_SCOPE_GLOBAL) >= 0 && ok;
  }

  [[noreturn]] void fail() const { throw InputError(fmt::format("writing '{}' failed: is the disk full?", name_)); }

  std::string name_;
  std::vector<std::string> wanted_;
  const Model* model_ = nullptr;
  std::set<std::string> unique_, not_unique_;
  Handle file_;  // closed after its data sets
  std::vector<Handle> data_;
  std::vector<int> chosen_;
  std::vector<std::vector<double>> block_;
  hsize_t written_ = 0;
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
};

}  // namespace

std::unique_ptr<Sink> open_hdf5_sink(const std::string& file, const std::vector<std::string>& columns) {
  return std::make_unique<Hdf5Sink>(file, columns);
}

}  // namespace bricard
