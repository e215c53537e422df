// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "plugin/entry.h"
#include "plugins/inputs/tail/discovery.h"
#include "plugins/inputs/tail/follower.h"
#include "plugins/inputs/tail/glob.h"
#include "plugins/inputs/tail/options.h"

namespace logweir {

namespace {

using tail::Discovery;
using tail::TailOptions;

std::shared_ptr<const TailOptions> options_of(OptionsPtr options) {
  return std::static_pointer_cast<const TailOptions>(std::move(options));
}

// One per worker: a follower, and the letterbox that discovery writes to.
class TailInput final : public Input {
 public:
  TailInput(OptionsPtr options, Discovery& discovery)
      : options_(options_of(std::move(options))), discovery_(discovery) {}

  Status open(InputServices& services) override {
    worker_ = services.worker;
    std::unique_ptr<tail::Decoding> decoding;
    if (tail::decodes(*options_)) {
      auto made = tail::Decoding::make(*options_);
      if (!made.ok()) return made.status();
      decoding = std::move(made).value();
    }
    follower_ = std::make_unique<tail::Follower>(services, *options_, discovery_.exchange(), std::move(decoding));
    mail_ = std::make_unique<Mailbox<tail::Message>>(
        services.loop, [this](tail::Message&& message) { follower_->hear(std::move(message)); });
    discovery_.exchange().join(worker_, *mail_);
    return {};
  }
  void pause() override { follower_->pause(); }
  void resume() override { follower_->resume(); }
  std::shared_ptr<Reread> reread(Source source) override { return follower_->reread(source); }
  void close() override {
    if (mail_ == nullptr) return;
    discovery_.exchange().leave(worker_);
    mail_.reset();
    follower_->close();
  }

 private:
  std::shared_ptr<const TailOptions> options_;  // shared by all parts of the instance
  Discovery& discovery_;                        // outlives this
  unsigned worker_ = 0;
  std::unique_ptr<tail::Follower> follower_;
  std::unique_ptr<Mailbox<tail::Message>> mail_;
};

// The directory above the first wildcard, or above the file: a rotated file is another one.
std::string fixed_directory(const std::string& path) {
  if (!path.starts_with('/')) return ".";
  const tail::PathPattern pattern(path, "");
  std::string directory;
  for (std::size_t i = 0; i + 1 < pattern.parts().size(); ++i) {
    const auto& part = pattern.parts()[i];
    if (part.kind != tail::PathPattern::Part::Kind::literal) break;
    directory += "/" + part.text;
  }
  return directory.empty() ? "/" : directory;
}

std::vector<std::string> reads_below(const void* options) {
  std::vector<std::string> paths;
  for (const std::string& path : static_cast<const TailOptions*>(options)->path) paths.push_back(fixed_directory(path));
  return paths;
}

}  // namespace

extern const InputEntry kTailInput;
const InputEntry kTailInput{
    "tail",
    "Reads lines from files as they grow, through rotation, truncation and restarts.",
    &tail::tail_schema(),
    &make_options_of<TailOptions>,
    [](OptionsPtr options, InputShared* shared) -> std::unique_ptr<Input> {
      return std::make_unique<TailInput>(std::move(options), *static_cast<Discovery*>(shared));
    },
    [](OptionsPtr options) -> std::unique_ptr<InputShared> {
      return std::make_unique<Discovery>(options_of(std::move(options)));
    },
    true,
    &reads_below,
};

}  // namespace logweir
