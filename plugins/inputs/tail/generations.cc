// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/generations.h"

#include <algorithm>

#include "plugins/inputs/tail/files.h"
#include "plugins/inputs/tail/names.h"

namespace logweir::tail {

Generations::Generations(InputServices& services, const TailOptions& options, std::function<void(std::uint64_t)> kept)
    : services_(services), options_(options), kept_(std::move(kept)) {}

OriginRef Generations::origin_for(const TailFile& file) {
  const bool by_path = !options_.path_key.empty() || services_.tag.find('*') != std::string::npos;
  if (!by_path && shared_origin_) return shared_origin_;
  Origin origin;
  const std::string& name = file.label.or_else(file.stream_name());
  origin.tag = services_.intake.tag(expand_tag(services_.tag, name));
  origin.text_key = options_.key;
  origin.offset_key = options_.offset_key;
  if (!options_.path_key.empty()) origin.attached.emplace_back(options_.path_key, name);
  OriginRef made = OriginRef::make(std::move(origin));
  if (!by_path) shared_origin_ = made;
  return made;
}

bool Generations::begin(TailFile& file) {
  char bytes[kHeadBytes];
  const std::size_t got = read_at(file.fd.get(), bytes, sizeof bytes, 0);
  if (got == 0) return false;
  const std::string_view content(bytes, got);
  file.head = head_of(content);
  file.born = Files::birth_of(file, services_.loop.wall());
  file.uid = generation_uid(services_.machine_id, file.id, content, file.epoch, file.born);
  file.copy = false;
  if (!file.origin) file.origin = origin_for(file);
  file.source = services_.intake.open_source({file.uid, file.start, file.path});
  file.offset = services_.intake.start_of(file.source);
  file.scanned = file.offset;
  file.state = TailFile::State::keeping;
  keep(file, [this, uid = file.uid] { kept_(uid); });
  return true;
}

bool Generations::resume(TailFile& file) {
  const std::unique_ptr<GenerationFact> known = std::move(file.known);
  file.uid = known->uid;
  file.epoch = known->epoch;
  file.start = known->start;
  file.born = known->born;
  file.copy = known->copy;
  file.joined = known->joined;
  file.head = known->head;
  file.kept_head = known->head.size;
  file.kept_mark = known->mark_at;
  if (!file.origin) file.origin = origin_for(file);
  file.source = services_.intake.open_source({file.uid, file.start, file.path});
  file.offset = services_.intake.start_of(file.source);
  file.scanned = file.offset;
  file.state = TailFile::State::ready;
  char bytes[kHeadBytes];
  const std::size_t got = read_at(file.fd.get(), bytes, sizeof bytes, 0);
  if (!begins_with({bytes, got}, file.head)) return false;
  if (file.head.size == 0) file.head = head_of({bytes, got});  // another agent's: it did not say
  if (file.copy || file.packed) return true;                   // the mark is of plain files
  if (file.offset > file.seen_size || known->mark_at > file.seen_size) return false;
  if (known->mark.size > 0 && known->mark.size <= known->mark_at) {
    const std::size_t again = read_at(file.fd.get(), bytes, known->mark.size, known->mark_at - known->mark.size);
    if (mark_of({bytes, again}) != known->mark) return false;
  }
  // From here on the bytes in front of the offset are what they are.
  const std::size_t size = std::min<std::uint64_t>(kMarkBytes, file.offset);
  const std::size_t before = read_at(file.fd.get(), bytes, size, file.offset - size);
  if (before == size) file.mark = mark_of({bytes, size});
  return true;
}

void Generations::hand_over(TailFile& file, TailFile& copy) {
  copy.uid = file.uid;
  copy.epoch = file.epoch;
  copy.start = file.start;
  copy.code = file.code;
  copy.born = file.born;
  copy.copy = true;
  copy.head = file.head;
  copy.mark = file.mark;
  copy.source = file.source;
  copy.origin = file.origin;
  copy.stream = file.stream_name();
  copy.offset = file.offset;
  copy.scanned = file.offset;
  copy.line_end = 0;
  copy.joined = file.joined;
  copy.owed_from = file.owed_from;
  copy.joins = file.joins;
  copy.state = file.state;
  keep(copy, nullptr);
  reset(file);
}

void Generations::forget(TailFile& file) {
  if (file.source != nullptr) close(file.uid, file.source);
  reset(file);
}

void Generations::close(std::uint64_t uid, Source source) {
  services_.intake.close_source(source, true, [intake = &services_.intake, uid] { intake->drop_fact(fact_key(uid)); });
}

void Generations::leave(TailFile& file) {
  if (file.source == nullptr) return;
  if (file.state == TailFile::State::ready) refresh_fact(file, true);
  services_.intake.close_source(std::exchange(file.source, nullptr), false, nullptr);
}

void Generations::prune(std::uint64_t uid) { close(uid, services_.intake.open_source({uid, 0})); }

void Generations::reset(TailFile& file) {
  file.state = TailFile::State::fresh;
  file.packed.reset();
  ++file.epoch;
  file.uid = 0;
  file.start = 0;
  file.head = {};
  file.mark = {};
  file.source = nullptr;
  file.copy = false;
  file.offset = file.scanned = file.line_end = file.seen_size = 0;
  file.kept_head = 0;
  file.kept_mark = 0;
  file.joined = {};
  file.owed_from = TailFile::kNothingOwed;
  file.joins = 0;
  file.shrunk_since = 0;
}

void Generations::refresh_fact(TailFile& file, bool at_rest) {
  const bool head = file.head.size > file.kept_head &&
                    (file.head.size >= 2 * file.kept_head || file.head.size == kHeadBytes || at_rest);
  const bool mark = file.mark.size > 0 && (at_rest ? file.kept_mark != file.offset : file.offset >= 2 * file.kept_mark);
  if (head || mark) keep(file, nullptr);
}

void Generations::keep(TailFile& file, std::function<void()> durable) {
  GenerationFact fact;
  fact.uid = file.uid;
  fact.copy = file.copy;
  fact.id = file.id;
  fact.epoch = file.epoch;
  fact.start = file.start;
  fact.born = file.born;
  fact.head = file.head;
  fact.mark = file.mark;
  fact.mark_at = file.mark.size > 0 ? file.offset : 0;
  fact.joined = file.joined;
  fact.stream = file.stream_name();
  fact.path = file.path;
  file.kept_head = file.head.size;
  file.kept_mark = fact.mark_at;
  services_.intake.keep_fact(fact_key(file.uid), write_fact(fact), std::move(durable));
}

}  // namespace logweir::tail
