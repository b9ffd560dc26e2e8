#include "io/results/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "bricard/input_error.h"

namespace bricard {
namespace {

namespace fs = std::filesystem;

// Names of unfinished files, for signal handlers, which must not take locks or memory.
std::array<std::atomic<char*>, 16> unfinished_names;

int remember(const fs::path& path) {
  char* const copy = ::strdup(path.c_str());
  for (std::size_t k = 0; copy && k < unfinished_names.size(); ++k) {
    char* none = nullptr;
    if (unfinished_names[k].compare_exchange_strong(none, copy)) return static_cast<int>(k);
  }
  std::free(copy);
  return -1;
}

void forget(int& slot) {
  if (slot >= 0) std::free(unfinished_names[static_cast<std::size_t>(slot)].exchange(nullptr));
  slot = -1;
}

/// N of /dev/fd/N, /proc/self/fd/N, /dev/stdout ..
std::optional<int> open_descriptor(const fs::path& path) {
  const std::string text = path.string();
  if (text == "/dev/stdin") return STDIN_FILENO;
  if (text == "/dev/stdout") return STDOUT_FILENO;
  if (text == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    int number = -1;
    const char* const end = text.data() + text.size();
    if (text.starts_with(folder) && std::from_chars(text.data() + folder.size(), end, number).ptr == end) return number;
  }
  return std::nullopt;
}

struct Target {
  fs::path path;                  // what links lead to
  std::optional<int> descriptor;  // a stream that is open already
};

Target follow_links(const std::string& file) {
  Target target{fs::absolute(file), std::nullopt};
  constexpr int most_links = 40;
  for (int k = 0; k < most_links; ++k) {
    if ((target.descriptor = open_descriptor(target.path))) return target;
    std::error_code none;
    const fs::path next = fs::read_symlink(target.path, none);
    if (none) break;
    target.path = target.path.parent_path() / next;
  }
  std::error_code missing;  // folders are made later
  const fs::path folder = fs::weakly_canonical(target.path.parent_path(), missing);
  if (!missing) target.path = folder / target.path.filename();
  return target;
}

fs::path unfinished_name(const fs::path& target) { return target.string() + ".unfinished"; }

std::string error_text(int error) { return std::strerror(error); }

}  // namespace

OutputFile::OutputFile(std::string file) : file_(std::move(file)) {
  const Target target = follow_links(file_);
  target_ = target.path;
  if (target.descriptor) {
    regular_ = false;
    descriptor_ = ::fcntl(*target.descriptor, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) fail(error_text(errno));
    return;
  }
  struct stat found;
  if (::stat(target_.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) {
    if (S_ISDIR(found.st_mode)) fail("it is a folder");
    regular_ = false;
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor_ < 0) fail(error_text(errno));
    return;
  }
  open_regular();
}

void OutputFile::open_regular() {
  for (fs::path folder = target_.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    std::error_code unknown;
    if (fs::exists(folder, unknown) || folder == folder.root_path()) break;
    made_.insert(made_.begin(), folder);
  }
  const auto give_up = [this](const std::string& reason) {
    remove_unfinished();
    fail(reason);
  };
  for (std::size_t k = 0; k < made_.size(); ++k) {
    if (::mkdir(made_[k].c_str(), 0777) == 0 || errno == EEXIST) continue;
    const int error = errno;
    made_.resize(k);
    give_up(fmt::format("folder '{}': {}", made_.empty() ? target_.parent_path().string() : made_.back().string(),
                        error_text(error)));
  }
  // A file that may not be written is not replaced either.
  if (::access(target_.c_str(), W_OK) != 0 && errno != ENOENT) give_up(error_text(errno));
  unfinished_ = unfinished_name(target_);
  for (;;) {
    descriptor_ = ::open(unfinished_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (descriptor_ < 0) {
      const int error = errno;
      unfinished_.clear();  // not ours
      give_up(error_text(error));
    }
    struct stat ours, there;
    const bool known = ::fstat(descriptor_, &ours) == 0;
    if (!known || !S_ISREG(ours.st_mode)) {
      const fs::path name = std::exchange(unfinished_, {});
      give_up(fmt::format("'{}' is in the way", name.string()));
    }
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      unfinished_.clear();
      made_.clear();
      give_up("another process is writing it");
    }
    // Between opening and locking, another process may have finished with it.
    const bool same =
        ::lstat(unfinished_.c_str(), &there) == 0 && there.st_ino == ours.st_ino && there.st_dev == ours.st_dev;
    if (same && ours.st_size == 0 && ours.st_nlink == 1) break;
    // What a killed program left is removed, not written over: it may have another name by now.
    if (same) ::unlink(unfinished_.c_str());
    ::close(descriptor_);
    descriptor_ = -1;
  }
  struct stat old;
  if (::stat(target_.c_str(), &old) == 0) {
    // As the file that it replaces, as far as this user may.
    if (::fchown(descriptor_, old.st_uid, old.st_gid) == 0 || old.st_uid == ::geteuid())
      static_cast<void>(::fchmod(descriptor_, old.st_mode & 07777));
  }
  slot_ = remember(unfinished_);
}

OutputFile::~OutputFile() {
  if (!committed_) remove_unfinished();
  forget(slot_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::remove_unfinished() {
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) ::rmdir(folder->c_str());  // if empty
  made_.clear();
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void OutputFile::fail(const std::string& reason) const {
  throw InputError(fmt::format("cannot write '{}': {}", file_, reason));
}

void OutputFile::write(std::string_view piece) {
  buffer_ += piece;
  constexpr std::size_t enough = 1 << 16;
  const auto now = std::chrono::steady_clock::now();
  // Who looks at a long run sees its rows.
  if (buffer_.size() >= enough || (regular_ && now - flushed_ > std::chrono::seconds(1))) {
    flushed_ = now;
    flush();
  }
}

void OutputFile::flush() {
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t count = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count > 0) {
      done += static_cast<std::size_t>(count);
      continue;
    }
    const int error = count < 0 ? errno : ENOSPC;
    if (regular_) {
      // Up to the last whole piece that is there.
      const std::size_t line = std::string_view(buffer_).substr(0, done).rfind('\n');
      const long long whole = line == std::string_view::npos ? 0 : static_cast<long long>(line) + 1;
      static_cast<void>(!::ftruncate(descriptor_, size_ + whole));
    }
    buffer_.clear();
    fail(error_text(error));
  }
  size_ += static_cast<long long>(buffer_.size());
  buffer_.clear();
}

void OutputFile::commit() {
  flush();
  if (!regular_) {
    const int closed = ::close(std::exchange(descriptor_, -1));
    committed_ = true;
    if (closed != 0) fail(error_text(errno));
    return;
  }
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS) fail(error_text(errno));
  if (::rename(unfinished_.c_str(), target_.c_str()) != 0) fail(error_text(errno));
  committed_ = true;
  forget(slot_);
  // The name is on the disk too, where the file system can say so.
  const int folder = ::open(target_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) static_cast<void>(!::fsync(folder)), ::close(folder);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(error_text(errno));
}

void OutputFile::keep_unfinished() {
  committed_ = true;
  forget(slot_);
}

void write_file(OutputFile& file, std::string_view text) {
  file.write(text);
  file.commit();
}

void remove_unfinished_files() noexcept {
  for (std::atomic<char*>& name : unfinished_names) {
    if (const char* const path = name.load()) ::unlink(path);
  }
}

namespace {

/// What a name stands for: the file itself if there is one, else its place.
struct Identity {
  explicit Identity(const std::string& file) : path(follow_links(file).path) {
    struct stat found;
    if (::stat(file.c_str(), &found) != 0) return;
    exists = true;
    regular = S_ISREG(found.st_mode);
    device = found.st_dev, inode = found.st_ino;
  }
  bool is(const Identity& other) const {
    if (exists && other.exists) return regular && device == other.device && inode == other.inode;
    return path == other.path;
  }
  fs::path path;
  bool exists = false, regular = true;
  dev_t device = 0;
  ino_t inode = 0;
};

/// Standard output, where it is a file.
bool standard_output_is(const Identity& file) {
  struct stat out;
  return ::fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(out.st_mode) && file.exists && file.regular &&
         out.st_dev == file.device && out.st_ino == file.inode;
}

}  // namespace

void check_files(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
  const auto refuse = [](const NamedFile& file, const std::string& reason) {
    throw InputError(fmt::format("{} {}: {}", file.option, file.file, reason));
  };
  for (const NamedFile& input : inputs) {
    if (!input.file.empty() && standard_output_is(Identity(input.file)))
      refuse(input, "standard output goes to this file, which is an input");
  }
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    if (output->file.empty()) continue;
    const Target target = follow_links(output->file);
    if (target.descriptor) continue;
    const Identity here(output->file), beside(unfinished_name(target.path));
    if (standard_output_is(here)) refuse(*output, "standard output goes to the same file");
    for (const NamedFile& input : inputs) {
      if (input.file.empty()) continue;
      const Identity there(input.file);
      if (here.is(there))
        refuse(*output,
               fmt::format("this is the input {} {}, which is not to be written over", input.option, input.file));
      if (beside.is(there))
        refuse(*output, fmt::format("{} would be written over while this is being made; rename it", input.file));
    }
    for (auto other = outputs.begin(); other != output; ++other) {
      if (other->file.empty()) continue;
      const Identity there(other->file);
      if (here.is(there) || beside.is(there) || here.path == unfinished_name(follow_links(other->file).path))
        refuse(*output, fmt::format("this is the same file as {} {}", other->option, other->file));
    }
  }
}

}  // namespace bricard
