// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "codec/charset.h"

namespace logweir::tail {

struct TailOptions;

// How the bytes of a file stand for text. In `legacy` (and UTF-8) a newline is the one byte \n, which is never a part
// of another character; in UTF-16 it is two bytes at an even position of the file.
enum class TextCode : unsigned char { utf8, utf16le, utf16be, legacy };

constexpr bool is_wide(TextCode code) { return code == TextCode::utf16le || code == TextCode::utf16be; }
constexpr std::size_t newline_size(TextCode code) { return is_wide(code) ? 2 : 1; }
// The first byte of the first newline in [from, to), or nullptr; `position`: of `from` in the file.
const char* find_newline(TextCode code, const char* from, const char* to, std::uint64_t position);
// Where the line that `at` is in begins; `at` itself (at least even, where characters are) when that is too far away.
std::uint64_t line_start(TextCode code, int fd, std::uint64_t at);

// Whether the options ask for any other code than UTF-8.
bool decodes(const TailOptions& options);
// What the options say of a file that begins with `content`. Nothing: there is too little of it to say.
std::optional<TextCode> code_of(const TailOptions& options, std::string_view content);
// The same of an open file.
std::optional<TextCode> code_at(const TailOptions& options, int fd);

// Resource, one per worker of an input whose files are not (all) UTF-8. Makes up the texts of one read's lines, one
// behind the other, each with a \n behind it.
class Decoding {
 public:
  // The options outlive it.
  static Result<std::unique_ptr<Decoding>> make(const TailOptions& options);
  explicit Decoding(const TailOptions& options) : options_(options) {}

  [[nodiscard]] const TailOptions& options() const { return options_; }

  // Forgets all texts; what is decoded until the next call are `bytes` of this code at most, their newlines included.
  void begin(TextCode code, std::size_t bytes);
  // The text lives until the next `begin`.
  std::string_view decode(std::string_view line, bool cut);
  [[nodiscard]] TextCode code() const { return code_; }
  [[nodiscard]] std::string_view texts() const { return {texts_.get(), size_}; }
  [[nodiscard]] std::uint64_t replaced() const;  // ill-formed units so far

 private:
  const TailOptions& options_;
  std::unique_ptr<Charset> little_, big_, legacy_;  // those that are asked for
  std::unique_ptr<char[]> texts_;
  std::size_t room_ = 0;
  std::size_t size_ = 0;
  TextCode code_ = TextCode::utf8;
};

}  // namespace logweir::tail
