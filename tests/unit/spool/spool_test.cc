// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.h"
#include "spool/reader.h"
#include "spool/writer.h"
#include "tests/support/faulty_disk.h"
#include "tests/support/real_spool.h"
#include "tests/support/spool_frames.h"

namespace logweir {

namespace {

std::vector<std::uint64_t> sequence(std::uint64_t begin, std::uint64_t end) {
  std::vector<std::uint64_t> all;
  for (; begin != end; ++begin) all.push_back(begin);
  return all;
}

}  // namespace

TEST_CASE("what was stored is read back, in order, over several segments") {
  Spool spool;
  spool.store(50);
  CHECK(spool.writer->stored().next == 51);
  CHECK(spool.numbers(1) == sequence(1, 51));
  CHECK(spool.numbers(17, 20) == sequence(17, 20));
  CHECK(spool.missing == 0);
}

TEST_CASE("a start takes up what is there and goes on behind it") {
  Spool spool;
  spool.store(50);
  REQUIRE(spool.writer->trim(30, 5).ok());
  spool.reopen();
  CHECK(spool.writer->recovered().frontier == 30);
  CHECK(spool.writer->recovered().next == 51);
  CHECK(spool.writer->recovered().records == 21);
  CHECK(spool.writer->recovered().missing == 0);
  spool.store(10);
  CHECK(spool.numbers(30) == sequence(30, 61));
  spool.reopen();
  CHECK(spool.writer->recovered().records == 31);
}

TEST_CASE("segments below the frontier go, one file is used again, and a rest leaves only the state") {
  Spool spool;
  spool.store(60);
  const std::size_t before = spool.names().size();
  REQUIRE(spool.writer->trim(40, 5).ok());
  CHECK(spool.names().size() < before);
  CHECK(std::filesystem::exists(spool.directory + "/spare"));
  spool.store(60);
  CHECK(spool.numbers(40) == sequence(40, 121));
  REQUIRE(spool.writer->trim(121, 6).ok());
  REQUIRE(spool.writer->rest(7).ok());
  CHECK(spool.names() == std::vector<std::string>{"lock", "state"});
  CHECK(spool.writer->bytes() == 0);
  spool.store(3);
  CHECK(spool.numbers(121) == sequence(121, 124));
  spool.reopen();
  CHECK(spool.writer->recovered().frontier == 121);
}

TEST_CASE("a damaged frame is passed over and counted, and the rest is kept") {
  Spool spool;
  spool.store(50);
  spool.flip(segment_name(1), kSegmentStart + 1500);  // the second frame
  CHECK(spool.numbers(1).size() == 49);
  CHECK(spool.missing == 1);
  spool.reopen();
  CHECK(spool.writer->recovered().missing == 1);
  CHECK(spool.numbers(1).front() == 1);
  CHECK(spool.numbers(1)[1] == 3);
}

TEST_CASE("a lost or unreadable label costs nothing but time") {
  Spool spool;
  spool.store(50);
  spool.flip(segment_name(1), 100);
  REQUIRE(std::filesystem::remove(spool.directory + "/state"));
  spool.reopen();
  CHECK(spool.writer->recovered().next == 51);
  CHECK(spool.writer->recovered().records == 50);
  CHECK(spool.numbers(1) == sequence(1, 51));
}

TEST_CASE("a segment that is gone is counted as missing") {
  Spool spool;
  spool.store(50);
  const auto segments = list_segments(spool.disk, spool.directory);
  REQUIRE(segments.value().size() > 3);
  const Segment gone = segments.value()[1];
  REQUIRE(spool.disk.remove(segment_path(spool.directory, gone.first)).ok());
  const std::size_t found = spool.numbers(1).size();
  CHECK(found == 50 - spool.missing);
  CHECK(spool.missing == segments.value()[2].first - gone.first);
}

TEST_CASE("a torn tail is cut") {
  Spool spool;
  spool.store(5);
  std::filesystem::resize_file(spool.directory + "/" + segment_name(1), kSegmentStart + 4 * 1112 + 500);
  spool.reopen();
  CHECK(spool.writer->recovered().next == 5);
  CHECK(spool.numbers(1) == sequence(1, 5));
  spool.store(1);
  CHECK(spool.numbers(1) == sequence(1, 6));
}

TEST_CASE("records for another destination are kept and not sent") {
  Spool spool;
  spool.store(5);
  spool.writer.reset();
  const auto other = SpoolWriter::open(spool.disk, spool.directory, {"http.0", "https://elsewhere/"}, {}, 1);
  CHECK(other.status().code() == Code::invalid);
  CHECK(other.status().message().find("https://logs.example/") != std::string::npos);
  spool.reopen();
  CHECK(spool.numbers(1) == sequence(1, 6));
}

TEST_CASE("a spool is open once") {
  Spool spool;
  CHECK(SpoolWriter::open(spool.disk, spool.directory, Spool::kMine, {}, 1).status().code() == Code::busy);
}

TEST_CASE("a spool at its limit says full and takes more once there is room") {
  Spool spool({16 << 10, 64 << 10, 0, false});
  Status status;
  int stored = 0;
  while ((status = spool.append(std::string(1000, 'x'))).ok()) ++stored;
  CHECK(status.code() == Code::full);
  CHECK(stored > 30);
  CHECK(spool.writer->bytes() <= 64 << 10);
  REQUIRE(spool.writer->sync().ok());
  REQUIRE(spool.writer->trim(spool.writer->next(), 1).ok());
  CHECK(spool.append("more").ok());
}

TEST_CASE("a spool leaves the file system the space it is told to") {
  Spool spool({16 << 10, 1 << 20, std::uint64_t{1} << 60, false});
  CHECK(spool.append("x").code() == Code::full);
}

TEST_CASE("a frame larger than a segment gets one of its own size") {
  Spool spool;
  spool.store(2);
  spool.store(1, 100'000);
  spool.store(2);
  CHECK(spool.numbers(1) == sequence(1, 6));
}

TEST_CASE("the newest can be read first") {
  Spool spool;
  spool.store(50);
  SpoolReader reader(spool.disk, spool.directory, spool.writer->mark());
  const auto ranges = reader.ranges(4, spool.writer->stored());
  REQUIRE(ranges.ok());
  REQUIRE(ranges.value().size() > 2);
  CHECK(ranges.value().front().begin == 4);
  CHECK(ranges.value().back().end == 51);
  for (std::size_t i = 1; i != ranges.value().size(); ++i) {
    CHECK(ranges.value()[i].begin == ranges.value()[i - 1].end);
  }
}

TEST_CASE("a segment whose making failed shuts out nothing of the one before") {
  FaultyDisk disk(1);
  const auto frame = [](const SpoolWriter& writer) {
    return frame_of({std::string(3000, 'x')}, {writer.mark(), writer.next(), 1});
  };
  auto opened = SpoolWriter::open(disk, "/spool", Spool::kMine, Spool::small(), 1);
  REQUIRE(opened.ok());
  SpoolWriter& writer = *opened.value();
  int stored = 0;
  for (int i = 0; i < 200; ++i) {
    disk.fail_one_in(i % 20 == 19 ? 0 : 3, 0);
    const std::string one = frame(writer);
    const std::string_view view = one;
    if (writer.append({&view, 1}, 1).ok() && writer.sync().ok()) ++stored;
  }
  const std::uint64_t next = writer.synced();
  opened.value().reset();
  disk.crash();
  disk.fail_one_in(0, 0);
  auto again = SpoolWriter::open(disk, "/spool", Spool::kMine, Spool::small(), 1);
  REQUIRE(again.ok());
  CHECK(stored > 20);
  CHECK(again.value()->recovered().next >= next);
  CHECK(again.value()->recovered().missing == 0);
}

TEST_CASE("a reader follows the writer") {
  Spool spool;
  SpoolReader reader(spool.disk, spool.directory, spool.writer->mark());
  std::vector<char> memory(4096);
  std::uint64_t from = 1;
  for (int i = 0; i < 60; ++i) {
    spool.store(1 + i % 3);
    while (from < spool.writer->stored().next) {
      SpoolRun run;
      REQUIRE(reader.read({from, UINT64_MAX}, spool.writer->stored(), memory, run).ok());
      CHECK(run.missing == 0);
      REQUIRE(run.end > from);
      for (const std::string_view frame : run.frames) {
        CHECK(lines_of(frame).at(0).substr(0, 5 + std::to_string(from).size()) == "line " + std::to_string(from));
        ++from;
      }
      CHECK(run.end == from);
    }
    if (i % 7 == 0) REQUIRE(spool.writer->trim(from, 1).ok());
  }
}

}  // namespace logweir
