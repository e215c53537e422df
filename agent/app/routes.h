// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/plan.h"

namespace logweir {

// Value. An instance in the picture of a pipeline. `id` is "i0", "f0", "o0": its kind and number in the conf.
struct RouteNode {
  enum class Kind : unsigned char { input, filter, output };
  Kind kind = Kind::input;
  std::size_t number = 0;
  std::string id;
  std::string name;    // any bytes
  std::string plugin;  // its word in the conf
  std::string about;   // tag or match; any bytes
  std::size_t layer = 0;
};

// Value. `certain`: records surely go there; else it depends on a tag that is made at run time.
struct RouteEdge {
  std::size_t from = 0;  // in RouteMap::nodes
  std::size_t to = 0;
  bool certain = true;
};

// Value. The way of one input's records: the filters they meet, in order, then the outputs.
struct InputRoute {
  std::size_t input = 0;         // all in RouteMap::nodes
  std::vector<RouteEdge> steps;  // `from` is the input
  std::vector<RouteEdge> ends;
};

// Value. Which way records go, as the conf's tags and matches say. Inputs are on layer 0, outputs on the last.
struct RouteMap {
  std::vector<RouteNode> nodes;  // inputs, filters, outputs, in the conf's order
  std::vector<RouteEdge> edges;  // each once
  std::vector<InputRoute> routes;
  std::size_t layers = 0;
};
RouteMap routes_of(const Plan& plan);

// Whether some text fits both patterns, in which `*` stands for any run of characters.
bool wildcards_meet(std::string_view a, std::string_view b);

}  // namespace logweir
