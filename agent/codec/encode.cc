// SPDX-License-Identifier: Apache-2.0
#include "codec/encode.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "base/check.h"
#include "codec/access.h"
#include "codec/fluent_text.h"
#include "codec/json_text.h"
#include "codec/msgpack.h"
#include "codec/object_text.h"
#include "codec/row_text.h"

namespace logweir {

namespace {

// Room taken from the pieces in one go and filled record by record.
class Space {
 public:
  explicit Space(Pieces& out) : out_(out) {}

  // At least `bytes` and slack to write to, or nullptr.
  char* get(std::size_t bytes) {
    bytes += kJsonSlack;
    if (static_cast<std::size_t>(end_ - at_) >= bytes) return at_;
    commit();
    begin_ = at_ = out_.reserve(bytes);
    end_ = begin_ == nullptr ? nullptr : begin_ + out_.room();
    return at_;
  }
  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  void advance(char* to) { at_ = to; }
  [[nodiscard]] char* at() const { return at_; }
  [[nodiscard]] std::size_t used() const { return static_cast<std::size_t>(at_ - begin_); }
  void commit() {
    out_.commit(used());
    begin_ = at_;
  }
  // Commits what was written and puts `bytes` behind it by reference.
  void refer(std::string_view bytes) {
    commit();
    out_.refer(bytes);
  }

 private:
  Pieces& out_;
  char* begin_ = nullptr;
  char* at_ = nullptr;
  char* end_ = nullptr;
};

// To at least this size; what only a huge record needed is given back.
void grow(std::string& scratch, std::size_t size) {
  constexpr std::size_t kKeep = 256 * 1024;
  if (scratch.size() > kKeep && size <= kKeep) std::string().swap(scratch);
  if (scratch.size() < size) scratch.resize(size);
}

// Whether the byte behind the body is its own line's newline, as it was read.
bool ends_in_place(const Record& record) { return record.span == record.size + 1 && record.data[record.size] == '\n'; }

bool has_date(Format format) {
  return format == Format::json_lines || format == Format::json || format == Format::json_stream;
}

// What stands behind an object.
std::string_view separator_of(Format format) {
  if (format == Format::json_stream || format == Format::msgpack) return "";
  return format == Format::json ? "," : "\n";
}

}  // namespace

struct Encoder::Impl {
  explicit Impl(EncodeOptions asked)
      : options(std::move(asked)),
        object(has_date(options.format) ? options.date_key : "", options.date_format, options.id_key),
        separator(separator_of(options.format)),
        row(options.row_template) {
    if (options.delimiter.empty()) options.delimiter = options.format == Format::ltsv ? "\t" : ",";
  }

  // All of these write records from `at` on and return how many; 0: out of memory.
  std::uint32_t write_some(const Part& part, std::uint32_t at, std::size_t room, Space& space);
  std::uint32_t write_run(const Part& part, std::uint32_t at, std::size_t room, Space& space) const;
  bool write_referring(const Record& record, Space& space);
  bool write_object(const Batch& batch, const Record& record, Space& space);
  bool write_out_file(const Batch& batch, const Record& record, Space& space);
  bool write_fluent(const Batch& batch, const Record& record, Space& space);
  bool write_msgpack(const Batch& batch, const Record& record, Space& space);
  bool write_row(const Batch& batch, const Record& record, Space& space);
  bool begin_run(const Part& part, Space& space) const;
  void end_run(Space& space) const;
  bool write_raw(const Batch& batch, const Record& record, Space& space);
  char* object_room(const Batch& batch, const Record& record, std::size_t more, Space& space) const;
  bool write_line(std::string_view text, Space& space);
  std::string_view object_text(const Batch& batch, const Record& record);

  [[nodiscard]] bool is_whole_line(const Record& record) const {
    if (options.format == Format::raw) {
      return !raw_key && record.field_count == 0 && record.body != Body::fields;
    }
    return options.format == Format::plain && object.is_untouched(record);
  }

  EncodeOptions options;
  ObjectText object;
  const std::string_view separator;
  std::optional<Accessor> raw_key;
  std::string scratch;
  std::string line;
  MsgpackFromJson msgpack;
  RowTemplate row;
  std::uint64_t repaired = 0;
  std::uint64_t number = 0;  // of the next line, for Format::fluent
};

Encoder::Encoder(EncodeOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {
  const std::string& key = impl_->options.raw_key;
  if (key.empty()) return;
  if (Result<Accessor> accessor = Accessor::parse(key); accessor.ok()) impl_->raw_key = std::move(accessor).value();
}

Encoder::~Encoder() = default;

std::uint32_t Encoder::encode(const Part& part, Pieces& out, std::size_t stop) {
  impl_->object.begin(*part.batch);
  Space space(out);
  std::uint32_t at = part.first;
  if (at == part.last || !impl_->begin_run(part, space)) return 0;
  while (at != part.last && out.size() + space.used() < stop) {
    const std::uint32_t written = impl_->write_some(part, at, stop - out.size() - space.used(), space);
    if (written == 0) break;
    at += written;
  }
  if (at != part.first) impl_->end_run(space);
  space.commit();
  return at - part.first;
}

std::uint64_t Encoder::repaired() const { return impl_->repaired + impl_->object.repaired(); }
void Encoder::restart() { impl_->number = 0; }

std::uint32_t Encoder::Impl::write_some(const Part& part, std::uint32_t at, std::size_t room, Space& space) {
  const Batch& batch = *part.batch;
  const Record& record = batch.records[at];
  switch (options.format) {
    case Format::json_lines:
      if (record.size > options.refer_above && object.is_prefixed(record)) return write_referring(record, space);
      return write_object(batch, record, space);
    case Format::json:
    case Format::json_stream:
      return write_object(batch, record, space);
    case Format::plain:
      return is_whole_line(record) ? write_run(part, at, room, space) : write_object(batch, record, space);
    case Format::raw:
      return is_whole_line(record) ? write_run(part, at, room, space) : write_raw(batch, record, space);
    case Format::fluent:
      return write_fluent(batch, record, space);
    case Format::out_file:
      return write_out_file(batch, record, space);
    case Format::msgpack:
      return write_msgpack(batch, record, space);
    case Format::csv:
    case Format::csv_names:
    case Format::ltsv:
    case Format::row:
      return write_row(batch, record, space);
  }
  return 0;
}

// Lines that go out as they came. Neighbours in a chunk, newlines and all, make one range.
std::uint32_t Encoder::Impl::write_run(const Part& part, std::uint32_t at, std::size_t room, Space& space) const {
  const auto& records = part.batch->records;
  const char* const begin = records[at].data;
  std::uint32_t next = at;
  std::size_t size = 0;
  bool in_place = true;
  while (next != part.last && in_place && size < room) {
    const Record& record = records[next];
    if (next != at && (record.data != begin + size || !is_whole_line(record))) break;
    in_place = ends_in_place(record);
    size += record.size + (in_place ? 1 : 0);
    ++next;
  }
  const bool refer = size > options.refer_above;
  char* out = space.get(refer ? 1 : size + 1);
  if (out == nullptr) return 0;
  if (refer) {
    space.refer({begin, size});
  } else {
    std::memcpy(out, begin, size);
    out += size;
  }
  if (!in_place) *out++ = '\n';
  space.advance(out);
  return next - at;
}

bool Encoder::Impl::write_referring(const Record& record, Space& space) {
  char* out = space.get(object.prefix_bound() + DateText::kMost + 1);
  if (out == nullptr) return false;
  out = object.write_prefix(out, record);
  space.advance(out);
  const bool in_place = ends_in_place(record);
  space.refer({record.data + 1, record.size - 1 + (in_place ? std::size_t{1} : 0)});
  if (!in_place) {
    *out = '\n';
    space.advance(out + 1);
  }
  return true;
}

// The worst case takes six bytes for one; where there is not that much room, the body is measured first.
char* Encoder::Impl::object_room(const Batch& batch, const Record& record, std::size_t more, Space& space) const {
  constexpr std::size_t kMeasureAbove = 16 * 1024;
  std::size_t bound = object.bound(batch, record, false) + more;
  if (bound > kMeasureAbove && bound + kJsonSlack > space.left()) bound = object.bound(batch, record, true) + more;
  return space.get(bound);
}

bool Encoder::Impl::write_object(const Batch& batch, const Record& record, Space& space) {
  char* out = object_room(batch, record, 1, space);
  if (out == nullptr) return false;
  out = object.write(out, batch, record);
  for (const char c : separator) *out++ = c;
  space.advance(out);
  return true;
}

bool Encoder::Impl::write_out_file(const Batch& batch, const Record& record, Space& space) {
  const std::string& tag = batch.origin->tag->text;
  char* out = object_room(batch, record, tag.size() + 48, space);
  if (out == nullptr) return false;
  out = std::copy(tag.begin(), tag.end(), out);
  for (const char c : {':', ' ', '['}) *out++ = c;
  out = write_seconds(out, record.time);
  for (const char c : {',', ' '}) *out++ = c;
  out = object.write(out, batch, record);
  for (const char c : {']', '\n'}) *out++ = c;
  space.advance(out);
  return true;
}

// The object in `scratch`.
std::string_view Encoder::Impl::object_text(const Batch& batch, const Record& record) {
  grow(scratch, object.bound(batch, record, true) + kJsonSlack);
  const char* const end = object.write(scratch.data(), batch, record);
  return {scratch.data(), static_cast<std::size_t>(end - scratch.data())};
}

bool Encoder::Impl::write_fluent(const Batch& batch, const Record& record, Space& space) {
  const std::string_view text = object_text(batch, record);
  line.clear();
  write_fluent_line(line, number, batch.origin->tag->text, record.time, text);
  if (!write_line(line, space)) return false;
  ++number;
  return true;
}

// By way of the JSON text, so that all formats have the same fields in the same order.
bool Encoder::Impl::write_msgpack(const Batch& batch, const Record& record, Space& space) {
  const std::string_view text = object_text(batch, record);
  grow(line, MsgpackFromJson::bound(text.size()) + 3 * kMsgpackHead);
  char* end = write_msgpack_array(line.data(), 2);
  end = write_msgpack_array(end, 2);
  end = write_msgpack_time(end, record.time);
  end = write_msgpack_map(end, 0);
  end = msgpack.write(end, text);
  LW_CHECK(end != nullptr);  // bodies and fields are valid JSON, and so is what was made of them
  const auto size = static_cast<std::size_t>(end - line.data());
  char* const out = space.get(size);
  if (out == nullptr) return false;
  std::memcpy(out, line.data(), size);
  space.advance(out + size);
  return true;
}

bool Encoder::Impl::write_row(const Batch& batch, const Record& record, Space& space) {
  const std::string_view text = object_text(batch, record);
  line.clear();
  switch (options.format) {
    case Format::csv:
      write_csv_row(line, record.time, text, options.delimiter);
      break;
    case Format::csv_names:
      write_csv_names(line, text, options.delimiter);
      break;
    case Format::ltsv:
      write_ltsv_row(line, record.time, text, options.delimiter, options.label_delimiter);
      break;
    default:
      row.write(line, record.time, text);
      break;
  }
  return write_line(line, space);
}

// Asks for the first object's room as well: without a record nothing is written.
bool Encoder::Impl::begin_run(const Part& part, Space& space) const {
  if (options.run_begin.empty()) return true;
  const Record& first = part.batch->records[part.first];
  char* const out = object_room(*part.batch, first, options.run_begin.size() + 1, space);
  if (out == nullptr) return false;
  space.advance(std::copy(options.run_begin.begin(), options.run_begin.end(), out));
  return true;
}

// The last record is not committed yet, and each space has room for this behind it.
void Encoder::Impl::end_run(Space& space) const {
  if (options.run_end.empty()) return;
  char* const out = space.at() - (options.format == Format::json ? 1 : 0);
  space.advance(std::copy(options.run_end.begin(), options.run_end.end(), out));
}

bool Encoder::Impl::write_raw(const Batch& batch, const Record& record, Space& space) {
  if (raw_key) {
    if (const auto text = raw_key->text(batch, record, scratch)) return write_line(*text, space);
  }
  if (record.body == Body::text) return write_line(record.text(), space);
  return write_object(batch, record, space);
}

bool Encoder::Impl::write_line(std::string_view text, Space& space) {
  char* out = space.get(text.size() + 1);
  if (out == nullptr) return false;
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\n';
  space.advance(out + text.size() + 1);
  return true;
}

}  // namespace logweir
