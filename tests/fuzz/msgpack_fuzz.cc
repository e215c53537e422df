// SPDX-License-Identifier: Apache-2.0
// Any bytes are taken without harm and within the bound. JSON that simdjson takes comes out as MessagePack that says
// the same, nothing behind it, each value in its shortest form.
#include <simdjson.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/check.h"
#include "codec/msgpack.h"

using namespace logweir;

namespace {

using Element = simdjson::dom::element;

// Reads what was written; each read fails the check when bytes are missing.
struct Reader {
  unsigned byte() {
    LW_CHECK(at != end);
    return static_cast<unsigned char>(*at++);
  }
  std::uint64_t number(int bytes) {
    std::uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | byte();
    return value;
  }
  // A count behind a head of 16 or 32 bits, or of 8 for texts.
  std::uint64_t count(unsigned head, unsigned first, int least, std::uint64_t below) {
    const int bytes = least << (head - first);
    const std::uint64_t value = number(bytes);
    LW_CHECK(value >= (bytes == least ? below : std::uint64_t{1} << (4 * bytes)));
    return value;
  }
  std::string_view text() {
    const unsigned head = byte();
    LW_CHECK((head >= 0xA0 && head <= 0xBF) || (head >= 0xD9 && head <= 0xDB));
    const std::uint64_t size = head <= 0xBF ? head & 31 : count(head, 0xD9, 1, 32);
    LW_CHECK(size <= static_cast<std::uint64_t>(end - at));
    at += size;
    return {at - size, size};
  }
  const char* at;
  const char* end;
};

void same_number(Reader& reader, const Element& element) {
  const unsigned head = reader.byte();
  if (head == 0xCB) {
    const std::uint64_t bits = reader.number(8);
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (element.is_double()) {
      LW_CHECK(value == element.get_double().value_unsafe());
    } else {
      LW_CHECK(std::signbit(value) && value == 0 && element.get_int64().value_unsafe() == 0);
    }
    return;
  }
  if (head <= 0x7F || (head >= 0xCC && head <= 0xCF)) {
    const std::uint64_t value = head <= 0x7F ? head : reader.number(1 << (head - 0xCC));
    LW_CHECK(element.get_uint64().value_unsafe() == value);
    if (head > 0x7F) LW_CHECK(value >= (head == 0xCC ? 0x80 : std::uint64_t{1} << (4 << (head - 0xCC))));
    return;
  }
  LW_CHECK(head >= 0xE0 || (head >= 0xD0 && head <= 0xD3));
  const int bits = head >= 0xE0 ? 8 : 8 << (head - 0xD0);
  const std::uint64_t raw = head >= 0xE0 ? head : reader.number(bits / 8);
  const auto value = static_cast<std::int64_t>(raw << (64 - bits)) >> (64 - bits);
  LW_CHECK(element.get_int64().value_unsafe() == value);
}

void same(Reader& reader, const Element& element) {
  using simdjson::dom::element_type;
  switch (element.type()) {
    case element_type::ARRAY: {
      const unsigned head = reader.byte();
      LW_CHECK((head >= 0x90 && head <= 0x9F) || head == 0xDC || head == 0xDD);
      std::uint64_t left = head <= 0x9F ? head & 15 : reader.count(head, 0xDC, 2, 16);
      const simdjson::dom::array array = element.get_array().value_unsafe();
      for (const Element item : array) {
        LW_CHECK(left-- > 0);
        same(reader, item);
      }
      LW_CHECK(left == 0);
      return;
    }
    case element_type::OBJECT: {
      const unsigned head = reader.byte();
      LW_CHECK((head >= 0x80 && head <= 0x8F) || head == 0xDE || head == 0xDF);
      std::uint64_t left = head <= 0x8F ? head & 15 : reader.count(head, 0xDE, 2, 16);
      const simdjson::dom::object object = element.get_object().value_unsafe();
      for (const auto member : object) {
        LW_CHECK(left-- > 0);
        LW_CHECK(reader.text() == member.key);
        same(reader, member.value);
      }
      LW_CHECK(left == 0);
      return;
    }
    case element_type::STRING:
      LW_CHECK(reader.text() == element.get_string().value_unsafe());
      return;
    case element_type::BOOL:
      LW_CHECK(reader.byte() == (element.get_bool().value_unsafe() ? 0xC3U : 0xC2U));
      return;
    case element_type::NULL_VALUE:
      LW_CHECK(reader.byte() == 0xC0);
      return;
    default:
      same_number(reader, element);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  static MsgpackFromJson writer;
  const std::size_t bound = MsgpackFromJson::bound(size);
  std::string out(bound, '\0');
  const char* const end = writer.write(out.data(), json);
  if (end != nullptr) LW_CHECK(static_cast<std::size_t>(end - out.data()) <= bound);

  static simdjson::dom::parser parser;
  Element element;
  if (parser.parse(json.data(), json.size()).get(element) != simdjson::SUCCESS) return 0;
  LW_CHECK(end != nullptr);
  Reader reader{out.data(), end};
  same(reader, element);
  LW_CHECK(reader.at == reader.end);
  return 0;
}
