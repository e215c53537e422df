// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plugin/outbox.h"
#include "plugins/outputs/http/body.h"
#include "plugins/outputs/http/common.h"

namespace logweir::http_out {

// Resource. Takes records, makes a body of them, sends it and settles them; one body at a time. Each server is tried
// once before records go back to the lane; a body that is too large goes out in halves.
class Request {
 public:
  explicit Request(Common& common);
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request();

  [[nodiscard]] bool idle() const { return count_ == 0; }
  // Takes records from the cursor on, as many as make one body, and moves it. False: the pool has no room.
  bool take(ShipmentCursor& cursor, const Shipment& shipment);

 private:
  // Shared with a job that may outlive the request.
  struct Work {
    Work(const Common& common, Request* by)
        : body(common.pool, common.format, compression_of(common.options)), owner(by) {}
    Body body;
    Request* owner;
  };

  std::uint64_t choose_parts(ShipmentCursor cursor, const Shipment& shipment);
  void trim_parts();
  bool fill();
  void pack();
  void transmit();
  void ended(const HttpEnd& end);
  void settle(Outcome outcome, const std::string& reason, std::string_view answer = {});
  void give_back(const std::string& reason, Nanos wait);
  bool fill_own();
  void add_headers();
  void token_came(std::string_view failure);
  void next();

  Common& common_;
  std::shared_ptr<Work> work_;
  HttpCall call_;
  Timer later_;  // when there was no memory for the next body
  std::vector<std::string> headers_;
  std::string key_;
  std::vector<Part> parts_;    // what was taken; the lane keeps their batches until they are settled
  std::uint64_t ordinal_ = 0;  // of the first record
  std::uint64_t count_ = 0;    // 0: idle
  std::uint64_t settled_ = 0;  // of count_
  std::uint64_t most_ = 0;     // records in one body; smaller once a body was too large
  Stretch sent_;               // what the body holds
  std::size_t server_ = 0;     // where it goes
  std::size_t servers_tried_ = 0;
  std::vector<std::string> own_headers_;  // that the record brought
  bool unusable_ = false;                 // it has no body
  std::uint64_t token_ = 0;               // the number of the one that was sent
  bool token_renewed_ = false;            // for this body
};

}  // namespace logweir::http_out
