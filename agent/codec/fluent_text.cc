// SPDX-License-Identifier: Apache-2.0
#include "codec/fluent_text.h"

#include "codec/date_text.h"

namespace logweir {

namespace {

std::size_t string_end(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return at + 1;
}

}  // namespace

void write_fluent_line(std::string& out, std::uint64_t number, std::string_view tag, Nanos time,
                       std::string_view object) {
  char seconds[40];
  out += '[';
  out += std::to_string(number);
  out += "] ";
  out += tag;
  out += ": [[";
  out.append(seconds, write_seconds(seconds, time));
  out += ", {}], ";
  for (std::size_t at = 0; at < object.size();) {
    const char c = object[at];
    if (c == '"') {
      const std::size_t end = string_end(object, at);
      out += object.substr(at, end - at);
      at = end;
      continue;
    }
    if (c == ':') {
      out += "=>";
    } else if (c == ',') {
      out += ", ";
    } else if (c > ' ') {
      out += c;
    }
    ++at;
  }
  out += ']';
}

}  // namespace logweir
