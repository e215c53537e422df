// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "plugins/inputs/tcp/framer.h"
#include "support/capture_intake.h"
#include "support/fake_clock.h"

using namespace logweir;

namespace {

// What comes out of `text`, fed in pieces of `piece` bytes.
std::vector<CaptureIntake::Line> framed(std::string_view text, const tcp_in::FramingRules& rules, std::size_t piece,
                                        std::uint64_t most = UINT64_MAX) {
  FakeClock clock;
  CaptureIntake intake;
  ChunkRef reading;
  Origin origin;
  origin.tag = intake.tag("t");
  tcp_in::Unfinished unfinished(most, [](const tcp_in::Framer&) {});
  tcp_in::Framer framer(
      {intake, rules, clock, OriginRef::make(std::move(origin)), intake.open_source({}), unfinished, "peer"});
  while (!text.empty()) {
    const std::span<char> to = framer.space(reading);
    const std::size_t size = std::min({to.size(), text.size(), piece});
    if (size == 0) std::abort();
    std::memcpy(to.data(), text.data(), size);
    framer.received(size, reading);
    reading.reset();
    text.remove_prefix(size);
  }
  framer.finish(true);
  if (intake.disorder != 0 || unfinished.bytes() != 0) std::abort();
  return std::move(intake.lines);
}

}  // namespace

// The same bytes must give the same messages, however they are cut.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  tcp_in::FramingRules rules;
  rules.limit = 1 + data[0];
  if (data[3] % 8 == 0) rules.limit += 5000;  // long enough to be read in place
  rules.least_read = 16;
  rules.separator.assign(reinterpret_cast<const char*>(data) + 4, std::min<std::size_t>(data[1] % 4, size - 4));
  if (rules.separator.empty()) rules.separator = "\n";
  const std::string_view text(reinterpret_cast<const char*>(data) + 4, size - 4);
  const auto whole = framed(text, rules, SIZE_MAX);
  const auto pieces = framed(text, rules, 1 + data[2]);
  if (whole.size() != pieces.size()) std::abort();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i].text != pieces[i].text || whole[i].position != pieces[i].position ||
        whole[i].truncated != pieces[i].truncated || whole[i].text.size() > rules.limit) {
      std::abort();
    }
  }
  // Messages that are handed over early are cut; none is lost but for its rest.
  if (framed(text, rules, 1 + data[2], 255).size() < whole.size()) std::abort();
  return 0;
}
