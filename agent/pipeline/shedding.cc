// SPDX-License-Identifier: Apache-2.0
#include "pipeline/shedding.h"

#include <algorithm>
#include <array>
#include <string>

namespace logweir {

namespace {

constexpr std::size_t kLongestWord = 16;

struct Word {
  std::string_view text;
  int severity;
};

constexpr std::array kWords = {
    Word{"emerg", 0},    Word{"emergency", 0}, Word{"panic", 0},
    Word{"alert", 1},    Word{"crit", 2},      Word{"fatal", 2},
    Word{"critical", 2}, Word{"err", 3},       Word{"error", 3},
    Word{"severe", 3},   Word{"warn", 4},      Word{"warning", 4},
    Word{"notice", 5},   Word{"info", 6},      Word{"information", 6},
    Word{"debug", 7},    Word{"verbose", 7},   Word{"informational", 6},
    Word{"trace", 8},    Word{"finest", 8},    Word{"f", 2},
    Word{"e", 3},        Word{"w", 4},         Word{"n", 5},
    Word{"i", 6},        Word{"d", 7},         Word{"t", 8},
};

}  // namespace

std::optional<int> severity_of(std::string_view word) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  if (word.size() == 1 && word[0] >= '0' && word[0] <= '7') return word[0] - '0';
  std::array<char, kLongestWord> lower{};
  std::transform(word.begin(), word.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  const std::string_view text(lower.data(), word.size());
  for (const Word& known : kWords) {
    if (known.text == text) return known.severity;
  }
  return std::nullopt;
}

Result<Shedder> Shedder::make(std::string_view below, const std::vector<std::string>& keys) {
  Shedder shedder;
  if (below.empty()) return shedder;
  shedder.kept_ = severity_of(below);
  if (!shedder.kept_) {
    return Status(Code::invalid, "'" + std::string(below.substr(0, 80)) +
                                     "' is no severity; say emerg, alert, crit, error, warn, notice, info or debug, or "
                                     "syslog's number 0 to 7");
  }
  for (const std::string& key : keys) {
    auto accessor = Accessor::parse(key);
    if (!accessor.ok()) return accessor.status();
    shedder.keys_.push_back(std::move(accessor).value());
  }
  return shedder;
}

bool Shedder::sheds(const Batch& batch, const Record& record) {
  for (const Accessor& key : keys_) {
    const auto text = key.text(batch, record, scratch_);
    if (!text) continue;
    const auto severity = severity_of(*text);
    return severity && *severity > *kept_;
  }
  return false;
}

}  // namespace logweir
