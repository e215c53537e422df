// SPDX-License-Identifier: Apache-2.0
// bench_feeder FILE PORT: sends the file over one TCP connection as fast as the peer takes it.
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "net.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench_feeder FILE PORT\n");
    return 2;
  }
  const int from = bench::must(open(argv[1], O_RDONLY), "open");
  const int to = bench::dial(std::atoi(argv[2]));
  struct stat info{};
  bench::must(fstat(from, &info), "stat");
  off_t at = 0;
  while (at < info.st_size) {
    if (sendfile(to, from, &at, static_cast<std::size_t>(info.st_size - at)) <= 0) return 1;
  }
  return 0;
}
