// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <uv.h>

#include <functional>
#include <memory>
#include <vector>

#include "loop/loop.h"

namespace logweir {

// For the loop room alone. A turn is: wait, what is ready, due timers, posted work, after-turn hooks. `prepare` runs
// before the wait, `check` behind it.
struct Loop::Impl {
  explicit Impl(Loop& owner);
  ~Impl();

  void before_wait();
  void after_wait();
  void count_turn(Nanos now);
  void run_posted();
  void run_hooks();
  [[nodiscard]] bool pending() const { return timers_left || !posted.empty() || !wanted.empty(); }
  void wait_for_closing();

  Loop& loop;
  TimerWheel timers;
  std::unique_ptr<uv_loop_t> uv = std::make_unique<uv_loop_t>();
  uv_prepare_t prepare{};
  uv_check_t check{};
  uv_timer_t timer{};  // ends the wait when the wheel has something due
  uv_idle_t no_wait{};
  bool timers_left = false;
  std::vector<std::function<void()>> posted;
  std::vector<std::function<void()>> running;
  std::vector<AfterTurn*> wanted;
  std::vector<AfterTurn*> hooks;  // being run; null: destroyed meanwhile
  Loop::Stats stats;
  Nanos turn_began = 0;
  Nanos idle_before = 0;
};

// A libuv handle and what is needed to outlive its owner: libuv frees a handle in a later turn. `function` ends with
// its owner, except when the owner is destroyed by that very function.
template <typename Handle, typename... Args>
struct Held {
  Held() { handle.data = this; }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  virtual ~Held() = default;

  static Held& of(Handle* handle) { return *static_cast<Held*>(handle->data); }
  void call(Args... args) {
    if (closed) return;
    inside = true;
    function(args...);
    inside = false;
    if (closed) function = nullptr;
  }
  void close() {  // the owner's last word; this frees itself
    closed = true;
    if (!inside) function = nullptr;
    uv_close(reinterpret_cast<uv_handle_t*>(&handle), [](uv_handle_t* gone) { delete static_cast<Held*>(gone->data); });
  }

  Handle handle{};
  std::function<void(Args...)> function;
  bool inside = false;
  bool closed = false;
};

Status uv_status(int error, std::string_view what);

}  // namespace logweir
