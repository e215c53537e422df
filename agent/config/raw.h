// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/tree.h"

namespace logweir {

// Value. One part of one conf file, in the order of writing, before variables are put in and includes are read.
struct RawItem {
  enum class Kind { env, include, service, parser, multiline_parser, input, filter, output };
  Kind kind = Kind::service;
  std::string name;  // of an env variable
  Node node;         // env and include: a scalar; else a map
};
using RawConf = std::vector<RawItem>;

// Bounds of what a conf may make us hold, per file.
constexpr std::size_t kMostConfBytes = 16 << 20;
constexpr std::size_t kMostConfNodes = 500'000;
constexpr int kMostConfDepth = 64;

// By the name's ending, else by how the text begins.
bool looks_like_yaml(std::string_view name, std::string_view text);

// The two formats. `file` is what places are called by. Faults go to `problems`; what could be read is returned.
RawConf read_yaml(std::string_view text, const std::shared_ptr<const std::string>& file, Problems& problems);
RawConf read_classic(std::string_view text, const std::shared_ptr<const std::string>& file, Problems& problems);

}  // namespace logweir
