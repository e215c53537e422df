// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/admin_pages.h"
#include "loop/loop.h"
#include "metrics/metrics.h"
#include "wire/http_server.h"

namespace logweir {

// Value. One more address of the admin port.
struct AdminPage {
  std::string path;
  std::string about;                                                    // for the index; empty: not in it
  std::function<HttpAnswer(const HttpRequest&)> answer;                 // on the control loop
  bool looks = true;                                                    // only after a look: see Admin::Look
  std::function<void(const HttpRequest&, const HttpReply&)> take = {};  // instead of `answer`: now or later
};

// Resource, on the control loop. Answers on the admin port: metrics, health, the ledger, what was added, and an index
// of them all (see admin_pages.h).
class Admin {
 public:
  // Brings what metrics and health tell of up to date, then calls `done` on this loop; may do so late, or after the
  // Admin's end, or never once the process stops.
  using Look = std::function<void(std::function<void()> done)>;
  // The same with the sources; `done` gets the page.
  using LedgerPage = std::function<void(std::function<void(std::string page)> done)>;
  // Why the agent is not well; nothing when it is.
  using Health = std::function<std::vector<std::string>()>;

  // `ledger` may be empty: no such page then.
  Admin(Loop& loop, Metrics& metrics, Look look, Health health, LedgerPage ledger = {});
  Admin(const Admin&) = delete;
  Admin& operator=(const Admin&) = delete;
  ~Admin();

  // Of two pages with one address the one that was added last answers, also instead of one of the Admin's own.
  void add(AdminPage page);
  Status open(const std::string& host, int port);  // port 0: the kernel picks
  [[nodiscard]] int port() const { return server_->port(); }

 private:
  void handle(const HttpRequest& request, const HttpReply& reply);
  void own_page(AdminRoute route, const HttpReply& reply);
  [[nodiscard]] const AdminPage* added(std::string_view path) const;
  [[nodiscard]] std::string index() const;
  [[nodiscard]] HttpAnswer metrics_page() const;
  [[nodiscard]] HttpAnswer health_page() const;
  [[nodiscard]] HttpAnswer plain_health_page() const;

  Loop& loop_;
  Metrics& metrics_;
  Look look_;
  Health health_;
  LedgerPage ledger_;
  std::vector<AdminPage> pages_;
  std::shared_ptr<Admin*> self_;  // shared with looks under way, which may outlive this; then empty
  std::unique_ptr<HttpServer> server_;
};

}  // namespace logweir
