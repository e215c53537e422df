// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdio>
#include <functional>
#include <future>

#include "record/record_id.h"
#include "state/dead_letters.h"
#include "support/eventually.h"
#include "support/line_bench.h"
#include "support/temp_directory.h"

namespace logweir {

namespace {

struct Ground {
  explicit Ground(const LaneOptions& options = {}) {
    bench.output("a", options);
    bench.output("b", options);
  }
  void open(bool with_store = true) {
    bench.open(nullptr, with_store ? &store : nullptr);
    REQUIRE(bench.opened());
  }
  [[nodiscard]] LedgerCounts counts() { return bench.pipeline->snapshot().ledger; }
  std::vector<Letter> letters() {
    auto file = LetterFile::open(letters_path(dir.file("d")), false);
    return file.ok() ? file.value()->read(0, 1000, 1 << 20).value() : std::vector<Letter>();
  }
  bool until(const std::function<bool()>& condition) {
    return eventually([&] {
      bench.loop.run_once();
      return condition();
    });
  }

  TempDirectory dir;
  DeadLetters store{{dir.file("d"), {}, 8 << 20}, Log()};
  LineBench bench;
};

}  // namespace

TEST_CASE("what one lane's peer rejects is a dead letter with the answer, and the other lane has it delivered") {
  Ground ground;
  ground.open();
  ground.bench.in().say({"one", "two", "three"});
  ground.bench.pass();
  ground.bench.out(0).settle(2, Outcome::rejected, "400 too odd");
  ground.bench.out(0).deliver_all();
  ground.bench.out(1).deliver_all();
  CHECK(Ledger::prefix_of(*ground.bench.in().source) == 0);
  CHECK(ground.counts().waiting == 2);
  CHECK(ground.bench.discrepancy() == 0);
  CHECK(ground.until([&] { return ground.counts().dead_letter == 2; }));
  CHECK(Ledger::prefix_of(*ground.bench.in().source) == ground.bench.in().position);
  CHECK(ground.counts().delivered == 4);
  CHECK(ground.bench.discrepancy() == 0);
  const auto letters = ground.letters();
  REQUIRE(letters.size() == 2);
  CHECK(letters[1].body == "two");
  CHECK(letters[1].answer == "400 too odd");
  CHECK(letters[1].output == "a");
  CHECK(letters[1].source == 7);
  CHECK(letters[1].position == 4);
}

TEST_CASE("without a store rejected records are dropped and counted") {
  Ground ground;
  ground.open(false);
  ground.bench.in().say({"one"});
  ground.bench.pass();
  ground.bench.out(0).settle(1, Outcome::rejected);
  ground.bench.out(1).deliver_all();
  CHECK(ground.counts().dropped == 1);
  CHECK(ground.bench.pipeline->drained());
  CHECK(ground.bench.discrepancy() == 0);
}

TEST_CASE("a store that can't write means dropped records, not stuck ones") {
  Ground ground;
  ground.open();
  REQUIRE(std::fclose(std::fopen(ground.dir.file("d").c_str(), "w")) == 0);  // a file where the directory should be
  ground.bench.in().say({"one"});
  ground.bench.pass();
  ground.bench.out(0).settle(1, Outcome::rejected);
  ground.bench.out(1).deliver_all();
  CHECK(ground.until([&] { return ground.counts().dropped == 1; }));
  CHECK(ground.bench.pipeline->drained());
  CHECK(ground.bench.discrepancy() == 0);
}

TEST_CASE("a large rejected batch goes to the store in pieces") {
  Ground ground;
  ground.open();
  ground.bench.in().say(std::vector<std::string>(1300, "line"));
  ground.bench.pass();
  ground.bench.out(1).deliver_all();
  ground.bench.out(0).settle(1300, Outcome::rejected);
  CHECK(ground.until([&] { return ground.counts().dead_letter == 1300; }));
  CHECK(ground.store.stats().letters == 1300);
  CHECK(ground.bench.discrepancy() == 0);
}

TEST_CASE("a replayed letter reaches one lane alone, keeps its id, counts as recovered and is then gone") {
  Ground ground;
  ground.open();
  Letter letter;
  letter.source = 0xABC;
  letter.position = 77;
  letter.replay = letter.output = "b";
  letter.tag = "old";
  letter.text_key = "log";
  letter.text = true;
  letter.body = "again";
  std::promise<bool> stored;
  ground.store.put({letter}, [&](bool ok) { stored.set_value(ok); });
  REQUIRE(stored.get_future().get());
  Letter lost = letter;
  lost.number = 9;
  lost.replay = "nowhere";
  letter.number = 1;
  ReplayResult result;
  ground.bench.pipeline->replay({letter, lost}, [&](ReplayResult done) { result = std::move(done); });
  ground.bench.pass();
  CHECK(ground.bench.out(0).held.empty());
  REQUIRE(ground.bench.out(1).held.size() == 1);
  CHECK(ground.bench.out(1).held[0].text == "again");
  CHECK(ground.bench.out(1).held[0].id == RecordId(0xABC, 77).text());
  CHECK(result.ended.empty());
  CHECK(ground.bench.discrepancy() == 0);
  ground.bench.out(1).deliver_all();
  CHECK(result.ended == std::vector<std::uint64_t>{1});
  CHECK(result.unknown == std::vector<std::uint64_t>{9});
  CHECK(ground.counts().recovered == 1);
  CHECK(ground.bench.discrepancy() == 0);
  CHECK(ground.until([&] { return ground.letters().empty(); }));
}

TEST_CASE("a letter whose body is no JSON though the file says so goes as text") {
  Ground ground;
  ground.open();
  Letter letter;
  letter.replay = "a";
  letter.body = "{broken";
  ground.bench.pipeline->replay({letter}, [](const ReplayResult&) {});
  ground.bench.pass();
  REQUIRE(ground.bench.out(0).held.size() == 1);
  CHECK(ground.bench.out(0).held[0].text == "{broken");
}

TEST_CASE("a filter that throws over a record loses that one alone, to the dead letters") {
  Ground ground;
  ground.bench.throw_over("bad");
  ground.open();
  ground.bench.in().say({"1", "2", "bad", "3", "4", "5", "bad", "6"});
  CHECK(Ledger::prefix_of(*ground.bench.in().source) == 0);
  CHECK(ground.bench.discrepancy() == 0);
  ground.bench.pass();
  ground.bench.out(0).deliver_all();
  ground.bench.out(1).deliver_all();
  CHECK(ground.bench.out(0).delivered == std::vector<std::string>{"1", "2", "3", "4", "5", "6"});
  CHECK(ground.until([&] { return ground.counts().dead_letter == 2; }));
  CHECK(ground.bench.pipeline->drained());
  CHECK(Ledger::prefix_of(*ground.bench.in().source) == ground.bench.in().position);
  const auto letters = ground.letters();
  REQUIRE(letters.size() == 2);
  CHECK(letters[0].reason == "poison");
  CHECK(letters[0].output == "throw");
  CHECK(letters[0].answer == "can't do bad");
  CHECK(ground.counts().filtered == 0);
  CHECK(ground.bench.discrepancy() == 0);
}

TEST_CASE("poison without a store is dropped and counted") {
  Ground ground;
  ground.bench.throw_over("bad");
  ground.open(false);
  ground.bench.in().say({"bad"});
  CHECK(ground.counts().dropped == 1);
  CHECK(ground.bench.discrepancy() == 0);
}

TEST_CASE("an output that throws over a record loses that one alone, to the dead letters") {
  Ground ground;
  ground.open();
  ground.bench.out(0).poison = "13";
  std::vector<std::string> lines;
  for (int i = 0; i < 100; ++i) lines.push_back(std::to_string(i));
  ground.bench.in().say(lines);
  ground.bench.out(1).deliver_all();
  CHECK(ground.until([&] {
    ground.bench.pass();
    ground.bench.out(0).deliver_all();
    ground.bench.out(1).deliver_all();
    return ground.bench.pipeline->drained();
  }));
  lines.erase(lines.begin() + 13);
  CHECK(ground.bench.out(0).delivered == lines);
  CHECK(ground.counts().dead_letter == 1);
  REQUIRE(ground.letters().size() == 1);
  CHECK(ground.letters()[0].body == "13");
  CHECK(ground.letters()[0].reason == "poison");
  CHECK(ground.bench.discrepancy() == 0);
}

}  // namespace logweir
