// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/files.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "plugins/inputs/tail/names.h"

namespace logweir::tail {

namespace {

std::int64_t last_write(const TailFile& file) {
  const auto stat = file.fd ? stat_fd(file.fd.get()) : stat_path(file.path.c_str());
  return stat ? stat->mtime : 0;
}

// Of its generation; 0 when it has none.
std::int64_t born(const TailFile& file) {
  if (file.known != nullptr) return file.known->born;
  return file.uid != 0 ? file.born : 0;
}

}  // namespace

TailFile& Files::add(const Identity& id) {
  auto made = std::make_unique<TailFile>(next_serial_++);
  TailFile& file = *made;
  file.id = id;
  files_.emplace(file.serial, std::move(made));
  by_inode_.emplace(std::pair(id.dev, id.ino), &file);
  return file;
}

void Files::number(TailFile& file, FileNumber number) {
  file.number = number;
  if (number >= by_number_.size()) by_number_.resize(number + 1);
  by_number_[number] = &file;
}

void Files::leave_stream(TailFile& file) {
  if (file.before != nullptr) file.before->after = file.after;
  if (file.after != nullptr) file.after->before = file.before;
  const auto newest = newest_.find(hash64(file.stream_name()));
  if (newest != newest_.end() && newest->second == &file) {
    if (file.before != nullptr) {
      newest->second = file.before;
    } else {
      newest_.erase(newest);
    }
  }
  file.before = file.after = nullptr;
}

void Files::remove(TailFile& file) {
  leave_stream(file);
  if (file.number != kNoFile) by_number_[file.number] = nullptr;
  const auto [from, to] = by_inode_.equal_range({file.id.dev, file.id.ino});
  for (auto at = from; at != to; ++at) {
    if (at->second != &file) continue;
    by_inode_.erase(at);
    break;
  }
  files_.erase(file.serial);
}

TailFile* Files::by_number(FileNumber number) const {
  return number < by_number_.size() ? by_number_[number] : nullptr;
}

TailFile* Files::by_serial(std::uint64_t serial) const {
  const auto found = files_.find(serial);
  return found == files_.end() ? nullptr : found->second.get();
}

TailFile* Files::by_inode(const Identity& id) const {
  const auto [from, to] = by_inode_.equal_range({id.dev, id.ino});
  for (auto at = from; at != to; ++at) {
    if (at->second->id.same_birth(id)) return at->second;
  }
  return nullptr;
}

TailFile* Files::newest(std::string_view stream) const {
  const auto found = newest_.find(hash64(stream));
  return found == newest_.end() ? nullptr : found->second;
}

TailFile* Files::enter_stream(TailFile& file) {
  TailFile*& newest = newest_[hash64(file.stream_name())];
  TailFile* younger = nullptr;
  for (TailFile* at = newest; at != nullptr && at != &file && is_older(file, *at); at = at->before) younger = at;
  if (younger != nullptr) {
    put_before(file, *younger);
    return file.before;
  }
  TailFile* const older = std::exchange(newest, &file);
  if (older == nullptr || older == &file) return nullptr;
  older->after = &file;
  file.before = older;
  return older;
}

std::int64_t Files::birth_of(const TailFile& file, std::int64_t now) {
  const TailFile* older = file.before;
  while (older != nullptr && born(*older) == 0) older = older->before;
  const TailFile* younger = file.after;
  while (younger != nullptr && born(*younger) == 0) younger = younger->after;
  // With room on both sides: more may come in between, and in any order.
  constexpr std::int64_t kApart = 10'000;
  if (older != nullptr && younger != nullptr) return born(*older) + (born(*younger) - born(*older)) / 2;
  if (older != nullptr) return std::max(now, born(*older) + kApart);
  if (younger != nullptr) return std::min(now, born(*younger) - kApart);
  return now;
}

bool Files::is_older(const TailFile& a, const TailFile& b) {
  if (a.known != nullptr && born(b) != 0) return born(a) < born(b);
  if (a.is_current() || b.is_current()) return !a.is_current();
  const std::int64_t one = last_write(a);
  const std::int64_t two = last_write(b);
  return one != two ? one < two : is_older_name(a.path, b.path);
}

void Files::put_before(TailFile& older, TailFile& file) {
  older.before = file.before;
  if (older.before != nullptr) older.before->after = &older;
  older.after = &file;
  file.before = &older;
}

TailFile* Files::release(TailFile& file) {
  TailFile* const waiting = std::exchange(file.after, nullptr);
  if (waiting != nullptr) waiting->before = nullptr;
  return waiting;
}

void Files::clear() {
  newest_.clear();
  by_inode_.clear();
  by_number_.clear();
  files_.clear();
}

}  // namespace logweir::tail
