// A node of the model file with its path, and the shapes that the format expects of nodes. Whatever is wrong is noted
// and reading goes on, so that one run of the loader finds every mistake of a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bricard/input_error.h"
#include "io/model/yaml_tree.h"

namespace bricard {

/// Everything that is wrong with one file.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}
  void add(int line, int column, const std::string& path, const std::string& message);
  bool any() const { return !found_.empty(); }
  /// Whether a message may still look for the nearest of so many names: for thousands of messages that takes minutes.
  bool may_compare(std::size_t names) const { return found_.size() * names <= most_compared; }
  /// Throws what was found, in the order of the file; does nothing if nothing was found.
  void throw_if_any() const;
  const std::string& file() const { return file_; }
  std::vector<Diagnostic>& found() { return found_; }

 private:
  static constexpr std::size_t most_compared = 100'000;
  std::string file_;
  std::vector<Diagnostic> found_;
  std::size_t left_out_ = 0;
};

class InputNode {
 public:
  InputNode(const YamlNode& yaml, std::string path, Problems& problems)
      : yaml_(&yaml), path_(std::move(path)), problems_(&problems) {}

  bool is_map() const { return yaml_->kind == YamlNode::Kind::map; }
  bool is_list() const { return yaml_->kind == YamlNode::Kind::list; }
  bool is_scalar() const { return yaml_->kind == YamlNode::Kind::scalar; }
  bool is_null() const { return yaml_->kind == YamlNode::Kind::null; }
  const std::string& text() const { return yaml_->text; }
  const std::string& path() const { return path_; }

  /// Notes a problem at this node.
  void error(const std::string& message) const;
  /// Notes a problem at a character of this node's text, given by its byte.
  void error_at(std::size_t byte, const std::string& message) const;
  /// "expected ..., found ..."
  void expected(const std::string& what) const;

  /// The entries of a list; notes a problem and returns none if it is not a list.
  std::vector<InputNode> items(const std::string& what) const;
  /// The entries of a list that must have `count` of them; none if it has not.
  std::vector<InputNode> items(std::size_t count, const std::string& what) const;
  /// A text that is not empty; "" after noting a problem.
  std::string word(const std::string& what) const;
  /// true or false; false after noting a problem.
  bool flag() const;

 private:
  friend class Fields;
  friend struct NamedNode;
  friend std::vector<struct NamedNode> named_nodes(const InputNode& node, const std::string& what);
  friend std::optional<InputNode> find_entry(const InputNode& map, const std::string& key);
  InputNode child(std::size_t index, const std::string& step) const {
    return {yaml_->items[index], path_ + step, *problems_};
  }

  const YamlNode* yaml_;
  std::string path_;
  Problems* problems_;
};

/// One entry of a map from names chosen by the user, such as `bodies:`.
struct NamedNode {
  std::string name;
  InputNode node;
  int line, column;  // of the name
  void name_error(const std::string& message) const { node.problems_->add(line, column, node.path(), message); }
};

/// The entries of such a map with proper names, each name once; problems are noted.
std::vector<NamedNode> named_nodes(const InputNode& node, const std::string& what);

/// True for [A-Za-z_][A-Za-z0-9_-]*
bool is_name(std::string_view text);

/// A map with known keys, such as one body. Unknown keys are noted at once.
class Fields {
 public:
  /// `owner` is how messages call the map: "a body", "a planar revolute joint".
  Fields(const InputNode& node, const std::string& owner, const std::vector<std::string>& keys);

  /// False: not a map at all, which has been noted.
  bool valid() const { return valid_; }
  /// True: a map without keys.
  bool empty() const { return valid_ && node_.yaml_->keys.empty(); }
  bool has(const std::string& key) const { return find(key).has_value(); }
  std::optional<InputNode> find(const std::string& key) const;
  /// Notes a missing key.
  std::optional<InputNode> require(const std::string& key) const;
  /// Notes a problem at the key, if it is there.
  void refuse(const std::string& key, const std::string& message) const;
  const InputNode& node() const { return node_; }

 private:
  InputNode node_;
  std::string owner_;
  bool valid_;
};

/// The entry of a map, whatever other keys the map has.
std::optional<InputNode> find_entry(const InputNode& map, const std::string& key);

/// The one entry of a map that must have exactly one of the given keys, such as `shape: {disc: ..}`.
struct ChosenKey {
  std::string key;
  InputNode node;
};
std::optional<ChosenKey> choice(const InputNode& node, const std::string& owner, const std::vector<std::string>& keys);

}  // namespace bricard
