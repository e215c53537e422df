// SPDX-License-Identifier: Apache-2.0
#include "app/cli_text.h"

#include <algorithm>

#include "codec/date_text.h"

namespace logweir {

std::string date_of(Nanos time) {
  DateText text(DateFormat::rfc3339);
  const std::string_view quoted = text.of(time);
  return std::string(quoted.substr(1, quoted.size() - 2));
}

std::string second_of(Nanos time) { return date_of(time).substr(0, 19) + "Z"; }

std::string tame(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }, '?');
  return text;
}

}  // namespace logweir
