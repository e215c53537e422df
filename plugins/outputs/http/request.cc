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
      later_(common.loop.timers(), [this] { next(); }),
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
  const Stretch wanted{settled_, std::min(most_, count_ - settled_)};
  const std::uint64_t records = work_->body.fill(common_.encoder, parts_, wanted, common_.limit.bytes());
  common_.note_repaired();
  if (records == 0) return false;
  sent_ = {settled_, records};
  servers_tried_ = 0;
  return true;
}

void Request::pack() {
  key_ = idempotency_key(parts_, sent_, common_.seed);
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
  headers_.resize(common_.headers.size());
  headers_.push_back("Idempotency-Key: " + key_);
  if (work_->body.compressed()) {
    headers_.emplace_back(common_.options.compress == HttpCompress::gzip ? "Content-Encoding: gzip"
                                                                         : "Content-Encoding: zstd");
  }
  if (const std::string& name = common_.options.header_tag; !name.empty()) {
    headers_.push_back(tag_header(name, parts_.front().batch->origin->tag->text));
  }
  server_ = common_.endpoints.current(common_.loop.now());
  call_.start({common_.method, &common_.endpoints[server_], common_.uri, headers_, work_->body.pieces()});
}

void Request::ended(const HttpEnd& end) {
  const Verdict verdict = judge(end);
  common_.note(end, verdict, common_.endpoints[server_], sent_.count);
  if (verdict == Verdict::retry) {
    common_.endpoints.failed(server_, common_.loop.now());
    if (++servers_tried_ < common_.endpoints.size()) {
      transmit();
    } else {
      give_back(end);
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
void Request::give_back(const HttpEnd& end) {
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
  const std::string reason = reason_of(end);
  const Nanos wait = std::min(end.retry_after, kLongestWait);
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
