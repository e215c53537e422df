// SPDX-License-Identifier: Apache-2.0
#include "codec/compress.h"

#include <doctest/doctest.h>
#include <zlib.h>
#include <zstd.h>

#include <string>
#include <vector>

namespace logweir {
namespace {

std::string text_of(std::size_t lines) {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) text += "level=info seq=" + std::to_string(i) + " the quick brown fox\n";
  return text;
}

// Compresses a text cut in pieces of that size.
std::string packed(Compressor& compressor, std::string& text, std::size_t piece) {
  std::vector<iovec> pieces;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    pieces.push_back({text.data() + at, std::min(piece, text.size() - at)});
  }
  std::string out(compressor.bound(text.size()), '\0');
  const Result<std::size_t> size = compressor.compress(pieces, out);
  REQUIRE_MESSAGE(size.ok(), size.status().message());
  out.resize(size.value());
  return out;
}

std::string gunzip(std::string in, std::size_t size) {
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  std::string out(size + 1, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST_CASE("gzip streams open to the text, one after another") {
  Compressor compressor(Compression::gzip);
  for (const std::size_t lines : {0, 1, 5000, 3}) {
    std::string text = text_of(lines);
    for (const std::size_t piece : {std::size_t{7}, std::size_t{4096}, text.size() + 1}) {
      CHECK(gunzip(packed(compressor, text, piece), text.size()) == text);
    }
  }
}

TEST_CASE("zstd streams open to the text, one after another") {
  Compressor compressor(Compression::zstd);
  for (const std::size_t lines : {0, 1, 5000, 3}) {
    std::string text = text_of(lines);
    for (const std::size_t piece : {std::size_t{7}, std::size_t{4096}, text.size() + 1}) {
      const std::string small = packed(compressor, text, piece);
      std::string out(text.size() + 1, '\0');
      const std::size_t size = ZSTD_decompress(out.data(), out.size(), small.data(), small.size());
      REQUIRE(ZSTD_isError(size) == 0);
      CHECK(out.substr(0, size) == text);
    }
  }
}

TEST_CASE("too little room is a failure, and the next stream is whole again") {
  for (const Compression kind : {Compression::gzip, Compression::zstd}) {
    Compressor compressor(kind);
    std::string text = text_of(1000);
    const iovec all{text.data(), text.size()};
    std::string out(20, '\0');
    const Result<std::size_t> size = compressor.compress({&all, 1}, out);
    REQUIRE_FALSE(size.ok());
    CHECK(size.status().message().find("room") != std::string::npos);
    CHECK(packed(compressor, text, 100).size() > 20);
  }
}

}  // namespace
}  // namespace logweir
