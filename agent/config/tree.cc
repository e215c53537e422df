// SPDX-License-Identifier: Apache-2.0
#include "config/tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/schema.h"

namespace logweir {

std::string Place::text() const {
  std::string out = file ? *file : std::string("conf");
  if (line > 0) out += fmt::format(":{}", line);
  if (line > 0 && column > 0) out += fmt::format(":{}", column);
  return out;
}

namespace {

bool same(const Problem& a, const Problem& b) {
  const auto name = [](const Place& place) { return place.file ? std::string_view(*place.file) : std::string_view(); };
  return a.level == b.level && a.place.line == b.place.line && a.place.column == b.place.column && a.text == b.text &&
         name(a.place) == name(b.place);
}

}  // namespace

void Problems::add(Problem problem) {
  // A key that two schemas read may be complained of twice.
  if (std::any_of(all_.begin(), all_.end(), [&](const Problem& known) { return same(known, problem); })) return;
  const bool error = problem.level == Problem::Level::error;
  errors_ += error ? 1 : 0;
  if (all_.size() < kMost) {
    all_.push_back(std::move(problem));
  } else {
    ++left_out_;
  }
}

std::string Problems::text() const {
  std::string out;
  for (const Problem& problem : all_) {
    const char* level = problem.level == Problem::Level::error ? "error" : "warning";
    out += fmt::format("{}: {}: {}\n", problem.place.text(), level, problem.text);
  }
  if (left_out_ > 0) out += fmt::format("({} more problems are not shown)\n", left_out_);
  return out;
}

Node::Node() = default;
Node::Node(const Node& other) = default;
Node::Node(Node&& other) noexcept = default;
Node& Node::operator=(const Node& other) = default;
Node& Node::operator=(Node&& other) noexcept = default;
Node::~Node() = default;

const Node* Node::find(std::string_view key) const {
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (same_key(entry->first, key)) return &entry->second;
  }
  return nullptr;
}

}  // namespace logweir
