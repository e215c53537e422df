// SPDX-License-Identifier: Apache-2.0
// Record ids, idempotency keys and MessagePack bodies of the http output.
#include <doctest/doctest.h>

#include <set>

#include "plugins/outputs/http/repeats.h"
#include "support/http_output_bench.h"

namespace logweir {

namespace {

using http_out::HttpFormat;
using http_out::KeyBasis;
using http_out::Stretch;

// As the pipeline would have made it of a file: an id, and lines that follow one another.
BatchRef with_ids(BatchRef batch, std::uint64_t source, std::uint64_t position = 0) {
  batch->source = source;
  for (Record& record : batch->records) {
    record.position = position;
    position += record.size + 1;
  }
  return batch;
}

std::string key_of(const std::vector<Part>& parts, const KeyBasis& basis = {}) {
  std::uint64_t count = 0;
  for (const Part& part : parts) count += part.count();
  return http_out::idempotency_key(parts, {0, count}, basis);
}

TEST_CASE("with record_id_key each record carries its id, instead of a field of that name") {
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, [](auto& o) {
    o.record_id_key = "log";
    o.json_date_key = "off";
  });
  bench.send(with_ids(bench.batch({"a", "b"}), 0xfeed));
  REQUIRE(bench.settled(2));
  CHECK(peer.requests().at(0).body == R"([{"log":"000000000000feed-0"},{"log":"000000000000feed-2"}])");
}

TEST_CASE("msgpack bodies are events one behind the other, and say so") {
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, [](auto& o) { o.format = HttpFormat::msgpack; });
  bench.send(bench.batch({"a", "b"}));
  REQUIRE(bench.settled(2));
  const HttpPeer::Request got = peer.requests().at(0);
  CHECK(got.header("content-type") == "application/msgpack");
  using namespace std::string_literals;
  const std::string head = "\x92\x92\xD7\x00\x65\x53\xF1\x00\x00\x00\x00\x00\x80\x81\xA3log\xA1"s;
  CHECK(got.body == head + "a" + head + "b");
}

TEST_CASE("the key of a body survives a restart, however the records are cut into batches and parts") {
  HttpBench bench;
  const BatchRef whole = with_ids(bench.batch({"a", "b", "c"}), 7);
  const BatchRef first = with_ids(bench.batch({"x", "y"}), 7);
  const BatchRef last = with_ids(bench.batch({"z"}), 7, 4);
  const std::string key = key_of({{whole.get(), 0, 3}});
  CHECK(key == key_of({{whole.get(), 0, 1}, {whole.get(), 1, 3}}));
  CHECK(key == key_of({{first.get(), 0, 2}, {last.get(), 0, 1}}));
  const std::vector<Part> parts{{whole.get(), 0, 1}, {whole.get(), 1, 3}};
  CHECK(http_out::idempotency_key(parts, {1, 1}, {}) == key_of({{whole.get(), 1, 2}}));
}

TEST_CASE("other records, other times and another form have other keys") {
  HttpBench bench;
  const BatchRef batch = with_ids(bench.batch({"a", "b", "c"}), 7);
  const BatchRef elsewhere = with_ids(bench.batch({"a", "b", "c"}), 8);
  const BatchRef later = with_ids(bench.batch({"a", "b", "c"}), 7);
  later->records[1].time += 1;
  const BatchRef same_place = with_ids(bench.batch({"a", "b", "c"}), 7);
  for (Record& record : same_place->records) record.position = 0;
  std::set<std::string> keys;
  std::size_t made = 0;
  for (const auto& [first, last] : {std::pair{0U, 1U}, {0U, 2U}, {0U, 3U}, {1U, 2U}, {1U, 3U}, {2U, 3U}}) {
    keys.insert(key_of({{batch.get(), first, last}}));
    keys.insert(key_of({{elsewhere.get(), first, last}}));
    made += 2;
  }
  keys.insert(key_of({{later.get(), 0, 3}}));
  keys.insert(key_of({{batch.get(), 0, 1}, {batch.get(), 2, 3}}));
  keys.insert(key_of({{batch.get(), 0, 3}}, {.form = 1, .timed = true, .run = 0}));
  keys.insert(key_of({{same_place.get(), 1, 2}}));
  keys.insert(key_of({{same_place.get(), 2, 3}}));
  CHECK(keys.size() == made + 5);
  const KeyBasis untimed{.form = 0, .timed = false, .run = 0};
  CHECK(key_of({{later.get(), 0, 3}}, untimed) == key_of({{batch.get(), 0, 3}}, untimed));
}

TEST_CASE("records without an id have keys of this run alone") {
  HttpBench bench;
  const BatchRef a = bench.batch({"a"});
  const BatchRef b = bench.batch({"a"});
  CHECK(key_of({{a.get(), 0, 1}}) == key_of({{a.get(), 0, 1}}));
  CHECK(key_of({{a.get(), 0, 1}}) != key_of({{b.get(), 0, 1}}));
  CHECK(key_of({{a.get(), 0, 1}}) != key_of({{a.get(), 0, 1}}, {.form = 0, .timed = true, .run = 1}));
}

TEST_CASE("the key depends on the options that change the body") {
  std::set<std::string> keys;
  const std::vector<HttpBench::Change> changes = {
      [](auto&) {},
      [](auto& o) { o.format = HttpFormat::json_lines; },
      [](auto& o) { o.record_id_key = "id"; },
      [](auto& o) { o.json_date_key = "when"; },
      [](auto& o) { o.compress = http_out::HttpCompress::gzip; },
  };
  for (const auto& change : changes) {
    HttpPeer peer({HttpPeer::ok()});
    HttpBench bench(peer, change);
    bench.send(with_ids(bench.batch({"a"}), 7));
    REQUIRE(bench.settled(1));
    keys.insert(peer.requests().at(0).header("idempotency-key"));
  }
  CHECK(keys.size() == changes.size());
}

}  // namespace
}  // namespace logweir
