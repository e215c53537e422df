// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace logweir {

// How a spool lies on disk. One directory per spool; numbers are little-endian.
//
//   directory := "lock" "state" ["spare"] segment*     a segment's file is named <first sequence, 16 hex digits>.seg
//   state     := slot:4096 slot:4096                   a slot is a label and zeros; the newer valid one counts
//   segment   := label:4096 frame* rest                 rest: zeros, or what was there before
//   label     := magic:u64 crc:u32 version:u16 kind:u16 mark:u64 a:u64 b:u64 c:u64 wall:i64
//                instance_hash:u64 fingerprint_hash:u64 instance_size:u16 fingerprint_size:u16 zero:u32
//                instance:216 fingerprint:216           512 bytes: one sector, so never half old, half new
//   frame     := head:48 payload pad                    begins at a multiple of 8; pad: 0 to 7 zeros
//   head      := mark:u64 crc:u32 payload_crc:u32 sequence:u64 wall:i64 size:u32 records:u32 version:u16 zero:u16
//                fields:u32
//   payload   := see frame.h
//
// Each crc is CRC-32C of all that stands behind it (head: to its end; label: to its end).
//
// A frame counts if its checks hold and first <= sequence < first of the next segment. What a failed write left in a
// segment is never written over: the writer goes on in a new segment, and its first sequence shuts out the remains.
// The mark is a random number of the spool. Nobody who writes log lines knows it, so no line can pass for a frame when
// a reader looks for the next one behind a damaged place.

static_assert(std::endian::native == std::endian::little);

constexpr std::uint16_t kSpoolVersion = 1;  // grows also when the hash behind Record::keys changes
constexpr std::size_t kLabelSize = 512;
constexpr std::size_t kSegmentStart = 4096;  // of the first frame; and the distance between the state's slots
constexpr std::size_t kFrameHead = 48;
constexpr std::size_t kLargestPayload = 64 << 20;

// Value. Whose records these are: the output's stable id and the destination they may be sent to. Any bytes.
struct SpoolIdentity {
  std::string instance;
  std::string fingerprint;
};

// Value. The head of a segment or of a slot of the state.
struct SpoolLabel {
  enum class Kind : std::uint16_t { state = 1, segment = 2 };
  Kind kind = Kind::state;
  std::uint64_t mark = 0;
  std::uint64_t a = 0;  // state: number of the write; segment: first sequence
  std::uint64_t b = 0;  // state: frontier; segment: records in the spool's life before this segment
  std::uint64_t c = 0;  // state: next sequence; segment: 0
  Nanos wall = 0;       // when it was written
  std::uint64_t instance_hash = 0;
  std::uint64_t fingerprint_hash = 0;
  std::string instance;  // at most 216 bytes of it, for people
  std::string fingerprint;

  void set(const SpoolIdentity& identity);
  [[nodiscard]] bool belongs_to(const SpoolIdentity& identity) const;
};

// `out` has kLabelSize bytes.
void write_label(const SpoolLabel& label, char* out);
// The version of what wrote an undamaged label, be it newer than this one: magic, crc and version stay where they are.
std::optional<std::uint16_t> label_version(std::string_view bytes);
// Nothing when it is no undamaged label of that kind and of this version.
std::optional<SpoolLabel> read_label(std::string_view bytes, SpoolLabel::Kind kind);

// Value. What is known of a frame without looking into its payload.
struct FrameHead {
  std::uint64_t sequence = 0;
  Nanos wall = 0;  // when it was made
  std::uint32_t size = 0;
  std::uint32_t records = 0;
  std::uint32_t fields = 0;
  std::uint32_t payload_crc = 0;

  [[nodiscard]] std::uint64_t frame_size() const { return (kFrameHead + std::uint64_t{size} + 7) & ~std::uint64_t{7}; }
};

// Writes kFrameHead bytes.
void write_head(const FrameHead& head, std::uint64_t mark, char* out);
// Nothing when these are not the first bytes of a frame with that mark; the payload is not looked at.
std::optional<FrameHead> read_head(std::string_view bytes, std::uint64_t mark);
// Whether the frame that begins `bytes` is all there and its payload undamaged.
[[nodiscard]] bool payload_holds(const FrameHead& head, std::string_view bytes);

template <typename T>
T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <typename T>
char* store(char* at, T value) {
  std::memcpy(at, &value, sizeof value);
  return at + sizeof value;
}

}  // namespace logweir
