// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "plugins/outputs/file/names.h"
#include "plugins/outputs/file/options.h"
#include "support/options.h"
#include "support/output_bench.h"
#include "support/temp_directory.h"

namespace logweir {

extern const OutputEntry kFileOutput;

namespace {

using file_out::FileOutputOptions;

std::string content(const std::string& path) {
  std::ostringstream all;
  all << std::ifstream(path, std::ios::binary).rdbuf();
  return all.str();
}

struct FileBench : OutputBench {
  FileBench() : OutputBench(kFileOutput) {}
  void start(const std::function<void(FileOutputOptions&)>& change = [](auto&) {}) {
    REQUIRE(open<FileOutputOptions>([&](FileOutputOptions& o) {
              o.path = folder.path();
              o.file = "out.log";
              o.format = file_out::FileFormat::raw;
              change(o);
            }).ok());
  }
  [[nodiscard]] std::string text() const { return content(folder.file("out.log")); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
  }
  TempDirectory folder;
};

TEST_CASE("lines are in the file when send returns, and delivered") {
  FileBench bench;
  bench.start();
  CHECK(bench.send(bench.batch({"a", "b"})) == 2);
  CHECK(bench.text() == "a\nb\n");
  CHECK(bench.host.delivered() == 2);
}

TEST_CASE("plain is an object per line, out_file has tag and time") {
  FileBench bench;
  bench.start([](FileOutputOptions& o) { o.format = file_out::FileFormat::plain; });
  bench.send(bench.batch({"a\"b"}));
  CHECK(bench.text() == "{\"log\":\"a\\\"b\"}\n");
  FileBench other;
  other.start([](FileOutputOptions& o) { o.format = file_out::FileFormat::out_file; });
  other.send(other.batch({"a"}));
  CHECK(other.text() == "t: [1700000000.000000000, {\"log\":\"a\"}]\n");
}

TEST_CASE("a csv file begins with its columns' names, once, also after a restart and a rotation") {
  FileBench bench;
  const auto csv = [](FileOutputOptions& o) {
    o.format = file_out::FileFormat::csv;
    o.csv_column_names = true;
    o.delimiter = "tab";
    o.rotate = true;
    o.rotate_max_size.value = 90;
  };
  bench.start(csv);
  bench.send(bench.batch({"a", "b"}));
  CHECK(bench.text() == "timestamp\t\"log\"\n1700000000.000000000\t\"a\"\n1700000000.000000000\t\"b\"\n");
  bench.output->close();
  bench.start(csv);
  bench.send(bench.batch({"c"}));
  CHECK(bench.text().ends_with("\t\"b\"\n1700000000.000000000\t\"c\"\n"));
  bench.send(bench.batch({"d"}));
  CHECK(bench.text() == "timestamp\t\"log\"\n1700000000.000000000\t\"d\"\n");
}

TEST_CASE("a msgpack file is gone on with as it is, since it has no lines") {
  FileBench bench;
  bench.start([](FileOutputOptions& o) { o.format = file_out::FileFormat::msgpack; });
  bench.send(bench.batch({"a"}));
  const std::string one = bench.text();
  bench.output->reopen();
  bench.send(bench.batch({"a"}));
  CHECK(bench.text() == one + one);
}

TEST_CASE("many megabytes arrive whole and in order") {
  FileBench bench;
  bench.start();
  std::string expected;
  for (int i = 0; i < 10; ++i) {
    const BatchRef batch = bench.batch(2'000, 700);
    for (const Record& record : batch->records) expected.append(record.text()).append("\n");
    CHECK(bench.send(batch) == 2'000);
  }
  CHECK(bench.text() == expected);
}

TEST_CASE("a torn last line is ended before the first record") {
  FileBench bench;
  std::ofstream(bench.folder.file("out.log")) << "whole\ntorn";
  bench.start();
  bench.send(bench.batch({"a"}));
  CHECK(bench.text() == "whole\ntorn\na\n");
}

TEST_CASE("without the folder nothing is taken and the lane is told what to do") {
  FileBench bench;
  bench.start([&](FileOutputOptions& o) { o.path = bench.folder.file("x/y"); });
  CHECK(bench.send(bench.batch({"a"})) == 0);
  CHECK(bench.host.unavailables == 1);
  CHECK(bench.host.last_why.find("mkdir") != std::string::npos);
}

TEST_CASE("with mkdir the folder is made") {
  FileBench bench;
  bench.start([&](FileOutputOptions& o) {
    o.path = bench.folder.file("x/y");
    o.mkdir = true;
  });
  CHECK(bench.send(bench.batch({"a"})) == 1);
  CHECK(content(bench.folder.file("x/y/out.log")) == "a\n");
}

TEST_CASE("no tag leads out of the folder") {
  FileBench bench;
  bench.start([&](FileOutputOptions& o) {
    o.path = bench.folder.file("in");
    o.file.clear();
    o.mkdir = true;
  });
  const Tag evil{"../../x", 1};
  const Tag absolute{"/etc/x", 2};
  bench.send(bench.batch({"a"}, &evil));
  bench.send(bench.batch({"b"}, &absolute));
  CHECK(content(bench.folder.file("in/___.._x")) == "a\n");
  CHECK(bench.files() == 1);
  CHECK(content(bench.folder.file("in/_etc_x")) == "b\n");
}

TEST_CASE("names for tags keep what is harmless") {
  std::string name;
  const auto of = [&](std::string_view tag) {
    file_out::name_for_tag(tag, name);
    return name;
  };
  CHECK(of("t.var.log.a.log") == "t.var.log.a.log");
  CHECK(of("../../x") == "___.._x");
  CHECK(of("..") == "__");
  CHECK(of("") == "_");
  CHECK(of(std::string("a\0b", 3)) == "a_b");
  const std::string longest(300, 'a');
  CHECK(of(longest).size() < 230);
  CHECK(of(longest) != of(longest + "b"));
}

TEST_CASE("a file per tag, no more open than allowed") {
  FileBench bench;
  bench.start([](FileOutputOptions& o) {
    o.file.clear();
    o.max_open_files = 2;
  });
  std::vector<Tag> tags = {{"a", 1}, {"b", 2}, {"c", 3}};
  for (int round = 0; round < 2; ++round) {
    for (const Tag& tag : tags) CHECK(bench.send(bench.batch({"line"}, &tag)) == 1);
  }
  for (const char* name : {"a", "b", "c"}) CHECK(content(bench.folder.file(name)) == "line\nline\n");
}

TEST_CASE("a file that has reached its size is rotated, and the oldest are removed") {
  FileBench bench;
  bench.start([](FileOutputOptions& o) {
    o.rotate = true;
    o.rotate_max_size = {1000};
    o.rotate_max_files = 3;
  });
  for (int i = 0; i < 10; ++i) bench.send(bench.batch(11, 99));
  CHECK(bench.files() == 4);
  for (const auto& entry : std::filesystem::directory_iterator(bench.folder.path())) CHECK(entry.file_size() <= 1000);
  CHECK(bench.host.delivered() == 110);
}

TEST_CASE("a file of an earlier period is rotated by time") {
  FileBench bench;
  std::ofstream(bench.folder.file("out.log")) << "old\n";
  std::filesystem::last_write_time(bench.folder.file("out.log"),
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(25));
  bench.start([](FileOutputOptions& o) { o.rotate_every = {24 * 3600 * kSecond}; });
  bench.send(bench.batch({"new"}));
  bench.send(bench.batch({"newer"}));
  CHECK(bench.text() == "new\nnewer\n");
  CHECK(bench.files() == 2);
}

TEST_CASE("rotated names are told from other names") {
  const std::string name = file_out::rotated_name("a.log", 1'700'000'000 * kSecond, 0);
  CHECK(name == "a.log.20231114T221320Z");
  CHECK(file_out::is_rotated_name(name, "a.log"));
  CHECK(file_out::is_rotated_name(name + ".007", "a.log"));
  for (const char* other :
       {"a.log", "a.log.1", "a.log.20231114", "b.log.20231114T221320Z", "a.log.20231114T221320Z.gz"}) {
    CHECK_FALSE(file_out::is_rotated_name(other, "a.log"));
  }
}

TEST_CASE("after reopen a file that was moved away is begun anew") {
  FileBench bench;
  bench.start();
  bench.send(bench.batch({"a"}));
  std::filesystem::rename(bench.folder.file("out.log"), bench.folder.file("moved.log"));
  bench.send(bench.batch({"b"}));
  bench.output->reopen();
  bench.send(bench.batch({"c"}));
  CHECK(content(bench.folder.file("moved.log")) == "a\nb\n");
  CHECK(bench.text() == "c\n");
}

TEST_CASE("with sync batch records are delivered after the sync") {
  FileBench bench;
  bench.start([](FileOutputOptions& o) { o.sync = file_out::FileSync::batch; });
  CHECK(bench.send(bench.batch({"a", "b"})) == 2);
  CHECK(bench.send(bench.batch({"c"})) == 1);
  CHECK(bench.host.delivered() == 0);
  CHECK(bench.text() == "a\nb\nc\n");
  CHECK(bench.until([&] { return bench.host.delivered() == 3; }));
}

TEST_CASE("closing while a sync is under way settles nothing and waits for nothing") {
  FileBench bench;
  bench.start([](FileOutputOptions& o) { o.sync = file_out::FileSync::batch; });
  bench.send(bench.batch({"a"}));
  bench.output->close();
  bench.output.reset();
  for (int i = 0; i < 100; ++i) bench.loop.run_once();
  CHECK(bench.host.all.empty());
}

TEST_CASE("a full disk: what fits is delivered, the rest is not taken, and no torn line is left") {
  FileBench bench;
  bench.start();
  const BatchRef batch = bench.batch(3'000, 99);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{150'050, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::uint64_t taken = bench.send(batch);
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(taken == bench.host.delivered());
  CHECK(taken < 1'501);
  CHECK(bench.host.unavailables == 1);
  CHECK(bench.text().size() == taken * 100);
  CHECK(bench.send(batch, static_cast<std::uint32_t>(taken)) == 3'000 - taken);
  CHECK(bench.text().size() == 300'000);
}

TEST_CASE("a full device is told as such") {
  FileBench bench;
  bench.start([](FileOutputOptions& o) {
    o.path = "/dev";
    o.file = "full";
  });
  CHECK(bench.send(bench.batch({"a"})) == 0);
  CHECK(bench.host.last_reason == "disk_full");
}

TEST_CASE("a pipe that nobody reads is refused, not waited for") {
  FileBench bench;
  REQUIRE(mkfifo(bench.folder.file("out.log").c_str(), 0600) == 0);
  bench.start();
  CHECK(bench.send(bench.batch({"a"})) == 0);
  CHECK(bench.host.unavailables == 1);
}

TEST_CASE("options that can't be kept are refused in a sentence") {
  const auto problems = [](const std::vector<std::pair<std::string, std::string>>& keys) {
    return problems_of(kFileOutput.schema, kFileOutput.make_options(), keys);
  };
  CHECK_FALSE(problems({{"path", "/x"}, {"format", "plain"}, {"mkdir", "on"}}).failed());
  CHECK(problems({{"format", "xml"}}).text().find("out_file") != std::string::npos);
  CHECK(problems({{"file", "$TAG.log"}}).text().find("$TAG") != std::string::npos);
  CHECK(problems({{"max_open_files", "0"}}).failed());
  CHECK_FALSE(problems({{"rotate_max_size", "1M"}}).failed());
}

}  // namespace
}  // namespace logweir
