// SPDX-License-Identifier: Apache-2.0
#include "pipeline/burial.h"

#include <exception>
#include <mutex>

namespace logweir {

namespace {

constexpr std::size_t kPieceRecords = 500;
constexpr std::size_t kPieceBytes = 1 << 20;

EncodeOptions plain() {
  EncodeOptions options;
  options.format = Format::plain;
  return options;
}

// Whether the line itself is all there is to the record.
bool is_bare_text(const Batch& batch, const Record& record) {
  return record.body == Body::text && record.field_count == 0 && (record.flags & Record::kTruncated) == 0 &&
         batch.origin->attached.empty() && batch.origin->offset_key.empty();
}

}  // namespace

struct Burial::Guard {
  std::mutex mutex;
  Mailbox<Answer>* mail = nullptr;
};

Burial::Burial(Loop& loop, Pool& pool, DeadLetters& store)
    : loop_(loop), store_(store), encoder_(plain()), pieces_(pool), mail_(loop, [this](Answer&& answer) {
        answered(answer.stored);
      }) {}

Burial::~Burial() { abandon(); }

void Burial::abandon() {
  if (guard_) {
    const std::lock_guard lock(guard_->mutex);
    guard_->mail = nullptr;
  }
  guard_.reset();
  graves_.clear();
  offered_ = 0;
}

void Burial::bury(const Part& part, const Cause& cause, Done done) {
  graves_.push_back({part, std::string(cause.output), std::string(cause.reason),
                     std::string(cause.answer.substr(0, LetterFile::kLongestAnswer)), std::move(done)});
  if (graves_.size() == 1) next();
}

// Gives the store the next piece of the oldest part.
void Burial::next() {
  if (graves_.empty()) return;
  if (!guard_) {
    guard_ = std::make_shared<Guard>();
    guard_->mail = &mail_;
  }
  std::vector<Letter> letters = letters_of(graves_.front());
  offered_ = static_cast<std::uint32_t>(letters.size());
  if (letters.empty()) return mail_.send({false});  // they can't be encoded
  store_.put(std::move(letters), [guard = guard_](bool stored) {
    const std::lock_guard lock(guard->mutex);
    if (guard->mail != nullptr) guard->mail->send({stored});
  });
}

void Burial::answered(bool stored) {
  if (graves_.empty()) return;
  Grave& front = graves_.front();
  if (stored) {
    front.stored += offered_;
    front.part.first += offered_;
    if (front.part.count() > 0) return next();
  }
  const Grave done = std::move(front);
  graves_.pop_front();
  next();
  done.done(done.stored);
}

std::vector<Letter> Burial::letters_of(const Grave& grave) {
  std::vector<Letter> letters;
  std::size_t bytes = 0;
  for (std::uint32_t i = grave.part.first; i < grave.part.last; ++i) {
    if (letters.size() >= kPieceRecords || bytes >= kPieceBytes) break;
    letters.push_back(letter_of(grave, {grave.part.batch, i, i + 1}));
    if (letters.back().body.empty() && !letters.back().text) {
      letters.pop_back();
      break;
    }
    bytes += weight_of(letters.back());
  }
  return letters;
}

// Its body is empty when it could not be encoded.
Letter Burial::letter_of(const Grave& grave, const Part& one) {
  const Batch& batch = *one.batch;
  const Record& record = batch.records[one.first];
  Letter letter;
  letter.given_up = loop_.wall();
  letter.time = record.time;
  letter.source = batch.source;
  letter.position = record.position;
  letter.output = grave.output;
  letter.reason = grave.reason;
  letter.answer = grave.answer;
  letter.tag = batch.origin->tag->text;
  letter.text_key = batch.origin->text_key;
  letter.text = is_bare_text(batch, record);
  if (letter.text) {
    letter.body = record.text();
  } else if (!encode(one, letter.body) && record.body != Body::fields) {
    letter.text = true;  // better the bytes than nothing
    letter.body = record.text();
  }
  return letter;
}

bool Burial::encode(const Part& one, std::string& json) {
  pieces_.clear();
  try {
    if (encoder_.encode(one, pieces_, SIZE_MAX) != 1) return false;
  } catch (const std::exception&) {
    return false;  // a poison record may be poison here as well
  }
  for (const iovec& piece : pieces_.front()) json.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
  if (!json.empty() && json.back() == '\n') json.pop_back();
  pieces_.clear();
  return true;
}

}  // namespace logweir
