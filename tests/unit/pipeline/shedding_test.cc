// SPDX-License-Identifier: Apache-2.0
#include "pipeline/shedding.h"

#include <doctest/doctest.h>

#include "base/clock.h"
#include "memory/pool.h"

namespace logweir {

namespace {

struct Ground {
  bool sheds(const char* below, const std::string& json) {
    auto made = Shedder::make(below, {"level", "severity"});
    REQUIRE(made.ok());
    BatchRef batch = batches.make();
    batch->origin = OriginRef::make({&tag, "log", {}, {}, 0});
    char* text = batch->scratch(json.size());
    json.copy(text, json.size());
    Record record;
    record.data = text;
    record.size = static_cast<std::uint32_t>(json.size());
    record.body = Body::json;
    batch->records.push_back(record);
    return made.value().sheds(*batch, batch->records[0]);
  }
  Budget budget{1 << 24};
  Account account{budget};
  Pool pool{account};
  BatchPool batches{pool};
  Tag tag{"t", 0};
};

}  // namespace

TEST_CASE("severity words and syslog numbers in any case") {
  CHECK(severity_of("WARNING") == 4);
  CHECK(severity_of("warn") == 4);
  CHECK(severity_of("Fatal") == 2);
  CHECK(severity_of("3") == 3);
  CHECK(severity_of("trace") == 8);
  CHECK_FALSE(severity_of(""));
  CHECK_FALSE(severity_of("8"));
  CHECK_FALSE(severity_of("loud"));
  CHECK_FALSE(severity_of("a word that is much too long"));
}

TEST_CASE("what is less severe is shed, what is as severe or says nothing is kept") {
  Ground ground;
  CHECK(ground.sheds("warn", R"({"level":"info"})"));
  CHECK(ground.sheds("warn", R"({"level":6})"));
  CHECK(ground.sheds("4", R"({"severity":"debug"})"));
  CHECK_FALSE(ground.sheds("warn", R"({"level":"warning"})"));
  CHECK_FALSE(ground.sheds("warn", R"({"level":"error"})"));
  CHECK_FALSE(ground.sheds("warn", R"({"level":"loud"})"));
  CHECK_FALSE(ground.sheds("warn", R"({"other":"info"})"));
}

TEST_CASE("a word that is no severity is refused in a full sentence") {
  const auto made = Shedder::make("loud", {"level"});
  REQUIRE_FALSE(made.ok());
  CHECK(made.status().message().find("'loud' is no severity") != std::string::npos);
  CHECK_FALSE(Shedder::make("", {"level"}).value().on());
}

}  // namespace logweir
