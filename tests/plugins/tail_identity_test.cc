// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "plugins/inputs/tail/fact.h"
#include "plugins/inputs/tail/identity.h"
#include "plugins/inputs/tail/known.h"

namespace logweir::tail {

namespace {

GenerationFact sample() {
  GenerationFact fact;
  fact.uid = 0xabc;
  fact.id = {.dev = 0x801, .ino = 77, .btime = -5};
  fact.epoch = 3;
  fact.start = 10;
  fact.born = 1'700'000'000'000'000'000;
  fact.head = head_of("first line\n");
  fact.mark_at = 11;
  fact.mark = mark_of("first line\n");
  fact.joined = {.uid = 5, .to = 6, .end = 7};
  fact.stream = "/var/log/a b.log";
  fact.path = "/var/log/a b.log.1";
  return fact;
}

Fact stored(const GenerationFact& fact) { return {fact_key(fact.uid), write_fact(fact)}; }

}  // namespace

TEST_CASE("a fact is read as it was written, spaces and line ends in names included") {
  GenerationFact fact = sample();
  fact.copy = true;
  fact.stream = "/a b/\nc 1:x";
  const auto read = read_fact(fact_key(fact.uid), write_fact(fact));
  REQUIRE(read.has_value());
  CHECK(read->uid == fact.uid);
  CHECK(read->copy);
  CHECK(read->id == fact.id);
  CHECK(read->epoch == fact.epoch);
  CHECK(read->head == fact.head);
  CHECK(read->mark == fact.mark);
  CHECK(read->mark_at == fact.mark_at);
  CHECK(read->joined.to == 6);
  CHECK(read->stream == fact.stream);
  CHECK(read->path == fact.path);
}

TEST_CASE("a path that is the stream's is left out of the fact, and read where an older agent wrote it out") {
  GenerationFact fact = sample();
  fact.path = fact.stream;
  const std::string written = write_fact(fact);
  CHECK(written.ends_with(" 10:/var/log/a b.log 0:"));
  const std::string older = written.substr(0, written.size() - 2) + "10:" + fact.stream;
  for (const std::string& value : {written, older}) {
    const auto read = read_fact(fact_key(fact.uid), value);
    REQUIRE(read.has_value());
    CHECK(read->stream == fact.stream);
    CHECK(read->path == fact.stream);
  }
}

TEST_CASE("a fact that is cut, longer, of another version or too large in its numbers is refused") {
  const std::string good = write_fact(sample());
  const std::string key = fact_key(0xabc);
  for (std::size_t size = 0; size < good.size(); ++size) CHECK_FALSE(read_fact(key, good.substr(0, size)));
  CHECK_FALSE(read_fact(key, good + "x"));
  CHECK_FALSE(read_fact(key, "g2" + good.substr(2)));
  CHECK_FALSE(read_fact("zz", good));
  CHECK_FALSE(read_fact("0000000000000000", good));
  CHECK_FALSE(read_fact(key, "g1 f 1 1 1 1ffffffff 0 0 1 1 0 0 0 0 0 0 0: 0:"));
}

TEST_CASE("the uid of a generation depends on machine, inode, birth, head, epoch and time and not on the device") {
  const Identity id{.dev = 1, .ino = 2, .btime = 3};
  const std::uint64_t uid = generation_uid(9, id, "head", 0, 10);
  CHECK(uid == generation_uid(9, {.dev = 5, .ino = 2, .btime = 3}, "head", 0, 10));
  CHECK(uid != generation_uid(8, id, "head", 0, 10));
  CHECK(uid != generation_uid(9, {.dev = 1, .ino = 3, .btime = 3}, "head", 0, 10));
  CHECK(uid != generation_uid(9, {.dev = 1, .ino = 2, .btime = 4}, "head", 0, 10));
  CHECK(uid != generation_uid(9, id, "tail", 0, 10));
  CHECK(uid != generation_uid(9, id, "head", 1, 10));
  CHECK(uid != generation_uid(9, id, "head", 0, 11));
}

TEST_CASE("a head fits what begins with it, a mark is of the last bytes") {
  const std::string text(3000, 'x');
  CHECK(begins_with(text + "more", head_of(text)));
  CHECK_FALSE(begins_with("y" + text, head_of(text)));
  CHECK_FALSE(begins_with("x", head_of(text)));
  CHECK(head_of(text).size == kHeadBytes);
  CHECK(mark_of("a" + text) == mark_of("b" + text));
  CHECK(mark_of(text) != mark_of(text + "b"));
}

TEST_CASE("a known generation is found by inode and birth, under whatever name") {
  KnownGenerations known({stored(sample())});
  CHECK(known.began());
  CHECK_FALSE(known.take({.dev = 0x801, .ino = 77, .btime = 6}, "/x"));
  CHECK_FALSE(known.take({.dev = 0x801, .ino = 78, .btime = -5}, "/x"));
  CHECK(known.take({.dev = 0x999, .ino = 77, .btime = -5}, "/x").has_value());
  CHECK_FALSE(known.take({.dev = 0x801, .ino = 77, .btime = -5}, "/x"));
  CHECK(known.left().empty());
}

TEST_CASE("of equal inodes on two mounts each file gets its own generation") {
  GenerationFact one = sample(), two = sample();
  two.uid = 0xdef;
  two.id.dev = 0x900;
  KnownGenerations known({stored(one), stored(two)});
  CHECK(known.take({.dev = 0x900, .ino = 77, .btime = -5}, "/x")->uid == 0xdef);
  CHECK(known.take({.dev = 0x801, .ino = 77, .btime = -5}, "/x")->uid == 0xabc);
}

TEST_CASE("of several epochs of an inode the last one is taken and the others are left") {
  GenerationFact old = sample(), young = sample();
  young.uid = 0xdef;
  young.epoch = 4;
  KnownGenerations known({stored(old), stored(young)});
  CHECK(known.take(old.id, "/x")->epoch == 4);
  REQUIRE(known.left().size() == 1);
  CHECK(known.left()[0].epoch == 3);
}

TEST_CASE("without a birth time the number alone is no proof") {
  GenerationFact fact = sample();
  fact.id.btime = 0;
  KnownGenerations known({stored(fact)});
  CHECK_FALSE(known.take({.dev = 0x5, .ino = 77, .btime = 0}, "/elsewhere"));
  CHECK(known.take({.dev = 0x5, .ino = 77, .btime = 0}, fact.path).has_value());
}

TEST_CASE("damaged facts are counted and passed over") {
  const KnownGenerations known({{"begun", "1"}, {fact_key(1), "rubbish"}});
  CHECK(known.damaged() == 2);
  CHECK_FALSE(known.began());
}

}  // namespace logweir::tail
