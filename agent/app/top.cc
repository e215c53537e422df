// SPDX-License-Identifier: Apache-2.0
#include "app/top.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>

#include "app/admin_client.h"
#include "app/cli.h"
#include "app/screen.h"
#include "app/terminal_text.h"
#include "app/top_table.h"

namespace logweir {

namespace {

constexpr Nanos kPatience = 5 * kSecond;
constexpr std::size_t kPlainWidth = 200;
constexpr double kLeastInterval = 0.1;
constexpr double kMostInterval = 3600;

Result<JsonTree> look(const AdminUrl& url) {
  auto page = fetch_admin(url, "/api/v1/pipeline", kPatience);
  if (!page.ok()) return page.status();
  auto tree = read_json(page.value());
  if (!tree.ok()) return tree.status();
  if (tree.value().items_at("nodes").empty()) return Status(Code::invalid, "what answers there is no logweir agent");
  return tree;
}

int say(std::ostream& err, const Status& status) {
  err << "logweir: error: " << terminal_text(status.message()) << "\n";
  return 1;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

int print_once(const AdminUrl& url, Nanos interval, std::ostream& out, std::ostream& err) {
  const auto before = look(url);
  if (!before.ok()) return say(err, before.status());
  ::usleep(static_cast<useconds_t>(interval / kMicrosecond));
  const auto now = look(url);
  if (!now.ok()) return say(err, now.status());
  for (std::string& line : top_lines(before.value(), now.value(), kPlainWidth)) out << trimmed(std::move(line)) << "\n";
  return out.flush().good() ? 0 : 1;
}

// What is shown while the agent is away; the screen comes back with it.
std::vector<std::string> away(const Status& status, std::size_t width) {
  return {in_column(terminal_text(status.message()), width), "", in_column("asking again; q ends this", width)};
}

int watch(const AdminUrl& url, Nanos interval, std::ostream& err) {
  auto before = look(url);
  if (!before.ok()) return say(err, before.status());
  auto screen = Screen::open();
  if (!screen.ok()) return say(err, screen.status());
  screen.value()->draw(top_lines(before.value(), before.value(), screen.value()->width()));
  while (screen.value()->wait(interval)) {
    auto now = look(url);
    const std::size_t width = screen.value()->width();
    if (!now.ok()) {
      screen.value()->draw(away(now.status(), width));
      continue;
    }
    screen.value()->draw(top_lines(before.value(), now.value(), width));
    before = std::move(now);
  }
  return 0;
}

}  // namespace

int run_top(const TopRequest& request, std::ostream& out, std::ostream& err) {
  const auto url = parse_admin_url(request.url);
  if (!url.ok()) {
    say(err, url.status());
    return kExitUsage;
  }
  if (!(request.interval >= kLeastInterval && request.interval <= kMostInterval)) {
    err << "logweir: error: --interval must be from 0.1 to 3600 seconds\n";
    return kExitUsage;
  }
  const auto interval = static_cast<Nanos>(request.interval * static_cast<double>(kSecond));
  const bool terminal = ::isatty(STDOUT_FILENO) != 0 && ::isatty(STDIN_FILENO) != 0;
  return request.once || !terminal ? print_once(url.value(), interval, out, err) : watch(url.value(), interval, err);
}

}  // namespace logweir
