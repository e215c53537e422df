// SPDX-License-Identifier: Apache-2.0
#include "codec/json_repair.h"

#include <algorithm>
#include <tuple>

#include "codec/hex.h"
#include "codec/json_scan.h"
#include "codec/utf8.h"

namespace logweir {

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;
constexpr std::size_t kKeepBytes = 64 * 1024;
constexpr std::size_t kKeepKeys = 1024;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The code unit of an escape \uXXXX at `at`, or -1 when there is none.
int unit_at(std::string_view json, std::size_t at) {
  if (json.size() - at < 6 || json[at] != '\\' || json[at + 1] != 'u') return -1;
  int unit = 0;
  for (std::size_t i = at + 2; i < at + 6; ++i) unit = unit << 4 | hex_digit(json[i]);
  return unit;
}

// What the `size` bytes at some place become.
struct Mended {
  std::string_view text;
  std::size_t size;
};

Mended mend_escape(std::string_view json, std::size_t at) {
  const int unit = unit_at(json, at);
  if (unit < 0) return {json.substr(at, 2), 2};
  if (unit < 0xD800 || unit > 0xDFFF) return {json.substr(at, 6), 6};
  const int low = unit < 0xDC00 ? unit_at(json, at + 6) : -1;
  if (low >= 0xDC00 && low <= 0xDFFF) return {json.substr(at, 12), 12};
  return {"\\ufffd", 6};
}

Mended mend_at(std::string_view json, std::size_t at) {
  const char c = json[at];
  if (static_cast<signed char>(c) < 0) {
    const Utf8Part part = utf8_part(json.data() + at, json.data() + json.size());
    return {part.good ? json.substr(at, part.size) : std::string_view(kReplacement, kReplacementSize), part.size};
  }
  if (c == '\\') return mend_escape(json, at);
  if (c == '\n' || c == '\r') return {" ", 1};
  return {json.substr(at, 1), 1};
}

}  // namespace

std::string_view JsonRepair::mend(std::string_view json) {
  out_.clear();
  for (std::size_t at = 0; at < json.size();) {
    const Mended next = mend_at(json, at);
    out_ += next.text;
    at += next.size;
  }
  return out_;
}

// At an opening quote; returns what is behind the string. A string with a colon behind it is a key.
std::size_t JsonRepair::note_string(std::string_view json, std::size_t at) {
  std::size_t end = at + 1;
  while (json[end] != '"') end += json[end] == '\\' ? 2 : 1;
  std::size_t behind = ++end;
  while (behind < json.size() && is_blank(json[behind])) ++behind;
  if (behind == json.size() || json[behind] != ':') return end;

  std::string_view name = json.substr(at + 1, end - at - 2);
  if (name.find('\\') != std::string_view::npos) {
    unescape_json(name, names_.emplace_back());
    name = names_.back();
  }
  Open& object = open_.back();
  if (object.last_key != kNone) keys_[object.last_key].next = static_cast<std::uint32_t>(at);
  object.last_key = static_cast<std::uint32_t>(keys_.size());
  keys_.push_back({object.object, static_cast<std::uint32_t>(at), 0, name});
  return behind + 1;
}

void JsonRepair::gather_keys(std::string_view json) {
  keys_.clear();
  open_.clear();
  names_.clear();
  std::uint32_t objects = 0;
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    if (c == '"') {
      at = note_string(json, at);
      continue;
    }
    if (c == '{') open_.push_back({++objects, kNone});
    if (c == '[') open_.push_back({0, kNone});
    if (c == '}' || c == ']') open_.pop_back();
    ++at;
  }
}

void JsonRepair::gather_cuts() {
  std::sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) {
    return std::tie(a.object, a.name, a.begin) < std::tie(b.object, b.name, b.begin);
  });
  cuts_.clear();
  for (std::size_t i = 1; i < keys_.size(); ++i) {
    const Key& key = keys_[i - 1];
    if (key.object == keys_[i].object && key.name == keys_[i].name) cuts_.push_back({key.begin, key.next});
  }
  std::sort(cuts_.begin(), cuts_.end(), [](const Cut& a, const Cut& b) { return a.begin < b.begin; });
}

std::string_view JsonRepair::drop_repeats(std::string_view json) {
  gather_keys(json);
  gather_cuts();
  if (cuts_.empty()) return json;
  out_.clear();
  std::size_t from = 0;
  for (const Cut& cut : cuts_) {
    if (cut.begin < from) continue;  // within a member that is dropped as a whole
    out_ += json.substr(from, cut.begin - from);
    from = cut.end;
  }
  out_ += json.substr(from);
  return out_;
}

void JsonRepair::relax() {
  if (out_.capacity() > kKeepBytes) std::string().swap(out_);
  if (keys_.capacity() > kKeepKeys) {
    std::vector<Key>().swap(keys_);
    std::vector<Cut>().swap(cuts_);
  }
  names_.clear();
}

}  // namespace logweir
