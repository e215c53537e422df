// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace logweir {

// Resource. Turns text of one character set into UTF-8, by the system's iconv; only sets without shift states, so that
// each text stands by itself. One thread.
class Charset {
 public:
  // A name from kCharsetWords, without regard to case, or UTF-16LE or UTF-16BE. Fails for another one, and where this
  // system has no converter.
  static Result<std::unique_ptr<Charset>> make(std::string_view name);
  static bool is_known(std::string_view name);
  Charset(const Charset&) = delete;
  Charset& operator=(const Charset&) = delete;
  ~Charset();

  // What `bytes` can become at most.
  static constexpr std::size_t bound(std::size_t bytes) { return 3 * bytes + 16; }
  // Writes the text of `in` to `out`, which has its bound; returns the end. Each ill-formed unit becomes one U+FFFD,
  // and so does half a character at the end, unless the text was `cut` there: it is left out then.
  char* decode(std::string_view in, bool cut, char* out);
  [[nodiscard]] std::uint64_t replaced() const { return replaced_; }  // so far

 private:
  Charset(void* converter, std::size_t unit) : converter_(converter), unit_(unit) {}

  void* converter_;         // iconv_t
  const std::size_t unit_;  // bytes that an ill-formed place is passed over by
  std::uint64_t replaced_ = 0;
};

constexpr std::string_view kCharsetWords =
    "ShiftJIS, UHC, GBK, GB18030, Big5, Win866, Win874, Win1250, Win1251, Win1252, Win1253, Win1254, Win1255, Win1256, "
    "Win1257, Win1258";

}  // namespace logweir
