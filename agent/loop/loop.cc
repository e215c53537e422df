// SPDX-License-Identifier: Apache-2.0
#include "loop/loop.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "loop/loop_impl.h"

namespace logweir {

namespace {

constexpr std::size_t kTimersPerTurn = 512;
constexpr Nanos kLongestWait = 3600 * kSecond;

template <typename Handle>
Loop::Impl& impl_of(Handle* handle) {
  return *static_cast<Loop::Impl*>(handle->data);
}

template <typename Handle>
uv_handle_t* base_of(Handle& handle) {
  return reinterpret_cast<uv_handle_t*>(&handle);
}

}  // namespace

Loop::Impl::Impl(Loop& owner) : loop(owner), timers(owner.now()), turn_began(owner.now()) {
  LW_CHECK(uv_loop_init(uv.get()) == 0);
  LW_CHECK(uv_loop_configure(uv.get(), UV_METRICS_IDLE_TIME) == 0);
  uv_prepare_init(uv.get(), &prepare);
  uv_check_init(uv.get(), &check);
  uv_timer_init(uv.get(), &timer);
  uv_idle_init(uv.get(), &no_wait);
  for (uv_handle_t* handle : {base_of(prepare), base_of(check), base_of(timer), base_of(no_wait)}) handle->data = this;
  uv_prepare_start(&prepare, [](uv_prepare_t* handle) { impl_of(handle).before_wait(); });
  uv_check_start(&check, [](uv_check_t* handle) { impl_of(handle).after_wait(); });
}

// Work given up here may hold the last reference to objects of this loop, so it goes before libuv does.
Loop::Impl::~Impl() {
  while (!posted.empty()) std::exchange(posted, {}).clear();
  LW_CHECK(wanted.empty());
  for (uv_handle_t* handle : {base_of(prepare), base_of(check), base_of(timer), base_of(no_wait)}) {
    uv_close(handle, nullptr);
  }
  wait_for_closing();
}

// Handles close in the next turn. A host name that is still being looked up in libuv's thread can't be called back:
// after a second the libuv loop is left to it.
void Loop::Impl::wait_for_closing() {
  bool leaked = false;
  uv_walk(
      uv.get(), [](uv_handle_t* handle, void* found) { *static_cast<bool*>(found) |= uv_is_closing(handle) == 0; },
      &leaked);
  LW_CHECK(!leaked);
  bool timed_out = false;
  uv_timer_t patience{};
  uv_timer_init(uv.get(), &patience);
  patience.data = &timed_out;
  uv_timer_start(&patience, [](uv_timer_t* handle) { *static_cast<bool*>(handle->data) = true; }, 1000, 0);
  uv_unref(base_of(patience));
  while (!timed_out && uv_loop_alive(uv.get()) != 0) uv_run(uv.get(), UV_RUN_ONCE);
  uv_close(base_of(patience), nullptr);
  uv_run(uv.get(), UV_RUN_NOWAIT);
  if (uv_loop_close(uv.get()) != 0) {
    LW_CHECK(timed_out);
    (void)uv.release();
  }
}

void Loop::Impl::before_wait() {
  const Nanos now = loop.now();
  count_turn(now);
  if (pending()) {
    uv_idle_start(&no_wait, [](uv_idle_t*) {});
    return;
  }
  uv_idle_stop(&no_wait);
  const Nanos due = timers.next_due();
  if (due == INT64_MAX) {
    uv_timer_stop(&timer);
    return;
  }
  const Nanos wait = std::clamp<Nanos>(due - now, 0, kLongestWait);
  const auto wait_ms = static_cast<std::uint64_t>((wait + kMillisecond - 1) / kMillisecond);
  uv_update_time(uv.get());
  uv_timer_start(&timer, [](uv_timer_t*) {}, wait_ms, 0);
}

// libuv knows how long it waited; the rest of the time since the last wait began was spent in this turn.
void Loop::Impl::count_turn(Nanos now) {
  const auto idle = static_cast<Nanos>(uv_metrics_idle_time(uv.get()));
  const Nanos busy = std::max<Nanos>(0, (now - turn_began) - (idle - idle_before));
  turn_began = now;
  idle_before = idle;
  ++stats.turns;
  stats.busy += busy;
  stats.worst_turn = std::max(stats.worst_turn, busy);
}

void Loop::Impl::after_wait() {
  timers_left = timers.advance(loop.now(), kTimersPerTurn);
  if (!posted.empty()) run_posted();
  if (!wanted.empty()) run_hooks();
}

// What is posted meanwhile runs in the next turn.
void Loop::Impl::run_posted() {
  running.swap(posted);
  for (std::function<void()>& work : running) {
    work();
    work = nullptr;
  }
  running.clear();
}

void Loop::Impl::run_hooks() {
  hooks.swap(wanted);
  for (std::size_t i = 0; i < hooks.size(); ++i) {  // by index: an entry becomes null when its hook is destroyed
    AfterTurn* hook = std::exchange(hooks[i], nullptr);
    if (hook == nullptr) continue;
    hook->wanted_ = false;
    hook->work_();
  }
  hooks.clear();
}

Loop::Loop(const Clock& clock) : clock_(clock), impl_(std::make_unique<Impl>(*this)) {}
Loop::~Loop() = default;

void Loop::run() { uv_run(impl_->uv.get(), UV_RUN_DEFAULT); }
void Loop::stop() { uv_stop(impl_->uv.get()); }
bool Loop::run_once() {
  uv_run(impl_->uv.get(), UV_RUN_NOWAIT);
  return impl_->pending();
}

TimerWheel& Loop::timers() { return impl_->timers; }
void Loop::post(std::function<void()> work) { impl_->posted.push_back(std::move(work)); }
const Loop::Stats& Loop::stats() const { return impl_->stats; }
Nanos Loop::take_worst_turn() { return std::exchange(impl_->stats.worst_turn, 0); }

AfterTurn::AfterTurn(Loop& loop, std::function<void()> work) : loop_(loop), work_(std::move(work)) {}

AfterTurn::~AfterTurn() {
  if (!wanted_) return;
  Loop::Impl& impl = loop_.impl();
  std::replace(impl.hooks.begin(), impl.hooks.end(), this, static_cast<AfterTurn*>(nullptr));
  std::erase(impl.wanted, this);
}

void AfterTurn::want() {
  if (wanted_) return;
  wanted_ = true;
  loop_.impl().wanted.push_back(this);
}

Status uv_status(int error, std::string_view what) { return Status::from_errno(-error, what); }

}  // namespace logweir
