// SPDX-License-Identifier: Apache-2.0
#include "pipeline/contain.h"

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>

namespace logweir {

namespace {

struct Ground {
  explicit Ground(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      Record record;
      record.position = i;
      record.fields = static_cast<std::uint32_t>(batch.fields.size());
      record.field_count = 1;
      batch.records.push_back(record);
      batch.fields.emplace_back();
    }
  }
  // Counts each record's field up, then throws over the bad ones.
  void run(const std::function<bool(std::uint64_t)>& bad) {
    contained(
        batch, spare,
        [&](Batch& open) {
          for (const Record& record : open.records) {
            ++open.fields[record.fields].value.integer;
            if (bad(record.position)) throw std::runtime_error("bad");
          }
        },
        [&](const Batch& open, const Record& record, std::string_view what) {
          CHECK(open.fields[record.fields].value.integer == 0);
          CHECK(what == "bad");
          poison.push_back(record.position);
        });
  }
  Batch batch;
  Spare spare;
  std::vector<std::uint64_t> poison;
};

}  // namespace

TEST_CASE("what is not poison stays in order and is worked upon once") {
  for (const std::uint64_t count : {1, 2, 7, 64}) {
    Ground ground(count);
    ground.run([](std::uint64_t position) { return position % 3 == 1; });
    std::uint64_t expected = 0;
    for (const Record& record : ground.batch.records) {
      if (expected % 3 == 1) ++expected;
      CHECK(record.position == expected++);
      CHECK(ground.batch.fields[record.fields].value.integer == 1);
    }
    CHECK(ground.batch.records.size() + ground.poison.size() == count);
    CHECK(ground.poison.size() == (count + 1) / 3);
  }
}

TEST_CASE("all may be poison, or none, or there may be nothing") {
  Ground all(9);
  all.run([](std::uint64_t) { return true; });
  CHECK(all.batch.records.empty());
  CHECK(all.poison.size() == 9);
  Ground none(9);
  none.run([](std::uint64_t) { return false; });
  CHECK(none.batch.records.size() == 9);
  Ground nothing(0);
  nothing.run([](std::uint64_t) { return true; });
  CHECK(nothing.poison.empty());
}

}  // namespace logweir
