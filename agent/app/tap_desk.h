// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/plan.h"
#include "loop/loop.h"
#include "pipeline/pipeline.h"
#include "wire/http_server.h"

namespace logweir {

// Resource, on the control loop; outlives the workers. /api/v1/tap?instance=NAME[&kind=input|filter|output][&limit=20]
// [&match=TEXT][&wait=2]: asks the workers for copies of records and answers with JSON lines, once there are enough or
// the time is over.
class TapDesk {
 public:
  struct Setup {
    Loop& loop;
    std::function<const Plan&()> plan;
    std::function<void(const std::function<void(Pipeline&)>&)> each_worker;  // runs it on each worker's thread
    std::function<void(std::function<void()>)> mail;                         // any thread: to the control loop
  };
  explicit TapDesk(Setup setup) : setup_(std::move(setup)) {}
  TapDesk(const TapDesk&) = delete;
  TapDesk& operator=(const TapDesk&) = delete;

  void take(const HttpRequest& request, const HttpReply& reply);
  void close();  // answers those that wait; before the workers end

 private:
  struct Session;
  void told(std::uint64_t id, const TappedRecord& record);
  void end(std::uint64_t id);

  Setup setup_;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Session>> sessions_;
};

// Whether records may be looked at: service.tap, or else only where the admin port can be reached from this machine
// alone.
bool tap_is_on(const ServiceOptions& service);

}  // namespace logweir
