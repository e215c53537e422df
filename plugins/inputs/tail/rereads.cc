// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/rereads.h"

#include <fcntl.h>

#include <algorithm>
#include <mutex>

#include "codec/lines.h"
#include "loop/loop.h"

namespace logweir::tail {

// The file may lose its name or be closed meanwhile: the descriptor is our own.
class FileReread final : public Reread {
 public:
  FileReread(Loop& loop, LineRules rules, const TailFile& file, Fd fd)
      : loop_(loop), rules_(rules), origin_(file.origin), head_(file.head), fd_(std::make_shared<Fd>(std::move(fd))) {}

  Got read(std::uint64_t position, std::span<char> into) override {
    const std::shared_ptr<Fd> fd = now();  // shared: a move or loss lets go of it while we read
    if (fd == nullptr) return {Found::gone, 0};
    const std::size_t got = read_at(fd->get(), into.data(), into.size(), position);
    // Looked at afterwards: what was read before a truncation is good.
    char bytes[kHeadBytes];
    const std::size_t head = read_at(fd->get(), bytes, head_.size, 0);
    if (!begins_with({bytes, head}, head_)) return {now() == nullptr ? Found::gone : Found::later, 0};
    return {Found::bytes, got};
  }

  std::size_t frame(Batch& batch, std::string_view window, std::uint64_t position, bool last) override {
    if (in_long_line_) {
      const char* const newline = logweir::find_newline(window.data(), window.data() + window.size());
      in_long_line_ = newline == nullptr && !last;
      return newline == nullptr ? window.size() : static_cast<std::size_t>(newline - window.data()) + 1;
    }
    Framed framed = frame_lines(batch, window, position, loop_.wall(), rules_);
    const bool too_long = window.size() > rules_.limit + 2;
    if (framed.used > 0 || window.empty() || !(last || too_long)) return framed.used;
    in_long_line_ = !last;
    frame_line(batch, {window, window.size(), window.size(), position}, loop_.wall(), rules_, framed);
    return window.size();
  }

  [[nodiscard]] const OriginRef& origin() const override { return origin_; }

  void set(Fd fd) {
    const std::lock_guard lock(mutex_);
    fd_ = fd ? std::make_shared<Fd>(std::move(fd)) : nullptr;
  }

 private:
  std::shared_ptr<Fd> now() {
    const std::lock_guard lock(mutex_);
    return fd_;
  }

  Loop& loop_;
  const LineRules rules_;
  const OriginRef origin_;
  const Head head_;
  bool in_long_line_ = false;
  std::mutex mutex_;
  std::shared_ptr<Fd> fd_;
};

namespace {

Fd copy_of(const Fd& fd) { return Fd(fcntl(fd.get(), F_DUPFD_CLOEXEC, 0)); }

}  // namespace

std::shared_ptr<Reread> Rereads::make(const TailFile& file) {
  Fd fd = copy_of(file.fd);
  if (!fd) return nullptr;
  auto made = std::make_shared<FileReread>(loop_, rules_, file, std::move(fd));
  std::erase_if(made_, [](const auto& known) { return known.second.expired(); });
  made_.emplace_back(file.source, made);
  return made;
}

template <typename Act>
void Rereads::each_of(Source source, Act act) {
  for (const auto& [of, made] : made_) {
    const std::shared_ptr<FileReread> reread = of == source ? made.lock() : nullptr;
    if (reread != nullptr) act(*reread);
  }
}

void Rereads::moved(Source source, const TailFile& to) {
  each_of(source, [&](FileReread& reread) { reread.set(copy_of(to.fd)); });
}

void Rereads::lost(Source source) {
  each_of(source, [](FileReread& reread) { reread.set({}); });
}

}  // namespace logweir::tail
