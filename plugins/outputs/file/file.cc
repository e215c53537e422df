// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "base/file_system.h"
#include "plugin/entry.h"
#include "plugin/outbox.h"
#include "plugin/output.h"
#include "plugins/outputs/file/file_table.h"
#include "plugins/outputs/file/options.h"
#include "plugins/outputs/file/syncer.h"

namespace logweir {

namespace {

using file_out::delimiter_of;
using file_out::FileFormat;
using file_out::FileOutputOptions;
using file_out::FileSync;
using file_out::FileTable;
using file_out::OutFile;
using file_out::Syncer;

// So much is encoded before it is written: 5 % less CPU per GB than 256 KiB.
constexpr std::size_t kWriteBytes = 1024 * 1024;
// A run of lines that go out as they came is referred to above this; copying less is cheaper than an iovec.
constexpr std::size_t kReferAbove = 4096;
constexpr Nanos kNoMemoryWait = 5 * kMillisecond;

Format format_of(FileFormat word) {
  switch (word) {
    case FileFormat::plain:
    case FileFormat::json_lines:
      return Format::plain;
    case FileFormat::raw:
      return Format::raw;
    case FileFormat::csv:
      return Format::csv;
    case FileFormat::ltsv:
      return Format::ltsv;
    case FileFormat::row:
      return Format::row;
    case FileFormat::msgpack:
      return Format::msgpack;
    case FileFormat::out_file:
      break;
  }
  return Format::out_file;
}

EncodeOptions encoding(const FileOutputOptions& options) {
  EncodeOptions encode;
  encode.format = format_of(options.format);
  encode.delimiter = delimiter_of(options.delimiter);
  encode.label_delimiter = delimiter_of(options.label_delimiter);
  encode.row_template = options.row_template;
  encode.refer_above = kReferAbove;
  return encode;
}

EncodeOptions names_encoding(const FileOutputOptions& options) {
  EncodeOptions encode = encoding(options);
  encode.format = Format::csv_names;
  return encode;
}

std::string_view tag_of(const Part& part) { return part.batch->origin->tag->text; }

// Everything that outlives `open`.
class Writer {
 public:
  Writer(OutputServices& services, const FileOutputOptions& options)
      : options_(options),
        loop_(services.loop),
        host_(services.host),
        log_(services.log),
        table_(options),
        outbox_(encoding(options), services),
        names_(names_encoding(options)),
        names_text_(services.pool),
        memory_timer_(services.loop.timers(), [this] { host_.ready(); }) {
    if (options.sync != FileSync::none) {
      syncer_.emplace(services, options.sync == FileSync::interval ? options.sync_interval.value : 0);
    }
  }

  std::uint64_t send(const Shipment& shipment);
  void reopen() { table_.close_all(); }
  void finish() {
    if (syncer_) syncer_->finish();
  }

 private:
  bool write_run(OutFile& file, ShipmentCursor& cursor, std::size_t until);
  bool write_names(OutFile& file, const Part& part);
  [[nodiscard]] bool wants_names(const OutFile& file) const {
    return options_.format == FileFormat::csv && options_.csv_column_names && file.empty();
  }
  void settle_written();
  void fail(const Status& why, std::string_view reason);

  const FileOutputOptions& options_;
  Loop& loop_;
  OutputHost& host_;
  Log log_;
  FileTable table_;
  Outbox outbox_;
  Encoder names_;  // of csv columns
  Pieces names_text_;
  std::optional<Syncer> syncer_;
  Timer memory_timer_;
  std::uint64_t taken_ = 0;  // by the `send` under way: records whose last byte was written
  LogLimit fail_log_;
  LogLimit rotate_log_;
};

// Only what has been written is taken: a record that met a full disk stays with the lane, in its place.
std::uint64_t Writer::send(const Shipment& shipment) {
  taken_ = 0;
  outbox_.begin_shipment();
  ShipmentCursor cursor(shipment);
  while (!cursor.at_end()) {
    const std::string_view tag = tag_of(shipment.parts[cursor.part()]);
    const Result<OutFile*> file = table_.file_for(tag, loop_.wall());
    if (!file.ok()) {
      fail(file.status(), "open");
      break;
    }
    std::size_t until = cursor.part() + 1;
    while (until < shipment.parts.size() && table_.same_file(tag, tag_of(shipment.parts[until]))) ++until;
    if (!write_run(*file.value(), cursor, until)) break;
  }
  if (syncer_) syncer_->go();
  return taken_;
}

bool Writer::write_run(OutFile& file, ShipmentCursor& cursor, std::size_t until) {
  const Nanos wall = loop_.wall();
  while (!cursor.at_end() && cursor.part() < until) {
    if (file.rotation_due(wall)) {
      const Status status = file.rotate(wall);
      if (const auto n = status.ok() ? std::nullopt : rotate_log_.pass(loop_.now())) {
        log_.error("{} can't be rotated and is used further: {} ({} times since the last such line)", file.path(),
                   status.message(), *n);
      }
    }
    if (wants_names(file) && !write_names(file, cursor.rest())) return false;
    const std::uint64_t room = file.room() > 0 ? file.room() : kWriteBytes;  // none left: it could not be rotated
    if (outbox_.fill(cursor, std::min<std::uint64_t>(kWriteBytes, room), until) == 0) {
      memory_timer_.arm(loop_.now() + kNoMemoryWait);
      return false;
    }
    const Status status = file.append(outbox_);
    if (syncer_) syncer_->touch(file);
    settle_written();
    if (!status.ok()) {
      outbox_.restart();
      fail(status, status.code() == Code::full ? "disk_full" : "io");
      return false;
    }
  }
  return true;
}

// The first line of a new csv file: the names that its first record has.
bool Writer::write_names(OutFile& file, const Part& part) {
  if (names_.encode({part.batch, part.first, part.first + 1}, names_text_, SIZE_MAX) == 0) {
    memory_timer_.arm(loop_.now() + kNoMemoryWait);
    return false;
  }
  const Status status = file.begin_with(names_text_);
  names_text_.clear();
  if (!status.ok()) fail(status, status.code() == Code::full ? "disk_full" : "io");
  return status.ok();
}

void Writer::settle_written() {
  RecordRange range;
  while (outbox_.pop(outbox_.written(), range)) {
    taken_ += range.count;
    if (syncer_ && options_.sync == FileSync::batch) {
      syncer_->settle_after(range);
    } else {
      host_.settle(range.first, range.count, Outcome::delivered);
    }
  }
}

void Writer::fail(const Status& why, std::string_view reason) {
  if (const auto n = fail_log_.pass(loop_.now())) {
    log_.error("records wait, since they can't be written: {} ({} times since the last such line)", why.message(), *n);
  }
  host_.unavailable(reason, why);
}

class FileOutput final : public Output {
 public:
  explicit FileOutput(OptionsPtr options) : options_(std::move(options)) {}

  Status open(OutputServices& services) override {
    writer_ = std::make_unique<Writer>(services, *static_cast<const FileOutputOptions*>(options_.get()));
    return {};
  }
  std::uint64_t send(const Shipment& shipment) override { return writer_->send(shipment); }
  void reopen() override { writer_->reopen(); }
  void close() override {
    if (writer_ != nullptr) writer_->finish();
    writer_.reset();
  }

 private:
  OptionsPtr options_;  // outlives writer_, which looks at it
  std::unique_ptr<Writer> writer_;
};

std::string destination(const void* options) {
  const auto& o = *static_cast<const FileOutputOptions*>(options);
  return "file:" + o.path + "/" + o.file;
}

std::vector<std::string> writes(const void* options) {
  const auto& o = *static_cast<const FileOutputOptions*>(options);
  if (o.file.empty()) return {};
  return {o.path.empty() ? o.file : o.path + "/" + o.file};
}

std::vector<std::string> writes_below(const void* options) {
  const auto& o = *static_cast<const FileOutputOptions*>(options);
  return {directory_of(o.path.empty() ? o.file : o.path + "/" + o.file)};
}

}  // namespace

extern const OutputEntry kFileOutput;
const OutputEntry kFileOutput = {
    .name = "file",
    .summary = "Appends records to files, with rotation.",
    .schema = &file_out::file_output_schema(),
    .make_options = make_options_of<FileOutputOptions>,
    .make = [](OptionsPtr options) -> std::unique_ptr<Output> {
      return std::make_unique<FileOutput>(std::move(options));
    },
    .single = true,
    .destination = destination,
    .writes = writes,
    .writes_below = writes_below,
};

}  // namespace logweir
