// SPDX-License-Identifier: Apache-2.0
#include "app/figures.h"

#include "metrics/text.h"

namespace logweir {

namespace {

std::string_view instance_of(const MetricSample& sample) {
  for (const std::string_view name : {"input", "output", "filter", "component"}) {
    if (const std::string_view value = sample.label(name); !value.empty()) return value;
  }
  return {};
}

}  // namespace

const Figures::Series& Figures::of(std::string_view family, const std::string& instance) {
  static const Series kNone;
  const auto [found, fresh] = families_.try_emplace(std::string(family));
  Family& known = found->second;
  if (fresh) {
    known.samples = metrics_.read(family);
    for (const MetricSample& sample : known.samples) known.by_instance[instance_of(sample)].push_back(&sample);
  }
  const auto series = known.by_instance.find(metric_text(instance));
  return series == known.by_instance.end() ? kNone : series->second;
}

double Figures::sum(std::string_view family, const std::string& instance, std::string_view label,
                    std::string_view value) {
  double total = 0;
  for (const MetricSample* sample : of(family, instance)) {
    if (label.empty() || sample->label(label) == value) total += sample->value;
  }
  return total;
}

}  // namespace logweir
