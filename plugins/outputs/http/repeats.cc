// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/http/repeats.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "record/record_id.h"

namespace logweir::http_out {

namespace {

// Two independent mixes of a row of pairs of numbers: 128 bits.
struct Mix {
  void add(std::uint64_t x, std::uint64_t y) {
    a = fold(a ^ x, 0x9e3779b97f4a7c15 ^ y);
    b = fold(b + x, 0xd6e8feb86659fd93 ^ y);
  }
  // Both halves of the product: each bit of the factors moves many of the result.
  static std::uint64_t fold(std::uint64_t x, std::uint64_t y) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(x ^ 0xbf58476d1ce4e5b9) * (y ^ 0x94d049bb133111eb);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^ std::rotl(x, 29);
  }
  std::uint64_t a = 0x2545f4914f6cdd1d;
  std::uint64_t b = 0x5851f42d4c957f2d;
};

// Records without an id are told apart by where they are in this process.
void add_place(Mix& mix, const Batch& batch, std::uint32_t index) {
  mix.add(reinterpret_cast<std::uintptr_t>(&batch), static_cast<std::uint64_t>(batch.read_at));
  mix.add(batch.records[index].position, index);
}

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

std::string idempotency_key(std::span<const Part> parts, Stretch stretch, const KeyBasis& basis) {
  Mix mix;
  mix.add(basis.form, stretch.count);
  Ordinals ordinals;
  for (const Part& part : parts) {
    const std::uint64_t pass = std::min<std::uint64_t>(stretch.skip, part.count());
    stretch.skip -= pass;
    const std::uint64_t use = std::min<std::uint64_t>(stretch.count, part.count() - pass);
    stretch.count -= use;
    const Batch& batch = *part.batch;
    const auto first = part.first + static_cast<std::uint32_t>(pass);
    ordinals.restart();
    for (std::uint32_t i = first; i != first + use; ++i) {
      const Record& record = batch.records[i];
      if (batch.source == 0) {
        mix.add(basis.run, 0);
        add_place(mix, batch, i);
      }
      mix.add(batch.source ^ std::uint64_t{ordinals.of(batch, record)} << 32, record.position);
      if (basis.timed) mix.add(static_cast<std::uint64_t>(record.time), 0);
    }
  }
  return fmt::format("{:016x}{:016x}", mix.a, mix.b);
}

}  // namespace logweir::http_out
