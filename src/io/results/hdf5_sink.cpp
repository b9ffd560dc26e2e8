#include "io/results/hdf5_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <set>
#include <utility>

#include "bricard/input_error.h"
#include "io/results/chosen_columns.h"
#include "io/results/column_units.h"
#include "io/results/hdf5_library.h"
#include "io/results/output_file.h"

namespace bricard {
namespace {

/// An identifier of the library, closed by the function that belongs to its kind.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*closing)(hid_t)) : id_(id), close_(closing) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_), std::swap(close_, other.close_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }
  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }
  bool close() {
    const hid_t id = std::exchange(id_, H5I_INVALID_HID);
    return id < 0 || close_(id) >= 0;
  }
  /// Leaves it open for good.
  void abandon() { id_ = H5I_INVALID_HID; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  herr_t (*close_)(hid_t) = nullptr;
};

// With more columns than this, data sets of their own would take more room than the numbers of a short run.
constexpr std::size_t most_views = 1000;
// H5F_ACC_TRUNC, whose macro calls the library.
constexpr unsigned truncating = 2;
// Of rows that wait to be written, and of one chunk.
constexpr std::size_t most_waiting = 2'000'000, most_in_chunk = 32'768;

class Hdf5Sink : public Sink {
 public:
  Hdf5Sink(const std::string& file, std::vector<std::string> wanted)
      : h5_(hdf5()), name_(file), wanted_(std::move(wanted)), output_(file) {
    if (!output_.is_regular())
      throw InputError(fmt::format("cannot write '{}': HDF5 needs a file, not a device or pipe", name_));
    // The format of 1.8 has no mark of being open for writing: what is left by a killed run opens as it is.
    const Handle access(h5_.H5Pcreate(h5_.file_access), h5_.H5Pclose);
    h5_.H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
    h5_.H5Pset_file_locking(access, false, true);  // output_ holds the lock
    file_ = Handle(h5_.H5Fcreate(output_.unfinished().c_str(), truncating, H5P_DEFAULT, access), h5_.H5Fclose);
    if (!file_.valid()) fail();
  }
  ~Hdf5Sink() override {
    try {
      end();  // what an exception left
    } catch (const std::exception&) {
      // The exception that is under way says more.
    }
  }
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
                                                                           {"state", m.state},
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
    if (!run.notes.convention.empty()) put_text(file_, "convention", run.notes.convention);
    for (const auto& [joint, components] : run.structure.reactions) {
      for (const auto& [component, unique] : components)
        (unique ? unique_ : not_unique_).insert(joint + "." + component);
    }
  }

  void begin(const std::vector<std::string>& columns) override {
    chosen_ = chosen_columns(wanted_, columns);
    std::vector<std::string> names, units;
    std::vector<signed char> marks;
    for (int k : chosen_) {
      names.push_back(columns[k]);
      units.push_back(model_ ? column_unit(*model_, columns[k]) : "");
      marks.push_back(unique_.contains(columns[k]) ? 1 : not_unique_.contains(columns[k]) ? 0 : -1);
    }
    make_rows();
    bool ok = rows_.valid() && put_texts("columns", names) && put_texts("units", units) && put_marks(marks);
    for (std::size_t k = 0; ok && k < names.size() && names.size() <= most_views; ++k) {
      if (!is_own_name(names[k])) ok = make_view(names[k], k, units[k], marks[k]);
    }
    if (!ok || h5_.H5Fflush(file_, H5F_SCOPE_GLOBAL) < 0) fail();
  }

  bool wants_column(int column) const override { return std::binary_search(chosen_.begin(), chosen_.end(), column); }

  void row(const Vector& values) override {
    for (int k : chosen_) block_.push_back(values[k]);
    const auto now = std::chrono::steady_clock::now();
    if (block_.size() < rows_a_block_ * chosen_.size() && now - flushed_ < std::chrono::seconds(2)) return;
    flushed_ = now;
    if (!write_block()) fail();
  }

  void end() override {
    if (!file_.valid()) return;
    if (written_ == 0 && block_.empty()) {
      rows_.close(), file_.close();
      return;  // nothing to show: what was there stays
    }
    if (!write_block() || !rows_.close() || !file_.close()) fail();
    output_.commit();
  }

 private:
  static bool is_own_name(const std::string& name) {
    return name == "rows" || name == "columns" || name == "units" || name == "unique";
  }

  void put_text(hid_t owner, const char* name, const std::string& text) {
    const Handle type = text_type(text.size()), space(h5_.H5Screate(H5S_SCALAR), h5_.H5Sclose);
    const Handle attribute(h5_.H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT), h5_.H5Aclose);
    if (attribute.valid()) h5_.H5Awrite(attribute, type, text.empty() ? "\0" : text.data());
  }

  void put_number(hid_t owner, const char* name, double number) {
    const Handle space(h5_.H5Screate(H5S_SCALAR), h5_.H5Sclose);
    const Handle attribute(h5_.H5Acreate2(owner, name, h5_.number, space, H5P_DEFAULT, H5P_DEFAULT), h5_.H5Aclose);
    if (attribute.valid()) h5_.H5Awrite(attribute, h5_.number, &number);
  }

  Handle text_type(std::size_t size) const {
    Handle type(h5_.H5Tcopy(h5_.text), h5_.H5Tclose);
    h5_.H5Tset_size(type, std::max<std::size_t>(size, 1));
    h5_.H5Tset_cset(type, H5T_CSET_UTF8);
    h5_.H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
  }

  /// A data set with an entry for each column.
  bool put_list(const char* name, hid_t stored, const void* contents) {
    const hsize_t count = chosen_.size();
    const Handle space(h5_.H5Screate_simple(1, &count, nullptr), h5_.H5Sclose);
    const Handle layout(h5_.H5Pcreate(h5_.dataset_creation), h5_.H5Pclose);
    h5_.H5Pset_chunk(layout, 1, &count);
    h5_.H5Pset_deflate(layout, 6);
    const Handle data(h5_.H5Dcreate2(file_, name, stored, space, H5P_DEFAULT, layout, H5P_DEFAULT), h5_.H5Dclose);
    return data.valid() && h5_.H5Dwrite(data, stored, H5S_ALL, H5S_ALL, H5P_DEFAULT, contents) >= 0;
  }

  bool put_texts(const char* name, const std::vector<std::string>& texts) {
    std::size_t longest = 1;
    for (const std::string& text : texts) longest = std::max(longest, text.size());
    std::string contents(longest * texts.size(), '\0');
    for (std::size_t k = 0; k < texts.size(); ++k)
      std::memcpy(contents.data() + k * longest, texts[k].data(), texts[k].size());
    return put_list(name, text_type(longest), contents.data());
  }

  bool put_marks(const std::vector<signed char>& marks) { return put_list("unique", h5_.mark, marks.data()); }

  void make_rows() {
    rows_a_block_ = std::clamp<std::size_t>(most_waiting / chosen_.size(), 16, 1024);
    const hsize_t none[2] = {0, chosen_.size()}, most[2] = {H5S_UNLIMITED, chosen_.size()};
    const hsize_t chunk[2] = {rows_a_block_, std::min<std::size_t>(chosen_.size(), most_in_chunk / rows_a_block_)};
    const Handle space(h5_.H5Screate_simple(2, none, most), h5_.H5Sclose);
    const Handle layout(h5_.H5Pcreate(h5_.dataset_creation), h5_.H5Pclose);
    h5_.H5Pset_chunk(layout, 2, chunk);
    h5_.H5Pset_shuffle(layout);
    h5_.H5Pset_deflate(layout, 1);
    rows_ =
        Handle(h5_.H5Dcreate2(file_, "rows", h5_.stored_number, space, H5P_DEFAULT, layout, H5P_DEFAULT), h5_.H5Dclose);
    block_.reserve(rows_a_block_ * chosen_.size());
  }

  /// Column k under its own name: a data set without numbers of its own, which shows those of `rows`.
  bool make_view(const std::string& name, std::size_t k, const std::string& unit, signed char mark) {
    const hsize_t none = 0, unlimited = H5S_UNLIMITED, zero = 0, one = 1;
    const hsize_t all[2] = {0, chosen_.size()}, most[2] = {H5S_UNLIMITED, chosen_.size()};
    const hsize_t start[2] = {0, k}, step[2] = {1, 1}, count[2] = {H5S_UNLIMITED, 1}, size[2] = {1, 1};
    const Handle shown(h5_.H5Screate_simple(1, &none, &unlimited), h5_.H5Sclose);
    const Handle source(h5_.H5Screate_simple(2, all, most), h5_.H5Sclose);
    h5_.H5Sselect_hyperslab(shown, H5S_SELECT_SET, &zero, &one, &unlimited, &one);
    h5_.H5Sselect_hyperslab(source, H5S_SELECT_SET, start, step, count, size);
    const Handle layout(h5_.H5Pcreate(h5_.dataset_creation), h5_.H5Pclose);
    h5_.H5Pset_virtual(layout, shown, ".", "rows", source);
    const Handle data(h5_.H5Dcreate2(file_, name.c_str(), h5_.stored_number, shown, H5P_DEFAULT, layout, H5P_DEFAULT),
                      h5_.H5Dclose);
    if (!data.valid()) return false;
    put_text(data, "unit", unit);
    if (mark >= 0) put_number(data, "unique", mark);
    return true;
  }

  bool write_block() {
    if (block_.empty()) return true;
    const hsize_t width = chosen_.size(), count[2] = {block_.size() / width, width};
    const hsize_t total[2] = {written_ + count[0], width}, start[2] = {written_, 0};
    if (h5_.H5Dset_extent(rows_, total) < 0) return false;
    const Handle memory(h5_.H5Screate_simple(2, count, nullptr), h5_.H5Sclose),
        place(h5_.H5Dget_space(rows_), h5_.H5Sclose);
    h5_.H5Sselect_hyperslab(place, H5S_SELECT_SET, start, nullptr, count, nullptr);
    if (h5_.H5Dwrite(rows_, h5_.number, memory, place, H5P_DEFAULT, block_.data()) < 0) return false;
    written_ = total[0];
    block_.clear();
    if (h5_.H5Fflush(file_, H5F_SCOPE_GLOBAL) < 0) return false;
    flushed_rows_ = written_;
    return true;
  }

  [[noreturn]] void fail() {
    const int error = errno;
    // The library falls over a file that it cannot write when it closes it.
    rows_.abandon(), file_.abandon();
    block_.clear();
    std::string kept;
    if (flushed_rows_ > 0) {
      output_.keep_unfinished();
      kept = fmt::format("; what was written up to then is in '{}'", output_.unfinished().string());
    }
    throw InputError(fmt::format("cannot write '{}': {}{}", name_, std::strerror(error != 0 ? error : EIO), kept));
  }

  const Hdf5Library& h5_;
  std::string name_;
  std::vector<std::string> wanted_;
  OutputFile output_;
  const Model* model_ = nullptr;
  std::set<std::string> unique_, not_unique_;
  Handle file_, rows_;  // closed in the opposite order
  std::vector<int> chosen_;
  std::vector<double> block_;  // rows that wait
  std::size_t rows_a_block_ = 1;
  hsize_t written_ = 0, flushed_rows_ = 0;
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
};

}  // namespace

std::unique_ptr<Sink> open_hdf5_sink(const std::string& file, const std::vector<std::string>& columns) {
  return std::make_unique<Hdf5Sink>(file, columns);
}

}  // namespace bricard
