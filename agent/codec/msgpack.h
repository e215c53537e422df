// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace logweir {

// MessagePack (github.com/msgpack/msgpack, spec.md), each value in its shortest form:
//
//   nil c0, false c2, true c3          fixint 00..7f, e0..ff
//   uint 8/16/32/64: cc cd ce cf       int 8/16/32/64: d0 d1 d2 d3      float 64: cb
//   fixstr a0|n, str 8/16/32: d9 da db, then the bytes, UTF-8
//   fixarray 90|n, array 16/32: dc dd, then the items
//   fixmap 80|n, map 16/32: de df, then keys and values in turn
//   fixext 8: d7, a type, eight bytes
//
// All numbers are big-endian. All functions return the end and write at most kMsgpackHead bytes and the text.
constexpr std::size_t kMsgpackHead = 10;
char* write_msgpack_uint(char* at, std::uint64_t value);
char* write_msgpack_int(char* at, std::int64_t value);
char* write_msgpack_real(char* at, double value);
char* write_msgpack_text(char* at, std::string_view text);
char* write_msgpack_array(char* at, std::uint32_t items);
char* write_msgpack_map(char* at, std::uint32_t members);
// Fluentd's EventTime: ext type 0, seconds and nanoseconds of 32 bits each. Times outside go to the nearest inside.
char* write_msgpack_time(char* at, Nanos time);

// Resource. Turns JSON text into MessagePack. Integers of 64 bits stay exact, all other numbers become the nearest
// double. One thread.
class MsgpackFromJson {
 public:
  // No text takes more: the shortest number that needs nine bytes is -0, with a comma.
  static constexpr std::size_t bound(std::size_t json) { return 3 * json + 16; }
  // `json` is one valid value; its strings are well-formed UTF-8. Work and memory grow as its length, whatever its
  // depth. Returns the end, or nullptr when the text is no JSON; not all such text is found out.
  char* write(char* begin, std::string_view json);

 private:
  struct Head {
    std::size_t at;  // behind the begin
    std::uint32_t count;
    bool map;
  };
  static constexpr std::uint32_t kFew = 16;  // fewer than so many are counted in the head's byte
  bool close(char* begin, char before);
  char* widen(char* begin, char* end);
  char* write_string(char* at, std::string_view inside);

  std::vector<Head> heads_;          // of each container, in the order in which they begin
  std::vector<std::uint32_t> open_;  // indexes into heads_
  bool widen_ = false;
  std::string text_;
};

}  // namespace logweir
