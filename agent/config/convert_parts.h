// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/classic_lines.h"

namespace logweir::convert {

// Values. A classic conf in the shape that YAML gives it; of comments an empty one is a blank line.
using Comments = std::vector<std::string>;

struct Entry {
  Comments above;
  std::string key, value;
};
// A section, an @SET (one entry) or an @INCLUDE (one entry without a key).
struct Part {
  RawItem::Kind kind = RawItem::Kind::service;
  Comments above;
  std::vector<Entry> entries;
  Comments below;
};
// The keys at the top of a document.
enum class Top { env, includes, service, parsers, multiline_parsers, pipeline };
struct Group {
  Top top = Top::service;
  std::vector<std::size_t> parts;  // indices into Shape::parts, in order
};
// A document has each top key once. What a file included in between could change needs another document.
using Document = std::vector<Group>;
struct Shape {
  Comments head, foot;
  std::vector<Part> parts;
  std::vector<Document> documents;
};

// `text` is without faults.
Shape shape_of(std::string_view text, const std::shared_ptr<const std::string>& file, Problems& problems);

}  // namespace logweir::convert
