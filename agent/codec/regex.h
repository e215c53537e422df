// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/status.h"

namespace logweir {

// Resource in a value's clothes: a compiled PCRE2 pattern with its scratch memory; one thread. As in Fluent Bit, whose
// engine is Ruby's, `^` and `$` also match at line breaks within the text, and /pattern/imx carries options (m: `.`
// matches a line break). The text is bytes and need not be valid; only a pattern that speaks of characters (by a byte
// over 0x7f, \p{..} or \x{..}) reads it as UTF-8, and then finds nothing in its ill-formed parts. A pattern that runs
// away hits a match limit and does not match.
class Regex {
 public:
  // The failure's sentence holds PCRE2's words and the offset of the fault. Named groups as (?<name>...).
  static Result<Regex> compile(std::string_view pattern);
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  [[nodiscard]] bool matches(std::string_view text) const;
  [[nodiscard]] std::uint64_t limits_hit() const;  // times a match was given up

 private:
  struct Impl;
  explicit Regex(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace logweir
