// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "record/batch.h"

namespace logweir {

// Value. Tables of a batch as they were before somebody worked on it; its capacity is kept.
struct Spare {
  std::vector<Record> records;
  std::vector<Field> fields;  // those of the records, one record's after the other's
};

namespace contain_detail {

inline void save(const Batch& batch, Spare& spare) {
  spare.records.assign(batch.records.begin(), batch.records.end());
  spare.fields.clear();
  for (const Record& record : spare.records) {
    const auto first = batch.fields.begin() + record.fields;
    if (record.field_count > 0) spare.fields.insert(spare.fields.end(), first, first + record.field_count);
  }
}

inline void restore(Batch& batch, const Spare& spare) {
  batch.records.assign(spare.records.begin(), spare.records.end());
  auto from = spare.fields.begin();
  for (const Record& record : spare.records) {
    for (std::uint32_t i = 0; i < record.field_count; ++i) batch.fields[record.fields + i] = *from++;
  }
}

// False: it threw, `what` says what, and the records are as they were.
template <typename Work>
bool attempt(Batch& batch, Spare& spare, std::string& what, const Work& work) {
  save(batch, spare);
  try {
    work(batch);
    return true;
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
    what = "something that is no std::exception";
  }
  restore(batch, spare);
  return false;
}

template <typename Work, typename Poison>
void halve(Batch& batch, std::vector<Record> all, const Work& work, const Poison& poison) {
  std::vector<Record> kept;
  Spare spare;
  std::string what;
  // Runs that are still to be done, the next one last.
  std::vector<std::pair<std::size_t, std::size_t>> runs{{0, all.size()}};
  for (bool first = true; !runs.empty(); first = false) {
    const auto [begin, end] = runs.back();
    runs.pop_back();
    batch.records.assign(all.begin() + static_cast<std::ptrdiff_t>(begin),
                         all.begin() + static_cast<std::ptrdiff_t>(end));
    if ((!first || end - begin == 1) && attempt(batch, spare, what, work)) {  // all of them were tried before
      kept.insert(kept.end(), batch.records.begin(), batch.records.end());
    } else if (end - begin == 1) {
      poison(batch, all[begin], std::string_view(what));
    } else {
      const std::size_t middle = begin + (end - begin) / 2;
      runs.emplace_back(middle, end);
      runs.emplace_back(begin, middle);
    }
  }
  batch.records.swap(kept);
}

}  // namespace contain_detail

// Lets `work(batch)` change the batch's records; when it throws, splits them until each record it throws over is alone,
// takes those out and tells `poison(batch, record, what)` of them. The others stay, in order, worked upon. Without a
// throw it costs a copy of the tables and no allocation.
template <typename Work, typename Poison>
void contained(Batch& batch, Spare& spare, const Work& work, const Poison& poison) {
  std::string what;
  if (contain_detail::attempt(batch, spare, what, work)) return;
  contain_detail::halve(batch, batch.records, work, poison);
}

}  // namespace logweir
