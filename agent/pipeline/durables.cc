// SPDX-License-Identifier: Apache-2.0
#include "pipeline/durables.h"

namespace logweir {

Durables::Durables(Loop& loop, State* state)
    : loop_(loop),
      state_(state),
      busy_(std::make_shared<std::atomic<bool>>(false)),
      mail_(loop, [this](Done&&) { arrived(); }) {}

Durables::~Durables() { busy_->wait(true); }

void Durables::wait(std::function<void()> durable) {
  if (state_ == nullptr) {
    loop_.post(std::move(durable));
    return;
  }
  gathering_.push_back(std::move(durable));
  if (under_way_.empty()) start();
}

void Durables::start() {
  under_way_.swap(gathering_);
  busy_->store(true);
  state_->barrier([this, busy = busy_] {
    mail_.send({});
    busy->store(false);
    busy->notify_all();
  });
}

void Durables::arrived() {
  std::vector<std::function<void()>> told;
  told.swap(under_way_);
  if (!gathering_.empty()) start();
  for (const auto& durable : told) durable();
}

}  // namespace logweir
