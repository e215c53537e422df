// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "plugins/outputs/http/options.h"
#include "support/http_peer.h"
#include "support/output_bench.h"

namespace logweir {

extern const OutputEntry kHttpOutput;

// The http output in front of a peer.
struct HttpBench : OutputBench {
  using Change = std::function<void(http_out::HttpOutputOptions&)>;

  HttpBench() : OutputBench(kHttpOutput) {}
  explicit HttpBench(const HttpPeer& peer, const Change& change = [](auto&) {}) : HttpBench() { to(peer, change); }
  void to(const HttpPeer& peer, const Change& change = [](auto&) {}) {
    REQUIRE(open<http_out::HttpOutputOptions>([&](auto& o) {
              o.port = peer.port();
              o.ignore_proxy_env = true;
              change(o);
            }).ok());
  }
  // As the lane does, keeps what is under way.
  std::uint64_t send(BatchRef batch) {
    kept.push_back(std::move(batch));
    return OutputBench::send(kept.back());
  }
  // Runs until so many records are settled.
  bool settled(std::uint64_t records) {
    return until([&] {
      std::uint64_t sum = 0;
      for (const auto& one : host.all) sum += one.count;
      return sum >= records;
    });
  }
  [[nodiscard]] bool counted(const std::string& code) {
    return metrics.scrape().find("logweir_output_http_responses_total{code=\"" + code + "\",output=\"out.0\"} 1\n") !=
           std::string::npos;
  }

  std::vector<BatchRef> kept;
};

}  // namespace logweir
