// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tcp/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace logweir::tcp_in {

namespace {

using O = TcpInputOptions;

constexpr std::uint64_t kLargestMessage = 64 << 20;
// More at a time is read when there is more; asking for more would begin a new chunk for each small read.
constexpr std::uint64_t kLeastReadAtMost = 64 << 10;

constexpr std::array kOptions = {
    option<&O::listen>("listen", "0.0.0.0", "Address to listen on.", kIdentity),
    option<&O::port>("port", "5170", "Port to listen on.", kIdentity, "0..65535"),
    option<&O::format>("format", "json",
                       "json: each message is a JSON object. none: each message is the text of one field, log.", 0,
                       "json|none"),
    option<&O::separator>("separator", "\\n",
                          "What stands between two messages; \\n, \\r, \\t, \\0 and \\xHH mean these bytes. With \\n, "
                          "a carriage return in front of it belongs to it."),
    option<&O::chunk_size>(
        "chunk_size", "32",
        "Least space to read into, in KB (or with a unit: 64k), at most 256; more is used when there is more to read."),
    option<&O::buffer_size>(
        "buffer_size", "",
        "Longest message, in KB (or with a unit: 1M); longer ones are cut and marked. Empty: "
        "chunk_size. All messages whose end has not come may hold a quarter of memory_limit; beyond "
        "it the oldest is passed on as it is, marked, and its rest is passed over."),
    option<&O::source_address_key>("source_address_key", "",
                                   "Add the peer's address under this key, as tcp://address:port."),
    option<&O::max_connections>("max_connections", "1024",
                                "Connections at a time; further ones are closed at once and counted."),
    option<&O::idle_timeout>("idle_timeout", "0", "Close a connection that sent nothing for so long; 0: never."),
};

constexpr std::array<std::string_view, 7> kKnown = {
    "workers",
    "net.share_port",
    "net.backlog",
    "net.io_timeout",
    "net.accept_timeout",
    "net.keepalive",
    "net.accept_timeout_log_error",
};

// Fluent Bit counts these two in KB; with a unit they mean what they say.
std::optional<std::uint64_t> kilobytes(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (error != std::errc() || number == 0 || number > kLargestMessage) return std::nullopt;
  if (unit.size() > 1 && (unit.ends_with('b') || unit.ends_with('B'))) unit.remove_suffix(1);
  if (unit.empty() || unit == "k" || unit == "K") return number << 10;
  if (unit == "m" || unit == "M") return number << 20;
  return std::nullopt;
}

std::optional<char> hex_byte(std::string_view digits) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.size() != 2 || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return static_cast<char>(value);
}

std::optional<std::string> unescaped(std::string_view text) {
  constexpr std::string_view kFrom = "nrt0\\";
  constexpr std::string_view kTo("\n\r\t\0\\", 5);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
    } else if (const std::size_t at = kFrom.find(text[++i]); at != std::string_view::npos) {
      out += kTo[at];
    } else if (const auto byte = text[i] == 'x' ? hex_byte(text.substr(i + 1, 2)) : std::nullopt) {
      out += *byte;
      i += 2;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

void check(const void* options, const Node& node, Problems& problems) {
  const auto& o = *static_cast<const O*>(options);
  if (const auto rules = framing_of(o); !rules.ok()) problems.error(node.place, rules.status().message());
  if (o.max_connections < 1) problems.error(node.place, "max_connections must be at least 1.");
  if (o.idle_timeout.value < 0) problems.error(node.place, "idle_timeout must not be below 0.");
}

constexpr Schema kSchema = {kOptions, kKnown, check};

}  // namespace

const Schema& tcp_input_schema() { return kSchema; }

Result<FramingRules> framing_of(const TcpInputOptions& options) {
  FramingRules rules;
  const auto separator = unescaped(options.separator);
  if (!separator || separator->empty() || separator->size() > 64) {
    return Status(Code::invalid,
                  fmt::format("separator is \"{}\", but it must be 1 to 64 bytes; after a backslash only n, "
                              "r, t, 0, \\ or xHH may stand.",
                              options.separator));
  }
  rules.separator = *separator;
  const auto chunk = kilobytes(options.chunk_size);
  if (!chunk || *chunk > 256 << 10) {
    return Status(Code::invalid, fmt::format("chunk_size is \"{}\", but it must be a number of KB from 1 to 256.",
                                             options.chunk_size));
  }
  rules.least_read = static_cast<std::size_t>(std::min(*chunk, kLeastReadAtMost));
  const auto longest = options.buffer_size.empty() ? chunk : kilobytes(options.buffer_size);
  if (!longest || *longest > kLargestMessage) {
    return Status(Code::invalid,
                  fmt::format("buffer_size is \"{}\", but it must be a number of KB, or a size such as 1M, up "
                              "to 64M.",
                              options.buffer_size));
  }
  rules.limit = static_cast<std::size_t>(*longest);
  return rules;
}

}  // namespace logweir::tcp_in
