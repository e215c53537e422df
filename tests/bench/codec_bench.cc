// SPDX-License-Identifier: Apache-2.0
// What the codec costs by itself, on lines like those of the throughput yardstick: one core, data in the cache.
#include <simdjson.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "codec/access.h"
#include "codec/encode.h"
#include "codec/json_scan.h"
#include "codec/json_text.h"
#include "codec/kernel.h"
#include "codec/lines.h"
#include "codec/parser_options.h"
#include "codec/regex.h"
#include "codec/time_format.h"
#include "support/line_batch.h"

namespace logweir {
namespace {

constexpr std::size_t kLines = 400;

// Of this thread's CPU: others on the machine cost cache, not time.
double cpu_now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

template <typename Work>
double seconds_per_round(Work work) {
  double best = 1e9;
  for (int round = 0; round < 15; ++round) {
    const double start = cpu_now();
    int times = 0;
    do {
      work();
      ++times;
    } while (cpu_now() - start < 0.01);
    best = std::min(best, (cpu_now() - start) / times);
  }
  return best;
}

template <typename Work>
void report(const char* what, std::size_t bytes, std::size_t records, Work work) {
  const double seconds = seconds_per_round(work);
  std::printf("%-44s %8.0f MB/s %8.1f ns each\n", what, static_cast<double>(bytes) / seconds / 1e6,
              seconds / static_cast<double>(records) * 1e9);
}

class Corpus {
 public:
  std::string plain() {
    std::string line = "seq=0000012345";
    for (int i = 0; i < 12; ++i) line += " " + word();
    return line;
  }
  std::string nginx() {
    return number(256) + "." + number(256) + ".7.9 - - [30/Nov/2026:07:12:34 +0000] \"GET /api/v1/items/" +
           number(9999) + "?seq=0000000001 HTTP/1.1\" 200 " + number(99999) + " \"https://example.com/page/" +
           number(999) + "\" \"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120.0\"";
  }
  std::string json() {
    std::string message = word();
    for (int i = 0; i < 13; ++i) message += " " + word();
    return R"({"time": "2026-11-30T07:12:)" + two(60) + ".123456Z\", \"level\": \"" + word() +
           R"(", "seq": "0000000001", "msg": ")" + message + R"(", "http": {"method": "GET", "path": "/v1/)" + word() +
           "/" + number(9999) + R"(", "status": 200, "ms": 412.117}, "user": {"id": )" + number(1000000000) +
           R"(, "name": ")" + word() + R"("}, "tags": [")" + word() + R"(", ")" + word() + R"(", ")" + word() +
           R"("], "ok": true, "trace": "b2f4c1d9e8a7460fb2f4c1d9e8a7460f"})";
  }
  std::string cyrillic() {
    std::string line;
    for (int i = 0; i < 12; ++i) line += "запрос выполнен ";
    return line;
  }

 private:
  std::string word() {
    static const char* const kWords[] = {"alpha", "beta",  "gamma",    "delta",   "request", "served",
                                         "cache", "retry", "upstream", "timeout", "session", "payment"};
    return kWords[random_() % 12];
  }
  std::string number(unsigned below) { return std::to_string(random_() % below); }
  std::string two(unsigned below) {
    const std::string text = number(below);
    return text.size() == 1 ? "0" + text : text;
  }
  std::mt19937 random_{7};
};

void fill(LineBatch& lines, Corpus& corpus, std::string (Corpus::*make)()) {
  for (std::size_t i = 0; i < kLines; ++i) lines.add((corpus.*make)());
}

void measure_escape(const char* what, const Kernel& kernel, LineBatch& lines) {
  std::vector<char> out(1 << 20);
  std::uint64_t repaired = 0;
  report(what, lines->bytes, kLines, [&] {
    for (const Record& record : lines->records) {
      kernel.write_text(out.data(), record.data, record.data + record.size, repaired);
    }
  });
}

void measure_encode(const char* what, LineBatch& lines, EncodeOptions options) {
  Encoder encoder(std::move(options));
  Pieces out(lines.pool());
  report(what, lines->bytes, kLines, [&] {
    encoder.encode(lines.all(), out, SIZE_MAX);
    out.clear();
  });
}

void measure_scan(const char* what, const Kernel& kernel, LineBatch& lines) {
  auto scan = std::make_unique<JsonScan>();
  std::size_t good = 0;
  report(what, lines->bytes, kLines, [&] {
    for (const Record& record : lines->records) {
      good += kernel.scan_object(record.data, record.data + record.size, *scan);
    }
  });
  if (good % kLines != 0) std::printf("a line was refused\n");
}

void measure_dom(LineBatch& lines) {
  simdjson::dom::parser parser;
  std::size_t good = 0;
  report("json: simdjson DOM parse, for comparison", lines->bytes, kLines, [&] {
    for (const Record& record : lines->records) {
      good += parser.parse(record.data, record.size, false).error() == simdjson::SUCCESS;
    }
  });
}

void measure_decode(const char* what, LineBatch& lines, const ParserOptions& options) {
  auto decoder = std::move(make_decoder(options)).value();
  const std::vector<Record> before = lines->records;
  report(what, lines->bytes, kLines, [&] {
    lines->records = before;
    lines->fields.clear();
    decoder->decode(*lines, 0);
  });
  Encoder encoder(EncodeOptions{});
  Pieces out(lines.pool());
  report("  and encode json_lines", lines->bytes, kLines, [&] {
    lines->records = before;
    lines->fields.clear();
    decoder->decode(*lines, 0);
    encoder.encode(lines.all(), out, SIZE_MAX);
    out.clear();
  });
  lines->records = before;
}

void measure_access(LineBatch& lines, const char* key) {
  const Accessor accessor = std::move(Accessor::parse(key)).value();
  std::string scratch;
  std::size_t found = 0;
  report((std::string("access ") + key).c_str(), lines->bytes, kLines, [&] {
    for (const Record& record : lines->records) found += accessor.text(*lines, record, scratch).has_value();
  });
}

void measure_time(const char* format, std::string_view text) {
  const TimeFormat time = std::move(TimeFormat::compile(format)).value();
  Nanos sum = 0;
  report((std::string("time ") + format).c_str(), text.size(), 1000, [&] {
    for (int i = 0; i < 1000; ++i) sum += time.parse(text, 1'700'000'000 * kSecond).value_or(0);
  });
}

void run() {
  Corpus corpus;
  LineBatch plain;
  LineBatch nginx;
  LineBatch json;
  LineBatch cyrillic;
  fill(plain, corpus, &Corpus::plain);
  fill(nginx, corpus, &Corpus::nginx);
  fill(json, corpus, &Corpus::json);
  fill(cyrillic, corpus, &Corpus::cyrillic);

  measure_escape("escape plain, this machine's kernel", kernel(), plain);
  measure_escape("escape plain, sse2", kSse2Kernel, plain);
  measure_escape("escape nginx, this machine's kernel", kernel(), nginx);
  measure_escape("escape nginx, sse2", kSse2Kernel, nginx);
  measure_escape("escape cyrillic, this machine's kernel", kernel(), cyrillic);
  measure_encode("encode plain lines, json_lines", plain, {});
  measure_encode("encode nginx lines, json_lines", nginx, {});
  EncodeOptions packed;
  packed.format = Format::msgpack;
  measure_encode("encode plain lines, msgpack", plain, packed);
  EncodeOptions with_ids;
  with_ids.id_key = "id";
  plain->source = 7;
  measure_encode("encode plain lines, json_lines with ids", plain, with_ids);
  EncodeOptions raw;
  raw.format = Format::raw;
  measure_encode("encode nginx lines, raw copied", nginx, raw);
  raw.refer_above = 256;
  measure_encode("encode nginx lines, raw referred", nginx, raw);

  measure_dom(json);
  measure_scan("json: scan, this machine's kernel", kernel(), json);
  measure_scan("json: scan, sse2", kSse2Kernel, json);
  ParserOptions parser;
  parser.format = "json";
  measure_decode("json: decode", json, parser);
  parser.time_format = "%Y-%m-%dT%H:%M:%S.%L%z";
  measure_decode("json: decode with time_key", json, parser);
  auto decoder = std::move(make_decoder(ParserOptions{.name = "",
                                                      .format = "json",
                                                      .time_key = "",
                                                      .time_format = "",
                                                      .time_keep = false,
                                                      .time_strict = true,
                                                      .time_offset = ""}))
                     .value();
  decoder->decode(*json, 0);
  measure_encode("encode json records, json_lines", json, {});
  measure_encode("encode json records, msgpack", json, packed);
  json->source = 7;
  measure_encode("encode json records, json_lines with ids", json, with_ids);
  measure_access(json, "level");
  measure_access(json, "trace");
  measure_access(json, "$http['status']");
  measure_access(json, "absent");
  measure_time("%Y-%m-%dT%H:%M:%S.%L%z", "2026-11-30T07:12:34.123456Z");
  measure_time("%d/%b/%Y:%H:%M:%S %z", "30/Nov/2026:07:12:34 +0000");
  measure_time("%b %d %H:%M:%S", "Nov 30 07:12:34");
  measure_time("%s.%L", "1760000000.25");

  const Regex regex = std::move(Regex::compile("HTTP/1.1\" (4|5)\\d\\d")).value();
  std::size_t matched = 0;
  report("regex on nginx lines, no match", nginx->bytes, kLines, [&] {
    for (const Record& record : nginx->records) matched += regex.matches(record.text());
  });
}

}  // namespace
}  // namespace logweir

int main() {
  logweir::run();
  return 0;
}
