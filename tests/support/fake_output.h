// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "plugin/output.h"
#include "record/record_id.h"

namespace logweir {

// An output that a test holds by the hand: takes at most `capacity` records that are not settled yet.
class FakeOutput final : public Output {
 public:
  struct Taken {
    std::uint64_t ordinal;
    std::string text;
    std::string id;
  };

  Status open(OutputServices& services) override {
    host_ = &services.host;
    return {};
  }
  void attach(OutputHost& host) { host_ = &host; }

  std::uint64_t send(const Shipment& shipment) override {
    ++sends;
    if (down) {
      host_->unavailable("refused", Status(Code::unavailable, "nobody there"));
      return 0;
    }
    std::uint64_t taken = 0;
    for (const Part& part : shipment.parts) {
      for (std::uint32_t i = part.first; i < part.last; ++i) {
        if (held.size() >= capacity) return taken;
        if (part.batch->records[i].text() == poison) fail(taken);
        held.push_back({shipment.ordinal + taken, std::string(part.batch->records[i].text()),
                        std::string(RecordId(part.batch->source, part.batch->records[i].position).text())});
        ++taken;
        if (taken == at_once) {  // as outputs do that write while they are asked
          settle(held.size(), at_once_as);
          return taken;
        }
      }
    }
    return taken;
  }
  void close() override { held.clear(); }

  // Settles the oldest `count` records.
  void settle(std::size_t count, Outcome outcome, std::string_view answer = {}) {
    if (count == 0) return;
    const std::uint64_t first = held.front().ordinal;
    for (std::size_t i = 0; i < count; ++i) {
      if (outcome == Outcome::delivered) delivered.push_back(held.front().text);
      held.pop_front();
    }
    host_->settle(first, count, outcome, "test", 0, answer);
  }
  void deliver_all() {
    settle(held.size(), Outcome::delivered);
    host_->ready();
  }

  std::deque<Taken> held;
  std::vector<std::string> delivered;
  std::size_t capacity = SIZE_MAX;
  std::uint64_t sends = 0;
  bool down = false;
  std::string poison = "\n";  // throws over a record of this text
  std::uint64_t at_once = 0;  // takes so many and settles them before `send` returns
  Outcome at_once_as = Outcome::delivered;

 private:
  // As the contract has it: what is not settled was not taken.
  [[noreturn]] void fail(std::uint64_t taken) {
    while (taken-- > 0) held.pop_back();
    throw std::runtime_error("poison");
  }
  OutputHost* host_ = nullptr;
};

}  // namespace logweir
