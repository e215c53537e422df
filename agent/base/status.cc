// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <cerrno>
#include <cstring>

namespace logweir {

namespace {

Code code_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return Code::not_found;
    case EACCES:
    case EPERM:
    case EROFS:
      return Code::denied;
    case EAGAIN:
    case EBUSY:
    case EADDRINUSE:
      return Code::busy;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
      return Code::full;
    case ECONNREFUSED:
    case ECONNRESET:
    case EPIPE:
    case ETIMEDOUT:
    case EHOSTUNREACH:
    case ENETUNREACH:
      return Code::unavailable;
    default:
      return Code::io;
  }
}

}  // namespace

Status::Status(Code code, std::string message) : rep_(std::make_unique<Rep>(Rep{code, std::move(message)})) {
  LW_CHECK(code != Code::ok);
}

Status::Status(const Status& other) : rep_(other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr) {}

Status& Status::operator=(const Status& other) {
  if (this != &other) rep_ = other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr;
  return *this;
}

Status Status::from_errno(int error, std::string_view what) {
  char text[128];
  const char* said = strerror_r(error, text, sizeof text);
  return {code_of(error), std::string(what) + ": " + said};
}

const std::string& Status::message() const {
  static const std::string none;
  return rep_ ? rep_->message : none;
}

Status Status::while_doing(std::string_view what) && {
  if (rep_) rep_->message = "while " + std::string(what) + ": " + rep_->message;
  return std::move(*this);
}

}  // namespace logweir
