// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace logweir {

enum class Code : unsigned char {
  ok,
  invalid,  // what was asked makes no sense (a conf, an argument)
  not_found,
  denied,       // permission, read-only
  busy,         // somebody else holds it
  full,         // a disk, a budget, a limit
  corrupt,      // outside bytes that are damaged
  unavailable,  // a peer or resource that may come back
  io,           // any other failure of the system
};

// Value. The outcome of set-up, disk and peer calls: ok is a null pointer (free to pass and test), a failure
// carries a code and one sentence that says what was asked, what was found and what to do.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);
  Status(const Status& other);
  Status& operator=(const Status& other);
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;
  ~Status() = default;

  // Takes the current `errno`'s number and adds its text: "open /x/y: Permission denied".
  static Status from_errno(int error, std::string_view what);

  [[nodiscard]] bool ok() const { return rep_ == nullptr; }
  [[nodiscard]] Code code() const { return rep_ ? rep_->code : Code::ok; }
  [[nodiscard]] const std::string& message() const;

  // The same failure, said from one level higher: "while opening output tcp.0: ...". Ok stays ok.
  [[nodiscard]] Status while_doing(std::string_view what) &&;

 private:
  struct Rep {
    Code code;
    std::string message;
  };
  std::unique_ptr<Rep> rep_;
};

// Value. Either a T or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {  // NOLINT(google-explicit-constructor)
    LW_CHECK(!status_.ok());
  }
  [[nodiscard]] bool ok() const { return value_.has_value(); }
  [[nodiscard]] const Status& status() const { return status_; }
  [[nodiscard]] T& value() & {
    LW_CHECK(ok());
    return *value_;
  }
  [[nodiscard]] const T& value() const& {
    LW_CHECK(ok());
    return *value_;
  }
  [[nodiscard]] T&& value() && {
    LW_CHECK(ok());
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace logweir
