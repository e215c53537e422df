// SPDX-License-Identifier: Apache-2.0
#include "app/spool_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <vector>

#include "app/cli.h"
#include "app/cli_text.h"
#include "app/spool_lines.h"
#include "app/spools.h"
#include "spool/directory.h"
#include "spool/inspect.h"
#include "spool/segments.h"
#include "spool/state_record.h"

namespace logweir {

namespace {

// Value. A spool that was found, and whose it is by the conf.
struct Found {
  SpoolPlace place;
  SpoolInfo info;
  std::string output;  // the conf's name for it, else the one it was written under
  bool held_back = false;
};

// An agent beside us may delete the segment that was to be looked at; then there is a newer one.
Result<SpoolInfo> look_into(Disk& disk, const SpoolPlace& place) {
  constexpr int kTries = 5;
  auto info = inspect_spool(disk, place.directory);
  for (int i = 1; i < kTries && info.status().code() == Code::not_found; ++i) {
    info = inspect_spool(disk, place.directory);
  }
  return info;
}

std::optional<FrameHead> head_at(DiskFile& file, std::uint64_t offset, std::uint64_t mark) {
  char bytes[kFrameHead];
  const auto got = file.read(bytes, sizeof bytes, offset);
  return got.ok() ? read_head({bytes, got.value()}, mark) : std::nullopt;
}

// A label is missing also of a segment that is being made; then none of its frames is there yet.
bool label_is_damaged(DiskFile& file, std::uint64_t first, std::uint64_t mark) {
  const auto label = segment_label(file);
  if (label.ok() && label.value() && label.value()->a == first) return false;
  const auto head = head_at(file, kSegmentStart, mark);
  return !label.ok() || (head && head->sequence >= first);
}

bool frame_is_damaged(DiskFile& file, std::uint64_t offset, std::uint64_t mark) {
  const auto head = head_at(file, offset, mark);
  if (!head) return true;
  std::string bytes(static_cast<std::size_t>(head->frame_size()), '\0');
  const auto got = file.read(bytes.data(), bytes.size(), offset);
  return !got.ok() || !payload_holds(*head, {bytes.data(), got.value()});
}

// Whether a damaged place is there still. Beside a running agent its file may be gone meanwhile, delivered, or its
// frame may have been on its way to the file.
bool is_still_damaged(Disk& disk, const SpoolDamage& damage, std::uint64_t mark) {
  const auto file = disk.open(damage.file, Disk::Open::read);
  if (!file.ok()) return file.status().code() != Code::not_found;
  if (damage.frames > 0) return frame_is_damaged(*file.value(), damage.offset, mark);
  const auto first = first_of_name(std::string_view(damage.file).substr(damage.file.rfind('/') + 1));
  return label_is_damaged(*file.value(), first.value_or(0), mark);
}

class SpoolCommand {
 public:
  SpoolCommand(const SpoolRequest& request, const Plan& plan, std::ostream& out, std::ostream& err)
      : request_(request), plan_(plan), out_(out), err_(err), root_(spools_directory(plan)) {}

  int run() {
    if (const int code = check_usage(); code != 0) return code;
    const auto places = list_spools_in(disk_, root_);
    if (!places.ok()) {
      return fail("the spools can't be read: " + tame(places.status().message()) +
                  (places.status().code() == Code::denied ? "; run this as root or as the agent's user" : ""));
    }
    for (const SpoolPlace& place : places.value()) find(place);
    if (found_.empty()) return nothing();
    if (request_.verb == "list") return list();
    return request_.verb == "cat" ? cat() : verify();
  }

 private:
  int fail(const std::string& message, int code = 1) {
    err_ << "logweir: error: " << message << "\n";
    return code_ = code;
  }

  int check_usage() {
    constexpr std::string_view kVerbs[] = {"list", "cat", "verify"};
    if (request_.verb.empty()) return fail("say what of the spools: list, cat or verify", kExitUsage);
    if (std::find(std::begin(kVerbs), std::end(kVerbs), request_.verb) == std::end(kVerbs)) {
      return fail("'spool " + tame(request_.verb) + "' is unknown; say list, cat or verify", kExitUsage);
    }
    if (request_.limit != 0 && request_.verb != "cat") return fail("--limit goes with 'spool cat' alone", kExitUsage);
    if (request_.limit < 0) return fail("--limit must be a number of records; 0 means all", kExitUsage);
    return 0;
  }

  // Takes a spool up if it is asked for; says what can't be read.
  void find(const SpoolPlace& place) {
    Found found{place, {}, {}, true};
    for (const OutputPlan& output : plan_.outputs) {
      const SpoolIdentity identity = spool_identity(output);
      const bool same = spool_name(identity) == place.name;
      if (!same && held_back({place}, identity).empty()) continue;
      found.output = output.name;
      found.held_back = !same;
      if (same) break;
    }
    const auto info = look_into(disk_, place);
    if (info.ok()) found.info = info.value();
    if (found.output.empty()) found.output = info.ok() ? found.info.instance : place.name;
    const std::string& asked = request_.output;
    if (!asked.empty() && asked != found.output && asked != place.name && asked != found.info.instance) return;
    ++asked_for_;
    if (info.ok()) {
      found_.push_back(std::move(found));
    } else if (info.status().code() != Code::not_found) {  // not_found: made, and nothing ever written
      fail(tame(info.status().message()));
    }
  }

  int nothing() {
    const bool is_output = std::any_of(plan_.outputs.begin(), plan_.outputs.end(),
                                       [this](const OutputPlan& output) { return output.name == request_.output; });
    if (!request_.output.empty() && asked_for_ == 0 && !is_output) {
      return fail("there is no spool of '" + tame(request_.output) + "' in " + root_ +
                  ", and the conf has no output of that name");
    }
    if (code_ != 0) return code_;
    if (disk_.open(root_, Disk::Open::read).ok()) {
      return fail("the spools can't be read: " + root_ + " is a file and no directory; see storage.path of the conf");
    }
    // Of cat each line is a record.
    (request_.verb == "cat" ? err_ : out_) << "no spools in " << root_ << ": nothing waits on disk\n";
    return 0;
  }

  static std::string records_of(const SpoolInfo& info) {
    return info.frames > 0 && info.records == 0 ? "?" : std::to_string(info.records);
  }

  int list() {
    constexpr const char* kRow = "{:16}  {:32}  {:>5}  {:>8}  {:>12}  {:>8}  {:>10}  {:20}  {}\n";
    out_ << fmt::format(kRow, "output", "destination", "shard", "segments", "bytes", "frames", "records", "oldest",
                        "held back");
    std::uint64_t bytes = 0;
    std::uint64_t frames = 0;
    bool held = false;
    for (const Found& one : found_) {
      const SpoolInfo& info = one.info;
      out_ << fmt::format(kRow, tame(one.output), tame(info.fingerprint), one.place.shard, info.segments, info.bytes,
                          info.frames, records_of(info), info.oldest == 0 ? "-" : second_of(info.oldest),
                          one.held_back ? "yes" : "no");
      bytes += info.bytes;
      frames += info.frames;
      held = held || one.held_back;
    }
    out_ << fmt::format("{} spools, {} frames waiting, {} bytes, in {}\n", found_.size(), frames, bytes, root_);
    if (held) {
      out_
          << "What is held back is for a destination that no output of the conf has now. It is kept, and sent once the "
             "output has that destination again.\n";
    }
    return code_;
  }

  int cat() {
    std::uint64_t left = request_.limit == 0 ? UINT64_MAX : static_cast<std::uint64_t>(request_.limit);
    for (const Found& one : found_) {
      std::uint64_t expected = one.info.frontier;
      std::uint64_t missing = 0;
      const Status status = cat_spool(disk_, one.place.directory, [&](const FrameHead& head, std::string_view frame) {
        if (head.sequence > expected) missing += head.sequence - expected;
        expected = head.sequence + 1;
        const Status printed = lines_.each(frame, one.output, [&](std::string_view line) {
          out_ << line << '\n';
          return --left != 0 && out_.good();
        });
        if (!printed.ok()) fail(printed.message());
        return left != 0 && out_.good();
      });
      // not_found: all of it was delivered since we looked.
      if (!status.ok() && status.code() != Code::not_found) fail(tame(status.message()));
      if (missing > 0) {
        err_ << fmt::format(
            "logweir: warning: {} frames of {} were passed over: damaged, or delivered meanwhile; see logweir spool "
            "verify\n",
            missing, tame(one.place.directory));
      }
      if (left == 0 || !out_.good()) break;
    }
    return code_;
  }

  int verify() {
    for (const Found& one : found_) verify(one);
    return code_;
  }

  void verify(const Found& one) {
    std::uint64_t places = 0;
    std::uint64_t lost = 0;
    std::vector<SpoolDamage> labels;  // as many as segments; looked at again when their writer had time
    const auto tell = [&](const SpoolDamage& damage) {
      if (!is_still_damaged(disk_, damage, one.info.mark)) return;
      ++places;
      lost += damage.frames;
      out_ << "damaged: " << describe(damage) << "\n";
    };
    const auto check = verify_spool(disk_, one.place.directory, [&](const SpoolDamage& damage) {
      if (damage.frames != 0) return tell(damage);
      labels.push_back(damage);
    });
    for (const SpoolDamage& damage : labels) tell(damage);
    if (!check.ok()) {
      // not_found: all of it was delivered since we looked.
      if (check.status().code() != Code::not_found) fail(tame(check.status().message()));
      return;
    }
    const auto state = read_state(disk_, one.place.directory);
    if (one.info.segments > 0 && state.ok() && !state.value()) {
      ++places;
      out_ << "damaged: " << tame(one.place.directory) << "/" << kStateName
           << ": it says nothing; the segments' labels are used instead, and what was delivered may be sent again\n";
    }
    const SpoolCheck& all = check.value();
    out_ << fmt::format("{} shard {}: {} segments, {} frames with {} records read, {}\n", tame(one.output),
                        one.place.shard, all.segments, all.frames, all.records,
                        places == 0 ? "whole" : fmt::format("{} damaged places, {} frames lost", places, lost));
    if (places > 0) code_ = 1;
  }

  static std::string describe(const SpoolDamage& damage) {
    const std::string file = tame(damage.file);
    if (damage.frames == 0) return fmt::format("{} at 0: the label, {} bytes; it costs no record", file, damage.bytes);
    const std::string size = damage.bytes == 0 ? "to its end" : fmt::format("{} bytes", damage.bytes);
    return fmt::format("{} at {}: {}, {} frames lost", file, damage.offset, size, damage.frames);
  }

  const SpoolRequest& request_;
  const Plan& plan_;
  std::ostream& out_;
  std::ostream& err_;
  const std::string root_;
  RealDisk disk_;
  SpoolLines lines_;
  std::vector<Found> found_;
  std::uint64_t asked_for_ = 0;  // spools, those that can't be read among them
  int code_ = 0;
};

}  // namespace

int run_spool(const SpoolRequest& request, const Plan& plan, std::ostream& out, std::ostream& err) {
  const int code = SpoolCommand(request, plan, out, err).run();
  out << std::flush;
  return code;
}

std::string spool_help() {
  return "logweir spool list|cat|verify -c FILE [--output NAME] [--limit N]\n"
         "\n"
         "An output whose peer is away keeps what must wait in a spool on disk, one for each destination and worker\n"
         "(shard), below `storage.path` of the conf, else below `spool` in its state directory. These commands look\n"
         "into them. They change nothing and hold no lock, so they may run beside the agent; what they say is then a\n"
         "moment old.\n"
         "\n"
         "  list      a line for each spool: how many records wait in it, and since when. Held back is what was kept\n"
         "            for a destination that no output of the conf has now: it is not sent to another one\n"
         "  cat       the records that wait as lines of JSON, the oldest of each spool first\n"
         "  verify    reads all of it and names each damaged place by file and offset; it repairs nothing: the agent\n"
         "            passes over damaged frames, counts them and sends the others\n"
         "\n"
         "  --output NAME   only the spools of this output, by its alias or as list shows it\n"
         "  --limit N       of cat: at most so many records; 0: all, the default\n"
         "\n"
         "Exit codes: 0 done, and of verify: all is whole; 1 damaged or not readable; 64 bad usage; 78 bad conf.\n"
         "\n"
         "Examples:\n"
         "\n"
         "  logweir spool list -c agent.yaml\n"
         "  logweir spool cat -c agent.yaml --output peer --limit 10\n"
         "  logweir spool cat -c agent.yaml | jq -c .record      only what would be sent\n"
         "  logweir spool verify -c agent.yaml || echo damaged\n";
}

}  // namespace logweir
