// SPDX-License-Identifier: Apache-2.0
#include "codec/object_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "codec/json_scan.h"
#include "codec/json_text.h"
#include "codec/key_bits.h"

namespace logweir {

namespace {

constexpr std::size_t kNumberBound = 40;
constexpr std::string_view kTruncatedKey = "_truncated";

char* put(char* at, std::string_view text) {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

// For short texts with kCopySlack bytes behind them: a few block moves instead of a call.
char* put_blocks(char* at, const char* from, std::size_t size) {
  for (std::size_t done = 0; done < size; done += 32) std::memcpy(at + done, from + done, 32);
  return at + size;
}

// Back over blanks and a comma that lost what followed it. A member's end is neither, nor is the opening bracket.
char* trim_end(char* at) {
  while (at[-1] == ',' || at[-1] == ' ' || at[-1] == '\t' || at[-1] == '\r' || at[-1] == '\n') --at;
  return at;
}

char* next_member(char* at) {
  if (at[-1] != '{' && at[-1] != ',') *at++ = ',';
  return at;
}

const Field* find_field(const Batch& batch, const Record& record, std::string_view key) {
  for (std::uint32_t i = record.fields + record.field_count; i-- > record.fields;) {
    if (batch.fields[i].key == key) return &batch.fields[i];
  }
  return nullptr;
}

std::string quoted(std::string_view text, std::uint64_t& repaired) {
  std::string out(json_bound(text.size()) + kJsonSlack, '\0');
  char* at = out.data();
  *at++ = '"';
  at = write_json_text(at, text, repaired);
  *at++ = '"';
  out.resize(static_cast<std::size_t>(at - out.data()));
  return out;
}

std::size_t value_bound(const Value& value) {
  switch (value.kind) {
    case Value::Kind::string:
      return json_bound(value.text.size()) + 2;
    case Value::Kind::json:
      return value.text.size();
    default:
      return kNumberBound;
  }
}

}  // namespace

ObjectText::ObjectText(std::string date_key, DateFormat format, std::string_view id_key)
    : date_key_(std::move(date_key)), date_(format) {
  name(kTruncatedKey, truncated_, repaired_);
  name(id_key, id_, repaired_);
}

void ObjectText::name(std::string_view key, Mark& mark, std::uint64_t& repaired) {
  mark.key = key;
  mark.text = quoted(key, repaired) + ':';
  mark.bits = key_bits(hash_key(key));
}

void ObjectText::add(std::string_view key, std::string_view value) {
  Added& added = added_.emplace_back();
  added.key = key;
  added.bits = key_bits(hash_key(key));
  added.begin = prefix_.size();
  prefix_ += quoted(key, repaired_);
  prefix_ += ':';
  date_at_ = prefix_.size();
  prefix_ += value;
  prefix_ += ',';
  added.end = prefix_.size();
}

void ObjectText::begin(const Batch& batch) {
  ordinals_.restart();
  const bool has_id = batch.source != 0 && !id_.key.empty();
  const Origin& origin = *batch.origin.get();
  if (begun_ && has_id == has_id_ && origin.text_key == text_key_ && origin.offset_key == offset_key_ &&
      origin.attached == attached_) {
    return;
  }
  begun_ = true;
  has_id_ = has_id;
  prepare(origin);
}

void ObjectText::prepare(const Origin& origin) {
  offset_key_ = origin.offset_key;
  attached_ = origin.attached;
  added_.clear();
  prefix_.assign(1, '{');
  date_size_ = 0;
  const auto& attached = origin.attached;
  const auto is_attached = [&attached](std::string_view key, std::size_t from) {
    return std::any_of(attached.begin() + static_cast<std::ptrdiff_t>(from), attached.end(),
                       [key](const auto& field) { return field.first == key; });
  };
  std::size_t date_at = 0;
  if (!date_key_.empty() && !is_attached(date_key_, 0) && !is_id(date_key_)) {
    const std::string_view text = date_.of(date_time_);
    add(date_key_, text);
    date_at = date_at_;
    date_size_ = text.size();
  }
  for (std::size_t i = 0; i < attached.size(); ++i) {
    if (is_attached(attached[i].first, i + 1) || is_id(attached[i].first)) continue;
    add(attached[i].first, quoted(attached[i].second, repaired_));
  }
  date_at_ = date_at;
  prefix_size_ = prefix_.size();
  prefix_ += quoted(origin.text_key, repaired_) + ":\"";
  text_prefix_size_ = prefix_.size();
  prefix_.append(kCopySlack, '\0');
  text_key_ = origin.text_key;
  const auto is_taken = [this](std::string_view key) {
    return is_id(key) ||
           std::any_of(added_.begin(), added_.end(), [key](const Added& added) { return added.key == key; });
  };
  text_conflict_ = is_taken(text_key_);
  name(is_taken(origin.offset_key) ? std::string_view() : origin.offset_key, offset_, repaired_);
  name(is_taken(kTruncatedKey) || origin.offset_key == kTruncatedKey ? std::string_view() : kTruncatedKey, truncated_,
       repaired_);
  has_marks_ = has_id_ || !offset_.key.empty();
}

void ObjectText::set_date(Nanos time) {
  if (date_size_ == 0 || time == date_time_) return;
  date_time_ = time;
  const std::string_view text = date_.of(time);
  if (text.size() != date_size_) {
    prefix_.replace(date_at_, date_size_, text);
    const std::size_t shift = text.size() - date_size_;  // wraps when it gets shorter, and so do the sums
    for (Added& added : added_) {
      if (added.begin > date_at_) added.begin += shift;
      added.end += shift;
    }
    prefix_size_ += shift;
    text_prefix_size_ += shift;
    date_size_ = text.size();
  }
  std::memcpy(prefix_.data() + date_at_, text.data(), text.size());
}

std::size_t ObjectText::bound(const Batch& batch, const Record& record, bool exact) const {
  std::size_t most = text_prefix_size_ + DateText::kMost + offset_.text.size() + truncated_.text.size() +
                     id_.text.size() + RecordId::kMost + 64;
  if (record.body == Body::text) {
    most += exact ? kernel_.measure_text(record.data, record.data + record.size) : json_bound(record.size);
  } else if (record.body == Body::json) {
    most += record.size;
  }
  for (std::uint32_t i = record.fields; i != record.fields + record.field_count; ++i) {
    const Field& field = batch.fields[i];
    most += json_bound(field.key.size()) + 4 + value_bound(field.value);
  }
  return most;
}

bool ObjectText::has_member_conflict(const Record& record) const {
  for (const Added& added : added_) {
    if ((record.keys & added.bits) == added.bits) return true;
  }
  return false;
}

bool ObjectText::has_own(const Batch& batch, const Record& record, std::string_view key, std::uint64_t bits) const {
  if (const Field* field = find_field(batch, record, key)) return field->value.kind != Value::Kind::removed;
  if (record.body == Body::text) return key == text_key_;
  if (record.body != Body::json || (record.keys & bits) != bits) return false;
  JsonMember member;
  return kernel_.find_member(record.data, key, member);
}

char* ObjectText::write_prefix(char* at, const Record& record) {
  set_date(record.time);
  return put_blocks(at, prefix_.data(), prefix_size_);
}

char* ObjectText::write(char* at, const Batch& batch, const Record& record) {
  set_date(record.time);
  if (record.body == Body::text) {
    if (record.field_count == 0 && !text_conflict_) {
      at = put_blocks(at, prefix_.data(), text_prefix_size_);
      at = kernel_.write_text(at, record.data, record.data + record.size, repaired_);
      *at++ = '"';
    } else {
      at = write_text(at, batch, record);
    }
  } else {
    const bool plain = record.field_count == 0 && record.body == Body::json && !has_member_conflict(record);
    at = plain ? put_blocks(at, prefix_.data(), prefix_size_) : write_added(at, batch, record);
    if (record.body == Body::json) {
      if (is_closed(record) && record.data[1] == '"') {
        return put(at, {record.data + 1, record.size - 1});
      }
      at = write_body(at, batch, record);
    } else {
      at = trim_end(at);
    }
  }
  if (record.field_count != 0) at = write_fields(at, batch, record);
  at = write_marks(at, batch, record);
  *at++ = '}';
  return at;
}

char* ObjectText::write_added(char* at, const Batch& batch, const Record& record) {
  *at++ = '{';
  for (const Added& added : added_) {
    if (has_own(batch, record, added.key, added.bits)) continue;
    at = put(at, std::string_view(prefix_).substr(added.begin, added.end - added.begin));
  }
  return at;
}

char* ObjectText::write_text(char* at, const Batch& batch, const Record& record) {
  at = write_added(at, batch, record);
  if (is_id(text_key_)) return trim_end(at);
  at = put(at, std::string_view(prefix_).substr(prefix_size_, text_prefix_size_ - prefix_size_));
  at = kernel_.write_text(at, record.data, record.data + record.size, repaired_);
  *at++ = '"';
  return at;
}

// What stands between a JSON body's brackets and is still wanted.
char* ObjectText::write_body(char* at, const Batch& batch, const Record& record) {
  LW_CHECK(record.size >= 2);
  const bool whole = record.field_count == 0 && (!has_id_ || (record.keys & id_.bits) != id_.bits);
  at = whole ? put(at, {record.data + 1, record.size - 2}) : write_cut(at, batch, record);
  return trim_end(at);
}

// The body's own member of the id's name, with a comma behind it.
void ObjectText::cut_id(const Record& record) {
  JsonMember member;
  if ((record.keys & id_.bits) != id_.bits || !kernel_.find_member(record.data, id_.key, member)) return;
  const char* end = member.end;
  while (*end != ',' && *end != '}') ++end;
  if (*end == ',') ++end;
  cuts_.push_back(
      {static_cast<std::uint32_t>(member.key - record.data), static_cast<std::uint32_t>(end - record.data)});
}

char* ObjectText::write_cut(char* at, const Batch& batch, const Record& record) {
  cuts_.clear();
  for (std::uint32_t i = record.fields; i != record.fields + record.field_count; ++i) {
    const Field& field = batch.fields[i];
    if (field.cut_end > field.cut_begin) cuts_.push_back({field.cut_begin, field.cut_end});
  }
  if (has_id_) cut_id(record);
  if (cuts_.size() > 1) {
    std::sort(cuts_.begin(), cuts_.end(), [](const Cut& a, const Cut& b) { return a.begin < b.begin; });
  }
  std::uint32_t from = 1;
  const std::uint32_t end = record.size - 1;
  for (const Cut& cut : cuts_) {
    LW_CHECK(cut.end <= end);
    if (cut.begin > from) at = put(at, {record.data + from, cut.begin - from});
    from = std::max(from, cut.end);
  }
  return put(at, {record.data + from, end - from});
}

char* ObjectText::write_fields(char* at, const Batch& batch, const Record& record) {
  for (std::uint32_t i = record.fields; i != record.fields + record.field_count; ++i) {
    const Field& field = batch.fields[i];
    if (field.value.kind == Value::Kind::removed || is_id(field.key)) continue;
    at = next_member(at);
    *at++ = '"';
    at = kernel_.write_text(at, field.key.data(), field.key.data() + field.key.size(), repaired_);
    *at++ = '"';
    *at++ = ':';
    at = write_value(at, field.value);
  }
  return at;
}

char* ObjectText::write_value(char* at, const Value& value) {
  switch (value.kind) {
    case Value::Kind::null:
    case Value::Kind::removed:
      return put(at, "null");
    case Value::Kind::boolean:
      return put(at, value.integer != 0 ? "true" : "false");
    case Value::Kind::integer:
      return std::to_chars(at, at + kNumberBound, value.integer).ptr;
    case Value::Kind::uinteger:
      return std::to_chars(at, at + kNumberBound, static_cast<std::uint64_t>(value.integer)).ptr;
    case Value::Kind::real:
      return std::isfinite(value.real) ? std::to_chars(at, at + kNumberBound, value.real).ptr : put(at, "null");
    case Value::Kind::json:
      return put(at, value.text);
    case Value::Kind::string:
      break;
  }
  *at++ = '"';
  at = kernel_.write_text(at, value.text.data(), value.text.data() + value.text.size(), repaired_);
  *at++ = '"';
  return at;
}

char* ObjectText::write_marks(char* at, const Batch& batch, const Record& record) {
  if (!offset_.key.empty() && !has_own(batch, record, offset_.key, offset_.bits)) {
    at = put(next_member(at), offset_.text);
    at = std::to_chars(at, at + kNumberBound, record.position).ptr;
  }
  if ((record.flags & Record::kTruncated) != 0 && !truncated_.key.empty() &&
      !has_own(batch, record, truncated_.key, truncated_.bits)) {
    at = put(next_member(at), truncated_.text);
    at = put(at, "true");
  }
  return has_id_ ? write_id(at, batch, record) : at;
}

char* ObjectText::write_id(char* at, const Batch& batch, const Record& record) {
  const RecordId id(batch.source, record.position, ordinals_.of(batch, record));
  at = put(next_member(at), id_.text);
  *at++ = '"';
  at = put(at, id.text());
  *at++ = '"';
  return at;
}

}  // namespace logweir
