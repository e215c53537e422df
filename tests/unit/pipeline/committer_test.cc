// SPDX-License-Identifier: Apache-2.0
#include "pipeline/committer.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/disk.h"
#include "spool/frame.h"
#include "spool/reader.h"
#include "support/eventually.h"
#include "support/line_batch.h"
#include "support/temp_directory.h"

namespace logweir {

namespace {

// A spool, and commits of one frame each that are submitted in a row.
struct CommitBench {
  explicit CommitBench(const Committer::Options& options, unsigned count)
      : committer(std::make_unique<Committer>(clock, options)) {
    auto opened = SpoolWriter::open(disk, directory.file("spool"), {"out", "there"}, {}, clock.wall());
    REQUIRE(opened.ok());
    writer = std::move(opened).value();
    commits.resize(count);
    frames.resize(count);
    for (unsigned i = 0; i < count; ++i) {
      LineBatch lines;
      lines.add("line " + std::to_string(i));
      const Part part = lines.all();
      const FramePlan plan = plan_frame(part);
      frames[i].resize(plan.bytes);
      encode_frame(part, plan, {writer->mark(), i + 1, clock.wall()}, frames[i].data());
      commits[i].writer = writer.get();
      commits[i].frames = {frames[i]};
      commits[i].bytes = plan.bytes;
      commits[i].done = [this] { ++done; };
    }
  }
  void submit_all() {
    for (Commit& commit : commits) committer->submit(commit);
  }
  bool all_done() {
    return eventually([this] { return done == commits.size(); });
  }
  SystemClock clock;
  RealDisk disk;
  TempDirectory directory;
  std::unique_ptr<SpoolWriter> writer;
  std::vector<std::string> frames;
  std::vector<Commit> commits;
  std::atomic<std::size_t> done{0};
  std::unique_ptr<Committer> committer;
};

}  // namespace

TEST_CASE("each commit by itself is a group of its own") {
  CommitBench bench({.mode = CommitMode::each}, 20);
  bench.submit_all();
  REQUIRE(bench.all_done());
  CHECK(bench.committer->stats().groups == 20);
  CHECK(bench.writer->synced() == 21);
}

TEST_CASE("what comes while a group is held open is synced with it, and every commit hears how far the spool reaches") {
  CommitBench bench({.mode = CommitMode::group, .max_delay = 200 * kMillisecond}, 20);
  bench.submit_all();
  REQUIRE(bench.all_done());
  CHECK(bench.committer->stats().groups <= 2);
  CHECK(bench.committer->stats().commits == 20);
  for (const Commit& commit : bench.commits) {
    CHECK(commit.status.ok());
    CHECK(commit.next == bench.commits.back().next);
  }
  CHECK(bench.commits.back().stored.next == 21);
}

TEST_CASE("a group that has enough bytes is not held any longer") {
  CommitBench bench({.mode = CommitMode::group, .max_delay = 3600 * kSecond, .max_bytes = 1}, 1);
  bench.submit_all();
  CHECK(bench.all_done());
}

TEST_CASE("what was submitted before the end is done, however long a group would be held") {
  CommitBench bench({.mode = CommitMode::group, .max_delay = 3600 * kSecond}, 3);
  bench.submit_all();
  bench.committer.reset();
  CHECK(bench.done == 3);
  CHECK(bench.writer->synced() == 4);
}

}  // namespace logweir
