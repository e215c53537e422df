// SPDX-License-Identifier: Apache-2.0
#include "plugin/outbox.h"

#include <doctest/doctest.h>

#include "support/output_bench.h"

namespace logweir {

namespace {

constexpr OutputEntry kNone = {.name = "none",
                               .summary = "",
                               .schema = nullptr,
                               .make_options = [] { return std::shared_ptr<void>(); },
                               .make = nullptr};

struct OutboxBench : OutputBench {
  OutboxBench() : OutputBench(kNone) {}
  static EncodeOptions raw() {
    EncodeOptions options;
    options.format = Format::raw;
    return options;
  }
  Outbox box{raw(), services};
};

Shipment shipment_of(const std::vector<Part>& parts, std::uint64_t ordinal) {
  Shipment shipment;
  shipment.parts = parts;
  shipment.ordinal = ordinal;
  for (const Part& part : parts) shipment.records += part.count();
  return shipment;
}

TEST_CASE("a cursor walks parts, the empty ones too") {
  OutboxBench bench;
  const BatchRef batch = bench.batch({"a", "b", "c"});
  const std::vector<Part> parts = {{batch.get(), 0, 0}, {batch.get(), 0, 2}, {batch.get(), 2, 2}, {batch.get(), 2, 3}};
  const Shipment shipment = shipment_of(parts, 100);
  ShipmentCursor cursor(shipment);
  CHECK(cursor.part() == 1);
  cursor.advance(1);
  CHECK(cursor.rest().first == 1);
  CHECK(cursor.ordinal() == 101);
  cursor.advance(1);
  CHECK(cursor.part() == 3);
  cursor.advance(1);
  CHECK(cursor.at_end());
}

TEST_CASE("records are popped when their last byte is through, in runs") {
  OutboxBench bench;
  const BatchRef batch = bench.batch(100, 999);  // 100,000 bytes
  const std::vector<Part> parts = {{batch.get(), 0, 100}};
  const Shipment shipment = shipment_of(parts, 7);
  ShipmentCursor cursor(shipment);
  CHECK(bench.box.fill(cursor, 50'000) >= 50);
  CHECK(bench.box.waiting().size() < 52'000);
  bench.box.fill(cursor, SIZE_MAX);
  CHECK(bench.box.waiting().size() == 100'000);
  bench.box.wrote(40'500);
  RecordRange range;
  REQUIRE(bench.box.pop(bench.box.written(), range));
  CHECK(range.first == 7);
  CHECK(range.count <= 40);
  CHECK(range.count >= 20);
  CHECK_FALSE(bench.box.pop(bench.box.written(), range));
  CHECK(bench.box.boundary(40'500) % 1000 == 0);
  REQUIRE(bench.box.pop(UINT64_MAX, range));
  CHECK(range.first + range.count == 107);
  CHECK(bench.box.idle());
}

TEST_CASE("a gap between ordinals splits what is popped") {
  OutboxBench bench;
  const BatchRef batch = bench.batch({"a", "b"});
  const std::vector<Part> parts = {{batch.get(), 0, 2}};
  for (const std::uint64_t ordinal : {10, 20}) {
    const Shipment shipment = shipment_of(parts, ordinal);
    ShipmentCursor cursor(shipment);
    CHECK(bench.box.fill(cursor, SIZE_MAX) == 2);
  }
  RecordRange range;
  REQUIRE(bench.box.pop(UINT64_MAX, range));
  CHECK(range.count == 2);
  REQUIRE(bench.box.pop(UINT64_MAX, range));
  CHECK(range.first == 20);
}

TEST_CASE("a peer that never acknowledges costs few marks, whatever the size of the shipments") {
  OutboxBench bench;
  const BatchRef batch = bench.batch({"a"});
  const std::vector<Part> parts = {{batch.get(), 0, 1}};
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const Shipment shipment = shipment_of(parts, i);
    ShipmentCursor cursor(shipment);
    bench.box.fill(cursor, SIZE_MAX);
    bench.box.wrote(bench.box.waiting().size());
  }
  RecordRange range;
  REQUIRE(bench.box.pop(150'000, range));
  CHECK(range.count <= 75'000);
  CHECK(range.count >= 60'000);
}

TEST_CASE("filling stops at the part it is told, and after restart positions begin at 0") {
  OutboxBench bench;
  const BatchRef batch = bench.batch({"a", "b"});
  const std::vector<Part> parts = {{batch.get(), 0, 1}, {batch.get(), 1, 2}};
  const Shipment shipment = shipment_of(parts, 0);
  ShipmentCursor cursor(shipment);
  CHECK(bench.box.fill(cursor, SIZE_MAX, 1) == 1);
  bench.box.wrote(2);
  bench.box.restart();
  CHECK(bench.box.idle());
  CHECK(bench.box.written() == 0);
  CHECK(bench.box.fill(cursor, SIZE_MAX, 2) == 1);
}

}  // namespace
}  // namespace logweir
