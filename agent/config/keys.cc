// SPDX-License-Identifier: Apache-2.0
// How written keys are matched and what is near to a wrong one.
#include <algorithm>
#include <array>
#include <cctype>

#include "config/schema.h"

namespace logweir {
namespace {

constexpr std::size_t kLongestWord = 63;  // nothing that we know is longer

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// camelCase means snake_case when a key starts in lower case and has no underscore.
bool is_camel(std::string_view key) {
  return !key.empty() && key[0] >= 'a' && key[0] <= 'z' && key.find('_') == std::string_view::npos;
}

// Edits (insert, delete, replace, swap of neighbours) from a to b.
int distance(std::string_view a, std::string_view b) {
  std::array<int, kLongestWord + 1> older{}, last{}, row{};
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], older[j - 2] + 1);
    }
    older = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string plain_key(std::string_view written) {
  const bool camel = is_camel(written);
  std::string out;
  out.reserve(written.size() + 4);
  for (const char c : written) {
    if (camel && is_upper(c)) out += '_';
    out += lower(c);
  }
  return out;
}

bool same_key(std::string_view written, std::string_view key) {
  const bool camel = is_camel(written);
  std::size_t at = 0;
  for (const char c : written) {
    if (camel && is_upper(c)) {
      if (at >= key.size() || key[at] != '_') return false;
      ++at;
    }
    if (at >= key.size() || lower(c) != lower(key[at])) return false;
    ++at;
  }
  return at == key.size();
}

bool is_known_key(std::string_view written, std::span<const std::string_view> known) {
  return std::any_of(known.begin(), known.end(), [&](std::string_view key) {
    if (!key.ends_with('*')) return same_key(written, key);
    key.remove_suffix(1);
    return written.size() > key.size() && same_key(written.substr(0, key.size()), key);
  });
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  if (word.size() > kLongestWord / 2) return {};
  const std::string plain = plain_key(word);
  std::string_view best;
  int best_distance = std::clamp(static_cast<int>(plain.size()) / 3, 1, 3) + 1;
  for (const std::string_view candidate : known) {
    if (candidate.size() > kLongestWord || candidate.ends_with('*')) continue;
    const int edits = distance(plain, plain_key(candidate));
    if (edits < best_distance) {
      best_distance = edits;
      best = candidate;
    }
  }
  return best;
}

}  // namespace logweir
