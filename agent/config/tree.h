// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace logweir {

// Value. A place in a conf file; line and column count from 1, 0 is unknown.
struct Place {
  std::shared_ptr<const std::string> file;
  int line = 0;
  int column = 0;
  [[nodiscard]] std::string text() const;  // "conf/a.yaml:3:5"
};

// Value. One problem with a conf. `text` is a full sentence: what was found, what is allowed, the nearest known word.
struct Problem {
  enum class Level { warning, error };
  Level level = Level::error;
  Place place;
  std::string text;
};

// Every fault of a conf is gathered, not only the first.
class Problems {
 public:
  void error(Place place, std::string text) { add({Problem::Level::error, std::move(place), std::move(text)}); }
  void warning(Place place, std::string text) { add({Problem::Level::warning, std::move(place), std::move(text)}); }
  void add(Problem problem);
  [[nodiscard]] bool failed() const { return errors_ > 0; }
  [[nodiscard]] const std::vector<Problem>& all() const { return all_; }
  [[nodiscard]] std::string text() const;  // "file:line:column: error: ..." a line each

 private:
  static constexpr std::size_t kMost = 1000;  // a hostile conf must not fill the memory with complaints
  std::vector<Problem> all_;
  int errors_ = 0;
  std::size_t left_out_ = 0;
};

// Value. The conf as read, from either format: variables already put in, keys as written (they match without regard
// to case, and `logLevel` matches `log_level`), repeated keys kept in order.
struct Node {
  Node();
  Node(const Node& other);
  Node(Node&& other) noexcept;
  Node& operator=(const Node& other);
  Node& operator=(Node&& other) noexcept;
  ~Node();  // out of line, since a node holds pairs of itself

  enum class Kind { scalar, list, map };
  Kind kind = Kind::scalar;
  Place place;
  std::string scalar;
  bool quoted = false;                                // a YAML scalar in quotes is never null
  std::vector<Node> items;                            // of a list
  std::vector<std::pair<std::string, Node>> entries;  // of a map, in order
  std::vector<Place> key_places;                      // of `entries`, by index

  [[nodiscard]] const Node* find(std::string_view key) const;  // the last of that name
};

// Value. A whole conf: both formats end in this shape.
struct ConfTree {
  Node service;               // a map
  std::vector<Node> parsers;  // maps
  std::vector<Node> multiline_parsers;
  std::vector<Node> inputs, filters, outputs;  // maps, each with `name`
};

// Reads a file and all it includes, by its ending (.yaml/.yml: YAML; else classic) or content. Faults go to `problems`;
// the tree holds what could be read.
ConfTree read_conf(const std::string& path, Problems& problems);
// The same with `more`, such as what a command line says: its instances come last, its service keys count more than
// those of the files. `path` may be empty: then there is nothing else.
ConfTree read_conf(const std::string& path, const ConfTree& more, Problems& problems);
// The same from a text that stands by itself: `name` is what problems call it and tells the format; files that it names
// (includes, parsers_file) are refused.
ConfTree read_conf_text(std::string_view text, const std::string& name, Problems& problems);

}  // namespace logweir
