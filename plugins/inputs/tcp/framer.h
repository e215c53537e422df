// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "plugin/input.h"
#include "plugins/inputs/tcp/unfinished.h"
#include "record/decoder.h"

namespace logweir::tcp_in {

// Value. How a stream of bytes is cut into messages.
struct FramingRules {
  std::string separator = "\n";  // not empty
  std::size_t limit = 32 << 10;  // the longest message; longer ones are cut
  std::size_t least_read = 32 << 10;

  // The first separator in [from, to), or nullptr.
  [[nodiscard]] const char* find(const char* from, const char* to) const;
};

// Resource, one per connection. Cuts a stream of bytes into records, in place, and delivers them.
//
// Bytes are read into the worker's shared chunk, behind what is left of an unfinished message. When the read is over
// that rest moves to memory of its own size, so that it pins no chunk, and counts among the input's `unfinished` ones.
// There it also grows while there is room, so that a long message is not copied again and again.
class Framer {
 public:
  struct Setup {
    Intake& intake;
    const FramingRules& rules;
    const Clock& clock;
    OriginRef origin;
    Source source;
    Unfinished& unfinished;
    std::string_view peer;            // for people
    Decoder* decoder = nullptr;       // null: messages stay text
    Counter* parse_failed = nullptr;  // messages that the decoder did not take; null: not counted
  };
  explicit Framer(Setup setup) : setup_(std::move(setup)), place_(setup_.unfinished, *this) {}
  Framer(const Framer&) = delete;
  Framer& operator=(const Framer&) = delete;

  // Where the next bytes go; empty: no memory now. `reading` keeps the space alive until `received`.
  std::span<char> space(ChunkRef& reading);
  // `size` bytes are at the start of what `space` gave last. Delivers every message that is now complete.
  void received(std::size_t size, const ChunkRef& reading);
  // Nothing more will come: delivers an unfinished message. `whole`: the peer ended in order; else it is marked as cut.
  void finish(bool whole);
  // Delivers the unfinished message that is held, marked as cut; its rest is passed over when it comes. Needs no
  // memory.
  void hand_over();

  [[nodiscard]] std::string_view peer() const { return setup_.peer; }
  [[nodiscard]] std::size_t held() const { return held_; }

 private:
  // Where the unfinished message lies.
  struct Held {
    ChunkRef chunk;
    char* begin = nullptr;
    bool own = false;  // nobody else's chunk, and the message at its start
  };

  [[nodiscard]] std::size_t most_held() const { return setup_.rules.limit + setup_.rules.separator.size() + 1; }
  [[nodiscard]] bool reads_in_place() const;
  [[nodiscard]] bool grow();
  std::span<char> no_room();
  const char* cut_messages(const char* begin, const char* end, const ChunkRef& chunk);
  const char* skip(const char* begin, const char* end);
  void message(const char* from, const char* to, std::size_t span, const ChunkRef& chunk);
  void cut(std::string_view text, std::size_t span, const ChunkRef& chunk);
  void record(std::string_view text, std::size_t span, std::uint8_t flags, const ChunkRef& chunk);
  void keep(const char* from, const char* end, const ChunkRef& chunk, bool anew);
  void deliver();

  static constexpr std::size_t kSmall = 4096;       // up to here it is cheaper to copy than to read piecemeal
  static constexpr std::size_t kCopied = 32 << 10;  // more is not copied to the shared chunk
  static constexpr std::size_t kStep = 256;         // sizes of own chunks are a multiple of it
  static constexpr std::size_t kBatchRecords = 4096;

  Setup setup_;
  Unfinished::Place place_;
  Held own_;                    // the unfinished message, unless it is in short_
  std::string short_;           // when it is shorter than a separator
  std::size_t held_ = 0;        // bytes of the unfinished message
  bool in_place_ = false;       // the space given last is behind it in own_
  bool skipping_ = false;       // to the end of a message that was cut
  std::uint64_t position_ = 0;  // in the stream, of the unfinished message
  Nanos now_ = 0;               // wall clock, of the bytes being looked at
  std::uint64_t records_ = 0;   // so far
  BatchRef batch_;
  std::uint64_t batch_begin_ = 0;
};

}  // namespace logweir::tcp_in
