// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/entry.h"
#include "plugin/output.h"
#include "support/capture_log.h"
#include "support/run_loop.h"

namespace logweir {

// A lane that keeps all it is told. Ordinals are indexes into the bench's records.
class CaptureHost final : public OutputHost {
 public:
  struct Settled {
    std::uint64_t first;
    std::uint64_t count;
    Outcome outcome;
    std::string reason;
    Nanos not_before;
    std::string answer = {};
  };
  void ready() override { ++readies; }
  void settle(std::uint64_t first, std::uint64_t count, Outcome outcome, std::string_view reason, Nanos not_before,
              std::string_view answer) override {
    all.push_back({first, count, outcome, std::string(reason), not_before, std::string(answer)});
  }
  void unavailable(std::string_view reason, const Status& why) override {
    ++unavailables;
    last_reason = reason;
    last_why = why.message();
  }
  [[nodiscard]] std::uint64_t count(Outcome outcome) const {
    std::uint64_t sum = 0;
    for (const Settled& one : all) sum += one.outcome == outcome ? one.count : 0;
    return sum;
  }
  [[nodiscard]] std::uint64_t delivered() const { return count(Outcome::delivered); }

  std::vector<Settled> all;
  int readies = 0;
  int unavailables = 0;
  std::string last_reason;
  std::string last_why;
};

// What an output needs to live, and records to give it. Members go in reverse order: the loop after what is on it.
struct OutputBench {
  explicit OutputBench(const OutputEntry& of, std::uint64_t budget = 64 << 20) : entry(of), limit(budget) {
    tag = std::make_unique<Tag>(Tag{"t", 0});
    options = entry.make_options();
  }
  ~OutputBench() {
    if (output) output->close();
  }

  // Opens with options as `change` left them.
  template <typename Options>
  Status open(const std::function<void(Options&)>& change) {
    change(*static_cast<Options*>(options.get()));
    output = entry.make(options);
    return output->open(services);
  }

  // One batch with these lines, of one tag; lines live in the batch.
  BatchRef batch(const std::vector<std::string>& lines, const Tag* of = nullptr) {
    BatchRef made = batches.make();
    Origin origin;
    origin.tag = of != nullptr ? of : tag.get();
    made->origin = OriginRef::make(std::move(origin));
    for (const std::string& line : lines) {
      char* text = made->scratch(line.size() + 1);
      std::copy(line.begin(), line.end(), text);
      text[line.size()] = '\n';
      Record& record = made->records.emplace_back();
      record.time = 1'700'000'000 * kSecond;
      record.data = text;
      record.size = static_cast<std::uint32_t>(line.size());
      made->bytes += line.size();
    }
    made->read_at = clock.mono();
    made->sealed = true;
    return made;
  }
  BatchRef batch(std::size_t count, std::size_t size) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < count; ++i) {
      std::string line = std::to_string(next_line++) + " ";
      line.resize(std::max(size, line.size()), 'x');
      lines.push_back(std::move(line));
    }
    return batch(lines);
  }

  // Offers a whole batch, from record `from` on.
  std::uint64_t send(const BatchRef& what, std::uint32_t from = 0) {
    const Part part{what.get(), from, static_cast<std::uint32_t>(what->records.size())};
    Shipment shipment;
    shipment.parts = {&part, 1};
    shipment.ordinal = ordinal;
    shipment.records = part.count();
    shipment.bytes = what->bytes;
    const std::uint64_t taken = output->send(shipment);
    ordinal += taken;
    return taken;
  }
  // Offers it until all is taken.
  bool send_all(const BatchRef& what) {
    std::uint32_t done = 0;
    return run_until(loop, [&] {
      if (done < what->records.size()) done += static_cast<std::uint32_t>(send(what, done));
      return done == what->records.size();
    });
  }
  bool until(const std::function<bool()>& condition) { return run_until(loop, condition); }

  const OutputEntry& entry;
  std::uint64_t limit;
  SystemClock clock;
  Loop loop{clock};
  Budget budget{limit};
  Account account{budget};
  Pool pool{account};
  BatchPool batches{pool};
  Metrics metrics;
  Jobs all_jobs{1};
  Jobs::Desk jobs{all_jobs, loop};
  CaptureLog log;
  CaptureHost host;
  OutputServices services{loop, host, pool, log.log(), metrics, jobs, "out.0"};
  std::unique_ptr<Tag> tag;
  std::shared_ptr<void> options;
  std::unique_ptr<Output> output;
  std::uint64_t ordinal = 0;
  std::uint64_t next_line = 0;
};

}  // namespace logweir
