#include "io/model/yaml_reader.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/model/text_encoding.h"
#include "model/nearest_name.h"

namespace bricard {
namespace {

std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 60;
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // never inside a UTF-8 character
  return text.substr(0, end) + "...";
}

std::string description(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null: return "nothing";
    case YamlNode::Kind::scalar: return fmt::format("'{}'", shortened(node.text));
    case YamlNode::Kind::list: return fmt::format("a list of {}", node.items.size());
    case YamlNode::Kind::map: return "a map";
  }
  return "";
}

}  // namespace

void Problems::add(int line, int column, const std::string& path, const std::string& message) {
  if (found_.size() < max_problems) {
    found_.push_back({file_, line, column, path, message});
  } else {
    ++left_out_;
  }
}

void Problems::throw_if_any() const {
  if (found_.empty()) return;
  std::vector<Diagnostic> sorted = found_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  if (left_out_ > 0) sorted.push_back({file_, 0, 0, "", fmt::format("and {} more problems", left_out_)});
  throw InputError(sorted);
}

void InputNode::error(const std::string& message) const { problems_->add(yaml_->line, yaml_->column, path_, message); }

void InputNode::error_at(std::size_t byte, const std::string& message) const {
  if (yaml_->text_column == 0) return error(message);
  const int characters = count_characters(std::string_view(text()).substr(0, byte));
  problems_->add(yaml_->line, yaml_->text_column + characters, path_, message);
}

void InputNode::expected(const std::string& what) const {
  error(fmt::format("expected {}, found {}", what, description(*yaml_)));
}

std::vector<InputNode> InputNode::items(const std::string& what) const {
  std::vector<InputNode> result;
  if (!is_list()) {
    expected(what);
    return result;
  }
  for (std::size_t k = 0; k < yaml_->items.size(); ++k) result.push_back(child(k, fmt::format("[{}]", k)));
  return result;
}

std::vector<InputNode> InputNode::items(std::size_t count, const std::string& what) const {
  if (is_list() && yaml_->items.size() == count) return items(what);
  expected(what);
  return {};
}

bool InputNode::flag() const {
  if (is_scalar() && (text() == "true" || text() == "false")) return text() == "true";
  expected("true or false");
  return false;
}

std::string InputNode::word(const std::string& what) const {
  if (is_scalar() && !text().empty()) return text();
  expected(what);
  return "";
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
  const auto other = [](char c) { return (c >= '0' && c <= '9') || c == '-'; };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || other(c); });
}

std::vector<NamedNode> named_nodes(const InputNode& node, const std::string& what) {
  std::vector<NamedNode> result;
  if (node.is_null()) return result;  // `joints:` with nothing under it
  if (!node.is_map()) {
    node.expected(what);
    return result;
  }
  std::set<std::string> seen;
  for (std::size_t k = 0; k < node.yaml_->items.size(); ++k) {
    const YamlKey& key = node.yaml_->keys[k];
    if (!seen.insert(key.text).second || key.text.empty()) continue;  // already noted when the text was read
    NamedNode entry{key.text, node.child(k, "." + key.text), key.line, key.column};
    if (!is_name(key.text)) {
      entry.name_error(
          fmt::format("'{}' is not a name: names are letters, digits, '_' and '-', and begin with a letter or '_'",
                      shortened(key.text)));
      continue;
    }
    result.push_back(std::move(entry));
  }
  return result;
}

Fields::Fields(const InputNode& node, const std::string& owner, const std::vector<std::string>& keys)
    : node_(node), owner_(owner), valid_(node.is_map()) {
  if (!valid_) {
    node.expected(fmt::format("a map with the keys of {} ({})", owner, fmt::join(keys, ", ")));
    return;
  }
  for (const YamlKey& key : node.yaml_->keys) {
    if (key.text.empty() || std::find(keys.begin(), keys.end(), key.text) != keys.end()) continue;
    const std::string nearest = node.problems_->may_compare(keys.size()) ? nearest_name(key.text, keys) : "";
    const std::string meant = nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest);
    node.problems_->add(key.line, key.column, node.path() + (node.path().empty() ? "" : ".") + key.text,
                        fmt::format("'{}' is not a key of {}.{} Its keys: {}", shortened(key.text), owner, meant,
                                    fmt::join(keys, ", ")));
  }
}

std::optional<InputNode> find_entry(const InputNode& map, const std::string& key) {
  const std::vector<YamlKey>& keys = map.yaml_->keys;
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const YamlKey& candidate) { return candidate.text == key; });
  if (found == keys.end()) return std::nullopt;
  return map.child(static_cast<std::size_t>(found - keys.begin()), (map.path().empty() ? "" : ".") + key);
}

std::optional<InputNode> Fields::find(const std::string& key) const { return find_entry(node_, key); }

std::optional<InputNode> Fields::require(const std::string& key) const {
  std::optional<InputNode> found = find(key);
  if (valid_ && !found) node_.error(fmt::format("{} needs the key '{}'", owner_, key));
  return found;
}

void Fields::refuse(const std::string& key, const std::string& message) const {
  if (!valid_) return;
  for (const YamlKey& candidate : node_.yaml_->keys) {
    if (candidate.text == key) {
      node_.problems_->add(candidate.line, candidate.column, node_.path() + "." + key, message);
    }
  }
}

std::optional<ChosenKey> choice(const InputNode& node, const std::string& owner, const std::vector<std::string>& keys) {
  const Fields fields(node, owner, keys);
  std::vector<ChosenKey> given;
  for (const std::string& key : keys) {
    if (const std::optional<InputNode> found = fields.find(key)) given.push_back({key, *found});
  }
  if (given.size() == 1) return given[0];
  // Keys that are none of these have been noted already.
  if (fields.empty() || given.size() > 1)
    node.error(fmt::format("{} needs exactly one of the keys {}", owner, fmt::join(keys, ", ")));
  return std::nullopt;
}

}  // namespace bricard
