// SPDX-License-Identifier: Apache-2.0
#include "record/record_id.h"

#include <doctest/doctest.h>

using logweir::RecordId;

TEST_CASE("a record's id is its source and position in hex") {
  CHECK(RecordId(0xabc, 0).text() == "0000000000000abc-0");
  CHECK(RecordId(0x123456789abcdef0, 0x1f00).text() == "123456789abcdef0-1f00");
  CHECK(RecordId(1, UINT64_MAX, UINT32_MAX).text() == "0000000000000001-ffffffffffffffff-ffffffff");
}

TEST_CASE("only the second record of a position and later ones carry an ordinal") {
  CHECK(RecordId(1, 16, 0).text() == "0000000000000001-10");
  CHECK(RecordId(1, 16, 1).text() == "0000000000000001-10-1");
}
