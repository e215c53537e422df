// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/admin.h"
#include "app/agent_facts.h"
#include "metrics/metrics.h"

namespace logweir {

// Resource, on the control loop. The pages of the admin port that show the whole agent: Fluent Bit's addresses and the
// status page with its document.
class StatusPages {
 public:
  // What the pages look at, asked anew for each; valid until that page is made.
  using Look = std::function<AgentFacts()>;
  StatusPages(Metrics& metrics, Look look) : metrics_(metrics), look_(std::move(look)) {}
  StatusPages(const StatusPages&) = delete;
  StatusPages& operator=(const StatusPages&) = delete;

  // This outlives the admin. `fluent_names`: the addresses of Fluent Bit's Prometheus pages give its names, not ours.
  void add_to(Admin& admin, bool fluent_names);

 private:
  void add_fluent(Admin& admin);
  void add_fluent_names(Admin& admin);

  Metrics& metrics_;
  Look look_;
};

}  // namespace logweir
