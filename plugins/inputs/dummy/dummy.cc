// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "codec/parser_options.h"
#include "plugin/encode_keys.h"
#include "plugin/entry.h"
#include "plugin/input.h"

namespace logweir {

namespace {

struct DummyOptions {
  std::string dummy = R"({"message":"dummy"})";
  std::string metadata = "{}";
  std::int64_t rate = 1;
  std::int64_t interval_sec = 0;
  std::int64_t interval_nsec = 0;
  std::int64_t copies = 1;
  std::int64_t samples = 0;
  std::int64_t start_time_sec = -1;
  std::int64_t start_time_nsec = -1;
  bool fixed_timestamp = false;
  bool flush_on_startup = false;
};
using O = DummyOptions;

constexpr std::array kOptions = {
    option<&O::dummy>("dummy", R"({"message":"dummy"})", "The record, a JSON object."),
    option<&O::metadata>("metadata", "{}", "Taken, but records have no metadata here."),
    option<&O::rate>("rate", "1", "Samples a second.", 0, "1..10000000"),
    option<&O::interval_sec>("interval_sec", "0",
                             "With interval_nsec: time from one sample to the next, instead of rate.", 0,
                             "0..31536000"),
    option<&O::interval_nsec>("interval_nsec", "0", "See interval_sec.", 0, "0..999999999"),
    option<&O::copies>("copies", "1", "Records in a sample.", 0, "1..1000000"),
    option<&O::samples>("samples", "0", "How many samples there are; 0: no end.", 0, "0..9223372036854775807"),
    option<&O::start_time_sec>("start_time_sec", "-1", "The time that the first record has; -1: now.", 0,
                               "-1..9223372036"),
    option<&O::start_time_nsec>("start_time_nsec", "-1", "Its nanoseconds.", 0, "-1..999999999"),
    option<&O::fixed_timestamp>("fixed_timestamp", "off", "All records have the time of the first."),
    option<&O::flush_on_startup>("flush_on_startup", "off", "The first sample comes at once, not after an interval."),
};

// A batch with that one text in it, decoded.
bool is_object(const std::string& text) {
  Budget budget(1 << 20);
  Account account(budget);
  Pool pool(account, std::max<std::size_t>(text.size(), 64));
  BatchPool batches(pool);
  BatchRef batch = batches.make();
  char* const bytes = batch->scratch(text.size());
  if (bytes == nullptr) return false;
  std::memcpy(bytes, text.data(), text.size());
  Record& record = batch->records.emplace_back();
  record.data = bytes;
  record.size = static_cast<std::uint32_t>(text.size());
  ParserOptions json;
  json.format = "json";
  auto decoder = make_decoder(json);
  return decoder.ok() && decoder.value()->decode(*batch, 0).parsed == 1;
}

void check(const void* options, const Node& node, Problems& problems) {
  const auto& o = *static_cast<const O*>(options);
  if (!is_object(o.dummy)) {
    problems.error(place_of(node, "dummy"), "dummy must be a JSON object such as {\"message\":\"dummy\"}.");
  }
  if (!is_object(o.metadata)) problems.error(place_of(node, "metadata"), "metadata must be a JSON object such as {}.");
}

constexpr std::array<std::string_view, 1> kKnown = {"test_hang_on_exit"};
constexpr Schema kSchema = {kOptions, kKnown, check};

// Everything that lives from open to close. All records look into one copy of the text.
class Making {
 public:
  Making(InputServices& services, const DummyOptions& options, std::unique_ptr<Decoder> decoder)
      : services_(services),
        options_(options),
        decoder_(std::move(decoder)),
        every_(options.interval_sec * kSecond + options.interval_nsec),
        began_(services.loop.now()),
        first_time_(first_time()),
        source_(services.intake.open_source({0, 0, "dummy"})),
        timer_(services.loop.timers(), [this] { make(); }) {
    Origin origin;
    origin.tag = services.intake.tag(services.tag);
    origin_ = OriginRef::make(std::move(origin));
    arm();
  }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;
  ~Making() {
    services_.intake.close_source(source_, false, [] {});
  }

  void pause() {
    paused_ = true;
    timer_.cancel();
  }
  // Samples that were due meanwhile are left out.
  void resume() {
    paused_ = false;
    skipped_ += due() - std::min(due(), made_);
    arm();
  }

 private:
  static constexpr std::uint64_t kMostAtOnce = 4096;  // records

  [[nodiscard]] Nanos first_time() const {
    if (options_.start_time_sec < 0 && options_.start_time_nsec < 0) return services_.loop.wall();
    return std::max<std::int64_t>(options_.start_time_sec, 0) * kSecond +
           std::max<std::int64_t>(options_.start_time_nsec, 0);
  }
  // Samples that should be there by now.
  [[nodiscard]] std::uint64_t due() const {
    const Nanos passed = services_.loop.now() - began_;
    const auto turns = static_cast<std::uint64_t>(
        every_ > 0 ? passed / every_
                   : static_cast<Nanos>(static_cast<double>(passed) / kSecond * static_cast<double>(options_.rate)));
    const std::uint64_t all = turns + (options_.flush_on_startup ? 1 : 0);
    return all - std::min(all, skipped_);
  }

  [[nodiscard]] bool finished() const {
    return options_.samples > 0 && made_ >= static_cast<std::uint64_t>(options_.samples);
  }
  void arm() {
    if (paused_ || finished()) return;
    const Nanos now = services_.loop.now();
    const std::uint64_t next = made_ + skipped_ + (options_.flush_on_startup ? 0 : 1);
    const Nanos at =
        began_ + static_cast<Nanos>(static_cast<double>(next) *
                                    (every_ > 0 ? static_cast<double>(every_)
                                                : static_cast<double>(kSecond) / static_cast<double>(options_.rate)));
    timer_.arm(std::max(at, now));
  }
  void make() {
    const auto copies = static_cast<std::uint64_t>(options_.copies);
    std::uint64_t count = due() - std::min(due(), made_);
    if (options_.samples > 0) count = std::min(count, static_cast<std::uint64_t>(options_.samples) - made_);
    count = std::min(count, std::max<std::uint64_t>(1, kMostAtOnce / copies));
    if (count > 0 && send(count * copies)) made_ += count;
    arm();
  }
  bool send(std::uint64_t records) {
    const std::string& text = options_.dummy;
    ChunkRef chunk = services_.intake.room(text.size() + 1);
    if (!chunk) return false;  // the engine resumes us
    char* const bytes = chunk->free_space();
    std::memcpy(bytes, text.c_str(), text.size() + 1);
    chunk->used += static_cast<std::uint32_t>(text.size() + 1);
    BatchRef batch = services_.intake.batch(origin_);
    batch->hold(chunk);
    Record model;
    model.data = bytes;
    model.size = static_cast<std::uint32_t>(text.size());
    model.time = options_.fixed_timestamp ? first_time_ : first_time_ + services_.loop.now() - began_;
    batch->records.push_back(model);
    decoder_->decode(*batch, model.time);
    model = batch->records.front();
    batch->records.resize(records, model);
    const std::uint64_t begin = position_;
    for (Record& record : batch->records) record.position = position_++;
    batch->bytes = records * text.size();
    services_.intake.deliver(std::move(batch), source_, begin, position_);
    return true;
  }

  InputServices& services_;
  const DummyOptions& options_;
  std::unique_ptr<Decoder> decoder_;
  const Nanos every_;  // 0: by the rate
  const Nanos began_;
  const Nanos first_time_;
  Source source_;
  OriginRef origin_;
  Timer timer_;
  std::uint64_t made_ = 0;     // samples
  std::uint64_t skipped_ = 0;  // samples left out
  std::uint64_t position_ = 0;
  bool paused_ = false;
};

// The first worker makes them, so that there are as many as were asked for.
class DummyInput final : public Input {
 public:
  explicit DummyInput(std::shared_ptr<const DummyOptions> options) : options_(std::move(options)) {}

  Status open(InputServices& services) override {
    if (services.worker != 0) return {};
    ParserOptions json;
    json.format = "json";
    auto decoder = make_decoder(json);
    if (!decoder.ok()) return decoder.status();
    making_ = std::make_unique<Making>(services, *options_, std::move(decoder).value());
    return {};
  }
  void pause() override {
    if (making_) making_->pause();
  }
  void resume() override {
    if (making_) making_->resume();
  }
  void close() override { making_.reset(); }

 private:
  std::shared_ptr<const DummyOptions> options_;
  std::unique_ptr<Making> making_;
};

}  // namespace

extern const InputEntry kDummyInput;
const InputEntry kDummyInput = {
    .name = "dummy",
    .summary = "Makes records up, at a rate.",
    .schema = &kSchema,
    .make_options = make_options_of<DummyOptions>,
    // NOLINTNEXTLINE(performance-unnecessary-value-param): the entry's signature
    .make = [](OptionsPtr options, InputShared*) -> std::unique_ptr<Input> {
      return std::make_unique<DummyInput>(std::static_pointer_cast<const DummyOptions>(options));
    },
};

}  // namespace logweir
