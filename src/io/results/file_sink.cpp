#include "io/results/file_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "bricard/input_error.h"
#include "io/results/chosen_columns.h"
#include "io/results/hdf5_sink.h"
#include "io/results/json_writer.h"
#include "io/results/output_file.h"

namespace bricard {
namespace {

class FileSink : public Sink {
 public:
  FileSink(const std::string& file, std::vector<std::string> wanted) : file_(file), wanted_(std::move(wanted)) {}
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  void describe(const RunDescription& run) override { notes_ = run.notes; }

  void begin(const std::vector<std::string>& columns) override {
    chosen_ = chosen_columns(wanted_, columns);
    for (int k : chosen_) names_.push_back(columns[k]);
    std::erase_if(notes_.not_unique, [&](const std::string& name) {
      return std::find(names_.begin(), names_.end(), name) == names_.end();
    });
    write_header();
    file_.write(line_);
  }

  bool wants_column(int column) const override { return std::binary_search(chosen_.begin(), chosen_.end(), column); }

  void row(const Vector& values) override {
    line_.clear();
    write_row(values);
    write_line();
    ++rows_;
  }

  void end() override {
    if (rows_ == 0) return;  // nothing to show: what was there stays
    line_.clear();
    write_end();
    write_line(true);
    rows_ = 0;
  }

 protected:
  // Each appends to line_.
  virtual void write_header() = 0;
  virtual void write_row(const Vector& values) = 0;
  virtual void write_end() {}

  /// The rows of a run that ended by an exception are results too.
  void end_quietly() {
    try {
      end();
    } catch (const std::exception&) {
      // The exception that is under way says more.
    }
  }

 private:
  void write_line(bool last = false) {
    try {
      file_.write(line_);
      if (last) file_.commit();
    } catch (const InputError& error) {
      if (rows_ == 0 || !file_.is_regular()) throw;
      rows_ = 0;
      file_.keep_unfinished();
      throw InputError(fmt::format("{}; the rows up to then are in '{}'", error.what(), file_.unfinished().string()));
    }
  }

 protected:
  OutputFile file_;
  std::vector<std::string> wanted_, names_;
  ResultNotes notes_;  // of the columns that are written
  std::vector<int> chosen_;
  std::string line_;
  long rows_ = 0;
};

class CsvSink : public FileSink {
 public:
  using FileSink::FileSink;
  ~CsvSink() override { end_quietly(); }
  CsvSink(const CsvSink&) = delete;
  CsvSink& operator=(const CsvSink&) = delete;

 private:
  void write_header() override { line_ = fmt::format("{}\n", fmt::join(names_, ",")); }
  void write_row(const Vector& values) override {
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      fmt::format_to(std::back_inserter(line_), "{}{}", k ? "," : "", values[chosen_[k]]);
    }
    line_ += '\n';
  }
};

/// {"columns": [...], "not_unique": [...], "rows": [[...], ...]}, closed at the end, also of a run that fails.
class JsonSink : public FileSink {
 public:
  using FileSink::FileSink;
  ~JsonSink() override { end_quietly(); }
  JsonSink(const JsonSink&) = delete;
  JsonSink& operator=(const JsonSink&) = delete;

 private:
  void write_header() override {
    const auto list = [](const std::vector<std::string>& texts) {
      JsonWriter array;
      array.begin_array();
      for (const std::string& text : texts) array.value(text);
      return array.end_array().text();
    };
    line_ = fmt::format("{{\"columns\": {},\n", list(names_));
    if (!notes_.not_unique.empty()) {
      line_ += fmt::format("\"not_unique\": {},\n\"convention\": {},\n", list(notes_.not_unique),
                           JsonWriter().value(notes_.convention).text());
    }
    line_ += "\"rows\": [";
  }
  void write_row(const Vector& values) override {
    line_ += rows_ == 0 ? "\n[" : ",\n[";
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      fmt::format_to(std::back_inserter(line_), "{}{}", k ? ", " : "", values[chosen_[k]]);
    }
    line_ += ']';
  }
  void write_end() override { line_ += "\n]}\n"; }
};

}  // namespace

std::unique_ptr<Sink> open_file_sink(const std::string& file, const std::vector<std::string>& columns) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending == ".csv") return std::make_unique<CsvSink>(file, columns);
  if (ending == ".json") return std::make_unique<JsonSink>(file, columns);
  if (ending == ".h5" || ending == ".hdf5") return open_hdf5_sink(file, columns);
  throw InputError(fmt::format("cannot tell the format of '{}': its name must end in .csv, .json or .h5", file));
}

}  // namespace bricard
