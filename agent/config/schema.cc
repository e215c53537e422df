// SPDX-License-Identifier: Apache-2.0
#include "config/schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/words.h"

namespace logweir {
namespace {

constexpr std::size_t kLongestQuote = 80;  // of what was found, in a sentence

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, kLongestQuote)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + (text.size() > kLongestQuote ? "...'" : "'");
}

std::string found_in(const Node& value, const Option& option) {
  if ((option.marks & kSecret) != 0) return "what was given (not shown)";
  if (value.kind == Node::Kind::list) return fmt::format("a list of {}", value.items.size());
  if (value.kind == Node::Kind::map) return "a map";
  return quoted(value.scalar);
}

// One run of read_options.
class Reader {
 public:
  Reader(const Schema& schema, const Node& node, std::span<const std::string_view> others, void* options,
         Problems& problems)
      : schema_(schema),
        node_(node),
        others_(others),
        options_(options),
        problems_(problems),
        given_(schema.options.size()) {}

  void run() {
    set_defaults();
    for (std::size_t i = 0; i < node_.entries.size(); ++i) sort_in(i);
    for (std::size_t i = 0; i < given_.size(); ++i) {
      if (given_[i].empty()) {
        need(schema_.options[i]);
      } else {
        set(schema_.options[i], given_[i]);
      }
    }
    if (schema_.check != nullptr) schema_.check(options_, node_, problems_);
  }

 private:
  void set_defaults() {
    for (const Option& option : schema_.options) {
      if (option.fallback.empty()) continue;
      Node value;
      value.scalar = option.fallback;
      const Status status = option.set(options_, value, option);
      if (!status.ok()) check_failed("a fallback that its own option can't read", std::string(option.key).c_str(), 0);
    }
  }

  [[nodiscard]] Place key_place(std::size_t entry) const {
    return entry < node_.key_places.size() ? node_.key_places[entry] : node_.entries[entry].second.place;
  }

  void sort_in(std::size_t entry) {
    const std::string& written = node_.entries[entry].first;
    for (std::size_t i = 0; i < schema_.options.size(); ++i) {
      if (!same_key(written, schema_.options[i].key)) continue;
      given_[i].push_back(entry);
      return;
    }
    if (is_known_key(written, others_)) return;
    if (is_known_key(written, schema_.known_elsewhere)) {
      problems_.warning(
          key_place(entry),
          fmt::format("{} is a key of Fluent Bit that logweir does not have; it is ignored", quoted(written)));
      return;
    }
    problems_.error(key_place(entry), unknown(written));
  }

  [[nodiscard]] std::string unknown(const std::string& written) const {
    std::vector<std::string_view> words;
    for (const Option& option : schema_.options) words.push_back(option.key);
    for (const std::string_view other : others_) words.push_back(other);
    const std::string_view near = nearest(written, words);
    if (!near.empty()) return fmt::format("unknown key {}; did you mean '{}'?", quoted(written), near);
    return fmt::format("unknown key {}; the keys known here are {}", quoted(written), fmt::join(words, ", "));
  }

  void need(const Option& option) {
    if ((option.marks & kRequired) == 0) return;
    problems_.error(node_.place, fmt::format("the required key '{}' is missing: {}", option.key, option.help));
  }

  void set(const Option& option, const std::vector<std::size_t>& entries) {
    if ((option.marks & kRepeats) != 0) {
      set_one(option, gather(option, entries), entries.back());
      return;
    }
    for (std::size_t i = 1; i < entries.size(); ++i) {
      problems_.warning(key_place(entries[i]), fmt::format("'{}' is given again (first at {}); the last one wins",
                                                           option.key, key_place(entries.front()).text()));
    }
    set_one(option, node_.entries[entries.back()].second, entries.back());
  }

  // All values of a key that may repeat, as one list; a comma list is split here, since the list's items are not.
  [[nodiscard]] Node gather(const Option& option, const std::vector<std::size_t>& entries) const {
    Node all;
    all.kind = Node::Kind::list;
    all.place = node_.entries[entries.front()].second.place;
    for (const std::size_t entry : entries) {
      const Node& value = node_.entries[entry].second;
      if (value.kind == Node::Kind::list) {
        all.items.insert(all.items.end(), value.items.begin(), value.items.end());
      } else if (value.kind == Node::Kind::scalar && (option.marks & kCommaList) != 0) {
        for (const std::string_view word : split_words(value.scalar, ',')) {
          if (word.empty()) continue;
          all.items.push_back(value);
          all.items.back().scalar = word;
        }
      } else {
        all.items.push_back(value);
      }
    }
    return all;
  }

  void set_one(const Option& option, const Node& value, std::size_t entry) {
    const Status status = option.set(options_, value, option);
    if (status.ok()) return;
    Place place = value.place.line > 0 ? value.place : key_place(entry);
    if (set_without_comment(option, value)) {
      problems_.warning(std::move(place), fmt::format("a comment can't stand behind a value; of {} only '{}' is read",
                                                      found_in(value, option), before_comment(value.scalar)));
      return;
    }
    problems_.error(std::move(place), fmt::format("'{}' can't be {}; it must be {}", option.key,
                                                  found_in(value, option), status.message()));
  }

  static std::string_view before_comment(std::string_view text) {
    const std::size_t hash = std::min(text.find(" #"), text.find("\t#"));
    return hash == std::string_view::npos ? std::string_view() : trimmed(text.substr(0, hash));
  }

  // Fluent Bit takes `Flush 1 # often` for a 1, since it reads a number as far as it goes.
  bool set_without_comment(const Option& option, const Node& value) {
    const std::string_view front = before_comment(value.scalar);
    const bool shown = (option.marks & kSecret) == 0;
    if (value.kind != Node::Kind::scalar || value.quoted || front.empty() || !shown) return false;
    Node cut;
    cut.scalar = front;
    return option.set(options_, cut, option).ok();
  }

  const Schema& schema_;
  const Node& node_;
  std::span<const std::string_view> others_;
  void* options_;
  Problems& problems_;
  std::vector<std::vector<std::size_t>> given_;  // per option: the entries that name it
};

}  // namespace

void read_options(const Schema& schema, const Node& node, std::span<const std::string_view> others, void* options,
                  Problems& problems) {
  Reader(schema, node, others, options, problems).run();
}

std::string identity_of(const Schema& schema, const void* options) {
  std::string out;
  for (const Option& option : schema.options) {
    if ((option.marks & kIdentity) == 0) continue;
    const std::string value = option.show(options, option);
    out += fmt::format("{}={}:{}\n", option.key, value.size(), value);
  }
  return out;
}

}  // namespace logweir
