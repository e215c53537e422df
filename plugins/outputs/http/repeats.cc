// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/http/repeats.h"

#include <fmt/format.h>

#include <algorithm>

namespace logweir::http_out {

namespace {

// Two independent mixes of a row of numbers: 128 bits.
struct Mix {
  explicit Mix(std::uint64_t seed) : a(seed ^ 0x9e3779b97f4a7c15), b(~seed) {}
  void add(std::uint64_t number) {
    a = scramble(a ^ number);
    b = scramble(b + number * 0xd6e8feb86659fd93);
  }
  static std::uint64_t scramble(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  std::uint64_t a;
  std::uint64_t b;
};

}  // namespace

void Repeats::remember(const Part& first, std::uint64_t skip, std::uint64_t count) {
  if (seen_.size() == most_) seen_.pop_front();
  seen_.push_back({first.batch, first.batch->read_at, first.first + skip, count});
}

std::uint64_t Repeats::take(const Part& first, std::uint64_t otherwise) {
  const auto found = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& one) {
    return one.batch == first.batch && one.read_at == first.batch->read_at && one.first == first.first;
  });
  if (found == seen_.end()) return otherwise;
  const std::uint64_t count = found->count;
  seen_.erase(found);
  return count;
}

std::string idempotency_key(std::span<const Part> parts, Stretch stretch, std::uint64_t seed) {
  Mix mix(seed);
  Part run{};  // neighbours of one batch count as one part
  const auto add = [&mix](const Part& part) {
    if (part.batch == nullptr) return;
    mix.add(reinterpret_cast<std::uintptr_t>(part.batch));
    mix.add(static_cast<std::uint64_t>(part.batch->read_at));
    mix.add(part.batch->records[part.first].position);
    mix.add(std::uint64_t{part.first} << 32 | part.last);
  };
  for (Part part : parts) {
    const std::uint64_t pass = std::min<std::uint64_t>(stretch.skip, part.count());
    stretch.skip -= pass;
    part.first += static_cast<std::uint32_t>(pass);
    const std::uint64_t use = std::min<std::uint64_t>(stretch.count, part.count());
    stretch.count -= use;
    part.last = part.first + static_cast<std::uint32_t>(use);
    if (use == 0) continue;
    if (part.batch == run.batch && part.first == run.last) {
      run.last = part.last;
      continue;
    }
    add(run);
    run = part;
  }
  add(run);
  return fmt::format("{:016x}{:016x}", mix.a, mix.b);
}

}  // namespace logweir::http_out
