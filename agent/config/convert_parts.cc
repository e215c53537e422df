// SPDX-License-Identifier: Apache-2.0
#include "config/convert_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "config/words.h"
#include "config/yaml_words.h"

namespace logweir::convert {
namespace {

using Kind = RawItem::Kind;

Top top_of(Kind kind) {
  switch (kind) {
    case Kind::env:
      return Top::env;
    case Kind::include:
      return Top::includes;
    case Kind::service:
      return Top::service;
    case Kind::parser:
      return Top::parsers;
    case Kind::multiline_parser:
      return Top::multiline_parsers;
    case Kind::input:
    case Kind::filter:
    case Kind::output:
      break;
  }
  return Top::pipeline;
}

class Shaper {
 public:
  void line(const ClassicLine& line) {
    switch (line.kind) {
      case ClassicLine::Kind::blank:
        return note({}, false);
      case ClassicLine::Kind::comment:
        return note(yaml_comment(line.value), line.indented);
      case ClassicLine::Kind::section:
        return section(line);
      case ClassicLine::Kind::entry:
        return entry(line);
      case ClassicLine::Kind::set:
        return single(Kind::env, line);
      case ClassicLine::Kind::include:
        return single(Kind::include, line);
      case ClassicLine::Kind::bad_section:
      case ClassicLine::Kind::bad:
        return;
    }
  }

  Shape take() {
    Comments rest = take_notes();
    shape_.foot = std::move(rest);
    return std::move(shape_);
  }

 private:
  struct Note {
    std::string text;
    bool indented;
  };

  void note(std::string text, bool indented) {
    if (text.empty() && (notes_.empty() || notes_.back().text.empty())) return;
    notes_.push_back({std::move(text), indented});
  }

  // The notes that stand above what comes now. Indented ones right behind a section's entries stay with that section.
  Comments take_notes() {
    std::size_t own = 0;
    if (open_) {
      while (own < notes_.size() && notes_[own].indented) shape_.parts[*open_].below.push_back(notes_[own++].text);
    }
    Comments out;
    for (std::size_t i = own; i < notes_.size(); ++i) out.push_back(std::move(notes_[i].text));
    notes_.clear();
    return out;
  }

  // What stands above the first part and a blank line belongs to the whole file.
  Comments above_part() {
    Comments notes = take_notes();
    if (!shape_.parts.empty()) return notes;
    const auto blank = std::find(notes.rbegin(), notes.rend(), std::string());
    shape_.head.assign(notes.begin(), blank.base());
    notes.erase(notes.begin(), blank.base());
    return notes;
  }

  void section(const ClassicLine& line) {
    const std::optional<Kind> kind = classic_section(line.key);
    if (!kind) {
      // A part of Fluent Bit that has no meaning here stays to be read.
      note(yaml_comment(fmt::format("# [{}] has no meaning here", line.key)), false);
      absent_ = true;
      return;
    }
    absent_ = false;
    Comments above = above_part();
    if (!line.value.empty()) above.push_back(yaml_comment(line.value));
    begin({*kind, std::move(above), {}, {}});
  }

  void begin(Part part) {
    Group& group = group_for(top_of(part.kind));
    if (part.kind == Kind::service && !group.parts.empty()) {  // SERVICE sections are one
      open_ = group.parts.front();
      for (std::string& text : shape_.parts[*open_].below) pending_.push_back(std::move(text));
      shape_.parts[*open_].below.clear();
      for (std::string& text : part.above) pending_.push_back(std::move(text));
      return;
    }
    shape_.parts.push_back(std::move(part));
    open_ = shape_.parts.size() - 1;
    group.parts.push_back(*open_);
  }

  void entry(const ClassicLine& line) {
    if (absent_) return note(yaml_comment(fmt::format("#     {} {}", line.key, line.value)), false);
    if (!open_) return;  // a fault, told before
    Entry entry{std::move(pending_), std::string(line.key), std::string(line.value)};
    pending_.clear();
    for (Note& note : notes_) entry.above.push_back(std::move(note.text));
    notes_.clear();
    shape_.parts[*open_].entries.push_back(std::move(entry));
  }

  void single(Kind kind, const ClassicLine& line) {
    Part part{kind, above_part(), {}, {}};
    part.entries.push_back({{}, std::string(line.key), std::string(line.value)});
    Group& group = group_for(top_of(kind));
    shape_.parts.push_back(std::move(part));  // a section stays open around it
    group.parts.push_back(shape_.parts.size() - 1);
  }

  // The place for another part. An included file may hold anything, so that nothing moves past it.
  Group& group_for(Top top) {
    if (shape_.documents.empty()) shape_.documents.emplace_back();
    Document& last = shape_.documents.back();
    const auto is = [](Top wanted) { return [wanted](const Group& group) { return group.top == wanted; }; };
    const auto mine = std::find_if(last.begin(), last.end(), is(top));
    const auto includes = std::find_if(last.begin(), last.end(), is(Top::includes));
    const bool can_join = mine != last.end() && (includes == last.end() || includes <= mine) &&
                          (top != Top::includes || mine + 1 == last.end());
    if (can_join) return *mine;
    const bool can_append = mine == last.end() && (top != Top::env || includes == last.end());
    if (!can_append) shape_.documents.emplace_back();
    shape_.documents.back().push_back({top, {}});
    return shape_.documents.back().back();
  }

  Shape shape_;
  std::vector<Note> notes_;  // read, and not yet anybody's
  Comments pending_;         // of the next entry
  std::optional<std::size_t> open_;
  bool absent_ = false;  // inside of a section without a meaning
};

}  // namespace

Shape shape_of(std::string_view text, const std::shared_ptr<const std::string>& file, Problems& problems) {
  ClassicLines lines(text, file, problems);
  Shaper shaper;
  ClassicLine line;
  while (lines.next(line)) shaper.line(line);
  return shaper.take();
}

}  // namespace logweir::convert
