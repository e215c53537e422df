// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/http/request.h"

#include <algorithm>
#include <utility>

#include "plugins/outputs/http/texts.h"

namespace logweir::http_out {

namespace {

constexpr Nanos kNoMemoryWait = 5 * kMillisecond;
constexpr Nanos kLongestWait = 600 * kSecond;  // whatever a server asks for

std::string tag_header(const std::string& name, std::string tag) {
  for (char& c : tag) {
    if (!is_header_value({&c, 1})) c = '_';
  }
  return name + ": " + tag;
}

}  // namespace

Request::Request(Common& common)
    : common_(common),
      work_(std::make_shared<Work>(common, this)),
      call_(*common.client, [this](const HttpEnd& end) { ended(end); }),
      later_(common.loop.timers(),
             [this] {
               if (unusable_) {
                 settle(Outcome::rejected, "no_body");
               } else {
                 next();
               }
             }),
      headers_(common.headers) {}

Request::~Request() { work_->owner = nullptr; }

bool Request::take(ShipmentCursor& cursor, const Shipment& shipment) {
  most_ = choose_parts(cursor, shipment);
  count_ = most_;
  settled_ = 0;
  ordinal_ = cursor.ordinal();
  if (!fill()) {
    count_ = 0;
    return false;
  }
  count_ = sent_.count;
  trim_parts();
  for (const Part& part : parts_) cursor.advance(part.count());
  pack();
  return true;
}

// Parts that may go into one body, and the number of their records.
std::uint64_t Request::choose_parts(ShipmentCursor cursor, const Shipment& shipment) {
  parts_.clear();
  const Part first = cursor.rest();
  const std::string& tag = first.batch->origin->tag->text;
  std::uint64_t records = 0;
  for (std::size_t i = cursor.part(); i < shipment.parts.size(); ++i) {
    const Part& part = i == cursor.part() ? first : shipment.parts[i];
    if (part.count() == 0) continue;
    if (!common_.options.header_tag.empty() && part.batch->origin->tag->text != tag) break;
    parts_.push_back(part);
    records += part.count();
  }
  if (common_.own_body.wanted()) return 1;
  return std::min(records, common_.repeats.take(first, records));
}

void Request::trim_parts() {
  std::uint64_t left = count_;
  auto part = parts_.begin();
  while (part != parts_.end() && left > 0) {
    part->last = part->first + static_cast<std::uint32_t>(std::min<std::uint64_t>(left, part->count()));
    left -= part->count();
    ++part;
  }
  parts_.erase(part, parts_.end());
}

// Makes the body of the records that come next.
bool Request::fill() {
  token_renewed_ = false;
  servers_tried_ = 0;
  if (common_.own_body.wanted()) return fill_own();
  const Stretch wanted{settled_, std::min(most_, count_ - settled_)};
  const std::uint64_t records = work_->body.fill(common_.encoder, parts_, wanted, common_.limit.bytes());
  common_.note_repaired();
  if (records == 0) return false;
  sent_ = {settled_, records};
  return true;
}

// The body that the next record brings, the only one of its request.
bool Request::fill_own() {
  const Part& part = parts_.front();
  const Record& record = part.batch->records[part.first];
  const auto text = common_.own_body.body(*part.batch, record);
  unusable_ = !text;
  if (text && !work_->body.fill_text(*text)) return false;
  own_headers_.clear();
  common_.own_body.headers(*part.batch, record, own_headers_);
  sent_ = {settled_, 1};
  return true;
}

void Request::pack() {
  if (unusable_) {
    later_.arm(common_.loop.now());
    return;
  }
  key_ = idempotency_key(parts_, sent_, common_.basis);
  if (!work_->body.prepare_compression()) {
    transmit();
    return;
  }
  common_.jobs.run([work = work_] { work->body.compress(); },
                   [work = work_] {
                     if (work->owner == nullptr) return;
                     work->body.take_compressed();
                     work->owner->transmit();
                   });
}

void Request::transmit() {
  if (common_.token != nullptr && !common_.token->good()) {
    common_.token->fetch([this](std::string_view failure) { token_came(failure); });
    return;
  }
  add_headers();
  server_ = common_.endpoints.current(common_.loop.now());
  call_.start({common_.method, &common_.endpoints[server_], common_.uri, headers_, work_->body.pieces()});
}

void Request::token_came(std::string_view failure) {
  if (failure.empty()) {
    transmit();
  } else {
    give_back(std::string(failure), 0);
  }
}

void Request::add_headers() {
  headers_ = common_.headers;
  headers_.push_back("Idempotency-Key: " + key_);
  if (work_->body.compressed()) {
    headers_.emplace_back(common_.options.compress == HttpCompress::gzip ? "Content-Encoding: gzip"
                                                                         : "Content-Encoding: zstd");
  }
  if (const std::string& name = common_.options.header_tag; !name.empty()) {
    headers_.push_back(tag_header(name, parts_.front().batch->origin->tag->text));
  }
  if (common_.token != nullptr) {
    headers_.push_back(common_.token->header());
    token_ = common_.token->number();
  }
  if (common_.own_body.wanted()) {
    headers_.insert(headers_.end(), own_headers_.begin(), own_headers_.end());
    const auto is_type = [](const std::string& header) { return is_header(header, "Content-Type"); };
    // An empty one, lest libcurl adds its own.
    if (std::none_of(headers_.begin(), headers_.end(), is_type)) headers_.emplace_back("Content-Type:");
  }
  if (!common_.options.repeated_headers) drop_repeated_headers(headers_);
}

void Request::ended(const HttpEnd& end) {
  if (end.status == 401 && common_.token != nullptr && !std::exchange(token_renewed_, true)) {
    common_.note(end, Verdict::retry, common_.endpoints[server_], sent_.count);
    common_.token->refused(token_);
    transmit();
    return;
  }
  const Verdict verdict = judge(end);
  common_.note(end, verdict, common_.endpoints[server_], sent_.count);
  if (verdict == Verdict::retry) {
    common_.endpoints.failed(server_, common_.loop.now());
    if (++servers_tried_ < common_.endpoints.size()) {
      transmit();
    } else {
      give_back(reason_of(end), end.retry_after);
    }
    return;
  }
  common_.endpoints.worked(server_);
  if (verdict == Verdict::too_large && sent_.count > 1) {
    common_.limit.refused(work_->body.text_size());
    most_ = sent_.count / 2;
    next();
    return;
  }
  if (verdict == Verdict::delivered) common_.limit.worked();
  most_ = 2 * sent_.count;  // the one that was too large may be behind us
  settle(verdict == Verdict::delivered ? Outcome::delivered : Outcome::rejected,
         verdict == Verdict::delivered ? std::string() : reason_of(end),
         std::to_string(end.status) + ' ' + std::string(end.body.substr(0, 1024)));
}

// The body's records are done with; those behind them in the shipment come next.
void Request::settle(Outcome outcome, const std::string& reason, std::string_view answer) {
  const std::uint64_t first = ordinal_ + sent_.skip;
  const std::uint64_t records = sent_.count;
  settled_ += records;
  const bool all = settled_ == count_;
  if (all) {
    count_ = 0;  // from here on we may be given records, even while the lane is told
    work_->body.clear();
  }
  common_.host.settle(first, records, outcome, reason, 0, answer);
  if (all) {
    common_.freed();
  } else {
    next();
  }
}

// The lane backs off and offers all that is left again.
void Request::give_back(const std::string& reason, Nanos wait) {
  wait = std::min(wait, kLongestWait);
  std::uint64_t skip = sent_.skip;
  for (const Part& part : parts_) {
    if (skip < part.count()) {
      common_.repeats.remember(part, skip, sent_.count);
      break;
    }
    skip -= part.count();
  }
  const std::uint64_t first = ordinal_ + settled_;
  const std::uint64_t records = std::exchange(count_, 0) - settled_;
  work_->body.clear();
  common_.host.settle(first, records, Outcome::retry, reason, wait > 0 ? common_.loop.now() + wait : 0);
  common_.freed();
}

void Request::next() {
  if (fill()) {
    pack();
  } else {
    later_.arm(common_.loop.now() + kNoMemoryWait);
  }
}

}  // namespace logweir::http_out
