// SPDX-License-Identifier: Apache-2.0
// What the spool costs by itself: spool_bench DIRECTORY, on the disk that is to be measured.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/disk.h"
#include "base/fd.h"
#include "spool/crc32c.h"
#include "spool/reader.h"
#include "spool/writer.h"
#include "tests/support/spool_frames.h"

namespace logweir {
namespace {

double cpu_now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

double wall_now() { return static_cast<double>(SystemClock().mono()) / 1e9; }

void require(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "spool_bench: %s\n", status.message().c_str());
  std::exit(1);
}

template <typename Work>
double best_of(int rounds, const Work& work) {
  constexpr int kTimes = 400;  // the processor's clock may be coarse
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const double start = cpu_now();
    for (int i = 0; i < kTimes; ++i) work();
    best = std::min(best, (cpu_now() - start) / kTimes);
  }
  return best;
}

void rate(const char* what, double bytes, double seconds) {
  std::printf("%-46s %9.0f MB/s\n", what, bytes / seconds / 1e6);
}

void codec() {
  LineBatch batch;
  for (int i = 0; i < 1000; ++i) batch.add(std::string(200, static_cast<char>('a' + i % 26)));
  const double bytes = 200.0 * 1000;
  std::string frame;
  const FramePlan plan = plan_frame(batch.all());
  frame.resize(plan.bytes);
  rate("crc32c, instruction", static_cast<double>(frame.size()), best_of(10, [&] { (void)crc32c(frame); }));
  rate("crc32c, table", static_cast<double>(frame.size()), best_of(10, [&] { (void)crc32c_table(frame); }));
  rate("encode 200-byte records (their bytes)", bytes,
       best_of(10, [&] { encode_frame(batch.all(), plan_frame(batch.all()), {1, 1, 1}, frame.data()); }));
  BatchPool batches(batch.pool());
  TestOrigins origins;
  rate("decode 200-byte records (their bytes)", bytes, best_of(10, [&] {
         if (!decode_frame(frame, batches, origins, Use::outflow).ok()) std::exit(1);
       }));
}

std::string frame_of_size(std::size_t size, const SpoolWriter& writer) {
  return frame_of({std::string(size - 150, 'x')}, {writer.mark(), writer.next(), 1});
}

const SpoolIdentity kBench{"bench", "nowhere"};

void reading(const std::string& directory) {
  RealDisk disk;
  auto opened = SpoolWriter::open(disk, directory + "/read", kBench, {}, 1);
  require(opened.status());
  SpoolWriter& writer = *opened.value();
  while (writer.next() < 4000) {
    const std::string frame = frame_of_size(64 << 10, writer);
    const std::string_view view = frame;
    require(writer.append({&view, 1}, 1));
  }
  require(writer.sync());
  SpoolReader reader(disk, directory + "/read", writer.mark());
  std::vector<char> memory(256 << 10);
  const double start = wall_now();
  SpoolRun run;
  for (std::uint64_t from = 1; from < writer.synced(); from = run.end) {
    require(reader.read({from, UINT64_MAX}, writer.stored(), memory, run));
    if (run.missing > 0) std::exit(1);
  }
  rate("read frames of 64 KiB from the page cache", 4000.0 * (64 << 10), wall_now() - start);
}

}  // namespace
}  // namespace logweir

int main(int count, char** words) {
  using namespace logweir;
  if (count != 2) {
    std::fprintf(stderr, "usage: spool_bench DIRECTORY\n");
    return 2;
  }
  const std::string directory = std::string(words[1]) + "/spool_bench";
  std::filesystem::create_directories(directory);
  codec();
  reading(directory);
  std::filesystem::remove_all(directory);
  return 0;
}
