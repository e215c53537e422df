// SPDX-License-Identifier: Apache-2.0
#include "spool/inspect.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "spool/crc32c.h"
#include "tests/support/real_spool.h"

namespace logweir {

TEST_CASE("list tells what waits without reading all of it") {
  Spool spool;
  spool.store(50);
  REQUIRE(spool.writer->trim(20, 1).ok());
  const auto info = inspect_spool(spool.disk, spool.directory);
  REQUIRE(info.ok());
  CHECK(info.value().instance == "http.0");
  CHECK(info.value().fingerprint == "https://logs.example/");
  CHECK(info.value().frontier == 20);
  CHECK(info.value().next == 51);
  CHECK(info.value().frames == 31);
  CHECK(info.value().records == 31);
  CHECK(info.value().oldest == 20);
  CHECK(info.value().bytes > 31'000);
}

TEST_CASE("list says when there is no spool or nothing to read it by") {
  Spool spool;
  CHECK(inspect_spool(spool.disk, spool.state_directory()).status().code() == Code::not_found);
  spool.store(1);
  REQUIRE(spool.disk.remove(spool.directory + "/state").ok());
  CHECK(inspect_spool(spool.disk, spool.directory).value().frames == 1);
  spool.flip(segment_name(1), 20);
  CHECK(inspect_spool(spool.disk, spool.directory).status().code() == Code::corrupt);
  spool.writer.reset();
  const auto opened = SpoolWriter::open(spool.disk, spool.directory, Spool::kMine, {}, 1);
  CHECK(opened.status().code() == Code::corrupt);
}

TEST_CASE("a newer format is told apart from damage, also when an old slot or segment is left") {
  const auto raise_version = [](const std::string& path, std::uint64_t at) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    std::string label(kLabelSize, '\0');
    file.seekg(static_cast<std::streamoff>(at));
    file.read(label.data(), kLabelSize);
    store(label.data() + 12, std::uint16_t{kSpoolVersion + 1});
    store(label.data() + 8, crc32c(std::string_view(label).substr(12)));
    CHECK(label_version(label) == kSpoolVersion + 1);
    file.seekp(static_cast<std::streamoff>(at));
    file.write(label.data(), kLabelSize);
    REQUIRE(file.good());
  };
  for (const bool is_state : {true, false}) {
    Spool spool;
    spool.store(50);
    REQUIRE(spool.writer->trim(5, 1).ok());
    raise_version(spool.directory + "/" + (is_state ? kStateName : segment_name(spool.writer->stored().newest)),
                  is_state ? kSegmentStart : 0);
    const Status status = inspect_spool(spool.disk, spool.directory).status();
    CHECK(status.code() == Code::invalid);
    CHECK(status.message().find("newer logweir (its version is 2") != std::string::npos);
    CHECK(cat_spool(spool.disk, spool.directory, [](auto&&...) { return true; }).code() == Code::invalid);
  }
}

TEST_CASE("verify names each damaged place") {
  Spool spool;
  spool.store(50);
  spool.flip(segment_name(1), 100);                   // the label
  spool.flip(segment_name(1), kSegmentStart + 1500);  // the second frame
  std::vector<SpoolDamage> damage;
  const auto check = verify_spool(spool.disk, spool.directory, [&](const SpoolDamage& d) { damage.push_back(d); });
  REQUIRE(check.ok());
  CHECK(check.value().frames == 49);
  CHECK(check.value().records == 49);
  CHECK(check.value().lost_frames == 1);
  REQUIRE(damage.size() == 2);
  CHECK(damage[0].file == segment_path(spool.directory, 1));
  CHECK(damage[0].frames == 0);
  CHECK(damage[1].offset > kSegmentStart);
  CHECK(damage[1].offset < kSegmentStart + 1500);
  CHECK(damage[1].bytes > 1000);
  CHECK(damage[1].frames == 1);
}

TEST_CASE("verify tells of a segment cut short") {
  Spool spool;
  spool.store(50);
  std::filesystem::resize_file(segment_path(spool.directory, 1), kSegmentStart + 1200);
  std::uint64_t lost = 0;
  const auto check = verify_spool(spool.disk, spool.directory, [&](const SpoolDamage& d) { lost += d.frames; });
  REQUIRE(check.ok());
  CHECK(lost > 5);
  CHECK(check.value().frames == 50 - lost);
  CHECK(check.value().lost_frames == lost);
}

TEST_CASE("cat gives what waits, in order, until it is told to stop") {
  Spool spool;
  spool.store(50);
  REQUIRE(spool.writer->trim(20, 1).ok());
  std::vector<std::uint64_t> seen;
  const Status status = cat_spool(spool.disk, spool.directory, [&](const FrameHead& head, std::string_view frame) {
    seen.push_back(head.sequence);
    CHECK(lines_of(frame).size() == 1);
    return head.sequence < 45;
  });
  REQUIRE(status.ok());
  CHECK(seen.front() == 20);
  CHECK(seen.back() == 45);
  CHECK(seen.size() == 26);
}

TEST_CASE("an age limit finds the frames that are older") {
  Spool spool;
  spool.store(50);  // their wall clocks are 1, 2, 3 ...
  const auto expired = expired_frames(spool.disk, spool.directory, spool.writer->mark(), {5, 51}, 30);
  REQUIRE(expired.ok());
  CHECK(expired.value().range.begin == 5);
  CHECK(expired.value().range.end == 30);
  CHECK(expired.value().frames == 25);
  CHECK(expired.value().records == 25);
  CHECK(expired_frames(spool.disk, spool.directory, spool.writer->mark(), {5, 51}, 5).value().frames == 0);
}

}  // namespace logweir
