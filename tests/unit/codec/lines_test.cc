// SPDX-License-Identifier: Apache-2.0
#include "codec/lines.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "codec/kernel.h"

namespace logweir {

TEST_CASE("the first newline is found at every length and place, and never one behind the end") {
  std::string text(200, 'x');
  for (const Kernel* kernel : {&kSse2Kernel, &kAvx2Kernel}) {
    if (kernel == &kAvx2Kernel && !__builtin_cpu_supports("avx2")) continue;
    for (std::size_t from = 0; from < 40; ++from) {
      for (std::size_t size = 0; size < 100; ++size) {
        const char* begin = text.data() + from;
        text[from + size] = '\n';  // just behind the end
        CHECK(kernel->find_byte(begin, begin + size, '\n') == nullptr);
        text[from + size] = 'x';
        if (size == 0) continue;
        text[from + size / 2] = '\n';
        text[from + size - 1] = '\n';
        CHECK(kernel->find_byte(begin, begin + size, '\n') == begin + size / 2);
        text[from + size / 2] = text[from + size - 1] = 'x';
      }
    }
  }
}

TEST_CASE("an empty range holds no newline, and any other byte can be asked for") {
  CHECK(find_newline(nullptr, nullptr) == nullptr);
  const std::string text("a\0b\xFF", 4);
  CHECK(find_byte(text.data(), text.data() + 4, '\0') == text.data() + 1);
  CHECK(find_byte(text.data(), text.data() + 4, '\xFF') == text.data() + 3);
}

}  // namespace logweir
