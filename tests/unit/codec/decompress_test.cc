// SPDX-License-Identifier: Apache-2.0
#include "codec/decompress.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "support/packed.h"

namespace logweir {
namespace {

std::string text_of(std::size_t lines) {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) text += "seq=" + std::to_string(i) + " the quick brown fox\n";
  return text;
}

// Fed in pieces of `step` bytes into spaces of `room` bytes; ends where nothing more comes.
std::string unpacked(Decompressor& stream, std::string_view in, std::size_t step, std::size_t room,
                     Status* failed = {}) {
  std::string all;
  std::string space(room, '\0');
  for (;;) {
    const auto done = stream.decompress(in.substr(0, step), space);
    all.append(space, 0, stream.last().made);
    in.remove_prefix(stream.last().used);
    if (!done.ok()) {
      if (failed != nullptr) *failed = done.status();
      return all;
    }
    if (done.value().used == 0 && done.value().made == 0) return all;
  }
}

}  // namespace

TEST_CASE("members and frames one behind the other come out whole, in steps of any size") {
  for (const Compression kind : {Compression::gzip, Compression::zstd}) {
    const std::string first = text_of(500);
    const std::string second = text_of(3);
    std::string in = packed(kind, first) + packed(kind, "") + packed(kind, second);
    if (kind == Compression::gzip) in += std::string(7, '\0');  // tar's padding
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, in.size()}) {
      for (const std::size_t room : {std::size_t{1}, std::size_t{100}, std::size_t{100'000}}) {
        Decompressor stream(kind);
        CHECK(unpacked(stream, in, step, room) == first + second);
        CHECK(stream.at_boundary());
      }
    }
  }
}

TEST_CASE("a stream that is cut short gives what is there, and is not at a boundary") {
  for (const Compression kind : {Compression::gzip, Compression::zstd}) {
    const std::string whole = packed(kind, text_of(20'000));
    Decompressor stream(kind);
    const std::string got = unpacked(stream, std::string_view(whole).substr(0, whole.size() - 5), 1000, 333);
    CHECK(got.size() > 100'000);
    CHECK(text_of(20'000).starts_with(got));
    CHECK(!stream.at_boundary());
  }
}

TEST_CASE("a damaged place is a failure behind what could be read") {
  for (const Compression kind : {Compression::gzip, Compression::zstd}) {
    std::string in = packed(kind, text_of(500)) + "garbage behind the end";
    Status why;
    Decompressor stream(kind);
    CHECK(unpacked(stream, in, 64, 64, &why) == text_of(500));
    CHECK(why.code() == Code::corrupt);
  }
}

TEST_CASE("what a file is can be told by its first bytes, once there are enough") {
  CHECK(compression_of(packed(Compression::gzip, "a")) == Compression::gzip);
  CHECK(compression_of(packed(Compression::zstd, "a")) == Compression::zstd);
  CHECK(compression_of("plain") == Compression::none);
  CHECK(compression_of("") == std::nullopt);
  CHECK(compression_of("\x1f") == std::nullopt);
  CHECK(compression_of("\x28\xb5\x2f") == std::nullopt);
  CHECK(compression_of("\x28\xb5\x2f!") == Compression::none);
}

}  // namespace logweir
