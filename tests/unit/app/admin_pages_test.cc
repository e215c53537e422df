// SPDX-License-Identifier: Apache-2.0
#include "app/admin_pages.h"

#include <doctest/doctest.h>

using namespace logweir;

TEST_CASE("each address leads to its page, with or without query and last slash") {
  CHECK(admin_route("/") == AdminRoute::index);
  CHECK(admin_route("/metrics") == AdminRoute::metrics);
  CHECK(admin_route("/metrics/?name[]=up") == AdminRoute::metrics);
  CHECK(admin_route("/health?verbose") == AdminRoute::health);
  CHECK(admin_route("/api/v1/health") == AdminRoute::plain_health);
  CHECK(admin_route("/api/v1/metrics/prometheus") == AdminRoute::metrics);
  CHECK(admin_route("/api/v2/metrics/prometheus") == AdminRoute::metrics);
  for (const char* target : {"", "metrics", "/metricsx", "/Metrics", "/metrics//", "?/metrics"}) {
    CAPTURE(target);
    CHECK(admin_route(target) == AdminRoute::none);
  }
}

TEST_CASE("health is JSON, whatever bytes a reason holds") {
  CHECK(health_json({}) == "{\"status\":\"ok\",\"reasons\":[]}\n");
  CHECK(health_json({"a \"b\"\n", "c\xff"}) ==
        "{\"status\":\"failing\",\"reasons\":[\"a \\\"b\\\"\\n\",\"c\xEF\xBF\xBD\"]}\n");
}

TEST_CASE("the index is JSON that names the version and the addresses") {
  CHECK(index_json("1.2.3", {{"/a", "an \"a\""}, {"/b", "b"}}) ==
        "{\"fluent-bit\":{\"version\":\"1.2.3\",\"edition\":\"logweir\",\"flags\":[]},\"logweir\":{\"version\":"
        "\"1.2.3\",\"addresses\":{\n\"/a\":\"an \\\"a\\\"\",\n\"/b\":\"b\"}}}\n");
}

TEST_CASE("a parameter is found in a query and decoded, whatever stands around it") {
  CHECK(query_value("/tap?instance=a%20b&limit=5", "instance") == "a b");
  CHECK(query_value("/tap?instance=a&limit=5", "limit") == "5");
  CHECK(query_value("/tap?x&&=&li%6Dit=7%", "limit") == "7%");
  CHECK(query_value("/tap?limit", "limit").empty());
  CHECK(query_value("/tap", "limit").empty());
  CHECK(query_value("/tap?a=1", "").empty());
}
