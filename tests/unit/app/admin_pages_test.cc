// SPDX-License-Identifier: Apache-2.0
#include "app/admin_pages.h"

#include <doctest/doctest.h>

using namespace logweir;

TEST_CASE("each address leads to its page, with or without query and last slash") {
  CHECK(admin_route("/") == AdminRoute::index);
  CHECK(admin_route("/metrics") == AdminRoute::metrics);
  CHECK(admin_route("/metrics/?name[]=up") == AdminRoute::metrics);
  CHECK(admin_route("/health?verbose") == AdminRoute::health);
  CHECK(admin_route("/api/v1/health") == AdminRoute::health);
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

TEST_CASE("the index names the version and the addresses") {
  const std::string text = index_text("1.2.3");
  CHECK(text.find("logweir 1.2.3\n") == 0);
  CHECK(text.find("\n/metrics        figures") != std::string::npos);
  CHECK(text.find("/api/v1/health") == std::string::npos);
}
