// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/tail_bench.h"

namespace logweir {

namespace {
using Lines = std::vector<std::string>;
}

TEST_CASE("files that are there and files that come are read from their head and as they grow") {
  TailBench bench;
  bench.write("a.log", "one\ntwo\n");
  bench.start();
  CHECK(bench.gets({"one", "two"}));
  bench.write("a.log", "three\n");
  CHECK(bench.gets({"one", "two", "three"}));
  bench.write("b.log", "four\n");
  CHECK(bench.gets({"one", "two", "three", "four"}));
}

TEST_CASE("without read_from_head only what comes after the first start is read") {
  TailBench bench{{"read_from_head", "off"}};
  bench.write("a.log", "old\n");
  bench.start();
  REQUIRE(bench.until([&] { return bench.memory.facts.contains("began"); }));
  bench.write("a.log", "new\n");
  CHECK(bench.gets({"new"}));
  bench.write("b.log", "young\n");
  CHECK(bench.gets({"new", "young"}));
}

TEST_CASE("a line that is half there at the first start is new") {
  TailBench bench{{"read_from_head", "off"}};
  bench.write("a.log", "old\n" + std::string(5000, 'x'));
  bench.start();
  REQUIRE(bench.until([&] { return bench.memory.facts.contains("began"); }));
  bench.write("a.log", "y\n");
  CHECK(bench.gets({std::string(5000, 'x') + "y"}));
}

TEST_CASE("a restart goes on where it was, also for files that came meanwhile") {
  TailBench bench{{"read_from_head", "off"}};
  bench.start();
  bench.write("a.log", "one\n");
  REQUIRE(bench.gets({"one"}));
  bench.stop();
  bench.write("a.log", "two\n");
  bench.write("b.log", "three\n");
  bench.start();
  REQUIRE(bench.gets_count(3));
  CHECK(bench.intake().misplaced == 0);
}

TEST_CASE("a partial last line waits for its end, however it comes") {
  TailBench bench;
  bench.start();
  for (const char* piece : {"{\"k\":\"al", "pha\",", "\"n\":1"}) {
    bench.write("a.log", piece);
    bench.pass(20 * kMillisecond);
  }
  CHECK(bench.lines().empty());
  bench.write("a.log", "}\nnext\n");
  CHECK(bench.gets({"{\"k\":\"alpha\",\"n\":1}", "next"}));
}

TEST_CASE("a partial last line is sent after partial_timeout where that is asked") {
  TailBench bench{{"partial_timeout", "100ms"}};
  bench.write("a.log", "one\nhalf");
  bench.start();
  CHECK(bench.gets({"one", "half"}));
  bench.write("a.log", " more\n");
  CHECK(bench.gets({"one", "half", " more"}));
}

TEST_CASE("a renamed file is read to its end, late writes included, and is not read again") {
  TailBench bench{{"path", "a.log*"}};
  bench.write("a.log", "1\n");
  bench.start();
  REQUIRE(bench.gets({"1"}));
  std::ofstream old(bench.directory.file("a.log"), std::ios::app);
  bench.move("a.log", "a.log.1");
  old << "2\n" << std::flush;
  bench.write("a.log", "new 1\n");
  REQUIRE(bench.gets({"1", "2", "new 1"}));
  bench.pass(100 * kMillisecond);
  old << "3\n" << std::flush;
  REQUIRE(bench.gets({"1", "2", "new 1", "3"}));
  bench.pass(700 * kMillisecond);
  CHECK(bench.lines().size() == 4);
}

TEST_CASE("a file that was renamed out of the pattern is followed until rotate_wait, then forgotten") {
  TailBench bench{{"path", "a.log"}};
  bench.write("a.log", "1\n");
  bench.start();
  REQUIRE(bench.gets({"1"}));
  bench.move("a.log", "elsewhere");
  bench.write("elsewhere", "late\nhalf");
  CHECK(bench.gets({"1", "late", "half"}));
  CHECK(bench.until([&] { return bench.memory.positions.empty(); }));
}

TEST_CASE("a line split over a rename is joined when its end comes to the old file soon") {
  TailBench bench{{"path", "a.log"}, {"rotate_wait", "2s"}};
  bench.write("a.log", "begin ");
  bench.start();
  std::ofstream old(bench.directory.file("a.log"), std::ios::app);
  bench.pass(50 * kMillisecond);
  bench.move("a.log", "a.log.1");
  bench.write("a.log", "new\n");
  bench.pass(50 * kMillisecond);
  old << "end\n" << std::flush;
  CHECK(bench.gets({"begin end", "new"}));
}

TEST_CASE("a line split over a rename is joined when its end is in the new file, and never comes again") {
  TailBench bench{{"path", "a.log*"}};
  bench.write("a.log", "one\nhalf of ");
  bench.start();
  REQUIRE(bench.gets({"one"}));
  bench.move("a.log", "a.log.1");
  bench.write("a.log", "a line\nnext\n");
  REQUIRE(bench.gets({"one", "half of a line", "next"}));
  bench.pass(700 * kMillisecond);
  CHECK(bench.intake().misplaced == 0);
  for (int i = 0; i < 2; ++i) {
    bench.stop();
    bench.start();
    bench.pass(700 * kMillisecond);
  }
  CHECK(bench.lines().size() == 3);
}

TEST_CASE("a joined line is joined again when it was not delivered before a restart") {
  for (const bool delivered : {false, true}) {
    TailBench bench{{"path", "a.log*"}};
    bench.write("a.log", "half of ");
    bench.start();
    bench.pass(100 * kMillisecond);
    bench.intake().acknowledge = delivered;
    bench.move("a.log", "a.log.1");
    bench.write("a.log", "a line\n");
    REQUIRE(bench.gets({"half of a line"}));
    bench.stop();
    bench.start();
    if (!delivered) CHECK(bench.gets({"half of a line", "half of a line"}));
    bench.pass(700 * kMillisecond);
    CHECK(bench.lines().size() == (delivered ? 1 : 2));
  }
}

TEST_CASE("a line split over a copytruncate is joined") {
  TailBench bench{{"path", "a.log*"}};
  bench.write("a.log", "one\nhalf of ");
  bench.start();
  REQUIRE(bench.gets({"one"}));
  bench.copy("a.log", "a.log.1");
  bench.rewrite("a.log", "");
  bench.write("a.log", "a line\nnext\n");
  CHECK(bench.gets({"one", "half of a line", "next"}));
}

TEST_CASE("what a deleted file holds is read though the input was paused") {
  TailBench bench;
  bench.write("a.log", "1\n");
  bench.start();
  REQUIRE(bench.gets({"1"}));
  bench.input().pause();
  bench.write("a.log", "2\n3\n");
  bench.pass(50 * kMillisecond);
  bench.remove("a.log");
  bench.pass(700 * kMillisecond);
  CHECK(bench.lines().size() == 1);
  bench.input().resume();
  CHECK(bench.gets({"1", "2", "3"}));
  CHECK(bench.until([&] { return bench.memory.positions.empty(); }));
  CHECK(bench.memory.facts.size() == 1);
}

TEST_CASE("an atomic replace is another file, told once") {
  TailBench bench{{"path", "a.log"}};
  bench.write("a.log", "1\n2\n");
  bench.start();
  REQUIRE(bench.gets({"1", "2"}));
  bench.write("tmp", "1\n2\n3\n");
  bench.move("tmp", "a.log");
  CHECK(bench.gets({"1", "2", "1", "2", "3"}));
  CHECK(bench.log.count("replaced") == 1);
}

TEST_CASE("copytruncate: what was not read is taken from the copy, once and in order") {
  TailBench bench{{"path", "a.log*"}};
  bench.write("a.log", "line 1\nline 2\n");
  bench.start();
  REQUIRE(bench.gets({"line 1", "line 2"}));
  bench.input().pause();
  bench.write("a.log", "line 3\n");
  bench.pass(50 * kMillisecond);
  bench.copy("a.log", "a.log.1");
  bench.rewrite("a.log", "line 4\n");
  bench.pass(50 * kMillisecond);
  bench.input().resume();
  CHECK(bench.gets({"line 1", "line 2", "line 3", "line 4"}));
  bench.pass(700 * kMillisecond);
  CHECK(bench.lines().size() == 4);
  CHECK(bench.intake().lost_bytes == 0);
}

TEST_CASE("copytruncate: the copy may lie outside of the pattern") {
  TailBench bench{{"path", "a.log"}};
  bench.write("a.log", "line 1\n");
  bench.start();
  REQUIRE(bench.gets({"line 1"}));
  bench.input().pause();
  bench.write("a.log", "line 2\n");
  bench.pass(50 * kMillisecond);
  bench.copy("a.log", "a.log.1");
  bench.rewrite("a.log", "");
  bench.pass(50 * kMillisecond);
  bench.input().resume();
  CHECK(bench.gets({"line 1", "line 2"}));
  bench.write("a.log", "line 3\n");
  CHECK(bench.gets({"line 1", "line 2", "line 3"}));
}

TEST_CASE("copytruncate: copies that are shifted on by rename stay what they are") {
  TailBench bench{{"path", "a.log*"}};
  Lines wanted;
  bench.start();
  for (int i = 0; i < 12; ++i) {
    const std::string line = "line " + std::to_string(i);
    bench.write("a.log", line + "\n");
    wanted.push_back(line);
    REQUIRE(bench.gets(wanted));
    if (i % 3 != 2) continue;
    for (int k = 3; k > 1; --k) {
      const std::string from = "a.log." + std::to_string(k - 1);
      if (std::filesystem::exists(bench.directory.file(from))) bench.move(from, "a.log." + std::to_string(k));
    }
    bench.copy("a.log", "a.log.1");
    bench.rewrite("a.log", "");
  }
  bench.pass(700 * kMillisecond);
  CHECK(bench.lines() == wanted);
}

TEST_CASE("a plain copy is held for rotate_wait and is then a file of its own") {
  TailBench bench{{"path", "a.log*"}};
  bench.write("a.log", "1\n");
  bench.start();
  REQUIRE(bench.gets({"1"}));
  bench.copy("a.log", "a.log.bak");
  bench.pass(100 * kMillisecond);
  CHECK(bench.lines().size() == 1);
  CHECK(bench.gets({"1", "1"}));
}

TEST_CASE("a new file with an extended name but other content is read at once") {
  TailBench bench{{"path", "a.log*"}, {"rotate_wait", "1h"}};
  bench.write("a.log", "1\n");
  bench.start();
  REQUIRE(bench.gets({"1"}));
  bench.write("a.log.new", "2\n");
  CHECK(bench.gets({"1", "2"}));
}

TEST_CASE("a truncated file is read anew though it was filled to the same size or more") {
  TailBench bench{{"path", "a.log"}};
  bench.write("a.log", "gen1 a\ngen1 b\n");
  bench.start();
  REQUIRE(bench.gets_count(2));
  bench.rewrite("a.log", "gen2 a\ngen2 b\n");
  REQUIRE(bench.gets_count(4));
  bench.rewrite("a.log", "gen3 a\ngen3 b\ngen3 c\n");
  CHECK(bench.gets({"gen1 a", "gen1 b", "gen2 a", "gen2 b", "gen3 a", "gen3 b", "gen3 c"}));
  CHECK(bench.intake().lost_bytes == 0);
}

TEST_CASE("bytes that a truncation destroyed unread are counted") {
  TailBench bench{{"path", "a.log"}};
  bench.write("a.log", "1\n");
  bench.start();
  REQUIRE(bench.gets({"1"}));
  bench.write("a.log", "lost");
  bench.pass(50 * kMillisecond);
  bench.rewrite("a.log", "2\n");
  CHECK(bench.gets({"1", "2"}));
  CHECK(bench.intake().lost_bytes == 4);
}

TEST_CASE("a file truncated while nobody read is read from its start, once") {
  TailBench bench{{"path", "a.log"}};
  bench.write("a.log", "old 1\nold 2\nold 3\n");
  bench.start();
  REQUIRE(bench.gets_count(3));
  bench.stop();
  bench.rewrite("a.log", "new 1\n");
  bench.start();
  REQUIRE(bench.gets_count(4));
  bench.stop();
  bench.start();
  bench.write("a.log", "new 2\n");
  CHECK(bench.gets({"old 1", "old 2", "old 3", "new 1", "new 2"}));
}

TEST_CASE("a file rotated while nobody read goes on under its new name, before the new one") {
  for (const char* pattern : {"a.log", "a.log*"}) {
    TailBench bench{{"path", pattern}};
    bench.write("a.log", "1\n2\n");
    bench.start();
    REQUIRE(bench.gets({"1", "2"}));
    bench.stop();
    bench.write("a.log", "3\n");
    bench.move("a.log", "a.log.1");
    bench.write("a.log", "4\n");
    bench.start();
    CHECK(bench.gets({"1", "2", "3", "4"}));
  }
}

TEST_CASE("files rotated twice while nobody read come in their order") {
  TailBench bench{{"path", "a.log*"}};
  bench.write("a.log", "1\n");
  bench.start();
  REQUIRE(bench.gets({"1"}));
  bench.stop();
  bench.write("a.log", "2\n");
  bench.move("a.log", "a.log.2");
  bench.write("a.log.1", "3\n");
  bench.pass_time();
  bench.write("a.log", "4\n");
  bench.start();
  CHECK(bench.gets({"1", "2", "3", "4"}));
}

TEST_CASE("a rotated file that loses its name while the first look is taken does no harm") {
  TailBench bench{{"path", "a.log*"}};
  bench.write("a.log", "1\n");
  bench.start();
  REQUIRE(bench.gets({"1"}));
  bench.stop();
  bench.move("a.log", "a.log.1");
  bench.write("a.log", "2\n");
  bench.start();
  bench.remove("a.log.1");
  CHECK(bench.gets({"1", "2"}));
}

TEST_CASE("a copytruncate while nobody read is understood") {
  TailBench bench{{"path", "a.log*"}};
  bench.write("a.log", "line 1\n");
  bench.start();
  REQUIRE(bench.gets({"line 1"}));
  bench.stop();
  bench.write("a.log", "line 2\n");
  bench.copy("a.log", "a.log.1");
  bench.rewrite("a.log", "line 3\n");
  bench.start();
  CHECK(bench.gets({"line 1", "line 2", "line 3"}));
  bench.stop();
  bench.start();
  bench.pass(500 * kMillisecond);
  CHECK(bench.lines().size() == 3);
}

TEST_CASE("two copytruncates while nobody read come in their order, after the known ones") {
  TailBench bench{{"path", "a.log*"}};
  bench.write("a.log", "line 1\n");
  bench.start();
  REQUIRE(bench.gets({"line 1"}));
  bench.stop();
  bench.write("a.log", "line 2\n");
  bench.copy("a.log", "a.log.2");
  bench.rewrite("a.log", "line 3\n");
  TailBench::pass_time();
  bench.copy("a.log", "a.log.1");
  bench.rewrite("a.log", "line 4\n");
  bench.start();
  CHECK(bench.gets({"line 1", "line 2", "line 3", "line 4"}));
  bench.stop();
  bench.start();
  bench.pass(500 * kMillisecond);
  CHECK(bench.lines().size() == 4);
}

TEST_CASE("a link that flips leads to the new file under the configured name") {
  TailBench bench{{"path", "current/a.log"}, {"path_key", "path"}};
  std::filesystem::create_directories(bench.directory.file("v1"));
  std::filesystem::create_directories(bench.directory.file("v2"));
  std::filesystem::create_symlink("v1", bench.directory.file("current"));
  bench.write("v1/a.log", "1\n");
  bench.start();
  REQUIRE(bench.gets({"1"}));
  bench.write("v2/a.log", "2\n");
  std::filesystem::create_symlink("v2", bench.directory.file("next"));
  bench.move("next", "current");
  REQUIRE(bench.gets({"1", "2"}));
  bench.write("v2/a.log", "3\n");
  REQUIRE(bench.gets({"1", "2", "3"}));
  for (const auto& line : bench.intake().lines) {
    CHECK(line.attached[0].second == bench.directory.file("current/a.log"));
  }
}

TEST_CASE("the real directory behind a linked file is watched") {
  TailBench bench{{"path", "links/*.log"}};
  std::filesystem::create_directories(bench.directory.file("links"));
  std::filesystem::create_directories(bench.directory.file("real"));
  bench.write("real/x", "1\n");
  std::filesystem::create_symlink("../real/x", bench.directory.file("links/x.log"));
  bench.start();
  REQUIRE(bench.gets({"1"}));
  bench.write("real/x", "2\n");
  REQUIRE(bench.gets({"1", "2"}));
  bench.move("real/x", "real/x.1");
  bench.write("real/x", "3\n");
  CHECK(bench.gets({"1", "2", "3"}));
}

TEST_CASE("hard links are one file, and one name may go") {
  TailBench bench;
  bench.write("a.log", "1\n");
  std::filesystem::create_hard_link(bench.directory.file("a.log"), bench.directory.file("b.log"));
  bench.start();
  REQUIRE(bench.gets({"1"}));
  bench.remove("a.log");
  bench.write("b.log", "2\n");
  REQUIRE(bench.gets({"1", "2"}));
  bench.stop();
  bench.start();
  bench.write("b.log", "3\n");
  CHECK(bench.gets({"1", "2", "3"}));
}

TEST_CASE("files with equal heads are kept apart") {
  TailBench bench;
  const std::string banner(2000, '=');
  bench.write("a.log", banner + "\na\n");
  bench.write("b.log", banner + "\nb\n");
  bench.write("c.log", banner + "\n");
  bench.start();
  CHECK(bench.gets_count(5));
}

TEST_CASE("new nested directories are found, also when they come again") {
  TailBench bench{{"path", "*/*/a.log"}};
  bench.start();
  for (const char* line : {"first", "second"}) {
    std::filesystem::create_directories(bench.directory.file("x/y"));
    bench.write("x/y/a.log", std::string(line) + "\n");
    REQUIRE(bench.until([&] { return !bench.lines().empty() && bench.lines().back() == line; }));
    bench.remove("x");
    bench.pass(50 * kMillisecond);
  }
  CHECK(bench.lines() == Lines{"first", "second"});
}

TEST_CASE("packed files, excluded ones and our own are left alone") {
  TailBench bench{{"path", "*"}, {"exclude_path", "*.tmp,*secret*"}};
  for (const char* name : {"a.gz", "b.tmp", "my-secret.log", "own.log"}) bench.write(name, "no\n");
  bench.write("c.log", "yes\n");
  bench.own_file(bench.directory.file("own.log"));
  bench.start();
  REQUIRE(bench.gets({"yes"}));
  bench.write("own.log", "no\n");
  bench.pass(50 * kMillisecond);
  CHECK(bench.lines().size() == 1);
}

TEST_CASE("old files are passed over until they change, and then read from where they were") {
  TailBench bench{{"ignore_older", "1h"}};
  bench.write("a.log", "old\n");
  std::filesystem::last_write_time(bench.directory.file("a.log"),
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  bench.write("b.log", "young\n");
  bench.start();
  REQUIRE(bench.gets({"young"}));
  bench.write("a.log", "new\n");
  CHECK(bench.gets({"young", "new"}));
}

TEST_CASE("few descriptors are enough for many files") {
  TailBench bench{{"max_open_files", "3"}};
  for (int i = 0; i < 20; ++i) bench.write(std::to_string(i) + ".log", "a\n");
  bench.start();
  REQUIRE(bench.gets_count(20));
  for (int i = 0; i < 20; ++i) bench.write(std::to_string(i) + ".log", "b\n");
  REQUIRE(bench.gets_count(40));
  CHECK(bench.metrics().gauge("logweir_input_open_files", "", {{"input", "tail.0"}}).value() <= 3);
}

TEST_CASE("without inotify everything is looked at each second") {
  TailBench bench{{"inotify_watcher", "off"}};
  bench.write("a.log", "1\n");
  bench.start();
  REQUIRE(bench.gets({"1"}));
  bench.write("a.log", "2\n");
  bench.write("b.log", "3\n");
  CHECK(bench.gets_count(3));
}

TEST_CASE("exit_on_eof asks to stop once all is read and delivered, partial lines included") {
  TailBench bench{{"exit_on_eof", "on"}};
  bench.write("a.log", "1\nhalf");
  bench.write("b.log", "2\n");
  bench.start();
  CHECK(bench.until([&] { return bench.finished; }));
  CHECK(bench.lines().size() == 3);
}

TEST_CASE("long lines are cut or skipped, whatever their length, and nothing of them is a record of its own") {
  for (const bool skip : {false, true}) {
    TailBench bench{{"buffer_max_size", "100k"}, {"skip_long_lines", skip ? "on" : "off"}};
    bench.write("a.log", std::string(70'001, 'a') + "\n" + std::string(3'000'000, 'w') + "\nshort\n");
    bench.start();
    REQUIRE(bench.gets_count(skip ? 2 : 3));
    CHECK(bench.lines().front() == std::string(70'001, 'a'));
    CHECK(bench.lines().back() == "short");
    if (!skip) CHECK(bench.lines()[1] == std::string(102'400, 'w'));
    CHECK(bench.intake().truncated == (skip ? 0 : 1));
    CHECK(bench.intake().dropped["long_line"] == (skip ? 1 : 0));
    bench.stop();
    bench.start();
    bench.pass(100 * kMillisecond);
    CHECK(bench.lines().size() == (skip ? 2 : 3));
  }
}

TEST_CASE("a line longer than a chunk that comes in pieces is whole") {
  TailBench bench{{"buffer_max_size", "2M"}};
  bench.start();
  std::string text;
  for (int i = 0; i < 10; ++i) {
    const std::string piece(70'000, static_cast<char>('a' + i));
    bench.write("a.log", piece);
    text += piece;
    bench.pass(5 * kMillisecond);
  }
  bench.write("a.log", "\nnext\n");
  CHECK(bench.gets({text, "next"}));
}

TEST_CASE("small files share a chunk") {
  TailBench bench;
  for (int i = 0; i < 50; ++i) bench.write(std::to_string(i) + ".log", "a line\n");
  bench.start();
  REQUIRE(bench.gets_count(50));
  CHECK(bench.intake().largest_room < 100);
}

TEST_CASE("the tag takes the path in") {
  TailBench bench;
  bench.tag = "t.*";
  bench.write("a.log", "1\n");
  bench.start();
  REQUIRE(bench.gets({"1"}));
  CHECK(bench.intake().lines[0].tag.ends_with(".a.log"));
}

TEST_CASE("a busy file does not keep a quiet one waiting") {
  TailBench bench;
  std::string much;
  for (int i = 0; i < 400'000; ++i) much += "a line of some length to fill the file with\n";
  bench.write("a.log", much);
  bench.start();
  REQUIRE(bench.until([&] { return !bench.lines().empty(); }));
  bench.write("b.log", "quiet\n");
  std::size_t at = 0;
  REQUIRE(bench.until([&] {
    const auto& lines = bench.intake().lines;
    for (; at < lines.size(); ++at) {
      if (lines[at].text == "quiet") return true;
    }
    return false;
  }));
  CHECK(at < 300'000);
}

}  // namespace logweir
