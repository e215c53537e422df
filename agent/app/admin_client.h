// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/clock.h"
#include "base/status.h"

namespace logweir {

// Value. Where an agent's admin port is.
struct AdminUrl {
  std::string host;
  std::string port = "2020";
};
// "http://127.0.0.1:2020", with or without a slash at the end; fails on anything that is no such address.
Result<AdminUrl> parse_admin_url(const std::string& url);

// Asks an agent for a page and waits for all of it, at most `patience` and 16 MiB; for command lines. Fails in a
// sentence when nothing answers, or the answer's status is not 200 (then with what it says).
Result<std::string> fetch_admin(const AdminUrl& url, const std::string& target, Nanos patience);

}  // namespace logweir
