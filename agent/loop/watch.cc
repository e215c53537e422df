// SPDX-License-Identifier: Apache-2.0
#include "loop/watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/fd.h"
#include "loop/poll.h"

namespace logweir {

namespace {

constexpr std::size_t kBuffer = 64 * 1024;
constexpr int kReadsPerTurn = 4;

Status refused(int error, const std::string& path) {
  const std::string what = "watch " + path + ": ";
  if (error == ENOSPC) {
    return {Code::full, what + "the limit of inotify watches is reached; raise fs.inotify.max_user_watches"};
  }
  return Status::from_errno(error, "watch " + path);
}

}  // namespace

bool WatchEvent::overflow() const { return (mask & IN_Q_OVERFLOW) != 0; }
bool WatchEvent::ended() const { return (mask & IN_IGNORED) != 0; }

struct Watch::Impl : std::enable_shared_from_this<Impl> {
  Impl(Loop& loop, Fd inotify)
      : fd(std::move(inotify)), poll(std::make_unique<Poll>(loop, fd.get(), [this](unsigned, int) {
          const std::shared_ptr<Impl> alive = shared_from_this();
          read_some();
        })) {}

  void read_some();
  void decode(std::size_t size);

  Fd fd;
  std::unique_ptr<Poll> poll;  // none: the Watch is gone
  std::function<void(std::span<const WatchEvent>)> heard;
  std::vector<WatchEvent> events;
  alignas(inotify_event) char buffer[kBuffer];
};

void Watch::Impl::read_some() {
  for (int i = 0; i < kReadsPerTurn && poll != nullptr; ++i) {
    const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    decode(static_cast<std::size_t>(got));
    heard(events);
  }
}

void Watch::Impl::decode(std::size_t size) {
  events.clear();
  for (std::size_t at = 0; at + sizeof(inotify_event) <= size;) {
    inotify_event head;
    std::memcpy(&head, buffer + at, sizeof head);
    at += sizeof head;
    LW_CHECK(head.len <= size - at);
    const char* name = buffer + at;
    events.push_back({head.wd, head.mask, head.cookie, {name, strnlen(name, head.len)}});
    at += head.len;
  }
}

Result<std::unique_ptr<Watch>> Watch::open(Loop& loop, std::function<void(std::span<const WatchEvent>)> heard) {
  Fd fd(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!fd && errno == EMFILE) {
    return Status(Code::full,
                  "watch directories: no inotify instance or descriptor left; raise fs.inotify.max_user_instances");
  }
  if (!fd) return Status::from_errno(errno, "watch directories");
  auto impl = std::make_shared<Impl>(loop, std::move(fd));
  impl->heard = std::move(heard);
  if (Status status = impl->poll->watch(Poll::kReadable); !status.ok()) return status;
  return std::unique_ptr<Watch>(new Watch(std::move(impl)));
}

Watch::~Watch() {
  impl_->poll.reset();
  impl_->fd.reset();
}

Result<int> Watch::add(const std::string& path, std::uint32_t mask) {
  const int wd = inotify_add_watch(impl_->fd.get(), path.c_str(), mask);
  if (wd < 0) return refused(errno, path);
  return wd;
}

void Watch::remove(int wd) { inotify_rm_watch(impl_->fd.get(), wd); }

}  // namespace logweir
