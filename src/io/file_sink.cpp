#include "io/file_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "io/chosen_columns.h"
#include "io/hdf5_sink.h"
#include "io/json_writer.h"

namespace bricard {
namespace {

class FileSink : public Sink {
 public:
  FileSink(std::string file, std::vector<std::string> wanted) : file_(std::move(file)), wanted_(std::move(wanted)) {
    const std::filesystem::path folder = std::filesystem::path(file_).parent_path();
    std::error_code ignored;  // opening the file below says what is wrong
    if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
    stream_ = std::fopen(file_.c_str(), "w");
    if (!stream_)
      throw InputError(fmt::format("cannot write '{}': check that the folder exists and may be written", file_));
  }
  ~FileSink() override { close(); }
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
  }

  void row(const Vector& values) override {
    line_.clear();
    write_row(values);
    if (std::fwrite(line_.data(), 1, line_.size(), stream_) != line_.size()) {
      throw InputError(fmt::format("writing '{}' failed: is the disk full?", file_));
    }
  }

 protected:
  virtual void write_header() = 0;
  virtual void write_row(const Vector& values) = 0;

  void close() {
    if (!stream_) return;
    std::fclose(stream_);
    stream_ = nullptr;
  }

  std::string file_;
  std::vector<std::string> wanted_, names_;
  ResultNotes notes_;  // of the columns that are written
  std::vector<int> chosen_;
  std::FILE* stream_ = nullptr;
  std::string line_;
};

class CsvSink : public FileSink {
 public:
  using FileSink::FileSink;

 private:
  void write_header() override {
    line_.clear();
    if (!notes_.not_unique.empty())
      line_ = fmt::format("# not unique ({}): {}\n", notes_.convention, fmt::join(notes_.not_unique, " "));
    fmt::format_to(std::back_inserter(line_), "{}\n", fmt::join(names_, ","));
    std::fwrite(line_.data(), 1, line_.size(), stream_);
  }
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
  ~JsonSink() override {
    if (stream_ && started_) std::fputs("\n]}\n", stream_);
  }
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
    fmt::print(stream_, "{{\"columns\": {},\n", list(names_));
    if (!notes_.not_unique.empty()) {
      fmt::print(stream_, "\"not_unique\": {},\n\"convention\": {},\n", list(notes_.not_unique),
                 JsonWriter().value(notes_.convention).text());
    }
    fmt::print(stream_, "\"rows\": [");
    started_ = true;
  }
  void write_row(const Vector& values) override {
    line_ += first_ ? "\n[" : ",\n[";
    first_ = false;
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      fmt::format_to(std::back_inserter(line_), "{}{}", k ? ", " : "", values[chosen_[k]]);
    }
    line_ += ']';
  }
  bool first_ = true, started_ = false;
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
