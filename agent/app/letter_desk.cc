// SPDX-License-Identifier: Apache-2.0
#include "app/letter_desk.h"

#include <sys/inotify.h>

#include <algorithm>
#include <utility>

namespace logweir {

namespace {

constexpr Nanos kNoRoomWait = kSecond;
constexpr Nanos kFaultWait = 10 * kSecond;
constexpr Nanos kLookAgain = 2 * kSecond;  // without a watch

}  // namespace

LetterDesk::LetterDesk(Loop& loop, Metrics& metrics, const std::string& directory, const LetterLimits& limits, Log log)
    : loop_(loop),
      directory_(directory),
      log_(std::move(log)),
      mail_(loop, [](std::function<void()>&& work) { work(); }),
      later_(loop.timers(), [this] { pull(); }),
      store_({directory, limits, 8 << 20, [this] { mail_.send([this] { watch(); }); }}, log_) {
  describe(metrics);
}

void LetterDesk::describe(Metrics& metrics) {
  const auto total = [&](const char* name, const char* help, std::uint64_t DeadLetters::Stats::* member) {
    metrics.ask_total(name, help, {}, [this, member] { return static_cast<double>(store_.stats().*member); });
  };
  total("logweir_dead_letters_stored_total", "Records put into the dead letter store", &DeadLetters::Stats::stored);
  total("logweir_dead_letters_refused_total", "Records that the store could not take", &DeadLetters::Stats::refused);
  total("logweir_dead_letters_evicted_total", "Dead letters that went since the store was at its limits",
        &DeadLetters::Stats::evicted);
  metrics.ask("logweir_dead_letters", "Dead letters in the store when it was last written", {},
              [this] { return static_cast<double>(store_.stats().letters); });
  metrics.ask("logweir_dead_letter_bytes", "Their bytes", {},
              [this] { return static_cast<double>(store_.stats().bytes); });
}

void LetterDesk::start(Send send) {
  send_ = std::move(send);
  pull();
}

// The store's directory is there: hear of requests from now on, and look for one that came before.
void LetterDesk::watch() {
  if (!watch_) {
    auto made = Watch::open(loop_, [this](std::span<const WatchEvent>) { pull(); });
    if (made.ok()) watch_ = std::move(made).value();
  }
  if (!watch_ || !watch_->add(replay_request_path(directory_), IN_CLOSE_WRITE).ok()) {
    watch_.reset();
    later_.arm(loop_.now() + kLookAgain, kLookAgain / 4);
  }
  pull();
}

void LetterDesk::pull() {
  if (!send_) return;
  if (busy_) {
    again_ = true;
    return;
  }
  busy_ = true;
  again_ = false;
  store_.marked([this](std::vector<Letter> letters) {
    mail_.send([this, letters = std::move(letters)]() mutable { found(std::move(letters)); });
  });
}

void LetterDesk::found(std::vector<Letter> letters) {
  busy_ = false;
  if (!send_) return;
  std::vector<std::uint64_t> undropped;
  std::erase_if(letters, [&](const Letter& letter) {
    const bool ended = ended_.count(letter.number) > 0;
    if (ended) undropped.push_back(letter.number);
    return ended;
  });
  ended_ = {undropped.begin(), undropped.end()};
  if (!undropped.empty()) store_.drop(std::move(undropped));
  if (!letters.empty()) {
    busy_ = true;
    log_.info("replaying {} dead letters", letters.size());
    send_(std::move(letters), [this](const ReplayResult& result) { mail_.send([this, result] { ended(result); }); });
  } else if (!ended_.empty()) {
    later_.arm(loop_.now() + kFaultWait, kSecond);
  } else if (again_) {
    pull();
  } else if (!watch_ && store_.stats().letters > 0) {
    later_.arm(loop_.now() + kLookAgain, kLookAgain / 4);
  }
}

void LetterDesk::ended(const ReplayResult& result) {
  busy_ = false;
  for (const std::uint64_t number : result.ended) ended_.insert(number);
  if (!result.unknown.empty()) {
    log_.warn("{} dead letters stay: the conf has no output of the name that shall have them", result.unknown.size());
    store_.unmark(result.unknown);
  }
  if (result.no_room) {
    later_.arm(loop_.now() + kNoRoomWait, kMillisecond);
  } else {
    pull();
  }
}

}  // namespace logweir
