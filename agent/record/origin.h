// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace logweir {

// Resource. A tag and its number within this worker (dense, from 0; the router keeps a table by it). Lives as long
// as the worker's TagTable.
struct Tag {
  std::string text;
  std::uint32_t id;
};

// Value, shared by a plain count on one worker's thread. What all records of a batch have in common: a file (or its
// name), a connection. Made once per file or connection, never per batch; never changed after its first batch.
struct Origin {
  const Tag* tag = nullptr;
  std::string text_key = "log";  // the name of a text body
  std::string offset_key;        // when not empty: a field of this name with Record::position
  std::vector<std::pair<std::string, std::string>> attached;  // fields of every record, in front of its own (path_key)
  std::uint32_t refs = 0;
};

class OriginRef {
 public:
  OriginRef() = default;
  explicit OriginRef(Origin* origin) : origin_(origin) {
    if (origin_ != nullptr) ++origin_->refs;
  }
  OriginRef(const OriginRef& other) : OriginRef(other.origin_) {}
  OriginRef(OriginRef&& other) noexcept : origin_(std::exchange(other.origin_, nullptr)) {}
  OriginRef& operator=(OriginRef other) noexcept {
    std::swap(origin_, other.origin_);
    return *this;
  }
  ~OriginRef() {
    if (origin_ != nullptr && --origin_->refs == 0) delete origin_;
  }
  static OriginRef make(Origin value) { return OriginRef(new Origin(std::move(value))); }

  [[nodiscard]] const Origin* get() const { return origin_; }
  const Origin* operator->() const { return origin_; }
  [[nodiscard]] explicit operator bool() const { return origin_ != nullptr; }

 private:
  Origin* origin_ = nullptr;
};

}  // namespace logweir
