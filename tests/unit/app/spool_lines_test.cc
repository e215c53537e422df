// SPDX-License-Identifier: Apache-2.0
#include "app/spool_lines.h"

#include <doctest/doctest.h>

#include <vector>

#include "support/spool_frames.h"

namespace logweir {
namespace {

std::vector<std::string> lines(const Part& part) {
  const std::string frame = frame_of(part, {1, 1, 0});
  SpoolLines all;
  std::vector<std::string> found;
  const Status status = all.each(frame, "peer", [&](std::string_view line) {
    found.emplace_back(line);
    return true;
  });
  CHECK(status.ok());
  return found;
}

constexpr const char* kFront = R"({"output":"peer","tag":"t",)";
constexpr const char* kTime = R"("time":"2023-11-14T22:13:20.123456000Z","record":)";

TEST_CASE("a record of a spool is one line, with its id where it has one") {
  LineBatch batch;
  batch.add("a \"b\"\x01\xff");
  CHECK(lines(batch.all()).at(0) == std::string(kFront) + kTime + "{\"log\":\"a \\\"b\\\"\\u0001\xef\xbf\xbd\"}}");
  batch->source = 0xAB;
  batch.add("again").position = 0;
  CHECK(lines(batch.all()).at(1) ==
        std::string(kFront) + R"("id":"00000000000000ab-0-1",)" + kTime + R"({"log":"again"}})");
}

TEST_CASE("a body in several lines of JSON becomes one, with its overlay") {
  LineBatch batch;
  Record& record = batch.add("{\"a\":1,\r\n\t\"b\":\"x\"}\n");
  record.size -= 1;
  record.body = Body::json;
  record.fields = 0;
  record.field_count = 1;
  Field& field = batch->fields.emplace_back();
  field.key = "c";
  field.value.kind = Value::Kind::integer;
  field.value.integer = 7;
  CHECK(lines(batch.all()).at(0) == std::string(kFront) + kTime + "{\"a\":1,   \"b\":\"x\",\"c\":7}}");
}

TEST_CASE("a body that only looks like JSON is shown as text") {
  LineBatch batch;
  batch.add("{\"a\":\"x}").body = Body::json;
  CHECK(lines(batch.all()).at(0) == std::string(kFront) + kTime + R"({"log":"{\"a\":\"x}"}})");
}

TEST_CASE("it ends when it is told to, and says what makes no sense") {
  LineBatch batch;
  batch.add("a");
  batch.add("b");
  SpoolLines all;
  int told = 0;
  std::string frame = frame_of(batch.all(), {1, 1, 0});
  CHECK(all.each(frame, "peer", [&](std::string_view) { return ++told == 0; }).ok());
  CHECK(told == 1);
  frame[kFrameHead + 8] ^= 0x7f;  // the size of the origin
  CHECK(all.each(frame, "peer", [](std::string_view) { return true; }).code() == Code::corrupt);
  CHECK(all.each("", "peer", [](std::string_view) { return true; }).code() == Code::corrupt);
}

}  // namespace
}  // namespace logweir
