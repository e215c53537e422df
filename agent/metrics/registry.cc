// SPDX-License-Identifier: Apache-2.0
#include "metrics/registry.h"

#include <algorithm>
#include <limits>

#include "metrics/text.h"

namespace logweir {

namespace {

Registry::PromLabels clean(const Labels& labels) {
  Registry::PromLabels result;
  result.reserve(labels.size());
  for (const auto& [name, value] : labels) result.push_back({metric_name(name), metric_text(value)});
  std::sort(result.begin(), result.end());
  const auto same = [](const auto& a, const auto& b) { return a.name == b.name; };
  result.erase(std::unique(result.begin(), result.end(), same), result.end());
  return result;
}

prometheus::MetricType type_of(Registry::Kind kind) {
  switch (kind) {
    case Registry::Kind::counter:
      return prometheus::MetricType::Counter;
    case Registry::Kind::gauge:
      return prometheus::MetricType::Gauge;
    case Registry::Kind::histogram:
      break;
  }
  return prometheus::MetricType::Histogram;
}

}  // namespace

Registry::Family& Registry::family(const Ask& ask, Kind kind) {
  const auto [found, added] = families_.try_emplace(metric_name(ask.name));
  if (added) {
    found->second.kind = kind;
    found->second.help = metric_help(ask.help);
  }
  return found->second;
}

Registry::Series& Registry::series(Family& family, const Ask& ask) { return family.series[clean(ask.labels)]; }

Counter& Registry::counter(const Ask& ask) {
  const std::lock_guard lock(mutex_);
  auto& cells = series(family(ask, Kind::counter), ask).counters;
  return *cells.emplace_back(Owned<Counter>{ask.owner, std::make_unique<Counter>()}).cell;
}

Gauge& Registry::gauge(const Ask& ask) {
  const std::lock_guard lock(mutex_);
  auto& cells = series(family(ask, Kind::gauge), ask).gauges;
  return *cells.emplace_back(Owned<Gauge>{ask.owner, std::make_unique<Gauge>()}).cell;
}

Histogram& Registry::histogram(const Ask& ask, const std::vector<double>& bounds) {
  const std::lock_guard lock(mutex_);
  Family& of = family(ask, Kind::histogram);
  if (of.bounds.empty()) of.bounds = bounds;
  auto& cells = series(of, ask).histograms;
  return *cells.emplace_back(Owned<Histogram>{ask.owner, std::make_unique<Histogram>(of.bounds)}).cell;
}

void Registry::ask(const Ask& ask, Kind kind, std::function<double()> value) {
  const std::lock_guard lock(mutex_);
  auto cell = std::make_unique<std::function<double()>>(std::move(value));
  series(family(ask, kind), ask).asks.push_back({ask.owner, std::move(cell)});
}

void Registry::retire(Owner owner) {
  const std::lock_guard lock(mutex_);
  for (auto& [name, family] : families_) {
    for (auto& [labels, series] : family.series) retire(series, owner);
    std::erase_if(family.series, [](const auto& entry) {
      const Series& s = entry.second;
      return !s.shown && s.counters.empty() && s.gauges.empty() && s.histograms.empty() && s.asks.empty();
    });
  }
}

void Registry::retire(Series& series, Owner owner) {
  for (const auto& counter : series.counters) {
    if (counter.owner != owner) continue;
    series.retired_total += counter.cell->value();
    series.shown = true;
  }
  for (const auto& histogram : series.histograms) {
    if (histogram.owner != owner) continue;
    if (!series.retired_histogram) series.retired_histogram = std::make_unique<Histogram>(histogram.cell->bounds());
    series.retired_histogram->take(*histogram.cell);
    series.shown = true;
  }
  const auto mine = [owner](const auto& owned) { return owned.owner == owner; };
  std::erase_if(series.counters, mine);
  std::erase_if(series.gauges, mine);
  std::erase_if(series.histograms, mine);
  std::erase_if(series.asks, mine);
}

std::vector<prometheus::MetricFamily> Registry::Collect() const {
  const std::lock_guard lock(mutex_);
  std::vector<prometheus::MetricFamily> result;
  result.reserve(families_.size());
  for (const auto& [name, family] : families_) {
    prometheus::MetricFamily out{name, family.help, type_of(family.kind), {}};
    out.metric.reserve(family.series.size());
    for (const auto& [labels, series] : family.series) {
      prometheus::ClientMetric metric = sample(family, series);
      metric.label = labels;
      out.metric.push_back(std::move(metric));
    }
    if (!out.metric.empty()) result.push_back(std::move(out));
  }
  return result;
}

double Registry::sum_of(const Family& family, const Series& series) {
  double sum = 0;
  for (const auto& ask : series.asks) sum += (*ask.cell)();
  if (family.kind == Kind::counter) {
    std::uint64_t total = series.retired_total;
    for (const auto& counter : series.counters) total += counter.cell->value();
    return static_cast<double>(total) + sum;
  }
  for (const auto& gauge : series.gauges) sum += gauge.cell->value();
  return sum;
}

void Registry::add_histograms(const Series& series, Histogram& total) {
  if (series.retired_histogram) total.take(*series.retired_histogram);
  for (const auto& histogram : series.histograms) total.take(*histogram.cell);
}

std::vector<MetricSample> Registry::read(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  std::vector<MetricSample> result;
  const auto found = families_.find(name);
  if (found == families_.end()) return result;
  const Family& family = found->second;
  result.reserve(family.series.size());
  for (const auto& [labels, series] : family.series) {
    MetricSample& sample = result.emplace_back();
    for (const auto& label : labels) sample.labels.emplace_back(label.name, label.value);
    if (family.kind != Kind::histogram) {
      sample.value = sum_of(family, series);
      continue;
    }
    Histogram total(family.bounds);
    add_histograms(series, total);
    sample.value = total.sum();
    sample.bounds = family.bounds;
    for (std::size_t i = 0; i <= family.bounds.size(); ++i) sample.counts.push_back(total.count(i));
  }
  return result;
}

prometheus::ClientMetric Registry::sample(const Family& family, const Series& series) {
  prometheus::ClientMetric metric;
  if (family.kind == Kind::counter) {
    metric.counter.value = sum_of(family, series);
  } else if (family.kind == Kind::gauge) {
    metric.gauge.value = sum_of(family, series);
  } else {
    sum_histograms(series, family.bounds, metric);
  }
  return metric;
}

void Registry::sum_histograms(const Series& series, const std::vector<double>& bounds, prometheus::ClientMetric& out) {
  Histogram total(bounds);
  add_histograms(series, total);
  out.histogram.sample_sum = total.sum();
  out.histogram.bucket.reserve(bounds.size() + 1);
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i <= bounds.size(); ++i) {
    cumulative += total.count(i);
    const double bound = i < bounds.size() ? bounds[i] : std::numeric_limits<double>::infinity();
    out.histogram.bucket.push_back({cumulative, bound});
  }
  out.histogram.sample_count = cumulative;
}

}  // namespace logweir
