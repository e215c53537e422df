// SPDX-License-Identifier: Apache-2.0
#include "pipeline/desk.h"

#include <algorithm>
#include <exception>

#include "base/check.h"

namespace logweir {

namespace {
constexpr std::size_t kLongestAnswer = 4096;
}

Desk::Desk(Loop& loop, std::unique_ptr<Output> output)
    : output_(std::move(output)), mail_(loop, [this](Letter&& letter) { handle(letter); }) {}

Desk::~Desk() = default;

Status Desk::open(OutputServices& services) { return output_->open(services); }

void Desk::close() { output_->close(); }

void Desk::handle(const Letter& letter) {
  if (letter.loan != nullptr) {
    letter.loan->part = 0;
    letter.loan->offset = 0;
    letter.loan->taken = 0;
    letter.loan->spoiled = false;
    loans_.push_back(letter.loan);
    serve();
  } else if (letter.forget != nullptr) {
    forget_here(*letter.forget);
    const std::lock_guard lock(forget_mutex_);
    last_forgotten_ = letter.forget;
    forgotten_.notify_all();
  } else {
    output_->reopen();
  }
}

void Desk::forget(DeskClient& client) {
  std::unique_lock lock(forget_mutex_);
  mail_.send({nullptr, &client});
  forgotten_.wait(lock, [&] { return last_forgotten_ == &client; });
}

void Desk::forget_here(DeskClient& client) {
  std::erase_if(loans_, [&](const Loan* loan) { return loan->client == &client; });
  for (Span& span : spans_) {
    if (span.client == &client) span.client = nullptr;
  }
}

void Desk::serve() {
  if (serving_) return;
  serving_ = true;
  while (ready_ && !loans_.empty() && serve_front()) {
  }
  serving_ = false;
}

// Offers what is left of the oldest loan; false when there is no sense in going on now.
bool Desk::serve_front() {
  Loan& loan = *loans_.front();
  parts_.clear();
  parts_.push_back(loan.parts[loan.part]);
  parts_.back().first += loan.offset;
  parts_.insert(parts_.end(), loan.parts.begin() + static_cast<std::ptrdiff_t>(loan.part) + 1, loan.parts.end());
  const std::uint64_t offered = loan.records - loan.taken;
  spans_.push_back({next_, offered, loan.ordinal + loan.taken, offered, loan.client});
  const std::uint64_t first = next_;
  next_ += offered;
  ready_ = false;
  sending_ = true;  // the span on offer may be settled meanwhile: it stays until it is known how much was taken
  bool threw = false;
  const std::uint64_t taken = offer({parts_, first, offered, 0}, threw);
  sending_ = false;
  if (threw) {
    give_back_poison(loan);
    return false;
  }
  const bool returned = loans_.empty() || loans_.front() != &loan;  // `unavailable` gave it back
  if (taken == offered && !returned) ready_ = true;
  if (taken < offered) {
    next_ = first + taken;
    Span& span = spans_.back();
    span.open -= offered - taken;
    span.count = taken;
    if (taken == 0) spans_.pop_back();
  }
  drop_settled_spans();
  if (returned) return false;
  loan.taken += taken;
  for (std::uint64_t left = taken; left > 0;) {
    const std::uint64_t here = std::min<std::uint64_t>(left, loan.parts[loan.part].count() - loan.offset);
    loan.offset += static_cast<std::uint32_t>(here);
    left -= here;
    if (loan.offset == loan.parts[loan.part].count()) {
      ++loan.part;
      loan.offset = 0;
    }
  }
  if (loan.taken == loan.records) {
    loans_.pop_front();
    loan.client->answer({DeskClient::Answer::Kind::free, 0, 0, Outcome::delivered, {}, 0, {}});
  }
  give_back_spoiled();
  return taken > 0;
}

std::uint64_t Desk::offer(const Shipment& shipment, bool& threw) {
  try {
    return output_->send(shipment);
  } catch (const std::exception& e) {
    thrown_ = e.what();
    threw = true;
    return 0;
  }
}

// The output threw over the span on offer; what it had not settled goes back to its lane, which looks for the record
// that is to blame.
void Desk::give_back_poison(Loan& loan) {
  const bool all_settled = spans_.back().open == 0;
  spans_.pop_back();
  ready_ = true;
  std::erase(loans_, &loan);
  DeskClient::Answer answer{DeskClient::Answer::Kind::unavailable,
                            loan.ordinal + loan.taken,
                            loan.records - loan.taken,
                            Outcome::poison,
                            "poison",
                            0,
                            thrown_.substr(0, kLongestAnswer)};
  if (all_settled) answer.kind = DeskClient::Answer::Kind::free;
  loan.client->answer(std::move(answer));
}

void Desk::ready() {
  ready_ = true;
  serve();
}

void Desk::settle(std::uint64_t first, std::uint64_t count, Outcome outcome, std::string_view reason, Nanos not_before,
                  std::string_view answer) {
  const std::uint64_t end = first + count;
  auto span =
      std::partition_point(spans_.begin(), spans_.end(), [first](const Span& s) { return s.first + s.count <= first; });
  for (; span != spans_.end() && span->first < end; ++span) {
    const std::uint64_t from = std::max(first, span->first);
    const std::uint64_t to = std::min(end, span->first + span->count);
    LW_CHECK(to - from <= span->open);
    span->open -= to - from;
    if (span->client == nullptr) continue;
    if (outcome == Outcome::retry) spoil(*span->client);
    span->client->answer({DeskClient::Answer::Kind::settled, span->client_first + (from - span->first), to - from,
                          outcome, std::string(reason), not_before, std::string(answer.substr(0, kLongestAnswer))});
  }
  if (sending_) return;
  drop_settled_spans();
  give_back_spoiled();
}

void Desk::spoil(const DeskClient& client) {
  for (Loan* loan : loans_) loan->spoiled = loan->spoiled || loan->client == &client;
}

void Desk::give_back_spoiled() {
  std::erase_if(loans_, [this](Loan* loan) {
    if (loan->spoiled) give_back(*loan, "after_retry");
    return loan->spoiled;
  });
}

void Desk::give_back(Loan& loan, std::string_view reason) {
  loan.client->answer({DeskClient::Answer::Kind::unavailable,
                       loan.ordinal + loan.taken,
                       loan.records - loan.taken,
                       Outcome::retry,
                       std::string(reason),
                       0,
                       {}});
}

void Desk::drop_settled_spans() {
  while (!spans_.empty() && spans_.front().open == 0) spans_.pop_front();
}

void Desk::unavailable(std::string_view reason, const Status& /*why*/) {
  ready_ = true;
  while (!loans_.empty()) {
    Loan& loan = *loans_.front();
    loans_.pop_front();
    give_back(loan, reason);
  }
}

DeskClient::~DeskClient() = default;

Status DeskClient::open(OutputServices& services) {
  host_ = &services.host;
  loan_.client = this;
  mail_ = std::make_unique<Mailbox<Answer>>(services.loop, [this](Answer&& answer) { handle(answer); });
  return {};
}

std::uint64_t DeskClient::send(const Shipment& shipment) {
  if (lent_) return 0;
  lent_ = true;
  loan_.parts.assign(shipment.parts.begin(), shipment.parts.end());
  loan_.ordinal = shipment.ordinal;
  loan_.records = shipment.records;
  desk_.lend(loan_);
  return shipment.records;
}

void DeskClient::handle(const Answer& answer) {
  switch (answer.kind) {
    case Answer::Kind::settled:
      host_->settle(answer.first, answer.count, answer.outcome, answer.reason, answer.not_before, answer.words);
      break;
    case Answer::Kind::unavailable:
      lent_ = false;
      host_->settle(answer.first, answer.count, answer.outcome, answer.reason, 0, answer.words);
      host_->ready();
      break;
    case Answer::Kind::free:
      lent_ = false;
      host_->ready();
      break;
  }
}

void DeskClient::close() {
  if (home_) {
    desk_.forget_here(*this);
  } else {
    desk_.forget(*this);
  }
  mail_.reset();
}

}  // namespace logweir
