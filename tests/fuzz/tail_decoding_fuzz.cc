// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "codec/utf8.h"
#include "plugins/inputs/tail/framing.h"
#include "plugins/inputs/tail/options.h"

using namespace logweir;
using namespace logweir::tail;

namespace {

struct Framing {
  Budget budget{64 << 20};
  Account account{budget};
  Pool pool{account};
  BatchPool batches{pool};
};

bool is_utf8(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    const Utf8Part part = utf8_part(at, end);
    if (!part.good) return false;
    at += part.size;
  }
  return true;
}

// The texts of `file`, read in windows of so many bytes.
std::vector<std::string> texts_of(std::string_view file, Decoding& decoding, TextCode code, std::size_t window) {
  Framing framing;
  std::vector<std::string> texts;
  std::size_t size = window;
  for (std::size_t at = 0; at < file.size();) {
    const std::string_view bytes = file.substr(at, size);
    BatchRef batch = framing.batches.make();
    decoding.begin(code, bytes.size());
    const Framed framed = frame_lines(*batch, bytes, at, 0, {.limit = 64}, &decoding);
    for (const Record& record : batch->records) texts.emplace_back(record.text());
    if (framed.used == 0 && at + size >= file.size()) break;
    size = framed.used == 0 ? 2 * size : window;
    at += framed.used;
  }
  return texts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const kLegacy[] = {"ShiftJIS", "UHC", "GBK", "GB18030", "Big5", "Win866", "Win1255", "Win1258"};
  if (size < 2) return 0;
  TailOptions options;
  const unsigned pick = data[0] % 10;
  const std::size_t window = 1 + data[1] % 40;
  if (pick < 8) {
    options.generic_encoding = kLegacy[pick];
  } else {
    options.unicode_encoding = UnicodeEncoding::automatic;
  }
  auto made = Decoding::make(options);
  if (!made.ok()) std::abort();
  const TextCode code = pick < 8 ? TextCode::legacy : pick == 8 ? TextCode::utf16le : TextCode::utf16be;
  const std::string_view file(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto whole = texts_of(file, *made.value(), code, file.size() + 1);
  if (texts_of(file, *made.value(), code, window) != whole) std::abort();
  for (const std::string& text : whole) {
    if (!is_utf8(text) || text.size() > 3 * 64 + 16) std::abort();
  }
  return 0;
}
