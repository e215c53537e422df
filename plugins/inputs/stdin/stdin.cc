// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/fd.h"
#include "codec/parser_options.h"
#include "loop/poll.h"
#include "plugin/encode_keys.h"
#include "plugin/entry.h"
#include "plugin/input.h"
#include "plugins/inputs/stdin/framer.h"

namespace logweir {

namespace {

using stdin_in::LineFramer;

enum class StdinFormat : int { json, none };

struct StdinOptions {
  StdinFormat format = StdinFormat::json;
  Bytes buffer_size{1 << 20};
};

constexpr std::array kOptions = {
    option<&StdinOptions::format>("format", "json",
                                  "json: a line that is a JSON object is a record, any other one the text of a field, "
                                  "log. none: each line is text.",
                                  0, "json|none"),
    option<&StdinOptions::buffer_size>("buffer_size", "1M", "Longest line in bytes; longer ones are cut and marked."),
};

void check(const void* options, const Node& node, Problems& problems) {
  const std::uint64_t size = static_cast<const StdinOptions*>(options)->buffer_size.value;
  if (size >= 16 && size <= 64 << 20) return;
  problems.error(place_of(node, "buffer_size"), "buffer_size must be a size from 16 to 64M.");
}

constexpr Schema kSchema = {kOptions, {}, check};

// So that O_NONBLOCK is ours alone. A plain file is left as it is, at the position that it has; a socket, or somebody
// else's terminal, can't be opened.
Fd open_anew() {
  struct stat status{};
  const bool waits = fstat(STDIN_FILENO, &status) == 0 && (S_ISFIFO(status.st_mode) || isatty(STDIN_FILENO) == 1);
  return waits ? Fd(open("/proc/self/fd/0", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) : Fd();
}

// Everything that lives from open to close.
class Reading {
 public:
  Reading(InputServices& services, const StdinOptions& options, std::unique_ptr<Decoder> decoder)
      : services_(services),
        decoder_(std::move(decoder)),
        own_(open_anew()),
        fd_(own_ ? own_.get() : STDIN_FILENO),
        source_(services.intake.open_source({0, 0, "stdin"})),
        framer_({services.intake, services.loop.clock(), origin(), source_,
                 static_cast<std::size_t>(options.buffer_size.value), decoder_.get()}),
        poll_(services.loop, fd_, [this](unsigned, int) { read_some(); }),
        turn_(services.loop, [this] { read_some(); }) {
    resume();
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() {
    if (!ended_) services_.intake.close_source(source_, false, [] {});
  }

  void pause() {
    paused_ = true;
    (void)poll_.watch(0);
  }
  // A plain file can't be polled: it is read turn by turn.
  void resume() {
    paused_ = false;
    if (ended_) return;
    polled_ = poll_.watch(Poll::kReadable).ok();
    if (!polled_) turn_.want();
  }

 private:
  static constexpr std::size_t kMostAtOnce = 256 * 1024;

  OriginRef origin() {
    Origin origin;
    origin.tag = services_.intake.tag(services_.tag);
    return OriginRef::make(std::move(origin));
  }
  void read_some() {
    if (paused_ || ended_) return;
    const std::span<char> to = framer_.space();
    if (to.empty()) return;  // the engine resumes us
    pollfd ready{fd_, POLLIN, 0};
    if (!own_ && ::poll(&ready, 1, 0) == 0) return;  // another reader of it was faster
    const ssize_t got = read(fd_, to.data(), std::min(to.size(), kMostAtOnce));
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return again();
    if (got < 0) services_.log.error("stdin can't be read: {}; it is taken for its end", std::strerror(errno));
    if (got <= 0) return end();
    framer_.received(static_cast<std::size_t>(got));
    again();
  }
  void again() {
    if (!polled_ && !paused_) turn_.want();
  }
  void end() {
    framer_.finish();
    ended_ = true;
    (void)poll_.watch(0);
    services_.log.info("stdin has ended; the agent stops once all of it is delivered");
    services_.intake.close_source(source_, false, services_.finished);
  }

  InputServices& services_;
  std::unique_ptr<Decoder> decoder_;
  const Fd own_;
  const int fd_;
  Source source_;
  LineFramer framer_;
  Poll poll_;
  AfterTurn turn_;
  bool paused_ = false;
  bool polled_ = false;
  bool ended_ = false;
};

// There is one stdin: the first worker's.
class StdinInput final : public Input {
 public:
  explicit StdinInput(std::shared_ptr<const StdinOptions> options) : options_(std::move(options)) {}

  Status open(InputServices& services) override {
    if (services.worker != 0) return {};
    std::unique_ptr<Decoder> decoder;
    if (options_->format == StdinFormat::json) {
      ParserOptions json;
      json.format = "json";
      auto made = make_decoder(json);
      if (!made.ok()) return made.status();
      decoder = std::move(made).value();
    }
    reading_ = std::make_unique<Reading>(services, *options_, std::move(decoder));
    return {};
  }
  void pause() override {
    if (reading_) reading_->pause();
  }
  void resume() override {
    if (reading_) reading_->resume();
  }
  void close() override { reading_.reset(); }

 private:
  std::shared_ptr<const StdinOptions> options_;
  std::unique_ptr<Reading> reading_;
};

}  // namespace

extern const InputEntry kStdinInput;
const InputEntry kStdinInput = {
    .name = "stdin",
    .summary = "Reads lines from the standard input; the agent stops when that has ended and all is delivered.",
    .schema = &kSchema,
    .make_options = make_options_of<StdinOptions>,
    // NOLINTNEXTLINE(performance-unnecessary-value-param): the entry's signature
    .make = [](OptionsPtr options, InputShared*) -> std::unique_ptr<Input> {
      return std::make_unique<StdinInput>(std::static_pointer_cast<const StdinOptions>(options));
    },
};

}  // namespace logweir
