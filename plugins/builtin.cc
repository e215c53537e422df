// SPDX-License-Identifier: Apache-2.0
#include "plugins/builtin.h"

#include <array>

namespace logweir {

extern const InputEntry kDummyInput;
extern const InputEntry kStdinInput;
extern const InputEntry kTailInput;
extern const InputEntry kTcpInput;
extern const FilterEntry kGrepFilter;
extern const OutputEntry kFileOutput;
extern const OutputEntry kHttpOutput;
extern const OutputEntry kNullOutput;
extern const OutputEntry kStdoutOutput;
extern const OutputEntry kTcpOutput;

Shelf builtin_shelf() {
  static constexpr std::array kInputs = {&kDummyInput, &kStdinInput, &kTailInput, &kTcpInput};
  static constexpr std::array kFilters = {&kGrepFilter};
  static constexpr std::array kOutputs = {&kFileOutput, &kHttpOutput, &kNullOutput, &kStdoutOutput, &kTcpOutput};
  return {kInputs, kFilters, kOutputs};
}

}  // namespace logweir
