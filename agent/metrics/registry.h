// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metrics.h"

namespace logweir {

// Resource, private to the room. Every cell of the process, by family and labels; makes prometheus-cpp's snapshot.
class Registry final : public prometheus::Collectable {
 public:
  using Owner = const void*;  // the Metrics that made a cell
  using PromLabels = std::vector<prometheus::ClientMetric::Label>;
  enum class Kind : unsigned char { counter, gauge, histogram };

  // Value. What a registration names.
  struct Ask {
    std::string_view name;
    std::string_view help;
    const Labels& labels;
    Owner owner;
  };

  Counter& counter(const Ask& ask);
  Gauge& gauge(const Ask& ask);
  Histogram& histogram(const Ask& ask, const std::vector<double>& bounds);
  void ask(const Ask& ask, Kind kind, std::function<double()> value);
  // Folds what `owner` counted into the series and frees its cells.
  void retire(Owner owner);

  [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override;
  [[nodiscard]] std::vector<MetricSample> read(std::string_view name) const;

 private:
  template <typename Cell>
  struct Owned {
    Owner owner;
    std::unique_ptr<Cell> cell;  // its address is out there
  };
  struct Series {
    std::vector<Owned<Counter>> counters;
    std::vector<Owned<Gauge>> gauges;
    std::vector<Owned<Histogram>> histograms;
    std::vector<Owned<std::function<double()>>> asks;
    std::uint64_t retired_total = 0;
    std::unique_ptr<Histogram> retired_histogram;
    bool shown = false;  // has, or had, something that stays
  };
  struct Family {
    Kind kind = Kind::counter;
    std::string help;
    std::vector<double> bounds;
    std::map<PromLabels, Series> series;
  };

  Family& family(const Ask& ask, Kind kind);
  static Series& series(Family& family, const Ask& ask);
  static void retire(Series& series, Owner owner);
  static prometheus::ClientMetric sample(const Family& family, const Series& series);
  static double sum_of(const Family& family, const Series& series);  // of a counter or gauge
  static void add_histograms(const Series& series, Histogram& total);
  static void sum_histograms(const Series& series, const std::vector<double>& bounds, prometheus::ClientMetric& out);

  mutable std::mutex mutex_;
  std::map<std::string, Family, std::less<>> families_;
};

}  // namespace logweir
