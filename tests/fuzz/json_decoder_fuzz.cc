// SPDX-License-Identifier: Apache-2.0
// Any line, decoded and encoded again, is one JSON object that a strict reader takes. What the DOM takes as an object
// we take, and what we take and it does not, it refuses for a number, a surrogate, UTF-8 or its own depth alone.
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "codec/encode.h"
#include "codec/parser_options.h"
#include "support/line_batch.h"

using namespace logweir;

namespace {

simdjson::error_code dom_says(std::string_view text, simdjson::dom::parser& parser, simdjson::dom::element& element) {
  return parser.parse(text.data(), text.size()).get(element);
}

bool is_lenience(simdjson::error_code error) {
  return error == simdjson::NUMBER_ERROR || error == simdjson::STRING_ERROR || error == simdjson::UTF8_ERROR ||
         error == simdjson::DEPTH_ERROR;
}

bool keys_are_unique(const simdjson::dom::element& element) {
  bool unique = true;
  if (element.is_array()) {
    const simdjson::dom::array array = element.get_array().value_unsafe();
    for (const auto item : array) unique = unique && keys_are_unique(item);
  } else if (element.is_object()) {
    std::set<std::string_view> keys;
    const simdjson::dom::object object = element.get_object().value_unsafe();
    for (const auto member : object) {
      unique = unique && keys.insert(member.key).second && keys_are_unique(member.value);
    }
  }
  return unique;
}

Decoder& decoder() {
  static const std::unique_ptr<Decoder> one = [] {
    ParserOptions options;
    options.format = "json";
    options.time_format = "%s.%L";
    options.time_key = "t";
    return make_decoder(options).value();
  }();
  return *one;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  if (line.find('\n') != std::string_view::npos) return 0;
  Origin origin;
  origin.attached = {{"f", "a"}};
  LineBatch lines(origin);
  lines.add(line);
  const Decoded done = decoder().decode(*lines, 0);

  simdjson::dom::parser parser;
  simdjson::dom::element element;
  const simdjson::error_code before = dom_says(line, parser, element);
  const bool dom_object = before == simdjson::SUCCESS && element.is_object();
  if (dom_object) LW_CHECK(done.parsed == 1);
  if (done.parsed == 1 && !dom_object) LW_CHECK(is_lenience(before));

  EncodeOptions options;
  options.date_key = "d";
  Encoder encoder(options);
  Pieces out(lines.pool());
  LW_CHECK(encoder.encode(lines.all(), out, SIZE_MAX) == 1);
  const std::string text = joined(out);
  LW_CHECK(text.back() == '\n' && text.find('\n') == text.size() - 1);
  const simdjson::error_code after = dom_says(text, parser, element);
  if (after == simdjson::SUCCESS) {
    LW_CHECK(element.is_object() && keys_are_unique(element));
  } else {
    LW_CHECK(after == simdjson::NUMBER_ERROR || after == simdjson::DEPTH_ERROR);
  }
  // As MessagePack, with an id in place of what may stand in the text.
  options.format = Format::msgpack;
  options.id_key = "id";
  lines->source = 1;
  Encoder packer(options);
  Pieces packed(lines.pool());
  LW_CHECK(packer.encode(lines.all(), packed, SIZE_MAX) == 1);
  options.format = Format::json_lines;
  Encoder with_id(options);
  out.clear();
  LW_CHECK(with_id.encode(lines.all(), out, SIZE_MAX) == 1);
  const std::string again = joined(out);
  if (dom_says(again, parser, element) == simdjson::SUCCESS) {
    std::string_view id;
    LW_CHECK(keys_are_unique(element) && element["id"].get(id) == simdjson::SUCCESS && id == "0000000000000001-0");
  }
  return 0;
}
