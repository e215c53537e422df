// SPDX-License-Identifier: Apache-2.0
#include "codec/msgpack.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "codec/json_scan.h"

namespace logweir {

namespace {

char* put(char* at, unsigned byte) {
  *at = static_cast<char>(byte);
  return at + 1;
}

char* put_number(char* at, std::uint64_t value, int bytes) {
  while (bytes-- > 0) at = put(at, static_cast<unsigned>(value >> (8 * bytes)) & 0xFF);
  return at;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_structure(char c) { return c == ',' || c == ':' || c == '{' || c == '}' || c == '[' || c == ']' || c == '"'; }

struct Inside {
  const char* end;  // the closing quote; nullptr: there is none
  bool escaped;
};

Inside long_inside(const char* at, const char* end) {
  const auto find = [end](const char* from, char c, const char* to) {
    return from < end ? static_cast<const char*>(std::memchr(from, c, static_cast<std::size_t>(to - from))) : nullptr;
  };
  bool escaped = false;
  const char* quote = find(at, '"', end);
  while (quote != nullptr) {
    const char* const slash = find(at, '\\', quote);
    if (slash == nullptr) break;
    escaped = true;
    at = slash + 2;
    if (at > quote) quote = find(at, '"', end);
  }
  return {quote, escaped};
}

// The inside of the string that begins at `at`. Most are too short for a call to pay.
Inside inside_of(const char* at, const char* end) {
  constexpr std::ptrdiff_t kShort = 32;
  const char* const stop = at + std::min(kShort, end - at);
  for (; at != stop && *at != '\\'; ++at) {
    if (*at == '"') return {at, false};
  }
  return long_inside(at, end);
}

const char* scalar_end(const char* at, const char* end) {
  return std::find_if(at, end, [](char c) { return is_blank(c) || is_structure(c); });
}

// Whether a number without a double is so because it is too large; else it is too small.
bool is_huge(std::string_view number) {
  if (number.front() == '-') number.remove_prefix(1);
  const std::size_t e = number.find_first_of("eE");
  long long exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view digits = number.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (read.ec == std::errc::result_out_of_range) return !digits.starts_with('-');
  }
  const std::string_view mantissa = number.substr(0, e);
  const std::size_t whole = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  const auto place = static_cast<long long>(whole) - static_cast<long long>(first);
  return place > -exponent;
}

char* write_number(char* at, std::string_view text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  if (text.find_first_of(".eE") == std::string_view::npos && text != "-0") {
    if (std::uint64_t value = 0; text.front() != '-') {
      const auto [stop, error] = std::from_chars(begin, end, value);
      if (error == std::errc() && stop == end) return write_msgpack_uint(at, value);
    } else if (std::int64_t below = 0; text.size() > 1) {
      const auto [stop, error] = std::from_chars(begin, end, below);
      if (error == std::errc() && stop == end) return write_msgpack_int(at, below);
    }
  }
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (stop != end || error == std::errc::invalid_argument) return nullptr;
  if (error == std::errc::result_out_of_range) {
    value = is_huge(text) ? std::numeric_limits<double>::infinity() : 0.0;
    if (text.front() == '-') value = -value;
  }
  return write_msgpack_real(at, value);
}

char* write_scalar(char* at, std::string_view text) {
  if (text == "null") return put(at, 0xC0);
  if (text == "false") return put(at, 0xC2);
  if (text == "true") return put(at, 0xC3);
  const bool number = text.front() == '-' || (text.front() >= '0' && text.front() <= '9');
  return number ? write_number(at, text) : nullptr;
}

}  // namespace

char* write_msgpack_uint(char* at, std::uint64_t value) {
  if (value < 0x80) return put(at, static_cast<unsigned>(value));
  if (value <= 0xFF) return put_number(put(at, 0xCC), value, 1);
  if (value <= 0xFFFF) return put_number(put(at, 0xCD), value, 2);
  if (value <= 0xFFFFFFFF) return put_number(put(at, 0xCE), value, 4);
  return put_number(put(at, 0xCF), value, 8);
}

char* write_msgpack_int(char* at, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  if (value >= 0) return write_msgpack_uint(at, bits);
  if (value >= -32) return put(at, static_cast<unsigned>(bits & 0xFF));
  if (value >= std::numeric_limits<std::int8_t>::min()) return put_number(put(at, 0xD0), bits, 1);
  if (value >= std::numeric_limits<std::int16_t>::min()) return put_number(put(at, 0xD1), bits, 2);
  if (value >= std::numeric_limits<std::int32_t>::min()) return put_number(put(at, 0xD2), bits, 4);
  return put_number(put(at, 0xD3), bits, 8);
}

char* write_msgpack_real(char* at, double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return put_number(put(at, 0xCB), bits, 8);
}

char* write_msgpack_text(char* at, std::string_view text) {
  const std::size_t size = text.size();
  if (size < 32) {
    at = put(at, 0xA0 | static_cast<unsigned>(size));
  } else if (size <= 0xFF) {
    at = put_number(put(at, 0xD9), size, 1);
  } else if (size <= 0xFFFF) {
    at = put_number(put(at, 0xDA), size, 2);
  } else {
    at = put_number(put(at, 0xDB), size, 4);
  }
  if (size != 0) std::memcpy(at, text.data(), size);
  return at + size;
}

char* write_msgpack_array(char* at, std::uint32_t items) {
  if (items < 16) return put(at, 0x90 | items);
  return items <= 0xFFFF ? put_number(put(at, 0xDC), items, 2) : put_number(put(at, 0xDD), items, 4);
}

char* write_msgpack_map(char* at, std::uint32_t members) {
  if (members < 16) return put(at, 0x80 | members);
  return members <= 0xFFFF ? put_number(put(at, 0xDE), members, 2) : put_number(put(at, 0xDF), members, 4);
}

char* write_msgpack_time(char* at, Nanos time) {
  constexpr Nanos kLast = 0xFFFFFFFF * kSecond + kSecond - 1;
  time = std::clamp<Nanos>(time, 0, kLast);
  at = put(put(at, 0xD7), 0);
  at = put_number(at, static_cast<std::uint64_t>(time / kSecond), 4);
  return put_number(at, static_cast<std::uint64_t>(time % kSecond), 4);
}

// A container's head says how many it holds, which is known at its end: one more than its commas, unless it is empty.
// Each gets a head of one byte at first; those that need more are widened last, all in one pass.
bool MsgpackFromJson::close(char* begin, char before) {
  if (open_.empty()) return false;
  Head& head = heads_[open_.back()];
  open_.pop_back();
  if (before != '{' && before != '[') ++head.count;
  if (head.count < kFew) begin[head.at] = static_cast<char>((head.map ? 0x80U : 0x90U) | head.count);
  widen_ = widen_ || head.count >= kFew;
  return true;
}

char* MsgpackFromJson::widen(char* begin, char* end) {
  const auto more = [](const Head& head) { return head.count < kFew ? 0 : head.count <= 0xFFFF ? 2 : 4; };
  std::ptrdiff_t shift = 0;
  for (const Head& head : heads_) shift += more(head);
  char* const new_end = end + shift;
  for (auto head = heads_.rbegin(); head != heads_.rend() && shift > 0; ++head) {
    if (more(*head) == 0) continue;
    char* const behind = begin + head->at + 1;
    std::memmove(behind + shift, behind, static_cast<std::size_t>(end - behind));
    end = behind - 1;
    shift -= more(*head);
    head->map ? write_msgpack_map(end + shift, head->count) : write_msgpack_array(end + shift, head->count);
  }
  return new_end;
}

char* MsgpackFromJson::write_string(char* at, std::string_view inside) {
  text_.clear();
  unescape_json(inside, text_);
  return write_msgpack_text(at, text_);
}

char* MsgpackFromJson::write(char* const begin, std::string_view json) {
  heads_.clear();
  open_.clear();
  widen_ = false;
  const char* const end = json.data() + json.size();
  char* at = begin;
  char last = 0;  // the last that was no blank
  for (const char* from = json.data(); from != end;) {
    const char c = *from++;
    if (is_blank(c)) continue;
    if (c == '"') {
      const Inside inside = inside_of(from, end);
      if (inside.end == nullptr) return nullptr;
      const std::string_view text(from, static_cast<std::size_t>(inside.end - from));
      at = inside.escaped ? write_string(at, text) : write_msgpack_text(at, text);
      from = inside.end + 1;
    } else if (c == '{' || c == '[') {
      open_.push_back(static_cast<std::uint32_t>(heads_.size()));
      heads_.push_back({static_cast<std::size_t>(at++ - begin), 0, c == '{'});
    } else if (c == ',') {
      if (open_.empty()) return nullptr;
      ++heads_[open_.back()].count;
    } else if (c == '}' || c == ']') {
      if (!close(begin, last)) return nullptr;
    } else if (c != ':') {
      const char* const stop = scalar_end(from, end);
      at = write_scalar(at, {from - 1, static_cast<std::size_t>(stop - from + 1)});
      if (at == nullptr) return nullptr;
      from = stop;
    }
    last = c;
  }
  if (!open_.empty()) return nullptr;
  return widen_ ? widen(begin, at) : at;
}

}  // namespace logweir
