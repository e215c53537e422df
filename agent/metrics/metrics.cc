// SPDX-License-Identifier: Apache-2.0
#include "metrics/metrics.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/check.h"
#include "metrics/registry.h"

namespace logweir {

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), counts_(std::make_unique<std::atomic<std::uint64_t>[]>(bounds_.size() + 1)) {
  LW_CHECK(std::is_sorted(bounds_.begin(), bounds_.end(), std::less_equal<>()));
}

void Histogram::observe(double value, std::uint64_t times) {
  if (std::isnan(value)) return;
  const auto bucket =
      static_cast<std::size_t>(std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin());
  add(bucket, times);
  add_sum(value * static_cast<double>(times));
}

void Histogram::take(const Histogram& other) {
  LW_CHECK(bounds_ == other.bounds_);
  for (std::size_t i = 0; i <= bounds_.size(); ++i) add(i, other.count(i));
  add_sum(other.sum());
}

void Histogram::add(std::size_t bucket, std::uint64_t times) {
  std::atomic<std::uint64_t>& cell = counts_[bucket];
  cell.store(cell.load(std::memory_order_relaxed) + times, std::memory_order_relaxed);
}

void Histogram::add_sum(double by) { sum_.store(sum() + by, std::memory_order_relaxed); }

std::uint64_t Histogram::count(std::size_t bucket) const { return counts_[bucket].load(std::memory_order_relaxed); }

std::string_view MetricSample::label(std::string_view name) const {
  const auto found = std::find_if(labels.begin(), labels.end(), [&](const auto& label) { return label.first == name; });
  return found == labels.end() ? std::string_view() : std::string_view(found->second);
}

struct Metrics::Impl {
  Registry own;  // unused by a child
  Registry* registry = &own;
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}

Metrics::Metrics(Metrics& parent) : Metrics() { impl_->registry = parent.impl_->registry; }

Metrics::~Metrics() {
  if (impl_->registry != &impl_->own) impl_->registry->retire(this);
}

Counter& Metrics::counter(std::string_view name, std::string_view help, const Labels& labels) {
  return impl_->registry->counter({name, help, labels, this});
}

Gauge& Metrics::gauge(std::string_view name, std::string_view help, const Labels& labels) {
  return impl_->registry->gauge({name, help, labels, this});
}

Histogram& Metrics::histogram(std::string_view name, std::string_view help, const std::vector<double>& bounds,
                              const Labels& labels) {
  return impl_->registry->histogram({name, help, labels, this}, bounds);
}

void Metrics::ask(std::string_view name, std::string_view help, const Labels& labels, std::function<double()> value) {
  impl_->registry->ask({name, help, labels, this}, Registry::Kind::gauge, std::move(value));
}

void Metrics::ask_total(std::string_view name, std::string_view help, const Labels& labels,
                        std::function<double()> value) {
  impl_->registry->ask({name, help, labels, this}, Registry::Kind::counter, std::move(value));
}

std::vector<MetricSample> Metrics::read(std::string_view family) { return impl_->registry->read(family); }

std::string Metrics::scrape() {
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, impl_->registry->Collect());
  return std::move(out).str();
}

const std::vector<double>& seconds_buckets() {
  static const std::vector<double> bounds{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                          0.25,   0.5,     1,      2.5,   5,      10,    30,   60,    300};
  return bounds;
}

const std::vector<double>& bytes_buckets() {
  static const std::vector<double> bounds{256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864};
  return bounds;
}

const std::vector<double>& count_buckets() {
  static const std::vector<double> bounds{1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000, 300000, 1000000};
  return bounds;
}

}  // namespace logweir
