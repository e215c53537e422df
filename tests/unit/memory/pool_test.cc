// SPDX-License-Identifier: Apache-2.0
#include "memory/pool.h"

#include <doctest/doctest.h>

#include <cstring>
#include <thread>

namespace logweir {

TEST_CASE("intake is refused while the eighth for the way out is left") {
  Budget budget(8 << 20);
  Account account(budget);
  Pool pool(account, 1 << 20);
  std::vector<ChunkRef> held;
  while (ChunkRef chunk = pool.take(Use::intake)) held.push_back(std::move(chunk));
  CHECK(held.size() == 7);
  CHECK(pool.take(Use::outflow));
  CHECK_FALSE(pool.take(Use::intake));
}

TEST_CASE("a chunk of an exact size is charged just that, and refused like any other") {
  Budget budget(8 << 20);
  Account account(budget);
  Pool pool(account);
  int heard = 0;
  pool.on_room([&] { ++heard; });
  ChunkRef chunk = pool.take_exact(Use::intake, 1000);
  REQUIRE(chunk);
  CHECK(chunk->room() == 1000);
  CHECK(account.used() == 1000);
  CHECK_FALSE(pool.take_exact(Use::intake, 7 << 20));
  chunk.reset();
  CHECK(heard == 1);
  CHECK(account.used() == 0);
  CHECK(pool.out() == 0);
}

TEST_CASE("a chunk that comes home after a refusal is announced once") {
  Budget budget(2 << 20);
  Account account(budget);
  Pool pool(account, 1 << 20);
  int heard = 0;
  pool.on_room([&] { ++heard; });
  ChunkRef first = pool.take(Use::intake);
  CHECK_FALSE(pool.take(Use::intake));
  first.reset();
  CHECK(heard == 1);
  pool.take(Use::intake).reset();
  CHECK(heard == 1);
}

TEST_CASE("a line larger than a chunk gets a chunk of its own that is charged and not kept") {
  Budget budget(64 << 20);
  Account account(budget);
  Pool pool(account, 256 * 1024);
  ChunkRef large = pool.take(Use::intake, 5 << 20);
  REQUIRE(large);
  CHECK(large->capacity == (5 << 20));
  CHECK(account.used() == (5 << 20));
  std::memset(large->data(), 'x', large->capacity);
  large.reset();
  CHECK(account.used() == 0);
}

TEST_CASE("padding behind a chunk can be read") {
  Budget budget(4 << 20);
  Account account(budget);
  Pool pool(account, 4096);
  ChunkRef chunk = pool.take(Use::intake);
  int sum = 0;
  for (std::size_t i = 0; i < kChunkPadding; ++i) sum += chunk->data()[chunk->capacity + i];
  CHECK(sum == 0);
}

TEST_CASE("two workers share one budget and never take more than it holds") {
  Budget budget(16 << 20);
  const auto hammer = [&budget] {
    Account account(budget);
    Pool pool(account, 1 << 20);
    for (int round = 0; round < 200; ++round) {
      std::vector<ChunkRef> held;
      while (ChunkRef chunk = pool.take(Use::intake)) held.push_back(std::move(chunk));
      CHECK(budget.taken() <= budget.limit());
    }
  };
  std::thread other(hammer);
  hammer();
  other.join();
  CHECK(budget.taken() == 0);
}

}  // namespace logweir
