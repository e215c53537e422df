// SPDX-License-Identifier: Apache-2.0
#include "memory/pieces.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

namespace logweir {

namespace {

std::string text_of(const Pieces& pieces) {
  std::string text;
  for (const iovec& piece : pieces.front(1 << 20)) text.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
  return text;
}

struct Ground {
  Budget budget{64 << 20};
  Account account{budget};
  Pool pool{account, 4096};
};

}  // namespace

TEST_CASE("neighbouring copies merge into one iovec") {
  Ground ground;
  Pieces pieces(ground.pool);
  REQUIRE(pieces.append("one "));
  REQUIRE(pieces.append("two"));
  CHECK(pieces.front().size() == 1);
  CHECK(text_of(pieces) == "one two");
}

TEST_CASE("neighbouring references merge and copies between them do not") {
  Ground ground;
  Pieces pieces(ground.pool);
  const std::string line = "hello world";
  pieces.refer(std::string_view(line).substr(0, 5));
  pieces.refer(std::string_view(line).substr(5));
  REQUIRE(pieces.append("!"));
  CHECK(pieces.front().size() == 2);
  CHECK(text_of(pieces) == "hello world!");
}

TEST_CASE("any sequence of appends, references and partial writes keeps the bytes in order") {
  Ground ground;
  Pieces pieces(ground.pool);
  std::minstd_rand random(7);
  std::string model;
  const std::string stock(10000, 'r');
  for (int step = 0; step < 20000; ++step) {
    const auto size = static_cast<std::size_t>(random() % 700);
    switch (random() % 3) {
      case 0: {
        const std::string text(size, static_cast<char>('a' + step % 26));
        REQUIRE(pieces.append(text));
        model += text;
        break;
      }
      case 1:
        pieces.refer(std::string_view(stock).substr(0, size));
        model.append(size, 'r');
        break;
      default: {
        const std::size_t n = std::min(model.size(), size * 2);
        pieces.consume(n);
        model.erase(0, n);
      }
    }
    REQUIRE(pieces.size() == model.size());
    if (step % 100 == 0) REQUIRE(text_of(pieces) == model);
  }
  pieces.clear();
  CHECK(ground.pool.out() <= 1);
}

}  // namespace logweir
