// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "metrics/metrics.h"
#include "pipeline/matcher.h"
#include "plugin/filter.h"

namespace logweir {

// Resource, one per worker. The filters in conf order, each counted around; which ones a tag meets is worked out once
// per tag.
class Chain {
 public:
  struct Link {
    std::string name;
    Matcher matcher;
    std::unique_ptr<Filter> filter;
    Log log = {};
  };
  Chain(Metrics& metrics, Log log);
  void add(Link link);
  Status open();
  void close();

  // Runs every filter that matches the batch's tag. Returns how many records they took out.
  std::uint64_t apply(Batch& batch, Nanos wall);

 private:
  struct Stage {
    Link link;
    Counter* records;
    Counter* filtered;
    Counter* errors;
    LogLimit error_log;
  };
  const std::vector<Stage*>& stages_for(const Tag& tag);
  void run(Stage& stage, Batch& batch, Nanos wall);

  Metrics& metrics_;
  Log log_;
  std::vector<std::unique_ptr<Stage>> stages_;
  std::vector<std::unique_ptr<std::vector<Stage*>>> by_tag_;  // by Tag::id
};

}  // namespace logweir
