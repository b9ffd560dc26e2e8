#include "io/model/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "io/model/text_encoding.h"

namespace bricard {
namespace {

// Far more than any model needs; keeps the memory of a hostile file within about a gigabyte.
constexpr std::size_t max_nodes = 2'000'000;
constexpr std::size_t max_aliased_nodes = 100'000;

std::string too_many_values() {
  return fmt::format("the file holds more than {} values, too many for a model", max_nodes);
}

std::size_t count_nodes(const YamlNode& node) {
  std::size_t count = 1;
  for (const YamlNode& item : node.items) count += count_nodes(item);
  return count;
}

int nesting_depth(const YamlNode& node) {
  int deepest = 0;
  for (const YamlNode& item : node.items) deepest = std::max(deepest, nesting_depth(item));
  return deepest + (node.kind == YamlNode::Kind::list || node.kind == YamlNode::Kind::map ? 1 : 0);
}

// yaml-cpp holds all tokens of a bracketed list in memory until its bracket closes, long before TreeBuilder can count
// nodes; so the characters that begin tokens are counted first.
void check_size(const std::string& text, const std::string& file) {
  const std::string_view beginnings = ",[]{}:?\"'&!*";
  const auto count =
      std::count_if(text.begin(), text.end(), [&](char c) { return beginnings.find(c) != std::string_view::npos; });
  if (static_cast<std::size_t>(count) <= max_nodes) return;
  throw InputError(std::vector<Diagnostic>{{file, 0, 0, "", too_many_values()}});
}

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const SourceLines& lines, const std::string& file, std::vector<Diagnostic>& problems)
      : lines_(lines), file_(file), problems_(problems) {}

  YamlNode root;
  int documents = 0;

  [[noreturn]] void stop(const YAML::Mark& mark, const std::string& message) const {
    throw InputError(std::vector<Diagnostic>{diagnostic(mark, message)});
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents > 1) stop(mark, "a model file holds one YAML document, and this is where a second one begins");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    finish(new_node(YamlNode::Kind::null, mark, "?"), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    // An anchor is known only once its node is complete, so what is missing here contains this very alias.
    if (found == anchored_.end()) stop(mark, "this alias refers to the node that contains it");
    aliased_nodes_ += count_nodes(found->second);
    if (aliased_nodes_ > max_aliased_nodes) stop(mark, "aliases repeat too much of the file");
    if (static_cast<int>(open_.size()) + nesting_depth(found->second) > max_yaml_depth) stop_nesting(mark);
    count(count_nodes(found->second), mark);
    finish(found->second, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = new_node(YamlNode::Kind::scalar, mark, tag);
    node.text = value;
    // A plain scalar starts at the mark, a quoted one after its quotation mark; others cannot be pointed into.
    for (int skipped : {0, 1}) {
      if (lines_.has(mark.line, mark.column + skipped, value)) {
        node.text_column = node.column + skipped;
        break;
      }
    }
    finish(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(new_node(YamlNode::Kind::list, mark, tag), anchor, mark);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(new_node(YamlNode::Kind::map, mark, tag), anchor, mark);
  }
  void OnMapEnd() override { close(); }

  Diagnostic diagnostic(const YAML::Mark& mark, const std::string& message) const {
    if (mark.is_null()) return {file_, 0, 0, "", message};
    return {file_, mark.line + 1, lines_.column(mark.line, mark.column), "", message};
  }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor;
    bool key_is_read = false;         // map: the key of the next value is known
    std::set<std::string> seen_keys;  // map
  };

  YamlNode new_node(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    count(1, mark);
    // yaml-cpp marks plain scalars with "?", quoted ones with "!"; anything else was written by the user.
    if (!tag.empty() && tag != "?" && tag != "!") {
      Diagnostic problem = diagnostic(mark, fmt::format("YAML tags such as '{}' are not part of the format", tag));
      problem.path = path(true);
      if (problems_.size() < max_problems) problems_.push_back(problem);
    }
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = lines_.column(mark.line, mark.column);
    return node;
  }

  void count(std::size_t added, const YAML::Mark& mark) {
    nodes_ += added;
    if (nodes_ > max_nodes) stop(mark, too_many_values());
  }

  [[noreturn]] void stop_nesting(const YAML::Mark& mark) const {
    stop(mark, fmt::format("lists and maps are nested more than {} levels deep", max_yaml_depth));
  }

  void open(YamlNode node, YAML::anchor_t anchor, const YAML::Mark& mark) {
    // The parser recurses with the nesting: leaving it by an exception here is what keeps the stack small.
    if (static_cast<int>(open_.size()) >= max_yaml_depth) stop_nesting(mark);
    open_.push_back({std::move(node), anchor, false, {}});
  }

  void close() {
    Open finished = std::move(open_.back());
    open_.pop_back();
    finish(std::move(finished.node), finished.anchor);
  }

  void finish(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      count(count_nodes(node), YAML::Mark::null_mark());
      anchored_[anchor] = node;
    }
    if (open_.empty()) {
      root = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::map && !parent.key_is_read) {
      add_key(parent, node);
      parent.key_is_read = true;
      return;
    }
    if (node.kind == YamlNode::Kind::null && parent.node.kind == YamlNode::Kind::map) {
      // yaml-cpp places what is not there at whatever comes next.
      node.line = parent.node.keys.back().line;
      node.column = parent.node.keys.back().column;
    }
    parent.node.items.push_back(std::move(node));
    parent.key_is_read = false;
  }

  void add_key(Open& map, const YamlNode& key) {
    const auto problem = [&](const std::string& message) {
      if (problems_.size() < max_problems) problems_.push_back({file_, key.line, key.column, path(false), message});
    };
    if (key.kind != YamlNode::Kind::scalar || key.text.empty()) {
      problem("a key must be a word");
    } else if (!map.seen_keys.insert(key.text).second) {
      problem(fmt::format("the key '{}' appears twice", key.text));
    }
    map.node.keys.push_back({key.text, key.line, key.column});
  }

  // Path of the innermost list or map that is being read, or of the value in it that is being read.
  std::string path(bool of_value) const {
    std::string result;
    const std::size_t steps = of_value || open_.empty() ? open_.size() : open_.size() - 1;
    for (std::size_t k = 0; k < steps; ++k) {
      const YamlNode& node = open_[k].node;
      if (node.kind == YamlNode::Kind::list) {
        result += fmt::format("[{}]", node.items.size());
      } else if (!node.keys.empty()) {
        result += (result.empty() ? "" : ".") + node.keys.back().text;
      }
    }
    return result;
  }

  const SourceLines& lines_;
  const std::string& file_;
  std::vector<Diagnostic>& problems_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchored_;
  std::size_t nodes_ = 0, aliased_nodes_ = 0;
};

}  // namespace

YamlNode parse_yaml(const std::string& text, const std::string& file, std::vector<Diagnostic>& problems) {
  const std::string content = checked_text(text, file);
  check_size(content, file);
  const SourceLines lines(content);
  TreeBuilder builder(lines, file, problems);
  try {
    std::istringstream stream(content);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    throw InputError(std::vector<Diagnostic>{builder.diagnostic(error.mark, "not valid YAML: " + error.msg)});
  }
  if (builder.documents == 0 || builder.root.kind == YamlNode::Kind::null) {
    throw InputError(std::vector<Diagnostic>{{file, 1, 1, "", "the file is empty; a model begins with 'bricard: 1'"}});
  }
  return builder.root;
}

}  // namespace bricard
