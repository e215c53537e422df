// SPDX-License-Identifier: Apache-2.0
#include "spool/format.h"

#include <algorithm>

#include "base/hash.h"
#include "spool/crc32c.h"

namespace logweir {

namespace {

constexpr std::uint64_t kMagic = 0x006c6f6f7073776c;  // "lwspool\0"
constexpr std::size_t kText = 216;
constexpr std::size_t kTexts = kLabelSize - 2 * kText;

}  // namespace

void SpoolLabel::set(const SpoolIdentity& identity) {
  instance_hash = hash64(identity.instance);
  fingerprint_hash = hash64(identity.fingerprint);
  instance = identity.instance.substr(0, kText);
  fingerprint = identity.fingerprint.substr(0, kText);
}

bool SpoolLabel::belongs_to(const SpoolIdentity& identity) const {
  return instance_hash == hash64(identity.instance) && fingerprint_hash == hash64(identity.fingerprint);
}

void write_label(const SpoolLabel& label, char* out) {
  std::memset(out, 0, kLabelSize);
  const std::size_t instance = std::min(label.instance.size(), kText);
  const std::size_t fingerprint = std::min(label.fingerprint.size(), kText);
  char* at = store(out, kMagic) + 4;
  at = store(at, kSpoolVersion);
  at = store(at, static_cast<std::uint16_t>(label.kind));
  at = store(at, label.mark);
  at = store(at, label.a);
  at = store(at, label.b);
  at = store(at, label.c);
  at = store(at, label.wall);
  at = store(at, label.instance_hash);
  at = store(at, label.fingerprint_hash);
  at = store(at, static_cast<std::uint16_t>(instance));
  store(at, static_cast<std::uint16_t>(fingerprint));
  std::memcpy(out + kTexts, label.instance.data(), instance);
  std::memcpy(out + kTexts + kText, label.fingerprint.data(), fingerprint);
  store(out + 8, crc32c({out + 12, kLabelSize - 12}));
}

std::optional<std::uint16_t> label_version(std::string_view bytes) {
  if (bytes.size() < kLabelSize) return {};
  const char* const at = bytes.data();
  if (load<std::uint64_t>(at) != kMagic || load<std::uint32_t>(at + 8) != crc32c(bytes.substr(12, kLabelSize - 12))) {
    return {};
  }
  return load<std::uint16_t>(at + 12);
}

std::optional<SpoolLabel> read_label(std::string_view bytes, SpoolLabel::Kind kind) {
  if (label_version(bytes) != kSpoolVersion) return {};
  const char* const at = bytes.data();
  if (load<std::uint16_t>(at + 14) != static_cast<std::uint16_t>(kind)) return {};
  const auto instance = load<std::uint16_t>(at + 72);
  const auto fingerprint = load<std::uint16_t>(at + 74);
  if (instance > kText || fingerprint > kText) return {};
  SpoolLabel label;
  label.kind = kind;
  label.mark = load<std::uint64_t>(at + 16);
  label.a = load<std::uint64_t>(at + 24);
  label.b = load<std::uint64_t>(at + 32);
  label.c = load<std::uint64_t>(at + 40);
  label.wall = load<Nanos>(at + 48);
  label.instance_hash = load<std::uint64_t>(at + 56);
  label.fingerprint_hash = load<std::uint64_t>(at + 64);
  label.instance = bytes.substr(kTexts, instance);
  label.fingerprint = bytes.substr(kTexts + kText, fingerprint);
  return label;
}

void write_head(const FrameHead& head, std::uint64_t mark, char* out) {
  char* at = store(out, mark) + 4;
  at = store(at, head.payload_crc);
  at = store(at, head.sequence);
  at = store(at, head.wall);
  at = store(at, head.size);
  at = store(at, head.records);
  at = store(at, kSpoolVersion);
  at = store(at, std::uint16_t{0});
  store(at, head.fields);
  store(out + 8, crc32c({out + 12, kFrameHead - 12}));
}

std::optional<FrameHead> read_head(std::string_view bytes, std::uint64_t mark) {
  if (bytes.size() < kFrameHead) return {};
  const char* const at = bytes.data();
  if (load<std::uint64_t>(at) != mark || load<std::uint32_t>(at + 8) != crc32c(bytes.substr(12, kFrameHead - 12)) ||
      load<std::uint16_t>(at + 40) != kSpoolVersion) {
    return {};
  }
  FrameHead head;
  head.payload_crc = load<std::uint32_t>(at + 12);
  head.sequence = load<std::uint64_t>(at + 16);
  head.wall = load<Nanos>(at + 24);
  head.size = load<std::uint32_t>(at + 32);
  head.records = load<std::uint32_t>(at + 36);
  head.fields = load<std::uint32_t>(at + 44);
  if (head.size > kLargestPayload || head.sequence == UINT64_MAX) return {};
  return head;
}

bool payload_holds(const FrameHead& head, std::string_view bytes) {
  return bytes.size() >= kFrameHead + head.size && crc32c(bytes.substr(kFrameHead, head.size)) == head.payload_crc;
}

}  // namespace logweir
