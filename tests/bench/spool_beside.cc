// SPDX-License-Identifier: Apache-2.0
// A spool beside a plain program that writes the same bytes to one file that grows and syncs it as often; in turns, so
// that what else the disk has to do falls on both. The spool's side encodes its frames and goes through the committer.
#include <deque>
#include <future>

#include "pipeline/committer.h"
#include "spool/frame.h"
#include "spool/writer.h"
#include "tests/bench/spool_parts.h"

namespace logweir {
namespace {

class SpoolSide {
 public:
  SpoolSide(Disk& disk, const std::string& directory, std::size_t batch, int at_once)
      : opened_(SpoolWriter::open(disk, directory + "/spool", kBenchSpool, {}, 1)), committer_(clock_, {}) {
    require(opened_.status());
    fill_batch(batch_, batch);
    plan_ = plan_frame(batch_.all());
    for (int i = 0; i < at_once; ++i) {
      commits_.emplace_back().writer = opened_.value().get();
      frames_.emplace_back(plan_.bytes, '?');
    }
  }
  [[nodiscard]] const std::deque<std::string>& frames() const { return frames_; }

  void store() {
    std::vector<std::promise<void>> done(commits_.size());
    const std::uint64_t first = next_;
    for (std::size_t i = 0; i < commits_.size(); ++i) {
      encode_frame(batch_.all(), plan_, {opened_.value()->mark(), next_++, 1}, frames_[i].data());
      Commit& commit = commits_[i];
      commit.frames = {frames_[i]};
      commit.bytes = frames_[i].size();
      commit.trim_to = i == 0 && first > 1 && first % 1024 < commits_.size() ? first : 0;
      commit.done = [&done, i] { done[i].set_value(); };
      committer_.submit(commit);
    }
    for (auto& one : done) one.get_future().wait();
    for (const Commit& commit : commits_) require(commit.status);
  }

 private:
  SystemClock clock_;
  Result<std::unique_ptr<SpoolWriter>> opened_;
  LineBatch batch_;
  FramePlan plan_;
  std::deque<std::string> frames_;
  std::deque<Commit> commits_;
  std::uint64_t next_ = 1;
  Committer committer_;
};

}  // namespace

int bench_beside(const std::string& directory, std::size_t batch, int at_once, int rounds) {
  const SystemClock clock;
  RealDisk disk;
  SpoolSide spool(disk, directory, batch, at_once);
  auto plain = disk.open(directory + "/plain", Disk::Open::create);
  require(plain.status());
  std::uint64_t offset = 0;
  const auto plain_store = [&] {
    std::vector<iovec> parts;
    for (const std::string& frame : spool.frames()) parts.push_back({const_cast<char*>(frame.data()), frame.size()});
    require(plain.value()->write(parts, offset));
    require(plain.value()->sync());
    for (const iovec& part : parts) offset += part.iov_len;
  };
  constexpr int kTurn = 4;
  std::vector<Nanos> spool_times;
  std::vector<Nanos> plain_times;
  Nanos spool_sum = 0;
  Nanos plain_sum = 0;
  for (int i = 0; i < rounds; ++i) {
    const bool spools = i / kTurn % 2 == 0;
    const Nanos began = clock.mono();
    spools ? spool.store() : plain_store();
    const Nanos took = clock.mono() - began;
    (spools ? spool_times : plain_times).push_back(took);
    (spools ? spool_sum : plain_sum) += took;
  }
  double bytes = 0;
  for (const std::string& frame : spool.frames()) bytes += static_cast<double>(frame.size());
  const auto rate = [bytes](std::size_t times, Nanos sum) {
    return bytes * static_cast<double>(times) / static_cast<double>(sum) * 1e3;
  };
  std::printf(
      "{\"spool_mb_s\":%.1f,\"plain_mb_s\":%.1f,\"spool_p50\":%.3f,\"plain_p50\":%.3f,\"spool_p99\":%.3f,"
      "\"plain_p99\":%.3f}\n",
      rate(spool_times.size(), spool_sum), rate(plain_times.size(), plain_sum), quantile(spool_times, 0.5),
      quantile(plain_times, 0.5), quantile(spool_times, 0.99), quantile(plain_times, 0.99));
  return 0;
}

int bench_open(const std::string& directory, int segments) {
  const SystemClock clock;
  RealDisk disk;
  const std::string path = directory + "/many";
  {
    // A segment holds one frame.
    auto opened = SpoolWriter::open(disk, path, kBenchSpool, {8192, std::uint64_t{1} << 40, 0, false, false}, 1);
    require(opened.status());
    LineBatch batch;
    fill_batch(batch, 4096);
    const FramePlan plan = plan_frame(batch.all());
    std::string frame(plan.bytes, '?');
    for (int i = 0; i < segments; ++i) {
      encode_frame(batch.all(), plan, {opened.value()->mark(), opened.value()->next(), 1}, frame.data());
      const std::string_view view = frame;
      require(opened.value()->append({&view, 1}, 1));
    }
    require(opened.value()->sync());
  }
  std::vector<Nanos> times;
  std::uint64_t frames = 0;
  for (int round = 0; round < 5; ++round) {
    const Nanos began = clock.mono();
    auto opened = SpoolWriter::open(disk, path, kBenchSpool, {}, 1);
    require(opened.status());
    times.push_back(clock.mono() - began);
    frames = opened.value()->recovered().next - opened.value()->recovered().frontier;
  }
  if (frames != static_cast<std::uint64_t>(segments)) {
    std::fprintf(stderr, "bench_spool: %d segments were made and %llu frames found\n", segments,
                 static_cast<unsigned long long>(frames));
    return 1;
  }
  std::printf("{\"segments\":%d,\"ms\":%.2f,\"worst_ms\":%.2f}\n", segments, quantile(times, 0.5), quantile(times, 1));
  return 0;
}

}  // namespace logweir
