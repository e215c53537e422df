// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "support/packed.h"
#include "support/tail_bench.h"

namespace logweir {

namespace {

using Lines = std::vector<std::string>;

std::string gzipped(std::string text) { return packed(Compression::gzip, std::move(text)); }

Lines numbered(std::size_t first, std::size_t last) {
  Lines lines;
  for (std::size_t i = first; i < last; ++i) lines.push_back("seq=" + std::to_string(i) + " the quick brown fox");
  return lines;
}

std::string text_of(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("compressed files are read through, each as what it is") {
  TailBench bench{{"compressed", "auto"}, {"path", "*"}};
  bench.write("a.gz", gzipped(text_of(numbered(0, 50'000))));
  bench.start();
  REQUIRE(bench.gets(numbered(0, 50'000)));
  CHECK(bench.intake().lines[1].position == numbered(0, 1)[0].size() + 1);
  CHECK(bench.intake().misplaced == 0);
  bench.write("b.zst", packed(Compression::zstd, "z\n"));
  REQUIRE(bench.gets_count(50'001));
  bench.write("c.log", "plain\n");
  REQUIRE(bench.gets_count(50'002));
  CHECK(bench.lines()[50'000] == "z");
  CHECK(bench.lines()[50'001] == "plain");
}

TEST_CASE("members that are appended are read, a line may be split over them") {
  TailBench bench{{"compressed", "gzip"}, {"path", "a.gz"}};
  bench.write("a.gz", gzipped("one\ntw"));
  bench.start();
  REQUIRE(bench.gets({"one"}));
  const std::string more = gzipped("o\nthree\n");
  bench.write("a.gz", more.substr(0, 12));
  bench.pass(50 * kMillisecond);
  bench.write("a.gz", more.substr(12));
  CHECK(bench.gets({"one", "two", "three"}));
}

TEST_CASE("a restart goes on behind the last line that was done") {
  for (const Compression kind : {Compression::gzip, Compression::zstd}) {
    TailBench bench{{"compressed", "auto"}, {"path", "a"}};
    bench.write("a", packed(kind, "one\ntwo\nhal"));
    bench.start();
    REQUIRE(bench.gets({"one", "two"}));
    bench.stop();
    bench.write("a", packed(kind, "f\nfour\n"));
    bench.start();
    CHECK(bench.gets({"one", "two", "half", "four"}));
  }
}

TEST_CASE("of a damaged archive the part in front of the damage is delivered, and it is counted once") {
  TailBench bench{{"compressed", "gzip"}, {"path", "*.gz"}};
  bench.write("a.gz", gzipped("one\ntwo\nlast") + "garbage");
  bench.write("b.gz", "no gzip at all\n");
  bench.start();
  CHECK(bench.gets({"one", "two", "last"}));
  CHECK(bench.until([&] {
    return bench.metrics().scrape().find("logweir_input_damaged_files_total{input=\"tail.0\"} 2") != std::string::npos;
  }));
}

TEST_CASE("long lines of a compressed file are cut and marked, others are whole") {
  TailBench bench{{"compressed", "gzip"}, {"path", "a.gz"}, {"buffer_max_size", "1000"}};
  bench.write("a.gz", gzipped("ab\n" + std::string(700'000, 'x') + "\n" + std::string(1000, 'y') + "\r\ncd\n" +
                              std::string(1002, 'z') + "\nend\n"));
  bench.start();
  CHECK(bench.gets({"ab", std::string(1000, 'x'), std::string(1000, 'y'), "cd", std::string(1000, 'z'), "end"}));
  CHECK(bench.intake().truncated == 2);
  CHECK(bench.intake().misplaced == 0);
}

TEST_CASE("a long line within the limit is put together over many steps") {
  TailBench bench{{"compressed", "zstd"}, {"path", "a.zst"}, {"buffer_max_size", "4M"}};
  const std::string line(3'000'000, 'x');
  bench.write("a.zst", packed(Compression::zstd, line + "\nend\n"));
  bench.start();
  CHECK(bench.gets({line, "end"}));
}

TEST_CASE("a compressed file that is replaced by another one in place is read anew") {
  TailBench bench{{"compressed", "gzip"}, {"path", "a.gz"}};
  bench.write("a.gz", gzipped(text_of(numbered(0, 100))));
  bench.start();
  REQUIRE(bench.gets(numbered(0, 100)));
  bench.rewrite("a.gz", gzipped("new\n"));
  CHECK(bench.gets_count(101));
  CHECK(bench.lines().back() == "new");
}

TEST_CASE("more archives than may be unpacked at once are all read") {
  TailBench bench{{"compressed", "auto"}, {"path", "*.zst"}};
  for (int i = 0; i < 12; ++i) {
    bench.write("f" + std::to_string(i) + ".zst", packed(Compression::zstd, text_of(numbered(0, 20'000))));
  }
  bench.start();
  CHECK(bench.gets_count(240'000));
}

TEST_CASE("with exit_on_eof the last line of an archive needs no newline") {
  TailBench bench{{"compressed", "auto"}, {"path", "*.gz"}, {"exit_on_eof", "on"}};
  bench.write("a.gz", gzipped("one\nlast"));
  bench.start();
  REQUIRE(bench.until([&] { return bench.finished; }));
  CHECK(bench.lines() == Lines{"one", "last"});
}

TEST_CASE("UTF-16 within an archive is told by its byte order mark") {
  TailBench bench{{"compressed", "auto"}, {"path", "a.gz"}, {"unicode.encoding", "auto"}};
  bench.write("a.gz", gzipped(std::string("\xff\xfe\x0a\x01\x0a\x00z\x00\x0a\x00", 10)));
  bench.start();
  CHECK(bench.gets({"Ċ", "z"}));
}

TEST_CASE("names of archives are passed over without the option") {
  TailBench bench{{"path", "*"}};
  bench.write("a.gz", gzipped("one\n"));
  bench.write("b.log", "two\n");
  bench.start();
  CHECK(bench.gets({"two"}));
}

}  // namespace logweir
