// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "metrics/metrics.h"

namespace logweir {

// Value, made for one page. The metrics by family and instance; a family is read once, when it is first asked for. An
// instance is the value of the label `input`, `filter`, `output` or `component`; others are of the instance "".
class Figures {
 public:
  using Series = std::vector<const MetricSample*>;
  explicit Figures(Metrics& metrics) : metrics_(metrics) {}

  // The instance's series of that family; valid as long as this.
  const Series& of(std::string_view family, const std::string& instance);
  // Their sum; with `label`, of those where it has that value.
  double sum(std::string_view family, const std::string& instance, std::string_view label = {},
             std::string_view value = {});
  std::uint64_t count(std::string_view family, const std::string& instance, std::string_view label = {},
                      std::string_view value = {}) {
    const double total = sum(family, instance, label, value);
    return total > 0 ? static_cast<std::uint64_t>(total) : 0;
  }

 private:
  struct Family {
    std::vector<MetricSample> samples;
    std::unordered_map<std::string_view, Series> by_instance;  // views of the samples
  };
  Metrics& metrics_;
  std::map<std::string, Family, std::less<>> families_;
};

}  // namespace logweir
