// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace logweir {

using Labels = std::vector<std::pair<std::string, std::string>>;  // any bytes; made valid UTF-8 when scraped

// Resource, owned by Metrics. Written by one thread (a plain load and store, no locked instruction), read by any.
class Counter {
 public:
  void add(std::uint64_t n) { value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// The same for a level.
class Gauge {
 public:
  void set(double v) { value_.store(v, std::memory_order_relaxed); }
  void add(double v) { set(value() + v); }
  [[nodiscard]] double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

// Cumulative buckets; `observe` is a few comparisons. Bounds are upper bounds, ascending, +Inf is added. NaN is
// ignored. Written by one thread, like the others.
class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds);
  void observe(double value, std::uint64_t times = 1);
  [[nodiscard]] const std::vector<double>& bounds() const { return bounds_; }
  [[nodiscard]] std::uint64_t count(std::size_t bucket) const;  // bounds().size() is the +Inf bucket; not cumulative
  [[nodiscard]] double sum() const { return sum_.load(std::memory_order_relaxed); }
  void take(const Histogram& other);  // adds what the other has counted; equal bounds

 private:
  void add(std::size_t bucket, std::uint64_t times);
  void add_sum(double by);

  std::vector<double> bounds_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> counts_;
  std::atomic<double> sum_{0};
};

// Value. One series of a family as it stands, all workers together.
struct MetricSample {
  Labels labels;
  double value = 0;                   // of a histogram: its sum
  std::vector<double> bounds;         // of a histogram: upper bounds
  std::vector<std::uint64_t> counts;  // and what fell into each, not cumulative; the last is beyond all bounds

  [[nodiscard]] std::string_view label(std::string_view name) const;  // empty when there is none
};

// Resource, process-wide. Families by name; in a family any number of cells with labels. Cells of equal labels (one
// per worker) are summed when scraped. Registering locks; use the cell afterwards. Names are full Prometheus names
// ("logweir_input_records_total"); a family's help, type and bounds are those of its first registration (a cell of
// another type counts, but is not shown).
class Metrics {
 public:
  Metrics();
  // Cells for what ends before the process does (a worker, what a reload replaces): shown with the parent's, whose
  // scrape they join. When this ends, counters and histograms keep what they counted; gauges and asks vanish. The
  // parent outlives it; nobody may still hold its cells.
  explicit Metrics(Metrics& parent);
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;
  ~Metrics();

  Counter& counter(std::string_view name, std::string_view help, const Labels& labels = {});
  Gauge& gauge(std::string_view name, std::string_view help, const Labels& labels = {});
  Histogram& histogram(std::string_view name, std::string_view help, const std::vector<double>& bounds,
                       const Labels& labels = {});
  // A level that is asked for at each scrape, on the scraping thread. `value` must not register metrics.
  void ask(std::string_view name, std::string_view help, const Labels& labels, std::function<double()> value);
  // The same for a figure that only grows; shown as a counter.
  void ask_total(std::string_view name, std::string_view help, const Labels& labels, std::function<double()> value);

  // Prometheus text format 0.0.4, families in name order. Any thread.
  [[nodiscard]] std::string scrape();
  // One family's series, in the order of their labels; none when nobody has registered it. Any thread.
  [[nodiscard]] std::vector<MetricSample> read(std::string_view family);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Common bounds.
const std::vector<double>& seconds_buckets();  // 0.0001 .. 300
const std::vector<double>& bytes_buckets();    // 256 .. 64 MiB, powers of 4
const std::vector<double>& count_buckets();    // 1 .. 1e6

}  // namespace logweir
