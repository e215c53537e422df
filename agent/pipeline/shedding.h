// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "codec/access.h"
#include "record/batch.h"

namespace logweir {

// How grave a word or syslog number is, as syslog counts: 0 emergency ... 7 debug, 8 trace; nothing for any other.
// Words in any case: emerg, panic, alert, crit, fatal, err, error, warn, warning, notice, info, debug, trace and the
// usual short and long forms.
std::optional<int> severity_of(std::string_view word);

// Value, one per lane. Knows which records a lane in need may give up first. A record that does not say how grave it is
// is kept.
class Shedder {
 public:
  // `below`: the least severity that is kept, a word or number; empty: nothing is shed. `keys`: field accessors, the
  // first that a record has counts. Code::invalid when either makes no sense.
  static Result<Shedder> make(std::string_view below, const std::vector<std::string>& keys);

  [[nodiscard]] bool on() const { return kept_.has_value(); }
  [[nodiscard]] bool sheds(const Batch& batch, const Record& record);

 private:
  std::optional<int> kept_;  // this grave or graver
  std::vector<Accessor> keys_;
  std::string scratch_;
};

}  // namespace logweir
