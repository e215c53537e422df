// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/fact.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace logweir::tail {

namespace {

constexpr std::string_view kVersion = "g1 ";

// Takes the layout apart from the front; once something is wrong it stays wrong.
class FactReader {
 public:
  explicit FactReader(std::string_view text) : text_(text) {}

  void literal(std::string_view word) {
    if (!text_.starts_with(word)) return fail();
    text_.remove_prefix(word.size());
  }
  std::uint64_t number(char end) {
    std::uint64_t value = 0;
    const auto [at, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value, 16);
    const auto used = static_cast<std::size_t>(at - text_.data());
    // Only what `write_fact` writes is taken: no zeros in front, no capitals.
    const bool foreign = (used > 1 && text_.front() == '0') ||
                         std::any_of(text_.data(), at, [](char c) { return c >= 'A' && c <= 'F'; });
    if (error != std::errc() || foreign || used >= text_.size() || *at != end) {
      fail();
      return 0;
    }
    text_.remove_prefix(used + 1);
    return value;
  }
  std::string name() {
    const std::uint64_t size = number(':');
    if (failed_ || size > kMostPathBytes || size > text_.size()) {
      fail();
      return {};
    }
    std::string value(text_.substr(0, size));
    text_.remove_prefix(size);
    return value;
  }
  void fail() {
    failed_ = true;
    text_ = {};
  }
  [[nodiscard]] bool done() const { return !failed_ && text_.empty(); }

 private:
  std::string_view text_;
  bool failed_ = false;
};

bool read_uid(std::string_view key, std::uint64_t& uid) {
  if (key.size() != 16) return false;
  const auto [at, error] = std::from_chars(key.data(), key.data() + key.size(), uid, 16);
  return error == std::errc() && at == key.data() + key.size() && uid != 0;
}

}  // namespace

std::string fact_key(std::uint64_t uid) { return fmt::format("{:016x}", uid); }

std::string write_fact(const GenerationFact& f) {
  const std::string_view path = f.path == f.stream ? std::string_view() : f.path;
  return fmt::format("{}{} {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x}:{} {:x}:{}",
                     kVersion, f.copy ? 'c' : 'f', f.id.ino, static_cast<std::uint64_t>(f.id.btime), f.id.dev, f.epoch,
                     f.start, static_cast<std::uint64_t>(f.born), f.head.size, f.head.hash, f.mark_at, f.mark.size,
                     f.mark.hash, f.joined.uid, f.joined.to, f.joined.end, f.stream.size(), f.stream, path.size(),
                     path);
}

std::optional<GenerationFact> read_fact(std::string_view key, std::string_view value) {
  GenerationFact f;
  if (!read_uid(key, f.uid) || !value.starts_with(kVersion) || value.size() < 5) return std::nullopt;
  f.copy = value[3] == 'c';
  if (!f.copy && value[3] != 'f') return std::nullopt;
  FactReader in(value.substr(4));
  in.literal(" ");
  f.id.ino = in.number(' ');
  f.id.btime = static_cast<std::int64_t>(in.number(' '));
  f.id.dev = in.number(' ');
  const std::uint64_t epoch = in.number(' ');
  f.start = in.number(' ');
  f.born = static_cast<std::int64_t>(in.number(' '));
  const std::uint64_t head_size = in.number(' ');
  f.head.hash = in.number(' ');
  f.mark_at = in.number(' ');
  const std::uint64_t mark_size = in.number(' ');
  f.mark.hash = in.number(' ');
  f.joined.uid = in.number(' ');
  f.joined.to = in.number(' ');
  f.joined.end = in.number(' ');
  f.stream = in.name();
  in.literal(" ");
  f.path = in.name();
  if (f.path.empty()) f.path = f.stream;
  if (!in.done() || epoch > UINT32_MAX || head_size > kHeadBytes || mark_size > kMarkBytes) return std::nullopt;
  f.epoch = static_cast<std::uint32_t>(epoch);
  f.head.size = static_cast<std::uint32_t>(head_size);
  f.mark.size = static_cast<std::uint8_t>(mark_size);
  return f;
}

}  // namespace logweir::tail
