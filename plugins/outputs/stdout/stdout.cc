// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/stdout/stdout.h"

#include <unistd.h>

#include <array>

#include "plugin/entry.h"

namespace logweir {

namespace {

using stdout_out::Printer;
using stdout_out::StdoutOptions;

constexpr std::array kOptions = {
    option<&StdoutOptions::format>(
        "format", "fluent",
        "fluent: [i] tag: [[sec.nsec, {}], {\"k\"=>\"v\"}], what Fluent Bit prints (its word "
        "for it, msgpack, is taken too). json_lines: a JSON object per line. json: an array of "
        "objects per write, a line each. json_stream: the same without brackets and commas. raw: the "
        "record's text and a newline.",
        0, "fluent|json_lines|raw|msgpack|json|json_stream"),
    kJsonDateKey,
    kJsonDateFormat,
};

void check(const void* options, const Node& node, Problems& problems) {
  check_encode_keys(*static_cast<const StdoutOptions*>(options), node, problems);
}

constexpr Schema kSchema = {kOptions, {}, check};

class StdoutOutput final : public Output {
 public:
  explicit StdoutOutput(OptionsPtr options) : options_(std::move(options)) {}
  Status open(OutputServices& services) override {
    printer_ = std::make_unique<Printer>(services, *static_cast<const StdoutOptions*>(options_.get()), STDOUT_FILENO);
    return {};
  }
  std::uint64_t send(const Shipment& shipment) override { return printer_->send(shipment); }
  void close() override { printer_.reset(); }

 private:
  OptionsPtr options_;
  std::unique_ptr<Printer> printer_;
};

}  // namespace

extern const OutputEntry kStdoutOutput;
const OutputEntry kStdoutOutput = {
    .name = "stdout",
    .summary = "Prints records on the standard output.",
    .schema = &kSchema,
    .make_options = make_options_of<StdoutOptions>,
    .make = [](OptionsPtr options) -> std::unique_ptr<Output> {
      return std::make_unique<StdoutOutput>(std::move(options));
    },
    .single = true,
    .destination = [](const void*) -> std::string { return "stdout"; },
};

}  // namespace logweir
