// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/exchange.h"

#include <utility>

namespace logweir::tail {

void Exchange::send(unsigned worker, Message message) {
  Desk& desk = desks_[worker];
  const std::lock_guard lock(desk.mutex);
  if (desk.box != nullptr) {
    desk.box->send(std::move(message));
  } else if (!desk.left) {
    desk.early.push_back(std::move(message));
  }
}

void Exchange::join(unsigned worker, Mailbox<Message>& box) {
  Desk& desk = desks_[worker];
  const std::lock_guard lock(desk.mutex);
  desk.box = &box;
  for (Message& message : desk.early) box.send(std::move(message));
  desk.early = std::vector<Message>();
}

void Exchange::leave(unsigned worker) {
  Desk& desk = desks_[worker];
  const std::lock_guard lock(desk.mutex);
  desk.box = nullptr;
  desk.left = true;
}

void Exchange::let_go(FileNumber number) {
  const std::lock_guard lock(mutex_);
  let_go_.push_back(number);
  if (let_go_.size() == 1 && wakeup_ != nullptr) wakeup_->ring();
}

std::vector<FileNumber> Exchange::take_let_go() {
  const std::lock_guard lock(mutex_);
  return std::exchange(let_go_, {});
}

void Exchange::hear_let_go(Wakeup* wakeup) {
  const std::lock_guard lock(mutex_);
  wakeup_ = wakeup;
}

}  // namespace logweir::tail
