// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

#include "app/routes.h"

namespace logweir {

// Value. `logweir graph` as asked for.
struct GraphRequest {
  std::string format = "text";  // text, dot, svg
  bool unicode = false;         // text: box drawing may be used
};

// The pipeline as a picture. Names may hold any bytes; they are escaped for the format.
int run_graph(const GraphRequest& request, const Plan& plan, std::ostream& out, std::ostream& err);
std::string graph_text(const RouteMap& map, bool unicode);
std::string graph_dot(const RouteMap& map);
std::string graph_svg(const RouteMap& map);  // self-contained; dark where the viewer is

// Whether stdout is a terminal that shows UTF-8.
bool terminal_has_unicode();

}  // namespace logweir
