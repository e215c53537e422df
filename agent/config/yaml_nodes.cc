// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_nodes.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <map>
#include <optional>
#include <sstream>

#include "config/raw.h"
#include "config/yaml_text.h"

namespace logweir {
namespace {

// Leaves the library's parser from inside a callback.
class Refused : public YAML::Exception {
 public:
  using YAML::Exception::Exception;
};

// Builds nodes out of the library's events. The events, and not its node graph, since only they keep repeated keys,
// their places and the difference between quoted and plain.
class Builder final : public YAML::EventHandler {
 public:
  Builder(std::string_view text, std::shared_ptr<const std::string> file) : text_(text), file_(std::move(file)) {}

  // Of the innermost list or map that is not ended yet.
  [[nodiscard]] std::optional<Place> open_place() const {
    if (open_.empty()) return std::nullopt;
    return open_.back().node.place;
  }
  [[nodiscard]] std::optional<Node> take_document() { return std::exchange(document_, std::nullopt); }

  void OnDocumentStart(const YAML::Mark&) override { anchors_.clear(); }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark&, const std::string&) override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node = make(Node::Kind::scalar, mark);
    node.scalar = null_as_written(mark);
    add(std::move(node), anchor, mark);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node = make(Node::Kind::scalar, mark);
    node.scalar = value;
    node.quoted = tag == "!";
    if (node.quoted && is_open_quote(mark)) throw Refused(mark, "the quote that opens here is not closed");
    add(std::move(node), anchor, mark);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw Refused(mark, "an alias may not stand inside the value that it names");
    charge(found->second, mark, static_cast<int>(open_.size()));
    Node copy = found->second;
    copy.place = place_of(mark);
    add(std::move(copy), YAML::NullAnchor, mark);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::list, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::map, mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    Node node;
    YAML::anchor_t anchor = YAML::NullAnchor;
    YAML::Mark mark;
    std::optional<std::string> key;  // read, its value not yet
    Place key_place;
  };

  [[nodiscard]] Place place_of(const YAML::Mark& mark) const {
    if (mark.is_null()) return {file_, 0, 0};
    return {file_, mark.line + 1, mark.column + 1};
  }

  Node make(Node::Kind kind, const YAML::Mark& mark) const {
    Node node;
    node.kind = kind;
    node.place = place_of(mark);
    return node;
  }

  // `null` and `~` reach us without their text, but the output plugin `null` is called so.
  [[nodiscard]] std::string null_as_written(const YAML::Mark& mark) const {
    static constexpr std::array<std::string_view, 4> kWords = {"null", "Null", "NULL", "~"};
    if (mark.pos < 0 || static_cast<std::size_t>(mark.pos) >= text_.size()) return {};
    const bool in_place_of_key = !open_.empty() && open_.back().key && open_.back().key_place.line == mark.line + 1 &&
                                 open_.back().key_place.column == mark.column + 1;
    const std::string_view rest = text_.substr(static_cast<std::size_t>(mark.pos));
    for (const std::string_view word : kWords) {
      if (!in_place_of_key && rest.starts_with(word)) return std::string(word);
    }
    return {};
  }

  // The library takes a text that ends inside of quotes, if a newline is the last of it.
  [[nodiscard]] bool is_open_quote(const YAML::Mark& mark) const {
    if (mark.pos < 0 || static_cast<std::size_t>(mark.pos) >= text_.size()) return false;
    std::string_view rest = text_.substr(static_cast<std::size_t>(mark.pos));
    const char quote = rest.front();
    if (quote != '"' && quote != '\'') return false;
    const std::string_view stops = quote == '"' ? std::string_view("\"\\") : std::string_view("'");
    for (std::size_t at = rest.find_first_of(stops, 1); at < rest.size(); at = rest.find_first_of(stops, at)) {
      const bool doubled = quote == '\'' && at + 1 < rest.size() && rest[at + 1] == '\'';
      if (rest[at] == quote && !doubled) return false;
      at += 2;
    }
    return true;
  }

  void open(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (open_.size() >= static_cast<std::size_t>(kMostConfDepth)) {
      throw Refused(mark, fmt::format("nested deeper than {} levels", kMostConfDepth));
    }
    open_.push_back({make(kind, mark), anchor, mark, {}, {}});
  }

  void close() {
    Frame frame = std::move(open_.back());
    open_.pop_back();
    add(std::move(frame.node), frame.anchor, frame.mark);
  }

  void add(Node node, YAML::anchor_t anchor, const YAML::Mark& mark) {
    count(node.scalar.size(), mark);
    if (anchor != YAML::NullAnchor) {
      charge(node, mark, 0);
      anchors_[anchor] = node;
    }
    if (open_.empty()) {
      document_ = std::move(node);
      return;
    }
    Frame& parent = open_.back();
    if (parent.node.kind == Node::Kind::list) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.key) {
      if (node.kind != Node::Kind::scalar) throw Refused(mark, "a key must be a plain text, not a list or a map");
      parent.key = std::move(node.scalar);
      parent.key_place = node.place;
    } else {
      parent.node.entries.emplace_back(std::move(*parent.key), std::move(node));
      parent.node.key_places.push_back(parent.key_place);
      parent.key.reset();
    }
  }

  // Counts what an alias copies, so that a few lines can't unfold to gigabytes.
  void charge(const Node& node, const YAML::Mark& mark, int depth) {
    if (depth > kMostConfDepth) throw Refused(mark, fmt::format("nested deeper than {} levels", kMostConfDepth));
    count(node.scalar.size(), mark);
    for (const Node& item : node.items) charge(item, mark, depth + 1);
    for (const auto& [key, value] : node.entries) {
      count(key.size(), mark);
      charge(value, mark, depth + 1);
    }
  }

  void count(std::size_t bytes, const YAML::Mark& mark) {
    bytes_ += bytes;
    if (++nodes_ > kMostConfNodes || bytes_ > 2 * kMostConfBytes) {
      throw Refused(
          mark, fmt::format("more than {} values or {} MiB, aliases put in", kMostConfNodes, 2 * kMostConfBytes >> 20));
    }
  }

  std::string_view text_;
  std::shared_ptr<const std::string> file_;
  std::vector<Frame> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::optional<Node> document_;
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
};

// The library's words in a sentence that says what to do.
std::string explain(const std::string& message) {
  struct Pair {
    std::string_view theirs;
    std::string_view ours;
  };
  static const std::array<Pair, 13> kPairs = {{
      {YAML::ErrorMsg::ALIAS_NOT_FOUND, "a value that begins with '*' must be in quotes, as in match: '*'"},
      {YAML::ErrorMsg::CHAR_IN_ALIAS, "a value that begins with '*' must be in quotes, as in match: 'app.*'"},
      {YAML::ErrorMsg::UNKNOWN_ANCHOR,
       "a value that begins with '*' must be in quotes, as in match: '*app' (no anchor has this name)"},
      {YAML::ErrorMsg::TAB_IN_INDENTATION, "a tab in the indentation; YAML takes blanks only"},
      {YAML::ErrorMsg::END_OF_MAP,
       "this line does not fit into the map around it: look at its indentation and for a missing ':'"},
      {YAML::ErrorMsg::END_OF_SEQ,
       "this line does not fit into the list around it: look at its indentation and for a missing '-'"},
      {YAML::ErrorMsg::END_OF_MAP_FLOW, "the '{' that opens here has no '}', or a ',' is missing behind it"},
      {YAML::ErrorMsg::END_OF_SEQ_FLOW, "the '[' that opens here has no ']', or a ',' is missing behind it"},
      {YAML::ErrorMsg::FLOW_END, "this bracket closes nothing"},
      {YAML::ErrorMsg::EOF_IN_SCALAR, "the file ends inside a value in quotes"},
      {YAML::ErrorMsg::UNKNOWN_TOKEN, "a value can't begin with this sign unless it is in quotes"},
      {YAML::ErrorMsg::MAP_VALUE,
       "a ':' that no key can have here; put the value in quotes, and look at the indentation"},
      {YAML::ErrorMsg::MAP_KEY, "no key can stand here; look at the indentation"},
  }};
  for (const Pair& pair : kPairs) {
    if (message == pair.theirs) return std::string(pair.ours);
  }
  return message;
}

bool tab_in_front(std::string_view text, int line) {
  for (; line > 1 && !text.empty(); --line) {
    const std::size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  const std::size_t first = text.find_first_not_of(" \t");
  return first != std::string_view::npos && text.substr(0, first).find('\t') != std::string_view::npos;
}

bool same_place(const Place& a, const Place& b) { return a.line == b.line && a.column == b.column; }

void report(const YAML::Exception& error, std::string_view text, const std::shared_ptr<const std::string>& file,
            const std::optional<Place>& open, Problems& problems) {
  const bool known = !error.mark.is_null();
  Place place{file, known ? error.mark.line + 1 : 0, known ? error.mark.column + 1 : 0};
  const bool unclosed = error.msg == YAML::ErrorMsg::END_OF_MAP_FLOW || error.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW;
  if (unclosed && open) place = *open;  // the library names no place of use
  const bool tab = known && !unclosed && tab_in_front(text, place.line);
  const std::string message = tab ? YAML::ErrorMsg::TAB_IN_INDENTATION : error.msg;
  problems.error(std::move(place), fmt::format("not YAML: {}", explain(message)));
}

}  // namespace

std::vector<Node> yaml_documents(std::string_view given, const std::shared_ptr<const std::string>& file,
                                 Problems& problems) {
  if (!is_yaml_text(given, file, problems)) return {};
  const std::string text = with_joined_surrogates(given);
  std::vector<Node> documents;
  Builder builder(text, file);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
      std::optional<Node> document = builder.take_document();
      if (!document) continue;
      // The library may stand still before a sign that it does not expect, and read nothing again and again.
      if (!documents.empty() && same_place(documents.back().place, document->place)) {
        problems.error(document->place, "not YAML: nothing can begin with this sign unless it is in quotes");
        return {};
      }
      documents.push_back(std::move(*document));
    }
    return documents;
  } catch (const YAML::Exception& error) {
    report(error, text, file, builder.open_place(), problems);
  } catch (const std::exception& error) {
    problems.error({file, 0, 0}, fmt::format("not YAML: {}", error.what()));
  }
  return {};
}

}  // namespace logweir
