// SPDX-License-Identifier: Apache-2.0
#include "codec/json_decoder.h"

#include <charconv>
#include <cstring>

#include "codec/key_bits.h"

namespace logweir {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

const char* skip_blanks(const char* at) {
  while (is_blank(*at)) ++at;
  return at;
}

// A copy that lives as long as the batch; empty when there is no memory.
std::string_view keep(Batch& batch, std::string_view text) {
  char* const space = batch.scratch(text.size());
  if (space == nullptr) return {};
  std::memcpy(space, text.data(), text.size());
  return {space, text.size()};
}

// Of a validated object, its member whose key's opening quote is at `quote`.
JsonMember member_at(const Kernel& kernel, const char* quote) {
  const char* const colon = skip_blanks(kernel.skip_value(quote));
  const char* const value = skip_blanks(colon + 1);
  return {quote, value, kernel.skip_value(value)};
}

}  // namespace

JsonDecoder::JsonDecoder(std::optional<Time> time) : time_(std::move(time)) {
  if (!time_) return;
  scan_.wanted = time_->key;
  scan_.wanted_hash = hash_key(time_->key);
}

Decoded JsonDecoder::decode(Batch& batch, Nanos now) {
  Decoded done;
  for (Record& record : batch.records) {
    if (record.body != Body::text || (record.flags & Record::kParseFailed) != 0) continue;
    if (!parse(batch, record, done)) {
      record.flags |= Record::kParseFailed;
      ++done.failed;
      continue;
    }
    ++done.parsed;
    if (time_ && scan_.wanted_key != nullptr && !read_time(batch, record, now)) ++done.time_failed;
  }
  return done;
}

bool JsonDecoder::parse(Batch& batch, Record& record, Decoded& done) {
  std::string_view object = trim(record.text());
  if (object.size() < 2 || object.front() != '{' || object.back() != '}') return false;
  if (!kernel_.scan_object(object.data(), object.data() + object.size(), scan_)) return false;
  if ((scan_.damaged || scan_.repeated) && !mend(batch, object, done)) return false;
  record.data = object.data();
  record.size = static_cast<std::uint32_t>(object.size());
  record.body = Body::json;
  record.keys = scan_.keys;
  return true;
}

// The object as every reader will take it, in memory of the batch; scanned anew. False when there is no memory.
bool JsonDecoder::mend(Batch& batch, std::string_view& object, Decoded& done) {
  std::string_view mended = object;
  // Keys may become equal by being mended, so that comes first.
  if (scan_.damaged) {
    mended = keep(batch, repair_.mend(object));
    if (mended.empty()) return false;
    if (!kernel_.scan_object(mended.data(), mended.data() + mended.size(), scan_)) return false;
  }
  if (scan_.repeated) {
    const std::string_view once = repair_.drop_repeats(mended);
    if (once.data() != mended.data()) {
      mended = keep(batch, once);
      if (mended.empty()) return false;
      if (!kernel_.scan_object(mended.data(), mended.data() + mended.size(), scan_)) return false;
    }
  }
  repair_.relax();
  if (mended.data() != object.data()) ++done.repaired;
  object = mended;
  return true;
}

bool JsonDecoder::read_time(Batch& batch, Record& record, Nanos now) {
  const JsonMember member = member_at(kernel_, scan_.wanted_key);
  const auto time = time_of(member.text(), now);
  if (!time) return false;
  record.time = *time;
  if (!time_->keep) cut(batch, record, member);
  return true;
}

std::optional<Nanos> JsonDecoder::time_of(std::string_view value, Nanos now) {
  if (value.front() == '"') {
    value = value.substr(1, value.size() - 2);
    if (value.find('\\') == std::string_view::npos) return time_->format.parse(value, now);
    scratch_.clear();
    unescape_json(value, scratch_);
    return time_->format.parse(scratch_, now);
  }
  if (value.find_first_of("eE") == std::string_view::npos) return time_->format.parse(value, now);
  double number = 0;  // 1.76e9; true and false end here too, and fail
  if (std::from_chars(value.data(), value.data() + value.size(), number).ec != std::errc()) return std::nullopt;
  char digits[400];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed, 9);
  return time_->format.parse({digits, static_cast<std::size_t>(end.ptr - digits)}, now);
}

// Takes the member out of the body with one comma, as a field of the overlay.
void JsonDecoder::cut(Batch& batch, Record& record, const JsonMember& member) const {
  const char* begin = member.key;
  const char* end = skip_blanks(member.end);
  if (*end == ',') {
    ++end;
  } else {
    while (is_blank(begin[-1])) --begin;
    if (begin[-1] == ',') --begin;
  }
  Field field;
  field.key = {member.key + 1, time_->key.size()};
  if (field.key != time_->key) field.key = keep(batch, time_->key);  // written with escapes
  field.value.kind = Value::Kind::removed;
  field.cut_begin = static_cast<std::uint32_t>(begin - record.data);
  field.cut_end = static_cast<std::uint32_t>(end - record.data);

  const auto first = static_cast<std::uint32_t>(batch.fields.size());
  for (std::uint32_t i = 0; i < record.field_count; ++i) {
    const Field old = batch.fields[record.fields + i];
    batch.fields.push_back(old);
  }
  batch.fields.push_back(field);
  record.fields = first;
  ++record.field_count;
}

}  // namespace logweir
