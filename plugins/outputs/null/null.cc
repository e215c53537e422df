// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "plugin/entry.h"
#include "plugin/output.h"

namespace logweir {

namespace {

struct NullOptions {};

// Takes everything and forgets it: for measuring, and for records that only filters and metrics should see.
class NullOutput final : public Output {
 public:
  Status open(OutputServices& services) override {
    host_ = &services.host;
    return {};
  }
  std::uint64_t send(const Shipment& shipment) override {
    host_->settle(shipment.ordinal, shipment.records, Outcome::delivered);
    return shipment.records;
  }
  void close() override {}

 private:
  OutputHost* host_ = nullptr;
};

constexpr std::array<std::string_view, 3> kKnown = {"format", "json_date_key", "json_date_format"};
constexpr Schema kSchema = {{}, kKnown, nullptr};

}  // namespace

extern const OutputEntry kNullOutput;
const OutputEntry kNullOutput = {
    .name = "null",
    .summary = "Throws records away and counts them as delivered.",
    .schema = &kSchema,
    .make_options = make_options_of<NullOptions>,
    // NOLINTNEXTLINE(performance-unnecessary-value-param): the entry's signature
    .make = [](OptionsPtr) -> std::unique_ptr<Output> { return std::make_unique<NullOutput>(); },
    .destination = [](const void*) -> std::string { return "null"; },
};

}  // namespace logweir
