// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "plugins/inputs/tail/framing.h"

namespace logweir::tail {

namespace {

struct FrameBench {
  Budget budget{64 << 20};
  Account account{budget};
  Pool pool{account};
  BatchPool batches{pool};
  BatchRef batch = batches.make();
  Framed frame(std::string_view text, LineRules rules = {}, std::uint64_t position = 100) {
    return frame_lines(*batch, text, position, 5, rules);
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const Record& record : batch->records) all.emplace_back(record.text());
    return all;
  }
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("lines are framed with position and span, the partial last one is left") {
  FrameBench bench;
  const Framed framed = bench.frame("one\ntwo\r\n\nhal");
  CHECK(framed.used == 10);
  CHECK(bench.texts() == Texts{"one", "two", ""});
  CHECK(bench.batch->records[1].position == 104);
  CHECK(bench.batch->records[1].span == 5);
  CHECK(bench.batch->records[2].span == 1);
  CHECK(bench.batch->records[0].time == 5);
  CHECK(bench.batch->bytes == 6);
}

TEST_CASE("empty lines are dropped where that is asked, the end of a line with CR alone as well") {
  FrameBench bench;
  CHECK(bench.frame("\n\r\na\n\n", {.skip_empty = true}).used == 6);
  CHECK(bench.texts() == Texts{"a"});
}

TEST_CASE("a byte order mark counts at the start of the file only") {
  FrameBench bench;
  bench.frame("\xef\xbb\xbfone\n", {}, 0);
  bench.frame("\xef\xbb\xbftwo\n", {}, 7);
  CHECK(bench.texts() == Texts{"one", "\xef\xbb\xbftwo"});
  CHECK(bench.batch->records[0].position == 0);
  CHECK(bench.batch->records[0].span == 7);
}

TEST_CASE("NUL bytes are data") {
  FrameBench bench;
  const std::string text("pre\0post\n\0\0\n", 12);
  bench.frame(text);
  CHECK(bench.texts() == Texts{std::string("pre\0post", 8), std::string(2, '\0')});
}

TEST_CASE("a long line is cut at the limit and marked, its neighbours are whole") {
  FrameBench bench;
  const Framed framed = bench.frame("ab\nabcdefgh\ncd\n", {.limit = 4});
  CHECK(framed.cut == 1);
  CHECK(bench.texts() == Texts{"ab", "abcd", "cd"});
  CHECK(bench.batch->records[1].flags == Record::kTruncated);
  CHECK(bench.batch->records[1].span == 9);
  CHECK(bench.batch->records[2].flags == 0);
}

TEST_CASE("a line of exactly the limit is whole, with either end") {
  FrameBench bench;
  CHECK(bench.frame("abcd\nabcd\r\n", {.limit = 4}).cut == 0);
  CHECK(bench.texts() == Texts{"abcd", "abcd"});
}

TEST_CASE("a cut never leaves half a character") {
  FrameBench bench;
  bench.frame("ab\xe2\x82\xac\xe2\x82\xac\n", {.limit = 4});
  bench.frame("ab\xe2\x82\xac\xe2\x82\xac\n", {.limit = 5});
  bench.frame("\xff\xff\xff\xff\xff\xff\n", {.limit = 4});
  CHECK(bench.texts() == Texts{"ab", "ab\xe2\x82\xac", "\xff\xff\xff"});
}

TEST_CASE("a long line is dropped whole where that is asked") {
  FrameBench bench;
  const Framed framed = bench.frame("ab\nabcdefgh\ncd\n", {.limit = 4, .skip_long = true});
  CHECK(framed.dropped == 1);
  CHECK(framed.cut == 0);
  CHECK(bench.texts() == Texts{"ab", "cd"});
}

}  // namespace logweir::tail
