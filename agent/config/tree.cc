// SPDX-License-Identifier: Apache-2.0
#include "config/tree.h"

#include <fmt/format.h>

#include "config/schema.h"

namespace logweir {

std::string Place::text() const {
  std::string out = file ? *file : std::string("conf");
  if (line > 0) out += fmt::format(":{}", line);
  if (line > 0 && column > 0) out += fmt::format(":{}", column);
  return out;
}

void Problems::add(Problem problem) {
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

const Node* Node::find(std::string_view key) const {
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (same_key(entry->first, key)) return &entry->second;
  }
  return nullptr;
}

}  // namespace logweir
