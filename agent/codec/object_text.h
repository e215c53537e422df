// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/date_text.h"
#include "codec/kernel.h"
#include "record/batch.h"
#include "record/record_id.h"

namespace logweir {

// Resource. Writes records as JSON objects: the date and the origin's attached fields in front, then the record's own,
// then offset, truncation and id. A name that the record has itself is never added a second time, except that of the
// id, which takes the other's place; the bytes of a JSON body are copied as they are but for the parts that are cut
// out.
//
// All `at` pointers have `bound` bytes and kJsonSlack behind them.
class ObjectText {
 public:
  // An empty `id_key`: no ids.
  ObjectText(std::string date_key, DateFormat format, std::string_view id_key = {});

  // Prepares what all records of this batch share; asked once per batch. Nearly free when its origin says the same as
  // the last one's.
  void begin(const Batch& batch);

  // How long the record can get at most; `exact` looks at its bytes instead of taking the worst for granted.
  [[nodiscard]] std::size_t bound(const Batch& batch, const Record& record, bool exact) const;
  char* write(char* at, const Batch& batch, const Record& record);

  // Whether an object is precisely the bytes of its JSON body.
  [[nodiscard]] bool is_untouched(const Record& record) const {
    return record.body == Body::json && prefix_size_ == 1 && is_closed(record);
  }
  // Whether it is a prefix and then the bytes of its JSON body, from behind the opening bracket to the end.
  [[nodiscard]] bool is_prefixed(const Record& record) const {
    return record.body == Body::json && is_closed(record) && !has_member_conflict(record);
  }
  char* write_prefix(char* at, const Record& record);
  [[nodiscard]] std::size_t prefix_bound() const { return prefix_size_ + kCopySlack; }

  [[nodiscard]] std::uint64_t repaired() const { return repaired_; }

 private:
  // A member in front: its name, and `"name":value,` as a part of the prefix.
  struct Added {
    std::string key;
    std::uint64_t bits = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  // A member behind.
  struct Mark {
    std::string key;
    std::string text;  // `"name":`
    std::uint64_t bits = 0;
  };
  static constexpr std::size_t kCopySlack = 64;

  void add(std::string_view key, std::string_view value);
  static void name(std::string_view key, Mark& mark, std::uint64_t& repaired);
  [[nodiscard]] bool is_closed(const Record& record) const {
    return record.field_count == 0 && (record.flags & Record::kTruncated) == 0 && !has_marks_;
  }
  [[nodiscard]] bool has_member_conflict(const Record& record) const;
  [[nodiscard]] bool has_own(const Batch& batch, const Record& record, std::string_view key, std::uint64_t bits) const;
  void prepare(const Origin& origin);
  [[nodiscard]] bool is_id(std::string_view key) const { return has_id_ && key == id_.key; }
  void set_date(Nanos time);
  char* write_added(char* at, const Batch& batch, const Record& record);
  char* write_text(char* at, const Batch& batch, const Record& record);
  char* write_body(char* at, const Batch& batch, const Record& record);
  void cut_id(const Record& record);
  char* write_cut(char* at, const Batch& batch, const Record& record);
  char* write_fields(char* at, const Batch& batch, const Record& record);
  char* write_value(char* at, const Value& value);
  char* write_marks(char* at, const Batch& batch, const Record& record);
  char* write_id(char* at, const Batch& batch, const Record& record);

  const Kernel& kernel_ = kernel();
  const std::string date_key_;
  DateText date_;
  std::uint64_t repaired_ = 0;
  Mark id_;
  bool has_id_ = false;  // of the batch at hand
  Ordinals ordinals_;

  // of the origin at hand, by value: it may belong to another worker, whose counts are not ours to touch
  bool begun_ = false;
  std::string text_key_;
  std::string offset_key_;
  std::vector<std::pair<std::string, std::string>> attached_;
  std::vector<Added> added_;
  std::string prefix_;  // `{"date":1700000000.123456,"file":"a.log","log":"`; zeros behind it to copy in blocks
  std::size_t prefix_size_ = 0;  // without the text key
  std::size_t text_prefix_size_ = 0;
  bool text_conflict_ = false;  // a member in front has the text key's name
  std::size_t date_at_ = 0;     // of the value in prefix_
  std::size_t date_size_ = 0;
  Nanos date_time_ = 0;
  Mark offset_;
  Mark truncated_;
  bool has_marks_ = false;  // something follows each record's own
  struct Cut {
    std::uint32_t begin;
    std::uint32_t end;
  };
  std::vector<Cut> cuts_;
};

}  // namespace logweir
