// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "metrics/metrics.h"
#include "pipeline/contain.h"
#include "pipeline/matcher.h"
#include "pipeline/tap.h"
#include "plugin/filter.h"

namespace logweir {

// Resource, one per worker. The filters in conf order, each counted around; which ones a tag meets is worked out once
// per tag. A filter that throws is contained: the records it throws over are taken out, the others go on.
class Chain {
 public:
  struct Link {
    std::string name;
    Matcher matcher;
    std::unique_ptr<Filter> filter;
    Log log = {};
  };
  // What is to become of a record that is poison to a filter.
  using Poison =
      std::function<void(const Batch& batch, const Record& record, std::string_view filter, std::string_view what)>;
  Chain(Metrics& metrics, Poison poison);
  void add(Link link);
  Status open();
  void close();
  void watch(Tap& tap) { tap_ = &tap; }

  // Runs every filter that matches the batch's tag. Returns how many records they took out, poison not counted.
  std::uint64_t apply(Batch& batch, Nanos wall);

 private:
  struct Stage {
    Link link;
    Counter* records;
    Counter* filtered;
    Counter* errors;
  };
  const std::vector<Stage*>& stages_for(const Tag& tag);
  std::uint64_t run(Stage& stage, Batch& batch, Nanos wall);

  Metrics& metrics_;
  Poison poison_;
  Tap* tap_ = nullptr;
  Spare spare_;
  std::vector<std::unique_ptr<Stage>> stages_;
  std::vector<std::unique_ptr<std::vector<Stage*>>> by_tag_;  // by Tag::id
};

}  // namespace logweir
