// SPDX-License-Identifier: Apache-2.0
#include "codec/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "codec/json_scan.h"
#include "codec/key_bits.h"

namespace logweir {

namespace {

const char* skip_blanks(const char* at) {
  while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') ++at;
  return at;
}

std::string_view value_at(const char* at) { return {at, static_cast<std::size_t>(kernel().skip_value(at) - at)}; }

std::optional<std::string_view> element(std::string_view array, std::size_t index) {
  const char* at = skip_blanks(array.data() + 1);
  while (*at != ']') {
    const std::string_view value = value_at(at);
    if (index-- == 0) return value;
    at = skip_blanks(value.data() + value.size());
    if (*at == ',') at = skip_blanks(at + 1);
  }
  return std::nullopt;
}

Value string_value(std::string_view text) {
  Value value;
  value.kind = Value::Kind::string;
  value.text = text;
  return value;
}

// A JSON text as a value: strings without quotes and escapes, true and false as such, all else as it is written.
Value from_json(std::string_view json, std::string& scratch) {
  Value value;
  value.kind = Value::Kind::json;
  value.text = json;
  if (json.front() == '"') {
    json = json.substr(1, json.size() - 2);
    if (json.find('\\') == std::string_view::npos) return string_value(json);
    scratch.clear();
    unescape_json(json, scratch);
    return string_value(scratch);
  }
  if (json.front() == 't' || json.front() == 'f') {
    value.kind = Value::Kind::boolean;
    value.integer = json.front() == 't' ? 1 : 0;
  } else if (json.front() == 'n') {
    value.kind = Value::Kind::null;
  }
  return value;
}

template <typename Number>
std::string_view print(Number number, std::string& scratch) {
  scratch.resize(40);
  const char* const end = std::to_chars(scratch.data(), scratch.data() + scratch.size(), number).ptr;
  scratch.resize(static_cast<std::size_t>(end - scratch.data()));
  return scratch;
}

std::optional<std::size_t> read_index(std::string_view digits) {
  if (digits.empty() || digits.size() > 9) return std::nullopt;
  std::size_t index = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    index = index * 10 + static_cast<std::size_t>(c - '0');
  }
  return index;
}

Status bad(std::string_view text, std::string_view why) {
  return {Code::invalid, fmt::format("\"{}\" does not name a field: {}. Write key, $key or $a['b'][0].", text, why)};
}

}  // namespace

// One step, `['key']` or `[0]`, off the front of `rest`.
Result<Accessor::Step> Accessor::read_step(std::string_view text, std::string_view& rest) {
  if (rest.size() < 3 || rest.front() != '[') return bad(text, "a step is ['key'] or [number]");
  Step step;
  std::size_t close;
  const char quote = rest[1];
  if (quote == '\'' || quote == '"') {
    const std::size_t end = rest.find(quote, 2);
    if (end == std::string_view::npos) return bad(text, "a quote is not closed");
    step.key = rest.substr(2, end - 2);
    close = end + 1;
  } else {
    close = std::min(rest.find(']'), rest.size());
    const auto index = read_index(rest.substr(1, close - 1));
    if (!index) return bad(text, "an index is a number");
    step.is_index = true;
    step.index = *index;
  }
  if (close >= rest.size() || rest[close] != ']') return bad(text, "a bracket is not closed");
  rest.remove_prefix(close + 1);
  return step;
}

Result<Accessor> Accessor::parse(std::string_view text) {
  Accessor accessor;
  if (text.empty()) return bad(text, "it is empty");
  std::string_view first = text;
  std::string_view rest;
  if (text.front() == '$') {
    const std::size_t bracket = std::min(text.find('['), text.size());
    first = text.substr(1, bracket - 1);
    rest = text.substr(bracket);
    if (first.empty()) return bad(text, "no key stands behind $");
  }
  accessor.steps_.push_back({std::string(first), 0, false});
  while (!rest.empty()) {
    Result<Step> step = read_step(text, rest);
    if (!step.ok()) return step.status();
    accessor.steps_.push_back(std::move(step).value());
  }
  accessor.bits_ = key_bits(hash_key(first));
  return accessor;
}

// From the first step's value, valid JSON, down the others.
std::optional<std::string_view> Accessor::walk(std::string_view json) const {
  for (std::size_t i = 1; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (json.empty() || json.front() != (step.is_index ? '[' : '{')) return std::nullopt;
    if (step.is_index) {
      const auto found = element(json, step.index);
      if (!found) return std::nullopt;
      json = *found;
    } else {
      JsonMember member;
      if (!kernel().find_member(&json.front(), step.key, member)) return std::nullopt;
      json = member.text();
    }
  }
  return json;
}

std::optional<Value> Accessor::find(const Batch& batch, const Record& record, std::string& scratch) const {
  const std::string& key = steps_.front().key;
  const bool deep = steps_.size() > 1;
  for (std::uint32_t i = record.fields + record.field_count; i-- > record.fields;) {
    const Field& field = batch.fields[i];
    if (field.key != key) continue;
    if (field.value.kind == Value::Kind::removed) return std::nullopt;
    if (field.value.kind != Value::Kind::json) return deep ? std::nullopt : std::optional<Value>(field.value);
    const auto found = walk(field.value.text);
    return found ? std::optional<Value>(from_json(*found, scratch)) : std::nullopt;
  }
  if (record.body == Body::json && (record.keys & bits_) == bits_) {
    JsonMember member;
    if (kernel().find_member(record.data, key, member)) {
      const auto found = walk(member.text());
      return found ? std::optional<Value>(from_json(*found, scratch)) : std::nullopt;
    }
  }
  if (deep) return std::nullopt;
  if (record.body == Body::text && key == batch.origin->text_key) return string_value(record.text());
  for (auto field = batch.origin->attached.rbegin(); field != batch.origin->attached.rend(); ++field) {
    if (field->first == key) return string_value(field->second);
  }
  if (!key.empty() && key == batch.origin->offset_key) {
    Value value;
    value.kind = Value::Kind::uinteger;
    value.integer = static_cast<std::int64_t>(record.position);
    return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> Accessor::text(const Batch& batch, const Record& record, std::string& scratch) const {
  const std::optional<Value> value = find(batch, record, scratch);
  if (!value) return std::nullopt;
  switch (value->kind) {
    case Value::Kind::string:
    case Value::Kind::json:
      return value->text;
    case Value::Kind::boolean:
      return value->integer != 0 ? "true" : "false";
    case Value::Kind::integer:
      return print(value->integer, scratch);
    case Value::Kind::uinteger:
      return print(static_cast<std::uint64_t>(value->integer), scratch);
    case Value::Kind::real:
      return print(value->real, scratch);
    case Value::Kind::null:
    case Value::Kind::removed:
      break;
  }
  return std::nullopt;
}

}  // namespace logweir
