// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "loop/mailbox.h"
#include "plugin/output.h"

namespace logweir {

class DeskClient;

// Value. Records lent to the desk's thread. Owned by the client, which keeps every batch in it alive until each record
// is settled or the desk has let go of the client.
struct Loan {
  DeskClient* client = nullptr;
  std::vector<Part> parts;
  std::uint64_t ordinal = 0;  // of its first record, in the client's lane
  std::uint64_t records = 0;
  // The desk's: how far it has got.
  std::size_t part = 0;
  std::uint32_t offset = 0;
  std::uint64_t taken = 0;
  bool spoiled = false;  // an earlier part of it must be sent again: the rest goes back, or the order would break
};

// Resource, one per output that exists once in the process, when there is more than one worker. Lives on the home
// worker's thread, owns the output and serves the loans of all workers' lanes in turn. Outlives its clients.
class Desk final : public OutputHost {
 public:
  Desk(Loop& loop, std::unique_ptr<Output> output);
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;
  ~Desk() override;

  Status open(OutputServices& services);  // `services.host` is this
  void close();

  // Any thread.
  void lend(Loan& loan) { mail_.send({&loan, nullptr}); }
  void reopen() { mail_.send({nullptr, nullptr}); }
  // From another thread than the desk's, blocking: afterwards the desk knows nothing of the client.
  void forget(DeskClient& client);

  // OutputHost
  void ready() override;
  void settle(std::uint64_t first, std::uint64_t count, Outcome outcome, std::string_view reason, Nanos not_before,
              std::string_view answer) override;
  void unavailable(std::string_view reason, const Status& why) override;

  void forget_here(DeskClient& client);  // the same, on the desk's thread

 private:
  struct Letter {
    Loan* loan;
    DeskClient* forget;
  };
  // Records the output took and has not settled: [first, first + count) here, from `client_first` on at the client.
  struct Span {
    std::uint64_t first;
    std::uint64_t count;
    std::uint64_t client_first;
    std::uint64_t open;
    DeskClient* client;
  };
  void handle(const Letter& letter);
  void serve();
  bool serve_front();
  void drop_settled_spans();
  std::uint64_t offer(const Shipment& shipment, bool& threw);
  void give_back_poison(Loan& loan);
  void give_back(Loan& loan, std::string_view reason);
  void give_back_spoiled();
  void spoil(const DeskClient& client);

  std::unique_ptr<Output> output_;
  std::deque<Loan*> loans_;
  std::deque<Span> spans_;
  std::vector<Part> parts_;
  std::uint64_t next_ = 0;
  bool ready_ = true;
  bool serving_ = false;
  bool sending_ = false;
  std::string thrown_;  // by the output, last
  std::mutex forget_mutex_;
  std::condition_variable forgotten_;
  DeskClient* last_forgotten_ = nullptr;
  Mailbox<Letter> mail_;
};

// Resource, one per worker: what that worker's lane sees as its output.
class DeskClient final : public Output {
 public:
  // `home`: this worker's thread is the desk's.
  DeskClient(Desk& desk, bool home) : desk_(desk), home_(home) {}
  ~DeskClient() override;
  Status open(OutputServices& services) override;
  std::uint64_t send(const Shipment& shipment) override;
  void reopen() override {
    if (home_) desk_.reopen();
  }
  void close() override;

  // Any thread (the desk's).
  struct Answer {
    enum class Kind { settled, free, unavailable } kind = Kind::free;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    Outcome outcome = Outcome::delivered;
    std::string reason;  // short: stays within the string's own space
    Nanos not_before = 0;
    std::string words = {};  // the peer's
  };
  void answer(Answer answer) { mail_->send(std::move(answer)); }

 private:
  void handle(const Answer& answer);

  Desk& desk_;
  const bool home_;
  OutputHost* host_ = nullptr;
  std::unique_ptr<Mailbox<Answer>> mail_;
  Loan loan_;
  bool lent_ = false;
};

}  // namespace logweir
