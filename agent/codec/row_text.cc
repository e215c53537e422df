// SPDX-License-Identifier: Apache-2.0
#include "codec/row_text.h"

#include <algorithm>

#include "codec/json_scan.h"

namespace logweir {

namespace {

// The members of an object, one after the other.
class Members {
 public:
  explicit Members(std::string_view object) : text_(object.substr(1, object.size() - 2)) {}

  bool next() {
    at_ = text_.find('"', at_);
    if (at_ == std::string_view::npos) return false;
    const std::size_t name_end = string_end(at_);
    name = text_.substr(at_, name_end - at_);
    const std::size_t begin = std::min(text_.find_first_not_of(" \t\r\n:", name_end), text_.size());
    at_ = value_end_from(begin);
    value = text_.substr(begin, at_ - begin);
    value = value.substr(0, value.find_last_not_of(" \t\r\n") + 1);
    return !value.empty();
  }

  std::string_view name;  // with its quotes
  std::string_view value;

 private:
  [[nodiscard]] std::size_t string_end(std::size_t at) const {
    for (++at; at < text_.size() && text_[at] != '"'; ++at) {
      if (text_[at] == '\\') ++at;
    }
    return std::min(at + 1, text_.size());
  }
  [[nodiscard]] std::size_t value_end_from(std::size_t at) const {
    std::size_t depth = 0;
    while (at < text_.size()) {
      const char c = text_[at];
      if (c == '"') {
        at = string_end(at);
        continue;
      }
      if (c == ',' && depth == 0) break;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at;
    }
    return at;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string_view inside(std::string_view quoted) { return quoted.substr(1, quoted.size() - 2); }

void add_seconds(std::string& out, Nanos time) {
  char seconds[40];
  out.append(seconds, write_seconds(seconds, time));
}

// In quotes, those in it doubled.
void add_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t quote = std::min(text.find('"', at), text.size());
    out += text.substr(at, quote - at);
    if (quote < text.size()) out += "\"\"";
    at = quote + 1;
  }
  out += '"';
}

void add_quoted_json(std::string& out, std::string_view quoted) {
  const std::string_view text = inside(quoted);
  if (text.find('\\') == std::string_view::npos) return add_quoted(out, text);
  std::string plain;
  unescape_json(text, plain);
  add_quoted(out, plain);
}

void add_csv_value(std::string& out, std::string_view value) {
  if (value.starts_with('"')) return add_quoted_json(out, value);
  if (value.starts_with('{') || value.starts_with('[')) return add_quoted(out, value);
  if (value != "null") out += value;
}

// A string without its quotes; only the escapes of characters that end no line are undone.
void add_plain(std::string& out, std::string_view value) {
  if (!value.starts_with('"')) {
    out += value;
    return;
  }
  const std::string_view text = inside(value);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool undone = text[at] == '\\' && at + 1 < text.size() &&
                        (text[at + 1] == '"' || text[at + 1] == '\\' || text[at + 1] == '/');
    out += text[undone ? ++at : at];
  }
}

}  // namespace

void write_csv_row(std::string& out, Nanos time, std::string_view object, std::string_view delimiter) {
  add_seconds(out, time);
  for (Members members(object); members.next();) {
    out += delimiter;
    add_csv_value(out, members.value);
  }
}

void write_csv_names(std::string& out, std::string_view object, std::string_view delimiter) {
  out += "timestamp";
  for (Members members(object); members.next();) {
    out += delimiter;
    add_quoted_json(out, members.name);
  }
}

void write_ltsv_row(std::string& out, Nanos time, std::string_view object, std::string_view delimiter,
                    std::string_view label_delimiter) {
  out += "\"time\"";
  out += label_delimiter;
  add_seconds(out, time);
  for (Members members(object); members.next();) {
    out += delimiter;
    out += members.name;
    out += label_delimiter;
    out += members.value;
  }
}

RowTemplate::RowTemplate(std::string_view text) {
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('{'), text.size());
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos || close == open + 1) {
      const std::size_t end = close == std::string_view::npos ? text.size() : close + 1;
      parts_.push_back({std::string(text.substr(0, end)), {}});
      text.remove_prefix(end);
      continue;
    }
    if (open > 0) parts_.push_back({std::string(text.substr(0, open)), {}});
    parts_.push_back(
        {std::string(text.substr(open, close + 1 - open)), std::string(text.substr(open + 1, close - open - 1))});
    text.remove_prefix(close + 1);
  }
  values_.resize(parts_.size());
}

void RowTemplate::write(std::string& out, Nanos time, std::string_view object) {
  std::fill(values_.begin(), values_.end(), std::string_view());
  for (Members members(object); members.next();) {
    std::string_view name = inside(members.name);
    if (name.find('\\') != std::string_view::npos) {
      name_.clear();
      unescape_json(name, name_);
      name = name_;
    }
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (!parts_[i].name.empty() && parts_[i].name == name) values_[i] = members.value;
    }
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].name == "time") {
      out += date_.of(time);
    } else if (values_[i].empty()) {
      out += parts_[i].text;
    } else {
      add_plain(out, values_[i]);
    }
  }
}

}  // namespace logweir
