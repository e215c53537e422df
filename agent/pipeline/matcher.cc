// SPDX-License-Identifier: Apache-2.0
#include "pipeline/matcher.h"

namespace logweir {

bool wildcard_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the last `*`, and from where its run is tried longer
  std::size_t again = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      again = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++again;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Result<Matcher> Matcher::make(const std::string& match, const std::string& match_regex) {
  Matcher matcher;
  matcher.wildcard_ = match;
  if (match_regex.empty()) return matcher;
  auto regex = Regex::compile("^(?:" + match_regex + ")");
  if (!regex.ok()) return Status(regex.status()).while_doing("reading match_regex `" + match_regex + "`");
  matcher.regex_ = std::make_shared<const Regex>(std::move(regex).value());
  return matcher;
}

bool Matcher::matches(std::string_view tag) const {
  if (regex_ && regex_->matches(tag)) return true;
  return !wildcard_.empty() && wildcard_match(wildcard_, tag);
}

}  // namespace logweir
