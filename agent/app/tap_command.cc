// SPDX-License-Identifier: Apache-2.0
#include "app/tap_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>

#include "app/admin_client.h"
#include "app/cli.h"
#include "app/terminal_text.h"

namespace logweir {

namespace {

constexpr std::int64_t kAtOnce = 100;
constexpr Nanos kPatience = 10 * kSecond;

std::string percent(std::string_view text) {
  std::string out;
  for (const char c : text) out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

// Prints each line; how many there were.
std::int64_t print(const std::string& lines, std::ostream& out) {
  const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  std::int64_t count = 0;
  for (std::size_t at = 0, end = 0; (end = lines.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = lines.substr(at, end - at);
    out << (terminal ? terminal_text(line) : line) << "\n";
    ++count;
  }
  out.flush();
  return count;
}

}  // namespace

int run_tap(const TapRequest& request, std::ostream& out, std::ostream& err) {
  const auto url = parse_admin_url(request.url);
  if (!url.ok() || request.limit < 1) {
    err << "logweir: error: " << (url.ok() ? "--limit must be at least 1" : terminal_text(url.status().message()))
        << "\n";
    return kExitUsage;
  }
  for (std::int64_t left = request.limit; left > 0 && out.good();) {
    const auto page = fetch_admin(url.value(),
                                  fmt::format("/api/v1/tap?instance={}&match={}&limit={}", percent(request.instance),
                                              percent(request.match), std::min(left, kAtOnce)),
                                  kPatience);
    if (!page.ok()) {
      err << "logweir: error: " << terminal_text(page.status().message()) << "\n";
      return 1;
    }
    left -= print(page.value(), out);
  }
  return out.good() ? 0 : 1;
}

}  // namespace logweir
