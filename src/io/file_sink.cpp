#include "io/file_sink.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <set>

#include "io/json_writer.h"
#include "model/nearest_name.h"

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

  void begin(const std::vector<std::string>& columns) override {
    std::set<int> chosen;
    for (const std::string& name : wanted_) {
      const bool all_of = name.size() > 2 && name.ends_with(".*");
      bool found = false;
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (columns[k] != name && !(all_of && columns[k].starts_with(name.substr(0, name.size() - 1)))) continue;
        chosen.insert(static_cast<int>(k));
        found = true;
      }
      if (!found) throw InputError(fmt::format("no column '{}'{}", name, suggestion(name, columns)));
    }
    if (!wanted_.empty()) chosen.insert(0);  // time always
    for (int k = 0; wanted_.empty() && k < static_cast<int>(columns.size()); ++k) chosen.insert(k);
    chosen_.assign(chosen.begin(), chosen.end());
    for (int k : chosen_) names_.push_back(columns[k]);
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
  std::vector<int> chosen_;
  std::FILE* stream_ = nullptr;
  std::string line_;
};

class CsvSink : public FileSink {
 public:
  using FileSink::FileSink;

 private:
  void write_header() override {
    line_ = fmt::format("{}\n", fmt::join(names_, ","));
    std::fwrite(line_.data(), 1, line_.size(), stream_);
  }
  void write_row(const Vector& values) override {
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      fmt::format_to(std::back_inserter(line_), "{}{}", k ? "," : "", values[chosen_[k]]);
    }
    line_ += '\n';
  }
};

/// {"columns": [...], "rows": [[...], ...]}, closed at the end, also of a run that fails.
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
    JsonWriter names;
    names.begin_array();
    for (const std::string& name : names_) names.value(name);
    names.end_array();
    fmt::print(stream_, "{{\"columns\": {},\n\"rows\": [", names.text());
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
  throw InputError(fmt::format("cannot tell the format of '{}': its name must end in .csv or .json", file));
}

}  // namespace bricard
