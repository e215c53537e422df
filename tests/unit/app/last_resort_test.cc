// SPDX-License-Identifier: Apache-2.0
#include "app/last_resort.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include "tests/support/in_child.h"

namespace logweir {

TEST_CASE("what hangs ends with the process, and what comes to its end in time does not") {
  int says[2];
  REQUIRE(::pipe(says) == 0);
  const int status = in_child([&] {
    const LastResort last_resort(10 * kMillisecond, 7, [&] { (void)!::write(says[1], "!", 1); });
    while (true) ::pause();
    return 0;
  });
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
  ::close(says[1]);
  char said[2];
  CHECK(::read(says[0], said, sizeof said) == 1);
  ::close(says[0]);

  const int ended = in_child([] {
    const LastResort in_time(3600 * kSecond, 7, [] {});
    const LastResort unlimited(-1, 7, [] {});
    return 3;
  });
  CHECK(WIFEXITED(ended));
  CHECK(WEXITSTATUS(ended) == 3);
}

}  // namespace logweir
