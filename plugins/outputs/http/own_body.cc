// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/http/own_body.h"

#include <utility>

#include "codec/json_scan.h"
#include "plugins/outputs/http/texts.h"

namespace logweir::http_out {

namespace {

constexpr std::size_t kMostHeaders = 64;
constexpr std::size_t kLongestValue = 8 * 1024;

std::optional<Accessor> accessor_of(const std::string& key) {
  if (key.empty()) return std::nullopt;
  return Accessor::parse(key).value();
}

const char* skip_blanks(const char* at) {
  while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') ++at;
  return at;
}

std::string unquoted(const char* begin, const char* end) {
  std::string text;
  unescape_json({begin + 1, static_cast<std::size_t>(end - begin - 2)}, text);
  return text;
}

bool can_be_header(const std::string& name, const std::string& value) {
  return is_header_name(name) && value.size() <= kLongestValue && is_header_value(value) && !is_own_header(name);
}

}  // namespace

OwnBody::OwnBody(const HttpOutputOptions& options)
    : body_(accessor_of(options.body_key)), headers_(accessor_of(options.headers_key)) {}

std::optional<std::string_view> OwnBody::body(const Batch& batch, const Record& record) {
  const std::optional<Value> value = body_->find(batch, record, scratch_);
  if (!value || value->kind != Value::Kind::string) return std::nullopt;
  return value->text;
}

std::size_t OwnBody::headers(const Batch& batch, const Record& record, std::vector<std::string>& to) {
  if (!headers_) return 0;
  const std::optional<Value> value = headers_->find(batch, record, scratch_);
  if (!value || value->kind != Value::Kind::json || !value->text.starts_with('{')) return 0;
  std::size_t added = 0;
  std::size_t passed = 0;
  const char* at = skip_blanks(value->text.data() + 1);
  while (*at == '"') {
    const char* const key_end = kernel().skip_value(at);
    std::string name = unquoted(at, key_end);
    const char* const begin = skip_blanks(skip_blanks(key_end) + 1);  // over the colon
    const char* const end = kernel().skip_value(begin);
    const std::string text = *begin == '"' ? unquoted(begin, end) : std::string();
    if (*begin == '"' && added < kMostHeaders && can_be_header(name, text)) {
      to.push_back(std::move(name) + ": " + text);
      ++added;
    } else {
      ++passed;
    }
    at = skip_blanks(end);
    if (*at == ',') at = skip_blanks(at + 1);
  }
  return passed;
}

}  // namespace logweir::http_out
