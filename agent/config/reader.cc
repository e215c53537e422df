// SPDX-License-Identifier: Apache-2.0
// From files to the tree: includes are read where they stand, then variables are put in, then the parsers' files
// follow.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "config/classic_lines.h"
#include "config/files.h"
#include "config/raw.h"
#include "config/schema.h"
#include "config/variables.h"
#include "config/words.h"

namespace logweir {
namespace {

using Kind = RawItem::Kind;
using FileName = std::shared_ptr<const std::string>;

constexpr int kMostIncludeDepth = 16;
constexpr std::size_t kMostFiles = 1000;

bool has_yaml_name(std::string_view name) { return name.ends_with(".yaml") || name.ends_with(".yml"); }

// The first section's header of a classic conf, or nothing when the text begins otherwise.
std::string_view classic_start(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#') continue;
    const bool header = line.size() > 2 && line.front() == '[' && line.back() == ']';
    return header && classic_section(line.substr(1, line.size() - 2)) ? line : std::string_view();
  }
  return {};
}

class Reader {
 public:
  Reader(Problems& problems, bool may_open) : problems_(problems), may_open_(may_open) {}

  void main_file(const std::string& path) {
    main_folder_ = folder_of(path);
    Result<TextFile> file = read_text_file(path);
    if (!file.ok()) {
      problems_.error({std::make_shared<const std::string>(path), 0, 0},
                      fmt::format("{}; name the conf with -c FILE", file.status().message()));
      return;
    }
    seen_.insert(file.value().identity);
    main_text(file.value().text, path);
  }

  void main_text(std::string_view content, const std::string& name) {
    tree_.service.place.file = std::make_shared<const std::string>(name);
    text(content, name, 0, items_);
  }

  // What comes from elsewhere stands behind all files, and its service keys in the place of theirs.
  void add(const ConfTree& more) {
    for (const auto& [kind, nodes] : {std::pair(Kind::input, &more.inputs), std::pair(Kind::filter, &more.filters),
                                      std::pair(Kind::output, &more.outputs)}) {
      for (const Node& node : *nodes) items_.push_back({kind, {}, node});
    }
    if (tree_.service.place.file == nullptr) tree_.service.place = more.service.place;
    overrides_ = more.service;
  }

  ConfTree finish() {
    for (RawItem& item : items_) variables_.expand(item.node, problems_);
    variables_.expand(overrides_, problems_);
    tree_.service.kind = Node::Kind::map;
    for (RawItem& item : items_) put(item);
    override_service();
    parser_files();
    return std::move(tree_);
  }

 private:
  void text(std::string_view text, const std::string& path, int depth, RawConf& to) {
    const auto name = std::make_shared<const std::string>(path);
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    if (const std::string_view header = classic_start(text); has_yaml_name(path) && !header.empty()) {
      problems_.error({name, 0, 0}, fmt::format("the name says YAML, but {} is Fluent Bit's classic format: give the "
                                                "file a name that ends in .conf, or see logweir convert",
                                                header));
      return;
    }
    RawConf parts =
        looks_like_yaml(path, text) ? read_yaml(text, name, problems_) : read_classic(text, name, problems_);
    for (RawItem& item : parts) {
      if (item.kind == Kind::env) {
        variables_.expand(item.node, problems_);
        variables_.set(std::move(item.name), std::move(item.node.scalar));
      } else if (item.kind == Kind::include) {
        variables_.expand(item.node, problems_);
        include(item.node, depth + 1, to);
      } else {
        to.push_back(std::move(item));
      }
    }
  }

  void put(RawItem& item) {
    switch (item.kind) {
      case Kind::service:
        return merge_service(item.node);
      case Kind::parser:
        return tree_.parsers.push_back(std::move(item.node));
      case Kind::multiline_parser:
        return tree_.multiline_parsers.push_back(std::move(item.node));
      case Kind::input:
        return tree_.inputs.push_back(std::move(item.node));
      case Kind::filter:
        return tree_.filters.push_back(std::move(item.node));
      case Kind::output:
        return tree_.outputs.push_back(std::move(item.node));
      case Kind::env:
      case Kind::include:
        return;  // done while reading
    }
  }

  void merge_service(Node& more) {
    Node& service = tree_.service;
    if (service.place.line == 0) service.place = more.place;
    std::move(more.entries.begin(), more.entries.end(), std::back_inserter(service.entries));
    std::move(more.key_places.begin(), more.key_places.end(), std::back_inserter(service.key_places));
  }

  void override_service() {
    Node& service = tree_.service;
    for (const auto& [key, value] : overrides_.entries) {
      if (same_key(key, "parsers_file")) continue;  // one more
      for (std::size_t i = service.entries.size(); i-- > 0;) {
        if (!same_key(service.entries[i].first, key)) continue;
        service.entries.erase(service.entries.begin() + static_cast<std::ptrdiff_t>(i));
        service.key_places.erase(service.key_places.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    Node all = std::move(overrides_);
    all.place = service.place;
    merge_service(all);
  }

  void include(const Node& path, int depth, RawConf& to) {
    if (!may_open_) {
      problems_.error(path.place, fmt::format("'{}' can't be included here: this conf stands by itself", path.scalar));
      return;
    }
    if (depth > kMostIncludeDepth) {
      problems_.error(path.place, fmt::format("includes are nested deeper than {} files", kMostIncludeDepth));
      return;
    }
    files(path, depth, "included file", to);
  }

  // Reads what `path` names, each file once.
  void files(const Node& path, int depth, std::string_view what, RawConf& to) {
    const std::vector<std::string> folders = {folder_of(*path.place.file), main_folder_, "."};
    const std::vector<std::string> found = locate(path.scalar, folders);
    const bool pattern = is_pattern(path.scalar);
    if (found.empty() && pattern) {
      problems_.warning(path.place, fmt::format("no file matches '{}'", path.scalar));
    } else if (found.empty()) {
      problems_.error(path.place, fmt::format("the {} '{}' does not exist (looked for beside this file and in the "
                                              "working directory)",
                                              what, path.scalar));
    }
    for (const std::string& name : found) {
      if (!one_file(path, name, depth, to) && !pattern) {
        problems_.warning(path.place, fmt::format("'{}' was read before; it is not read again", path.scalar));
      }
    }
  }

  // False when it was read before.
  bool one_file(const Node& path, const std::string& name, int depth, RawConf& to) {
    Result<TextFile> file = read_text_file(name);
    if (!file.ok()) {
      problems_.error(path.place, file.status().message());
      return true;
    }
    if (seen_.contains(file.value().identity)) return false;
    if (seen_.size() >= kMostFiles) {
      problems_.error(path.place, fmt::format("more than {} files make up this conf", kMostFiles));
      return true;
    }
    seen_.insert(file.value().identity);
    text(file.value().text, name, depth, to);
    return true;
  }

  void parser_files() {
    RawConf parts;
    for (const auto& [key, value] : tree_.service.entries) {
      if (!same_key(key, "parsers_file")) continue;
      if (value.kind == Node::Kind::scalar) parser_files_of(value, parts);
      for (const Node& item : value.items) parser_file(item, parts);
    }
    for (RawItem& item : parts) {
      if (item.kind != Kind::parser && item.kind != Kind::multiline_parser) {
        problems_.warning(item.node.place, "a parsers file holds parsers; this section is ignored");
        continue;
      }
      variables_.expand(item.node, problems_);
      put(item);
    }
  }

  void parser_files_of(const Node& value, RawConf& to) {
    for (const std::string_view word : split_words(value.scalar, ',')) {
      Node path = value;
      path.scalar = word;
      parser_file(path, to);
    }
  }

  void parser_file(const Node& path, RawConf& to) {
    if (path.kind != Node::Kind::scalar || path.scalar.empty()) return;  // the service schema says what is wrong
    if (!may_open_) {
      problems_.error(path.place, fmt::format("'{}' can't be read here: this conf stands by itself", path.scalar));
      return;
    }
    files(path, 1, "parsers file", to);
  }

  Problems& problems_;
  bool may_open_;
  std::string main_folder_ = ".";
  Variables variables_;
  RawConf items_;
  ConfTree tree_;
  Node overrides_;  // service keys that count more than those of the files
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;
};

}  // namespace

bool looks_like_yaml(std::string_view name, std::string_view text) {
  if (has_yaml_name(name)) return true;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[' || line.front() == '@') return false;
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    return line.starts_with("---") || line.front() == '{' || line.front() == '"' || word.ends_with(':');
  }
  return false;
}

ConfTree read_conf(const std::string& path, Problems& problems) { return read_conf(path, {}, problems); }

ConfTree read_conf(const std::string& path, const ConfTree& more, Problems& problems) {
  Reader reader(problems, true);
  if (!path.empty()) reader.main_file(path);
  reader.add(more);
  return reader.finish();
}

ConfTree read_conf_text(std::string_view text, const std::string& name, Problems& problems) {
  Reader reader(problems, false);
  if (text.size() > kMostConfBytes) {
    problems.error({std::make_shared<const std::string>(name), 0, 0}, "the conf is larger than 16 MiB");
    return reader.finish();
  }
  reader.main_text(text, name);
  return reader.finish();
}

}  // namespace logweir
