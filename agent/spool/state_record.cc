// SPDX-License-Identifier: Apache-2.0
#include "spool/state_record.h"

#include <array>

#include "spool/segments.h"

namespace logweir {

namespace {
constexpr std::size_t kStateSize = 2 * kSegmentStart;
}

std::optional<SpoolLabel> read_state(std::string_view bytes) {
  std::optional<SpoolLabel> newest;
  for (std::size_t slot = 0; slot < 2 && bytes.size() >= slot * kSegmentStart; ++slot) {
    const auto label = read_label(bytes.substr(slot * kSegmentStart), SpoolLabel::Kind::state);
    if (!label || label->a % 2 != slot || label->b > label->c) continue;
    if (!newest || label->a > newest->a) newest = label;
  }
  return newest;
}

Result<std::optional<SpoolLabel>> read_state(Disk& disk, const std::string& directory) {
  auto file = disk.open(directory + "/" + kStateName, Disk::Open::read);
  if (!file.ok() && file.status().code() == Code::not_found) return std::optional<SpoolLabel>();
  if (!file.ok()) return file.status();
  std::array<char, kStateSize> bytes{};
  auto got = file.value()->read(bytes.data(), bytes.size(), 0);
  if (!got.ok()) return got.status();
  return read_state(std::string_view(bytes.data(), got.value()));
}

Status StateRecord::open(Disk& disk, const std::string& directory, const std::optional<SpoolLabel>& state) {
  const std::string path = directory + "/" + kStateName;
  number_ = state ? state->a : 0;
  if (state) {
    auto file = disk.open(path, Disk::Open::write);
    if (!file.ok()) return file.status();
    file_ = std::move(file).value();
    return {};
  }
  auto file = disk.open(path, Disk::Open::create);
  if (!file.ok()) return file.status();
  file_ = std::move(file).value();
  if (Status allocated = file_->allocate(kStateSize); !allocated.ok()) return allocated;
  return {};
}

Status StateRecord::write(SpoolLabel& label) {
  label.a = number_ + 1;
  std::array<char, kLabelSize> bytes{};
  write_label(label, bytes.data());
  const iovec part{bytes.data(), bytes.size()};
  if (Status wrote = file_->write({&part, 1}, label.a % 2 * kSegmentStart); !wrote.ok()) return wrote;
  if (Status synced = file_->sync(); !synced.ok()) return synced;
  number_ = label.a;
  return {};
}

}  // namespace logweir
