// SPDX-License-Identifier: Apache-2.0
#include "app/screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

namespace logweir {

namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l";
constexpr std::string_view kLeave = "\x1b[?25h\x1b[?1049l";

sigset_t heard_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH}) sigaddset(&set, signal);
  return set;
}

void put(std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(STDOUT_FILENO, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
}

winsize size_now() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    size.ws_col = 80;
    size.ws_row = 24;
  }
  return size;
}

}  // namespace

Result<std::unique_ptr<Screen>> Screen::open() {
  termios before{};
  if (::tcgetattr(STDIN_FILENO, &before) != 0) return Status::from_errno(errno, "reading the terminal's settings");
  const sigset_t set = heard_signals();
  if (::sigprocmask(SIG_BLOCK, &set, nullptr) != 0) return Status::from_errno(errno, "blocking signals");
  Fd signals(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals) return Status::from_errno(errno, "hearing signals");
  termios raw = before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  if (::tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0) return Status::from_errno(errno, "setting the terminal");
  return std::unique_ptr<Screen>(new Screen(before, std::move(signals)));
}

Screen::Screen(termios before, Fd signals) : before_(before), signals_(std::move(signals)) { put(kEnter); }

Screen::~Screen() {
  put(kLeave);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  const sigset_t set = heard_signals();
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

std::size_t Screen::width() const { return size_now().ws_col; }

void Screen::draw(std::vector<std::string> lines) {
  lines_ = std::move(lines);
  paint();
}

void Screen::paint() {
  const std::size_t rows = std::min<std::size_t>(lines_.size(), size_now().ws_row);
  std::string text = "\x1b[?7l\x1b[H";  // a line that is too long for a window just made narrow is cut
  for (std::size_t i = 0; i < rows; ++i) {
    text += lines_[i] + "\x1b[K";
    if (i + 1 < rows) text += "\r\n";
  }
  put(text + "\x1b[J\x1b[?7h");
}

bool Screen::wait(Nanos time) {
  const SystemClock clock;
  const Nanos until = clock.mono() + time;
  for (Nanos left = time; left > 0; left = until - clock.mono()) {
    std::array<pollfd, 2> both = {pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{signals_.get(), POLLIN, 0}};
    ::poll(both.data(), both.size(), static_cast<int>(left / kMillisecond) + 1);
    if (both[0].revents != 0) {
      char key = 'q';  // also when the terminal is gone
      const ssize_t got = ::read(STDIN_FILENO, &key, 1);
      if (got == 0 || key == 'q' || key == 'Q' || key == 3) return false;
    }
    if (both[1].revents != 0 && heard_end()) return false;
  }
  return true;
}

bool Screen::heard_end() {
  signalfd_siginfo heard{};
  while (::read(signals_.get(), &heard, sizeof heard) == sizeof heard) {
    if (heard.ssi_signo == SIGWINCH) {
      paint();
    } else if (heard.ssi_signo != SIGTSTP) {
      return true;
    }
  }
  return false;
}

}  // namespace logweir
