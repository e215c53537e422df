// SPDX-License-Identifier: Apache-2.0
#include "app/ledger_page.h"

#include <doctest/doctest.h>

using namespace logweir;

TEST_CASE("the ledger's page sums the workers and shows each with its lanes and sources") {
  PipelineSnapshot one;
  one.ledger.read = 5;
  one.ledger.delivered = 3;
  one.ledger.waiting = 2;
  one.lanes.push_back({"out \"a\"", 2, 0, Breaker::State::open, 7, "refused", false});
  one.sources.push_back({0xAB, true, "/var/log/\xff", 50, {30}});
  one.source_count = 4;
  PipelineSnapshot two;
  two.ledger.read = 1;
  const std::string page = ledger_json({one, two});
  CHECK(page.find(R"({"counts":{"recovered":0,"read":6,)") == 0);
  CHECK(page.find(R"("waiting":2,"discrepancy":1}})") == std::string::npos);
  CHECK(page.find(R"("waiting":2,"discrepancy":1})") != std::string::npos);
  CHECK(page.find(R"({"output":"out \"a\"","waiting":2,"breaker":"open"})") != std::string::npos);
  CHECK(page.find(R"("sources_open":4,"sources_shown":1)") != std::string::npos);
  CHECK(page.find("{\"id\":\"00000000000000ab\",\"name\":\"/var/log/\xEF\xBF\xBD\",\"kept\":true,\"read_to\":50,"
                  "\"prefix\":{\"out \\\"a\\\"\":30}}") != std::string::npos);
  CHECK(page.find(R"({"worker":1,)") != std::string::npos);
}

TEST_CASE("the ledger's page of no worker is JSON still") {
  CHECK(ledger_json({}).find("\"workers\":[]}\n") != std::string::npos);
}
