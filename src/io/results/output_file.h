// Result files that appear whole or not at all. What is written goes to FILE.unfinished beside FILE; commit() puts it
// on the disk and into FILE's place, so that an older FILE is there until the new one is complete. A program that is
// killed leaves FILE.unfinished with what it had.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace bricard {

class OutputFile {
 public:
  /// Makes missing folders and FILE.unfinished. A link is followed and kept; a device or pipe is written as text comes.
  /// Throws InputError if the file cannot be written, or if another process is writing it (a lock says so, which ends
  /// with its process).
  explicit OutputFile(std::string file);
  /// What was not committed is removed, with the folders that were made for it.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Whole pieces, such as rows: the file never ends within one, whenever the program is killed or the disk is full.
  /// Throws InputError.
  void write(std::string_view piece);
  /// Throws InputError.
  void commit();
  /// Leaves FILE.unfinished as it is.
  void keep_unfinished();

  /// Where the contents are until commit(): for those who write there themselves.
  const std::filesystem::path& unfinished() const { return unfinished_; }
  /// Devices and pipes have no place of their own.
  bool is_regular() const { return regular_; }

 private:
  void open_regular();
  void flush();
  [[noreturn]] void fail(const std::string& reason) const;
  void remove_unfinished();

  std::string file_;                           // as the user says it
  std::filesystem::path target_, unfinished_;  // without links
  std::vector<std::filesystem::path> made_;    // folders, outermost first
  int descriptor_ = -1, slot_ = -1;
  bool regular_ = true, committed_ = false;
  long long size_ = 0;  // of what is in the file
  std::string buffer_;
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
};

/// The whole contents at once.
void write_file(OutputFile& file, std::string_view text);

/// A file of a command, with the option that names it.
struct NamedFile {
  std::string option, file;
};

/// Before anything is done: an output must not be an input, nor another output, by whatever name or link; nor may
/// standard output go to one of them. Files without a name are passed over. Throws InputError.
void check_files(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);

/// For signal handlers: removes what is not committed.
void remove_unfinished_files() noexcept;

}  // namespace bricard
