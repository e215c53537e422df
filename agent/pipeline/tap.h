// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codec/encode.h"
#include "loop/loop.h"
#include "memory/pieces.h"
#include "record/batch.h"

namespace logweir {

// Behind which instance records are looked at: as an input's parsers or a filter left them, as a lane is given them.
enum class TapPoint : unsigned char { input, filter, output };

// Value. The copy of a record for people.
struct TappedRecord {
  std::string tag;
  Nanos time = 0;
  std::string body;  // JSON
};

// Value. Whose records somebody wants to see.
struct TapOrder {
  std::uint64_t id = 0;
  TapPoint point = TapPoint::input;
  std::string instance;
  std::string match;                       // bytes that must stand in the body; empty: any
  std::size_t limit = 0;                   // most records, of this worker
  std::function<void(TappedRecord)> tell;  // on the worker's thread, in the middle of its turn: only pass it on
};

// Resource, one per worker. Copies some of the records that pass, within bounds for each second; costs a look at one
// number per batch while nobody asks.
class Tap {
 public:
  static constexpr std::size_t kMostOrders = 4;
  static constexpr std::size_t kMostTold = 100;        // a second
  static constexpr std::size_t kMostLooked = 2000;     // a second: records that are encoded to be matched
  static constexpr std::size_t kMostBody = 16 * 1024;  // a larger record is told of by its size alone

  Tap(Loop& loop, Pool& pool) : loop_(loop), pool_(pool) {}
  Tap(const Tap&) = delete;
  Tap& operator=(const Tap&) = delete;

  void start(TapOrder order);  // beyond the most, the oldest ends
  void stop(std::uint64_t id);
  [[nodiscard]] bool open() const { return !orders_.empty(); }
  // Records [first, last) of the batch are at that point.
  void look(TapPoint point, std::string_view instance, Batch& batch, std::uint32_t first, std::uint32_t last);

 private:
  void look(TapOrder& order, Batch& batch, std::uint32_t first, std::uint32_t last);
  bool body_of(Batch& batch, std::uint32_t index, std::string& body);

  Loop& loop_;
  Pool& pool_;
  std::vector<TapOrder> orders_;
  std::unique_ptr<Encoder> encoder_;  // while somebody asks
  Nanos second_ = 0;                  // began then
  std::size_t told_ = 0;              // in it
  std::size_t looked_ = 0;
};

}  // namespace logweir
