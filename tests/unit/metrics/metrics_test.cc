// SPDX-License-Identifier: Apache-2.0
#include "metrics/metrics.h"

#include <doctest/doctest.h>

#include <thread>

#include "metrics/process.h"
#include "metrics/text.h"
#include "support/promtool.h"

using namespace logweir;

namespace {

bool has(const std::string& page, std::string_view line) {
  return ("\n" + page).find("\n" + std::string(line) + "\n") != std::string::npos;
}

void check_with_promtool(const std::string& page) {
  const PromtoolVerdict verdict = promtool_check(page);
  if (!verdict.present) {
    MESSAGE("promtool is not installed: skipped");
    return;
  }
  CHECK_MESSAGE(verdict.accepted, verdict.said);
  CHECK(verdict.said == "");
}

}  // namespace

TEST_CASE("a counter shows its help, type, labels and value") {
  Metrics metrics;
  metrics.counter("logweir_records_total", "Records.", {{"name", "a"}}).add(3);
  CHECK(metrics.scrape() ==
        "# HELP logweir_records_total Records.\n"
        "# TYPE logweir_records_total counter\n"
        "logweir_records_total{name=\"a\"} 3\n");
}

TEST_CASE("cells of equal labels are summed, whatever the order of the labels") {
  Metrics metrics;
  metrics.counter("c_total", "C.", {{"a", "1"}, {"b", "2"}}).add(3);
  metrics.counter("c_total", "C.", {{"b", "2"}, {"a", "1"}}).add(4);
  metrics.gauge("g", "G.").set(1.5);
  metrics.gauge("g", "G.").set(2);
  metrics.ask("asked", "A.", {}, [] { return 20.0; });
  metrics.ask("asked", "A.", {}, [] { return 22.0; });
  const std::string page = metrics.scrape();
  CHECK(has(page, "c_total{a=\"1\",b=\"2\"} 7"));
  CHECK(has(page, "g 3.5"));
  CHECK(has(page, "asked 42"));
}

TEST_CASE("big counters are exact") {
  Metrics metrics;
  metrics.counter("c_total", "C.").add(9007199254740991);
  CHECK(has(metrics.scrape(), "c_total 9007199254740991"));
}

TEST_CASE("label values are escaped and made valid UTF-8") {
  Metrics metrics;
  metrics.counter("c_total", "C.", {{"name", "in \"quoted\" \\ back\nnext"}}).add(1);
  metrics.counter("c_total", "C.", {{"name", "bad\xff.log"}}).add(2);
  metrics.counter("c_total", "C.", {{"name", "bad\xfe.log"}}).add(3);
  const std::string page = metrics.scrape();
  CHECK(has(page, "c_total{name=\"in \\\"quoted\\\" \\\\ back\\nnext\"} 1"));
  CHECK(has(page, "c_total{name=\"bad\xEF\xBF\xBD.log\"} 5"));
  check_with_promtool(page);
}

TEST_CASE("ill-formed text is replaced part by part") {
  const std::string r = "\xEF\xBF\xBD";
  CHECK(metric_text("gr\xC3\xBC\xC3\x9F \xF0\x9F\x8C\x8A") == "gr\xC3\xBC\xC3\x9F \xF0\x9F\x8C\x8A");
  CHECK(metric_text("\xC0\xAF") == r + r);                  // overlong
  CHECK(metric_text("\xED\xA0\x80") == r + r + r);          // a surrogate
  CHECK(metric_text("\xF4\x90\x80\x80") == r + r + r + r);  // above U+10FFFF
  CHECK(metric_text("\xE2\x82") == r);                      // cut short
  CHECK(metric_text("\xE2\x82z") == r + "z");
  CHECK(metric_text(std::string_view("a\0b", 3)) == "a" + r + "b");
  CHECK(metric_name("9a-b.c") == "_9a_b_c");
}

TEST_CASE("help text is escaped") {
  Metrics metrics;
  metrics.counter("c_total", "One \\ two\nthree \"four\".").add(1);
  CHECK(has(metrics.scrape(), "# HELP c_total One \\\\ two\\nthree \"four\"."));
  check_with_promtool(metrics.scrape());
}

TEST_CASE("a histogram shows cumulative buckets that include their bound") {
  Metrics metrics;
  Histogram& a = metrics.histogram("h_seconds", "H.", {0.1, 1});
  Histogram& b = metrics.histogram("h_seconds", "H.", {0.1, 1});
  a.observe(0.1);
  a.observe(0.5, 2);
  b.observe(7);
  b.observe(0.0 / 0.0);
  const std::string page = metrics.scrape();
  CHECK(has(page, "h_seconds_count 4"));
  CHECK(has(page, "h_seconds_bucket{le=\"0.1\"} 1"));
  CHECK(has(page, "h_seconds_bucket{le=\"1\"} 3"));
  CHECK(has(page, "h_seconds_bucket{le=\"+Inf\"} 4"));
  CHECK(page.find("h_seconds_sum 8.1") != std::string::npos);
}

TEST_CASE("a family keeps the type of its first registration") {
  Metrics metrics;
  metrics.counter("c_total", "C.").add(2);
  metrics.gauge("c_total", "other").set(40);
  CHECK(metrics.scrape() == "# HELP c_total C.\n# TYPE c_total counter\nc_total 2\n");
}

TEST_CASE("what a child counted stays when it ends, its levels go") {
  Metrics metrics;
  metrics.counter("c_total", "C.").add(1);
  for (int round = 0; round < 2; ++round) {
    Metrics child(metrics);
    child.counter("c_total", "C.").add(10);
    child.histogram("h", "H.", {1}).observe(1);
    child.gauge("g", "G.").set(5);
    child.ask("asked", "A.", {}, [] { return 1.0; });
    CHECK(has(metrics.scrape(), "g 5"));
    CHECK(has(child.scrape(), "asked 1"));
  }
  const std::string page = metrics.scrape();
  CHECK(has(page, "c_total 21"));
  CHECK(has(page, "h_count 2"));
  CHECK(page.find("asked") == std::string::npos);
  CHECK(page.find("# HELP g") == std::string::npos);
}

TEST_CASE("scraping while workers count is safe and sees no step back") {
  Metrics metrics;
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    Counter& counter = metrics.counter("c_total", "C.");
    Histogram& histogram = metrics.histogram("h_seconds", "H.", seconds_buckets());
    while (!stop) {
      counter.add(1);
      histogram.observe(0.01);
    }
  });
  for (int i = 0; i < 100; ++i) CHECK(metrics.scrape().find("nan") == std::string::npos);
  stop = true;
  worker.join();
}

TEST_CASE("process figures are plausible and pass promtool") {
  Metrics metrics;
  add_process_metrics(metrics, "1.2.3");
  metrics.histogram("logweir_send_seconds", "How long a send took.", seconds_buckets()).observe(0.02);
  metrics.histogram("logweir_batch_bytes", "Bytes in a batch.", bytes_buckets()).observe(2000);
  const std::string page = metrics.scrape();
  CHECK(has(page, "logweir_build_info{version=\"1.2.3\"} 1"));
  CHECK(has(page, "# TYPE process_cpu_seconds_total counter"));
  for (const char* name : {"process_resident_memory_bytes", "process_virtual_memory_bytes", "process_open_fds",
                           "process_max_fds", "process_start_time_seconds"}) {
    CAPTURE(name);
    const auto at = page.find("\n" + std::string(name) + " ");
    REQUIRE(at != std::string::npos);
    CHECK(std::stod(page.substr(at + std::string(name).size() + 2)) > 0);
  }
  check_with_promtool(page);
}
