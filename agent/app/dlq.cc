// SPDX-License-Identifier: Apache-2.0
#include "app/dlq.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <ostream>

#include "app/admin_pages.h"
#include "app/cli.h"
#include "app/cli_text.h"
#include "app/paths.h"
#include "app/privileges.h"
#include "base/fd.h"
#include "record/record_id.h"
#include "state/dead_letters.h"

namespace logweir {

namespace {

constexpr std::size_t kPage = 500;
constexpr std::size_t kPageBytes = 4 << 20;

std::string id_of(const Letter& letter) { return std::string(RecordId(letter.source, letter.position).text()); }

class Dlq {
 public:
  Dlq(const DlqRequest& request, const Plan& plan, std::ostream& out, std::ostream& err)
      : request_(request), plan_(plan), out_(out), err_(err), directory_(letters_directory(state_directory(plan))) {}

  int run() {
    if (const int code = check_usage(); code != 0) return code;
    auto file = LetterFile::open(letters_path(directory_), false);
    if (file.status().code() == Code::not_found && request_.numbers.empty()) {
      out_ << "no dead letters\n";
      return 0;
    }
    if (!file.ok()) return fail(file.status().message());
    file_ = std::move(file).value();
    for (const std::uint64_t number : request_.numbers) {
      if (const auto found = file_->find(number); !found.ok()) return fail(found.status().message());
    }
    if (request_.verb == "list") return list();
    if (request_.verb == "show") return show();
    return request_.verb == "replay" ? replay() : drop();
  }

 private:
  int fail(const std::string& message, int code = 1) {
    err_ << "logweir: error: " << message << "\n";
    return code;
  }

  int check_usage() {
    constexpr std::string_view kVerbs[] = {"list", "show", "replay", "drop"};
    if (std::find(std::begin(kVerbs), std::end(kVerbs), request_.verb) == std::end(kVerbs)) {
      return fail("'dlq " + tame(request_.verb) + "' is unknown; say list, show, replay or drop", kExitUsage);
    }
    if (request_.verb == "drop" && request_.numbers.empty() && !request_.all) {
      return fail("say which dead letters to drop, by their numbers, or --all", kExitUsage);
    }
    if (!request_.numbers.empty() && request_.all) return fail("give numbers or --all, not both", kExitUsage);
    if (request_.output.empty()) return 0;
    if (request_.verb != "replay") return fail("--output goes with 'dlq replay' alone", kExitUsage);
    return has_output(request_.output) ? 0 : fail("the conf has no output '" + request_.output + "'", kExitUsage);
  }

  [[nodiscard]] bool has_output(const std::string& name) const {
    return std::any_of(plan_.outputs.begin(), plan_.outputs.end(), [&](const auto& one) { return one.name == name; });
  }

  // Every letter that is asked for, in order.
  int each(const std::function<void(const Letter&)>& tell) {
    for (const std::uint64_t number : request_.numbers) {
      if (const auto found = file_->find(number); found.ok()) tell(found.value());
    }
    if (!request_.numbers.empty()) return 0;
    for (std::uint64_t after = 0;;) {
      const auto page = file_->read(after, kPage, kPageBytes);
      if (!page.ok()) return fail(page.status().message());
      if (page.value().empty()) return 0;
      for (const Letter& letter : page.value()) tell(letter);
      after = page.value().back().number;
    }
  }

  int list() {
    const auto totals = file_->totals();
    if (!totals.ok()) return fail(totals.status().message());
    if (totals.value().letters == 0) {
      out_ << "no dead letters\n";
      return 0;
    }
    out_ << fmt::format("{:>8}  {:20}  {:16}  {:12}  {:>8}  {:20}  {}\n", "number", "given up", "output", "reason",
                        "bytes", "tag", "id");
    const int code = each([this](const Letter& letter) {
      out_ << fmt::format("{:>8}  {:20}  {:16}  {:12}  {:>8}  {:20}  {}{}\n", letter.number, second_of(letter.given_up),
                          tame(letter.output), tame(letter.reason), letter.body.size(), tame(letter.tag), id_of(letter),
                          letter.replay.empty() ? "" : "  (to be replayed)");
    });
    out_ << fmt::format("{} dead letters, {} bytes, in {}\n", totals.value().letters, totals.value().bytes, directory_);
    return code;
  }

  int show() {
    return each([this](const Letter& letter) { out_ << letter_json(letter) << "\n"; });
  }

  int replay() {
    std::string missing;
    if (request_.output.empty()) {
      const int code = each([&](const Letter& letter) {
        if (missing.empty() && !has_output(letter.output)) missing = letter.output;
      });
      if (code != 0) return code;
    }
    if (!missing.empty()) {
      return fail("some are for '" + tame(missing) + "', which is no output of this conf: say where to with --output");
    }
    return change(
        [this](std::uint64_t number) { return file_->mark(number, request_.output); },
        [this] {
          const Fd file(
              ::open(replay_request_path(directory_).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
          if (file) (void)!::write(file.get(), "replay\n", 7);
          return "dead letters are to be replayed: a running agent takes them up at once, else the next start does";
        });
  }

  int drop() {
    return change([this](std::uint64_t number) { return file_->drop(number); },
                  [] { return "dead letters are dropped"; });
  }

  int change(const std::function<Result<std::uint64_t>(std::uint64_t)>& one, const std::function<const char*()>& done) {
    std::uint64_t count = 0;
    std::vector<std::uint64_t> numbers = request_.numbers;
    if (numbers.empty()) numbers.push_back(0);  // all
    for (const std::uint64_t number : numbers) {
      const auto changed = one(number);
      if (!changed.ok()) return fail(changed.status().message());
      count += changed.value();
    }
    out_ << count << " " << done() << "\n";
    return 0;
  }

  const DlqRequest& request_;
  const Plan& plan_;
  std::ostream& out_;
  std::ostream& err_;
  const std::string directory_;
  std::unique_ptr<LetterFile> file_;
};

}  // namespace

std::string letter_json(const Letter& letter) {
  std::string json = fmt::format(R"({{"number":{},"id":"{}","given_up":"{}","time":"{}")", letter.number, id_of(letter),
                                 date_of(letter.given_up), date_of(letter.time));
  const auto add = [&json](std::string_view key, std::string_view value) {
    json += fmt::format(R"(,"{}":)", key);
    append_json(json, value);
  };
  add("output", letter.output);
  add("reason", letter.reason);
  add("answer", letter.answer);
  add("tag", letter.tag);
  if (!letter.replay.empty()) add("replay", letter.replay);
  json += R"(,"record":)";
  if (letter.text) {
    json += '{';
    append_json(json, letter.text_key);
    json += ':';
    append_json(json, letter.body);
    json += '}';
  } else if (letter.body.starts_with('{') && letter.body.ends_with('}')) {
    json += letter.body;
  } else {
    append_json(json, letter.body);
  }
  return json + "}";
}

int run_dlq(const DlqRequest& request, const Plan& plan, std::ostream& out, std::ostream& err) {
  // What root made in the store would shut the agent out.
  if (Status status = become_service_user(plan.service); !status.ok()) {
    err << "logweir: error: " << status.message() << "\n";
    return 1;
  }
  const int code = Dlq(request, plan, out, err).run();
  out << std::flush;
  return code;
}

}  // namespace logweir
