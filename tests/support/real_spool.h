// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "spool/directory.h"
#include "spool/reader.h"
#include "spool/writer.h"
#include "tests/support/spool_frames.h"
#include "tests/support/temp_directory.h"

namespace logweir {

// A spool on the real disk with small segments, and the verbs of its tests.
class Spool {
  TempDirectory temp_;

 public:
  inline static const SpoolIdentity kMine{"http.0", "https://logs.example/"};

  explicit Spool(SpoolOptions options = small()) : options_(options) { reopen(); }
  static SpoolOptions small() { return {16 << 10, 1 << 20, 0, false}; }

  void reopen() {
    writer.reset();
    auto opened = SpoolWriter::open(disk, directory, kMine, options_, 1000);
    REQUIRE_MESSAGE(opened.ok(), opened.status().message());
    writer = std::move(opened).value();
  }
  Status append(const std::string& line) {
    const std::string frame = frame_of({line}, {writer->mark(), writer->next(), wall++});
    const std::string_view view = frame;
    return writer->append({&view, 1}, wall);
  }
  // Stores so many lines, "line <sequence> xxx...".
  void store(int count, std::size_t size = 1000) {
    for (int i = 0; i < count; ++i) {
      const std::string line = "line " + std::to_string(writer->next()) + " ";
      REQUIRE(append(line + std::string(size, 'x')).ok());
    }
    REQUIRE(writer->sync().ok());
  }
  // The numbers of the lines that can be read.
  std::vector<std::uint64_t> numbers(std::uint64_t from, std::uint64_t to = UINT64_MAX) {
    SpoolReader reader(disk, directory, writer->mark());
    std::vector<std::uint64_t> found;
    std::vector<char> memory(20'000);
    missing = 0;
    while (from < writer->stored().next && from < to) {
      SpoolRun run;
      REQUIRE(reader.read({from, to}, writer->stored(), memory, run).ok());
      missing += run.missing;
      for (const std::string_view frame : run.frames) found.push_back(std::stoull(lines_of(frame).at(0).substr(5)));
      if (run.needs > memory.size()) memory.resize(run.needs);
      from = run.end;
    }
    return found;
  }
  std::vector<std::string> names() {
    std::vector<std::string> all;
    auto entries = disk.files(directory);
    for (const Disk::Entry& entry : entries.value()) all.push_back(entry.name);
    std::sort(all.begin(), all.end());
    return all;
  }
  void flip(const std::string& name, std::uint64_t at) {
    std::fstream file(directory + "/" + name, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ 1));
    REQUIRE(file.good());
  }

  [[nodiscard]] const std::string& state_directory() const { return temp_.path(); }

  RealDisk disk;
  std::string directory = spool_directory(temp_.path(), kMine, 0);
  std::unique_ptr<SpoolWriter> writer;
  Nanos wall = 1;
  std::uint64_t missing = 0;

 private:
  SpoolOptions options_;
};

}  // namespace logweir
