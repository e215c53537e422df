// SPDX-License-Identifier: Apache-2.0
// Any path into any record: a path, a newline, then the line.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "codec/access.h"
#include "codec/parser_options.h"
#include "support/line_batch.h"

using namespace logweir;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::unique_ptr<Decoder> decoder = [] {
    ParserOptions options;
    options.format = "json";
    return make_decoder(options).value();
  }();
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t newline = all.find('\n');
  if (newline == std::string_view::npos) return 0;
  const Result<Accessor> accessor = Accessor::parse(all.substr(0, newline));
  if (!accessor.ok()) return 0;
  LineBatch lines;
  lines.add(all.substr(newline + 1));
  decoder->decode(*lines, 0);
  std::string scratch;
  const auto value = accessor.value().find(*lines, lines->records[0], scratch);
  const auto text = accessor.value().text(*lines, lines->records[0], scratch);
  LW_CHECK(!text || value);
  return 0;
}
