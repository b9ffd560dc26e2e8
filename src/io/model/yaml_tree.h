// A YAML text as a plain tree whose every node knows its line and column. Keeps yaml-cpp, and what a hostile file can
// do to it (endless nesting, alias bombs, binary data), behind one function.
#pragma once

#include <string>
#include <vector>

#include "bricard/input_error.h"

namespace bricard {

/// Enough to be useful; a hostile file must not turn into gigabytes of messages.
inline constexpr std::size_t max_problems = 1000;

struct YamlKey {
  std::string text;
  int line = 1, column = 1;
};

struct YamlNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  std::string text;             // scalar
  int line = 1, column = 1;     // from 1; columns count characters, not bytes
  int text_column = 0;          // column of the first character of `text`; 0: not found as such in the file
  std::vector<YamlKey> keys;    // map: one for each of `items`
  std::vector<YamlNode> items;  // list: its entries; map: its values
};

/// Deepest nesting of lists and maps that a file may have.
inline constexpr int max_yaml_depth = 64;
/// Largest file, in bytes.
inline constexpr std::size_t max_file_size = std::size_t{64} << 20;

/// Throws InputError for a text that is not exactly one YAML document. Duplicate keys, tags and keys that are not plain
/// words are problems too, but do not stop the reading: they are added to `problems`.
YamlNode parse_yaml(const std::string& text, const std::string& file, std::vector<Diagnostic>& problems);

}  // namespace bricard
